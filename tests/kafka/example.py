#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example on a broker that it starts itself: the same files as on the embedded log, and each time anew.

    example.py WEIR
"""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "servers")]
import cache  # noqa: E402
import cases  # noqa: E402

UNAVAILABLE = 77


def run(weir, folder, *flags):
    return subprocess.run([os.path.join(ROOT, "examples", "run"), "--weir", weir, "--data", folder, *flags],
                          capture_output=True, text=True, timeout=600)


def lines(folder):
    """What the file sink wrote, by topic and partition of the input, each in its order."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "files", "**", "*.jsonl"), recursive=True)):
        place = os.path.relpath(os.path.dirname(path), folder)
        with open(path, encoding="utf-8") as file:
            found.setdefault(place, []).extend(file.read().splitlines())
    return found


def main():
    weir = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="weir-example-") as folder:
        here, there = folder, os.path.join(folder, "kafka")
        runs = [run(weir, folder), run(weir, folder, "--kafka"), run(weir, folder, "--kafka")]
        if runs[1].returncode == UNAVAILABLE:
            raise cache.Unavailable(runs[1].stderr.strip())
        faults = [done.stdout + done.stderr for done in runs if done.returncode != 0]
        if not faults and (not lines(here) or lines(here) != lines(there)):
            faults = ["the files differ: %s" % [{place: len(found) for place, found in lines(where).items()}
                                                for where in (here, there)]]
        for fault in faults:
            print("FAIL", fault, file=sys.stderr)
        print("%d passed, %d failed" % (1 if not faults else 0, 1 if faults else 0))
        sys.exit(1 if faults else 0)


try:
    main()
except cache.Unavailable as why:
    cases.skip_all(why)
