#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills a pipeline at each step of a checkpoint and shows that nobody can tell afterwards.

    points.py WEIR [TIMES]

The program has fault points (core/base/fault_point.h): each is a place between two steps. A run is killed when
it comes to a point for the first time, another when it comes there for the second time, and so on; a point
that a run does not come to so often is a failure, since nothing would have been shown. The next run must
then give the results of one that nobody disturbed, byte for byte.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from trial import ROOT, SCENARIOS, Trial, differences

TIMES = 5
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
    environment = dict(trial.environment(), WEIR_TEST_KILL_AT=f"{point}:{times}")
    done = subprocess.run(
        [trial.weir, "run", trial.pipeline, "--until-end", "--log", f"local:{trial.folder}/log"],
        env=environment, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != -signal.SIGKILL:
        return f"the run did not come there, it ended with status {done.returncode}\n{done.stderr}"
    return None


def fault_of(weir, scenario, outputs, point, times):
    with tempfile.TemporaryDirectory(prefix="weir-points-") as folder:
        trial = Trial(weir, folder, scenario)
        fault = kill_at(trial, point, times) or trial.run_to_end(is_slow=False)
        if fault:
            return fault
        return "; ".join(differences(outputs, trial.outputs(), is_cut_free=False)) or None


def main():
    if len(sys.argv) < 2:
        sys.exit("points.py WEIR [TIMES]")
    weir = os.path.abspath(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else TIMES
    scenario, points = SCENARIOS["partitions"], fault_points()
    with tempfile.TemporaryDirectory(prefix="weir-points-") as folder:
        trial = Trial(weir, folder, scenario)
        fault = trial.run_to_end(is_slow=False)
        if fault:
            sys.exit(f"the undisturbed run failed: {fault}\n0 passed, 1 failed")
        outputs = trial.outputs()
    kills = [(point, k) for point in points for k in range(1, times + 1)]
    failed = 0
    with ThreadPoolExecutor(PARALLEL) as pool:
        faults = pool.map(lambda kill: fault_of(weir, scenario, outputs, *kill), kills)
        for (point, k), fault in zip(kills, faults):
            if fault:
                failed += 1
                print(f"FAILED {point}, time {k}: {fault}")
    print(f"{len(points)} points, {times} kills at each: {', '.join(points)}")
    print(f"{len(kills) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not points else 0)


if __name__ == "__main__":
    main()
