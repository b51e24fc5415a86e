#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the example as a reader of README.md would, and checks what it writes.

    run.py WEIR

Three runs on one folder: the first reads all flights, the second finds nothing new, the third reads
ten flights that were appended meanwhile. After each, topics and files are computed anew and compared
(examples/flight-delays/check.py).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLIGHTS = os.path.join(ROOT, "examples", "data", "flights.jsonl")
TEN_MORE = [
    f'{{"ts":{986080000000 + i * 60000},"origin":"JFK","destination":"LAX","delay":{delay},'
    f'"distance":2475}}'
    for i, delay in enumerate((-5, 0, 15, 16, 60, 61, 180, 181, 400, 16))
]


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, what, is_right, detail=""):
        if is_right:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}\n{detail}", file=sys.stderr)


def run_example(weir, flights, data):
    return subprocess.run(
        [os.path.join(ROOT, "examples", "run"), "--weir", weir, "--input", flights, "--data", data],
        capture_output=True, text=True, timeout=120)


def check_outputs(checks, name, weir, flights, data):
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "examples", "flight-delays", "check.py"), "--weir", weir,
         "--input", flights, "--data", data], capture_output=True, text=True, timeout=120)
    checks.expect(f"{name}: topics and files", done.returncode == 0, done.stdout + done.stderr)


def records_in(stderr):
    """What the summary says of the source: records read in this run."""
    found = re.search(r"(\d+) read,", stderr)
    return int(found[1]) if found else None


def main():
    if len(sys.argv) != 2:
        sys.exit("run.py WEIR")
    weir = os.path.abspath(sys.argv[1])
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="weir-example-") as folder:
        flights, data = os.path.join(folder, "flights.jsonl"), os.path.join(folder, "data")
        shutil.copy(FLIGHTS, flights)

        done = run_example(weir, flights, data)
        said = done.stdout + done.stderr
        checks.expect("first run ends well", done.returncode == 0, said)
        checks.expect("first run reads all", records_in(done.stderr) == 20000, said)
        table = [line for line in done.stdout.splitlines() if re.search(r"[A-Z]{3}-[A-Z]{3}", line)]
        checks.expect("first run shows ten rows", len(table) == 10, said)
        checks.expect("the first late flight leads", bool(table) and "DTW-LAS" in table[0], said)
        check_outputs(checks, "first run", weir, flights, data)

        done = run_example(weir, flights, data)
        said = done.stdout + done.stderr
        checks.expect("second run ends well", done.returncode == 0, said)
        checks.expect("second run reads nothing", records_in(done.stderr) == 0, said)
        checks.expect("second run says so", "nothing new in 'flights.jsonl'" in done.stderr, said)
        check_outputs(checks, "second run", weir, flights, data)

        with open(flights, "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in TEN_MORE)
        done = run_example(weir, flights, data)
        said = done.stdout + done.stderr
        checks.expect("third run ends well", done.returncode == 0, said)
        checks.expect("third run reads the ten that are new", records_in(done.stderr) == 10, said)
        check_outputs(checks, "third run", weir, flights, data)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
