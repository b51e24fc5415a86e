#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks pipeline files a little, many times, and looks at where `weir check` sees the fault.

    run.py WEIR [--count N] [--seed S] [--show N]

Each example and some golden pipelines get N mutations: a letter changed, a line dropped, a line's
indentation moved. The file must still be right (status 0), or the first error must stand within one
line of the mutation. Another place is right only where a name was changed or dropped at the place that
declares it: then the error stands where the name is used, and quotes the old or the new one.
(A letter changed in the name of a field leaves the file right as long as nothing declares fields.)
"""
import argparse
import json
import os
import random
import re
import string
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = ["examples/flight-delays/pipeline.yaml"] + ["tests/pipelines/%s/pipeline.yaml" % name for name in (
    "three-way-branch", "set-targets", "event-time", "d17-purchases", "filter-and-set", "headers",
    "select-forms", "merge-nested", "flat-map-as-field", "on-error-skip", "partitions-by-key",
    "forms-over-lists")]


class Mutation:
    """kind, number of the line from 1, what stood there, what stands there now (None: nothing)."""

    def __init__(self, kind, number, old, new):
        self.kind, self.number, self.old, self.new = kind, number, old, new

    def applied(self, lines):
        made = lines[: self.number - 1] + ([] if self.new is None else [self.new]) + lines[self.number:]
        return "\n".join(made) + "\n"


def code_of(line):
    """The part of a line that is no comment."""
    return re.sub(r"(^|\s)#.*", "", line)


def mutate(rng, lines):
    number = rng.choice([i for i, line in enumerate(lines, 1) if code_of(line).strip()])
    old = lines[number - 1]
    kind = rng.choice(("letter", "letter", "line", "indentation"))
    if kind == "line":
        return Mutation(kind, number, old, None)
    if kind == "indentation":
        blanks = len(old) - len(old.lstrip())
        now = rng.choice([n for n in (blanks - 2, blanks - 1, blanks + 1, blanks + 2) if n >= 0])
        return Mutation(kind, number, old, " " * now + old.lstrip())
    places = [i for i, c in enumerate(code_of(old)) if c.isalpha()]
    if not places:
        return Mutation("line", number, old, None)
    at = rng.choice(places)
    letter = rng.choice([c for c in string.ascii_lowercase if c != old[at]])
    return Mutation(kind, number, old, old[:at] + letter + old[at + 1:])


def words(line):
    return set(re.findall(r"[\w.-]+", code_of(line or "")))


def quoted(text):
    return set(re.findall(r"'([^']+)'", text))


def is_of_a_name(mutation, error):
    """Whether the error quotes a word that the mutation has made or taken away."""
    changed = words(mutation.old) ^ words(mutation.new) if mutation.kind == "letter" else words(mutation.old)
    return bool(quoted(error["message"]) & changed)


class Mutations:
    def __init__(self, weir, show):
        self.weir, self.show = os.path.abspath(weir), show
        self.passed = self.failed = 0
        self.counts = {}

    def count(self, outcome):
        self.counts[outcome] = self.counts.get(outcome, 0) + 1

    def check(self, path):
        env = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
        return subprocess.run([self.weir, "check", "--json", os.path.basename(path)],
                              cwd=os.path.dirname(path), env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    def fail(self, name, mutation, what):
        self.failed += 1
        self.count("missed")
        if self.failed <= self.show:
            print("FAILED %s:%d: %s\n    was  %s\n    now  %s\n    %s" % (
                name, mutation.number, mutation.kind, mutation.old, mutation.new, what))

    def judge(self, name, mutation, done):
        if done.returncode == 0:
            self.count("still right")
            self.passed += 1
            return
        try:
            told = [one for one in json.loads(done.stdout)["diagnostics"] if one["severity"] == "error"]
        except ValueError:
            told = []
        if done.returncode != 1 or not told:
            self.fail(name, mutation, "status %d: %s" % (done.returncode, done.stderr[-500:]))
            return
        first = told[0]
        if abs(first["line"] - mutation.number) <= 1:
            self.count("found in place")
        elif is_of_a_name(mutation, first):
            self.count("found where a name is used")
        else:
            self.fail(name, mutation, "%d:%d: %s" % (first["line"], first["column"], first["message"]))
            return
        self.passed += 1

    def run(self, name, rng, count):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            lines = file.read().splitlines()
        with tempfile.TemporaryDirectory(prefix="weir-mutations-") as folder:
            path = os.path.join(folder, "pipeline.yaml")
            for i in range(-1, count):
                mutation = mutate(rng, lines) if i >= 0 else Mutation("none", 1, lines[0], lines[0])
                with open(path, "w", encoding="utf-8") as file:
                    file.write(mutation.applied(lines))
                done = self.check(path)
                if i < 0 and done.returncode != 0:
                    self.fail(name, mutation, "not right to begin with: " + done.stdout)
                    return
                self.judge(name, mutation, done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--count", type=int, default=100, help="mutations of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="how many misses are printed")
    args = parser.parse_args()
    mutations = Mutations(args.weir, args.show)
    for name in FILES:
        mutations.run(name, random.Random("%d %s" % (args.seed, name)), args.count)
    print(", ".join("%d %s" % (n, outcome) for outcome, n in sorted(mutations.counts.items())))
    print("%d passed, %d failed" % (mutations.passed, mutations.failed))
    sys.exit(1 if mutations.failed or not mutations.passed else 0)


if __name__ == "__main__":
    main()
