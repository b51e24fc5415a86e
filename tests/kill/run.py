#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stops pipelines at random moments and shows that nobody can tell afterwards.

    run.py WEIR [SCENARIO [KILLS [TERMS [SEED]]]]

SCENARIO is "example" (examples/flight-delays), "partitions" (partitions.yaml), "letters-topic" or
"letters-file" (letters.yaml, with dead letters in a topic or in files), "partitions-seats" or
"letters-seats" (the same with an instance of each sink for each partition); without one all run. A run
is slowed down, so that it takes at least two seconds. Each trial has a folder of its own, is stopped one to
three times, with SIGKILL or with SIGTERM, at a size of its files and a moment behind it that the seed chooses, and
then runs to its end. Topics
(offsets and all) and published files must then be, byte for byte, those of a run that nobody disturbed, and
no unfinished file may be left; after SIGTERM, which finishes the files, they may be cut elsewhere.

The kills must hit where it matters: at least four of five between the first checkpoint and the last.
What is committed tells: some of the records are there, not all. Those that a busy machine lets come too late are made
up for by others.
"""
import os
import random
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from math import ceil

from scenarios import SCENARIOS
from trial import Trial, faults_of

COUNTS = {"example": (70, 20), "partitions": (60, 30), "partitions-seats": (20, 10),
          "letters-topic": (10, 4), "letters-file": (10, 4), "letters-seats": (6, 2)}  # kills, terms
AIMED_SHARE = 0.8  # of the kills that must lie between two checkpoints
AT_ONCE_SHARE = 0.25
LAG_SECONDS = 0.1  # as long as a slow run needs for several checkpoints
PARALLEL = 2  # runs mostly sleep


def undisturbed(weir, scenario):
    """Seconds of a slow run, and its outputs; a quick run must give the same, whose sinks have one instance."""
    results = []
    for is_slow in (True, False):
        with tempfile.TemporaryDirectory(prefix="weir-kill-") as folder:
            trial = Trial(weir, folder, scenario)
            trial.by_partition &= is_slow
            start = time.monotonic()
            fault = trial.run_to_end(is_slow)
            if fault:
                sys.exit(f"the undisturbed run failed: {fault}\n0 passed, 1 failed")
            results.append((time.monotonic() - start, trial.outputs()))
    (seconds, outputs), (_, quick) = results
    faults = faults_of(scenario, outputs, outputs, is_cut_free=False)
    faults += faults_of(scenario, outputs, quick, is_cut_free=False)
    if faults:
        sys.exit(f"the undisturbed runs are wrong: {faults}\n0 passed, 1 failed")
    return seconds, outputs


def moments_of(stops, rng):
    """Each in a share of its own of the run, or at once after the start that goes on from another stop."""
    parts = [rng.uniform(0.05 + 0.8 * one / stops, 0.05 + 0.8 * (one + 1) / stops) for one in range(stops)]
    return [(0 if one and rng.random() < AT_ONCE_SHARE else part, rng.uniform(0, LAG_SECONDS))
            for one, part in enumerate(parts)]


class Stops:
    """All trials of a scenario with one signal."""

    def __init__(self, weir, scenario, number, outputs):
        self.weir, self.scenario, self.number, self.outputs = weir, scenario, number, outputs

    def is_between_checkpoints(self, trial):
        """After the first checkpoint and before the last one: some of the results are committed."""
        lines = trial.topic(self.scenario.probe).splitlines()
        whole = len(self.outputs[0][self.scenario.probe].splitlines())
        return 0 < len(lines) < whole and lines[0].startswith("{")

    def one_trial(self, moments):
        """moments: parts of what is to be written, and seconds. Stops that hit in between, and faults."""
        hits, faults, whole = 0, [], sum(map(len, self.outputs[1].values()))
        with tempfile.TemporaryDirectory(prefix="weir-kill-") as folder:
            trial = Trial(self.weir, folder, self.scenario)
            for part, seconds in moments:
                stopped = trial.stop_at(part * whole, seconds, self.number)
                if isinstance(stopped, str):
                    faults.append(stopped)
                elif stopped:
                    hits += self.is_between_checkpoints(trial)
            fault = trial.run_to_end(is_slow=False)
            is_cut_free = self.number == signal.SIGTERM
            faults += [fault] if fault else faults_of(self.scenario, self.outputs, trial.outputs(), is_cut_free)
        return hits, faults

    def run(self, count, rng):
        """(passed, failed, hits)"""
        trials, left = [], count
        while left > 0:
            stops = min(left, rng.choice((1, 1, 2, 3)))
            left -= stops
            trials.append(moments_of(stops, rng))
        passed = failed = hits = 0
        with ThreadPoolExecutor(PARALLEL) as pool:
            while trials:
                for moments, (hit, faults) in zip(trials, pool.map(self.one_trial, trials)):
                    hits += hit
                    passed, failed = passed + (not faults), failed + bool(faults)
                    for fault in faults:
                        print(f"FAILED trial of {len(moments)} stops by signal {self.number}: {fault}")
                missing = ceil(AIMED_SHARE * count) - hits if passed + failed < 2 * count else 0
                trials = [moments_of(1, rng) for _ in range(missing)]
        return passed, failed, hits


def run_scenario(weir, name, kills, terms, seed):
    scenario = SCENARIOS[name]
    seconds, outputs = undisturbed(weir, scenario)
    print(f"{name}: an undisturbed run takes {seconds:.1f} s")
    passed, failed = (1, 0) if seconds >= 2 else (0, 1)
    for number, count in ((signal.SIGKILL, kills), (signal.SIGTERM, terms)):
        if count == 0:
            continue
        stops = Stops(weir, scenario, number, outputs)
        right, wrong, hits = stops.run(count, random.Random(f"{seed} {name} {number}"))
        is_aimed = hits >= AIMED_SHARE * count
        print(f"{name}: {hits} of {count} stops by {number.name} lay between the first checkpoint "
              f"and the last" + ("" if is_aimed else ": FAILED, that proves too little"))
        passed, failed = passed + right + is_aimed, failed + wrong + (not is_aimed)
    return passed, failed


def main():
    if len(sys.argv) < 2:
        sys.exit("run.py WEIR [SCENARIO [KILLS [TERMS [SEED]]]]")
    weir = os.path.abspath(sys.argv[1])
    names = sys.argv[2:3] or list(SCENARIOS)
    seed = sys.argv[5] if len(sys.argv) > 5 else "1"
    passed = failed = 0
    for name in names:
        kills, terms = COUNTS[name]
        kills = int(sys.argv[3]) if len(sys.argv) > 3 else kills
        terms = int(sys.argv[4]) if len(sys.argv) > 4 else terms
        right, wrong = run_scenario(weir, name, kills, terms, seed)
        passed, failed = passed + right, failed + wrong
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
