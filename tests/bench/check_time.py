#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time of `weir check` for a file of 1,000 steps with expressions of all kinds.

usage: check_time.py WEIR
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 9
STEPS = 1000
HEAD = """pipeline: many-steps
log: memory
topics:
  input: {value: json}
  output: {value: json}
streams:
  many:
    from: {topic: input}
    steps:
"""


def step(i):
    return (f"      - set: {{a{i}: price * {i} + quantity}}\n",
            f"      - filter: price > {i} and site in \"ABC\" or a.b[{i}] is null\n",
            f"      - set:\n          n{i}: upper(site) + text(round(price / 3, 2))\n"
            f"          m{i}: if price > 5 then sum(map(items, $it.p * $it.q)) else n ?? {i}\n",
            f"      - filter:\n          where: length(site) < {i} or has(a.b, c)\n")[i % 4]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    weir = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/pipeline.yaml", "w", encoding="utf-8") as file:
            file.write(HEAD + "".join(map(step, range(STEPS))) + "    to: {topic: output}\n")
        times = []
        for _ in range(RUNS):
            start = time.monotonic()
            done = subprocess.run([weir, "check"], cwd=folder, capture_output=True, text=True)
            times.append((time.monotonic() - start) * 1000)
            if done.returncode != 0:
                sys.exit(f"check_time: the file is not right:\n{done.stdout}{done.stderr}")
    print(f"check of {STEPS} steps: {statistics.median(times):.0f} ms ({min(times):.0f} to {max(times):.0f})")


main()
