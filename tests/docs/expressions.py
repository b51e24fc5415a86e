#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every example of docs/expressions.md through the program.

    expressions.py WEIR

Examples are the lines of ```expr blocks and the table cells of the form `EXPRESSION` -> `RESULT`. All of
one sort run in one pipeline: those with a result, those that are an error of the record, those that
`weir check` must refuse or warn of. The record is the page's ```json block. ```yaml blocks must pass
`weir check`; of the table of YAML's traps the left side must not, the right side must.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "expressions.md")
OUTCOMES = ("check error", "error", "warning")  # else it is a result


class Example:
    def __init__(self, line, expression, wanted):
        self.line, self.expression, self.wanted = line, expression, wanted
        self.outcome = next((word for word in OUTCOMES if wanted.startswith(word)), "result")
        self.message = wanted[len(self.outcome):].lstrip(": ") if self.outcome != "result" else ""


# ---- reading the page ---------------------------------------------------------------------------

def fences(lines):
    """(language, number of its first line, lines) of each fenced block."""
    language, start = None, 0
    for number, line in enumerate(lines, 1):
        if line.startswith("```") and language is None:
            language, start = line[3:].strip(), number + 1
        elif line.startswith("```"):
            yield language, start, lines[start - 1:number - 1]
            language = None


def cells(line):
    """A table's row: its cells, with `\\|` for a bar."""
    parts = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [part.strip().replace("\\|", "|") for part in parts]


def code_of(cell):
    found = re.fullmatch(r"`(.*)`", cell)
    return found[1] if found else None


def examples_of(lines):
    inside = set()
    for language, start, block in fences(lines):
        inside.update(range(start, start + len(block)))
        if language != "expr":
            continue
        for number, line in enumerate(block, start):
            expression, arrow, wanted = line.rpartition(" -> ")
            assert arrow, "line %d has no ' -> '" % number
            yield Example(number, expression.strip(), wanted.strip())
    for number, line in enumerate(lines, 1):
        if number not in inside and line.startswith("|"):
            for cell in cells(line):
                found = re.fullmatch(r"`(.+)` -> `(.+)`", cell)
                if found:
                    yield Example(number, found[1], found[2])


def traps_of(lines):
    """(line, written, cure) of the table whose head begins with `written`."""
    rows = iter(enumerate(lines, 1))
    for number, line in rows:
        if line.startswith("| written | what YAML"):
            next(rows)
            for number, line in rows:
                if not line.startswith("|"):
                    return
                row = cells(line)
                yield number, code_of(row[0]), code_of(row[2])


# ---- pipelines ------------------------------------------------------------------------------------

HEAD = """pipeline: page
log: memory
topics:
  readings: {value: json}
streams:
  feed:
    from: {file: {path: record.jsonl, content: record}}
    to: {topic: readings}
"""
STREAM = """  %s:
    from: {topic: readings}
    steps:
%s    to: {print: {format: json}}
"""


def scalar(text):
    """YAML's quotes around any text."""
    return "'" + text.replace("'", "''") + "'"


def fields_step(kind, examples):
    return "      - %s:\n%s" % (kind, "".join("          e%d: %s\n" % (i, scalar(e.expression))
                                              for i, e in enumerate(examples)))


