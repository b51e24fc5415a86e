#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random expressions over random records, by weir and by a model in Python; every result is compared.

    run.py WEIR [--count N] [--seed S] [--show N]

The expressions of a round stand in one `select`, each as `try([e], "!")`, so that an error of one is
seen and does not hide the others. Rounds run with batches of 1024, 7 and 1 records, which must agree.
What `weir check` refuses (kinds that it knows) must hold a part that fails on every record.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from generate import Maker, parts, random_record, write
from model import Fault, Open, Scope, as_json, evaluate

BATCH_SIZES = (1024, 7, 1)
EXPRESSIONS = 500
RECORDS = 12
HEAD = """pipeline: differential
log: memory
topics:
  input: {value: json}
streams:
  feed:
    from: {file: {path: input.jsonl}}
    to: {topic: input}
  all:
    from: {topic: input}
    steps:
      - select:
"""
FAILED = "!"


def expected(tree, record):
    try:
        return [evaluate(tree, Scope(record))]
    except Fault:
        return FAILED


def has_bytes(v):
    if isinstance(v, (list, dict)):
        return any(map(has_bytes, v.values() if isinstance(v, dict) else v))
    return isinstance(v, bytes)


def as_written(v):
    """What JSON makes of a value: no NaN, no infinity; kinds and the sign of zero stay visible."""
    if isinstance(v, list):
        return [as_written(item) for item in v]
    if isinstance(v, dict):
        return {key: as_written(item) for key, item in v.items()}
    if isinstance(v, float):
        return ("float", repr(v)) if math.isfinite(v) else None
    return ("int", v) if type(v) is int else v


def read(line):
    return json.loads(line, parse_int=lambda digits: ("int", int(digits)),
                      parse_float=lambda digits: ("float", repr(float(digits))))


class Round:
    """Some hundred expressions over a few records."""

    def __init__(self, rng, count):
        # Whole columns of one kind take other ways through the evaluation than mixed ones.
        is_wild = rng.random() < 0.5
        self.records = [random_record(rng, is_wild) for _ in range(RECORDS)]
        self.trees, self.texts, self.wanted = [], [], []
        self.open = 0
        maker = Maker(rng)
        while len(self.trees) < count:
            tree = maker.expression()
            try:
                wanted = [expected(tree, record) for record in self.records]
            except Open:
                self.open += 1
                continue
            made = write(tree)
            if any(map(has_bytes, wanted)) or len(made) > 4000 or len(json.dumps(wanted)) > 50000:
                continue
            self.trees.append(tree)
            self.texts.append(made)
            self.wanted.append(wanted)

    def is_doomed(self, i):
        """Whether some part fails on every record, so that `check` may refuse it."""
        for part in parts(self.trees[i]):
            if any(one[0] in ("it", "position") for one in parts(part)):
                return True  # not to be judged apart from its list
            try:
                if all(expected(part, record) == FAILED for record in self.records):
                    return True
            except Open:
                return True
        return False


class Differential:
    def __init__(self, weir, show):
        self.weir, self.show = os.path.abspath(weir), show
        self.passed = self.failed = self.refused = self.errors = self.open = 0

    def fail(self, text):
        self.failed += 1
        if self.failed <= self.show:
            print("FAILED " + text)

    def call(self, folder, batch, *words):
        env = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
        return subprocess.run([self.weir, *words], cwd=folder, env=dict(env, WEIR_BATCH_SIZE=str(batch)),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)

    def write_pipeline(self, folder, round_, chosen):
        with open(os.path.join(folder, "p.yaml"), "w", encoding="utf-8") as file:
            file.write(HEAD)
            for i in chosen:
                wrapped = 'try([%s], "%s")' % (round_.texts[i], FAILED)
                file.write("          e%d: '%s'\n" % (i, wrapped.replace("'", "''")))
            file.write("    to: {print: {format: json}}\n")

    def refusals(self, folder, count):
        """Number of the expression to what `check` says of it."""
        done = self.call(folder, 1024, "check", "--json", "p.yaml")
        told = {}
        try:
            for entry in json.loads(done.stdout)["diagnostics"]:
                if entry["severity"] == "error":
                    told[entry["line"] - HEAD.count("\n") - 1] = entry["message"]
        except (ValueError, KeyError):
            self.fail("weir check, status %d: %s" % (done.returncode, (done.stdout + done.stderr)[:500]))
        return {i: told[i] for i in told if 0 <= i < count}

    def accepted(self, folder, round_):
        """Writes the pipeline; what `check` refuses leaves. Types are judged when all else is right."""
        chosen, refused = list(range(len(round_.trees))), True
        while refused:
            self.write_pipeline(folder, round_, chosen)
            refused = {chosen[i]: message for i, message in self.refusals(folder, len(chosen)).items()}
            for i, message in refused.items():
                if round_.is_doomed(i):
                    self.refused += 1
                else:
                    self.fail("check refuses %s\n    %s" % (round_.texts[i], message))
            chosen = [i for i in chosen if i not in refused]
        return chosen

    def run_round(self, rng, count):
        round_ = Round(rng, count)
        self.open += round_.open
        with tempfile.TemporaryDirectory(prefix="weir-differential-") as folder:
            with open(os.path.join(folder, "input.jsonl"), "w", encoding="utf-8") as file:
                for record in round_.records:
                    file.write(as_json(record) + "\n")
            chosen = self.accepted(folder, round_)
            outputs = [self.call(folder, batch, "run", "--until-end", "p.yaml") for batch in BATCH_SIZES]
            self.judge(round_, chosen, outputs)

    def judge(self, round_, chosen, outputs):
        for output, batch in zip(outputs, BATCH_SIZES):
            if output.returncode != 0 or output.stdout.count("\n") != RECORDS:
                self.fail("batches of %d: status %d: %s" % (batch, output.returncode, output.stderr[-1000:]))
                return
            if output.stdout != outputs[0].stdout:
                self.fail("batches of %d give something else" % batch)
        lines = outputs[0].stdout.splitlines()
        for number, line in enumerate(lines):
            got = read(line)
            for i in chosen:
                wanted = as_written(round_.wanted[i][number])
                self.errors += wanted == FAILED
                if got["e%d" % i] == wanted:
                    self.passed += 1
                else:
                    record = {key: v for key, v in round_.records[number].items() if key in round_.texts[i]}
                    self.fail("%s\n    weir   %s\n    model  %s\n    record %s" % (
                        round_.texts[i], json.dumps(got["e%d" % i], ensure_ascii=False)[:300],
                        json.dumps(wanted, ensure_ascii=False)[:300], json.dumps(record, ensure_ascii=False)[:600]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--count", type=int, default=4000, help="expressions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="how many differences are printed")
    args = parser.parse_args()
    differential = Differential(args.weir, args.show)
    rng = random.Random(args.seed)
    left = args.count
    while left > 0:
        differential.run_round(rng, min(left, EXPRESSIONS))
        left -= EXPRESSIONS
    print("%d expressions: %d results compared, %d of them errors; %d refused by check; %d not used, the "
          "answer is open" % (args.count, differential.passed + differential.failed, differential.errors,
                              differential.refused, differential.open))
    print("%d passed, %d failed" % (differential.passed, differential.failed))
    sys.exit(1 if differential.failed or not differential.passed else 0)


if __name__ == "__main__":
    main()
