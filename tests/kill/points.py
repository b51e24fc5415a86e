#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills a pipeline at each step of a checkpoint and shows that nobody can tell afterwards.

    points.py WEIR [TIMES]

The program has fault points (core/base/fault_point.h): each is a place between two steps. A run is killed when
it comes to a point for the first time, another when it comes there for the second time, and so on; a point
that a run does not come to so often is a failure, since nothing would have been shown. The next run must
then give the results of one that nobody disturbed, byte for byte; with dead letters (letters.py), every
letter once.
"""
import os
import re
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from scenarios import SCENARIOS
from trial import ROOT, Trial, faults_of

TIMES = {"partitions": 5, "partitions-seats": 2, "letters-file": 2}
PARALLEL = 2


def fault_points():
    """All that the source names, so that none is forgotten."""
    names = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "core")):
        for name in files:
            if name.endswith(".c"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    names.update(re.findall(r'fault_point\("([a-z.]+)"\)', file.read()))
    return sorted(names)


def kill_at(trial, point, times):
    """None, or why the run was not killed there."""
    process = trial.start(is_slow=False, WEIR_TEST_KILL_AT=f"{point}:{times}")
    _, said = process.communicate(timeout=300)
    if process.returncode != -signal.SIGKILL:
        return f"the run did not come there, it ended with status {process.returncode}\n{said}"
    return None


def fault_of(weir, scenario, outputs, point, times):
    with tempfile.TemporaryDirectory(prefix="weir-points-") as folder:
        trial = Trial(weir, folder, scenario)
        fault = kill_at(trial, point, times) or trial.run_to_end(is_slow=False)
        if fault:
            return fault
        return "; ".join(faults_of(scenario, outputs, trial.outputs(), is_cut_free=False)) or None


def undisturbed(weir, scenario):
    with tempfile.TemporaryDirectory(prefix="weir-points-") as folder:
        trial = Trial(weir, folder, scenario)
        fault = trial.run_to_end(is_slow=False)
        if fault:
            sys.exit(f"the undisturbed run failed: {fault}\n0 passed, 1 failed")
        return trial.outputs()


def run_scenario(weir, name, points, times):
    """How many failed."""
    scenario, failed = SCENARIOS[name], 0
    outputs = undisturbed(weir, scenario)
    kills = [(point, k) for point in points for k in range(1, times + 1)]
    with ThreadPoolExecutor(PARALLEL) as pool:
        faults = pool.map(lambda kill: fault_of(weir, scenario, outputs, *kill), kills)
        for (point, k), fault in zip(kills, faults):
            if fault:
                failed += 1
                print(f"FAILED {name}, {point}, time {k}: {fault}")
    print(f"{name}: {len(points)} points, {times} kills at each: {', '.join(points)}")
    print(f"{len(kills) - failed} passed, {failed} failed")
    return failed


def main():
    if len(sys.argv) < 2:
        sys.exit("points.py WEIR [TIMES]")
    weir, points = os.path.abspath(sys.argv[1]), fault_points()
    failed = 0
    for name, times in TIMES.items():
        failed += run_scenario(weir, name, points, int(sys.argv[2]) if len(sys.argv) > 2 else times)
    sys.exit(1 if failed or not points else 0)


if __name__ == "__main__":
    main()