class Page:
    def __init__(self, weir):
        self.weir = os.path.abspath(weir)
        self.folder = tempfile.mkdtemp(prefix="weir-expressions-")
        with open(PAGE, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.examples = list(examples_of(self.lines))
        self.passed = self.failed = 0
        record = [block for language, _, block in fences(self.lines) if language == "json"]
        assert len(record) == 1, "the page has one ```json block, the record"
        self.write("record.jsonl", json.dumps(json.loads("\n".join(record[0])), ensure_ascii=False) + "\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def call(self, *words):
        env = {key: os.environ[key] for key in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                                "LSAN_OPTIONS") if key in os.environ}
        return subprocess.run([self.weir, *words], cwd=self.folder, env=dict(env, LC_ALL="C.UTF-8"),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def of(self, outcome):
        return [example for example in self.examples if example.outcome == outcome]

    def judge(self, line, subject, is_right, got):
        if is_right:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED docs/expressions.md:%d: %s\n    got %s" % (line, subject, got))

    def judge_example(self, example, is_right, got):
        self.judge(example.line, "%s -> %s" % (example.expression, example.wanted), is_right, got)


def read_json(text):
    """With the texts of numbers, and the order of members."""
    return json.loads(text, parse_int=lambda digits: ("int", digits), object_pairs_hook=tuple,
                      parse_float=lambda digits: ("float", digits))


def run_results(page):
    """One record through one `select` with a field for each example."""
    examples = page.of("result")
    page.write("results.yaml", HEAD + STREAM % ("all", fields_step("select", examples)))
    done = page.call("run", "--until-end", "results.yaml")
    if not done.stdout.strip():
        page.judge(1, "the examples with a result", False, done.stderr)
        return
    got = dict(read_json(done.stdout))
    for i, example in enumerate(examples):
        page.judge_example(example, got["e%d" % i] == read_json(example.wanted), got["e%d" % i])


def run_errors(page):
    """A stream for each example, whose only step must fail the record."""
    examples = page.of("error")
    streams = "".join(STREAM % ("s%d" % i, "      - set: {e: %s}\n        on_error: skip\n"
                                % scalar(example.expression)) for i, example in enumerate(examples))
    page.write("errors.yaml", HEAD + streams)
    done = page.call("run", "--until-end", "--json", "errors.yaml")
    told = {}
    for line in done.stderr.splitlines():
        entry = json.loads(line)
        found = re.search(r"streams\.s(\d+)\.", entry.get("subject", ""))
        if found:
            told[int(found[1])] = entry["message"]
    for i, example in enumerate(examples):
        got = told.get(i, "no error; " + done.stderr[-300:])
        page.judge_example(example, i in told and example.message in got, got)


def check_faults(page):
    """One file with one `set`; what is told of an example's line is its own."""
    examples = page.of("check error") + page.of("warning")
    text = HEAD + STREAM % ("all", fields_step("set", examples))
    first = text.splitlines().index(fields_step("set", examples).splitlines()[1]) + 1
    page.write("faults.yaml", text)
    done = page.call("check", "--json", "faults.yaml")
    told = {}
    for entry in json.loads(done.stdout)["diagnostics"]:
        told.setdefault(entry["line"] - first, []).append((entry["severity"], entry["message"]))
    for i, example in enumerate(examples):
        got = told.pop(i, [])
        severity = "warning" if example.outcome == "warning" else "error"
        is_right = len(got) == 1 and got[0][0] == severity and example.message in got[0][1]
        page.judge_example(example, is_right, got or "nothing")
    page.judge(1, "nothing else is told", not told, told)


def check_right_ones(page):
    """What has a result passes `weir check` without a warning; what fails a record, without an error."""
    for outcome, flags in (("result", ["--strict"]), ("error", [])):
        # The quotes that we add would make one word suspicious.
        examples = [e for e in page.of(outcome) if not re.fullmatch(r"\w+", e.expression)]
        page.write("right.yaml", HEAD + STREAM % ("all", fields_step("set", examples)))
        done = page.call("check", *flags, "right.yaml")
        page.judge(1, "'weir check' of examples: " + outcome, done.returncode == 0, done.stdout)


def step_of(fragment):
    """The YAML of a step from a trap's cell: a whole step, or one entry of `set`."""
    is_step = re.match(r"(set|select|filter): ", fragment)
    return "      - %s\n" % fragment if is_step else "      - set:\n          %s\n" % fragment


def check_traps(page):
    for number, written, cure in traps_of(page.lines):
        for fragment, is_trap in ((written, True), (cure, False)):
            page.write("trap.yaml", HEAD + STREAM % ("all", step_of(fragment)))
            done = page.call("check", "--strict", "trap.yaml")
            page.judge(number, fragment, done.returncode == is_trap, done.stdout)


def check_yaml(page):
    for language, start, block in fences(page.lines):
        if language == "yaml":
            steps = "".join("      %s\n" % line for line in block)
            page.write("block.yaml", HEAD + STREAM % ("all", steps))
            done = page.call("check", "--strict", "block.yaml")
            page.judge(start, "the block of YAML", done.returncode == 0, done.stdout)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = Page(sys.argv[1])
    for part in (run_results, run_errors, check_faults, check_right_ones, check_traps,
                 check_yaml):
        before = page.passed + page.failed
        part(page)
        # A part that finds nothing on the page would never fail.
        page.judge(1, part.__name__ + " found something", page.passed + page.failed > before, "nothing")
    shutil.rmtree(page.folder)
    print("%d passed, %d failed" % (page.passed, page.failed))
    sys.exit(1 if page.failed else 0)


if __name__ == "__main__":
    main()
