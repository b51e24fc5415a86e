#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time from the start of the program to the first record that it prints, on both logs.

usage: first_record.py WEIR
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 9
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "flight-delays"


def one_run(weir, log, folder):
    start = time.monotonic()
    run = subprocess.Popen([weir, "run", "--until-end", "--log", log], cwd=EXAMPLE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=dict(os.environ, OUT=f"{folder}/files"))
    first = run.stdout.readline()
    elapsed = time.monotonic() - start
    _, errors = run.communicate()
    if run.returncode != 0 or not first:
        sys.exit(f"first_record: the run failed:\n{errors.decode()}")
    return elapsed * 1000


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    weir = os.path.abspath(sys.argv[1])
    for name in ("memory", "local"):
        times = []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as folder:
                log = "memory" if name == "memory" else f"local:{folder}/log"
                times.append(one_run(weir, log, folder))
        print(f"start to first record, {name:6} log: {statistics.median(times):.0f} ms "
              f"({min(times):.0f} to {max(times):.0f})")


main()
