#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills the example a hundred times with SIGKILL and shows that nobody can tell afterwards.

    run.py WEIR [KILLS [SEED]]

The example runs with a checkpoint every 500 records and is slowed down, so that a run takes at least
two seconds. Each trial has a folder of its own, is killed one to three times at moments chosen by the
seed, and then runs to its end. Topics (offsets and all) and published files must then be, byte for
byte, those of a run that nobody disturbed, and no unfinished file may be left.

The kills must hit where it matters: at least four of five between the first checkpoint and the last.
What is committed tells: some of the records are there, not all.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "examples", "flight-delays", "pipeline.yaml")
FLIGHTS = os.path.join(ROOT, "examples", "data", "flights.jsonl")
TOPICS = ("flights", "short_delays", "long_delays")
BATCH = 100
PAUSE_US = 10000
AIMED_SHARE = 0.8  # of the kills that must lie between two checkpoints


class Trial:
    """One data folder and the runs on it."""

    def __init__(self, weir, folder):
        self.weir, self.folder = weir, folder
        self.pipeline = os.path.join(folder, "pipeline.yaml")
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        # The source sets the time, so that no byte of a message depends on when it was read.
        timed = text.replace("    event_time: ts\n", "", 1)
        timed = timed.replace("      key: origin\n", "      key: origin\n      event_time: ts\n", 1)
        assert timed.count("event_time: ts") == 1 and timed != text, "the example has changed"
        with open(self.pipeline, "w", encoding="utf-8") as file:
            file.write(timed + "\ncheckpoint: {interval: 1h, records: 500}\n")

    def start(self, is_slow):
        environment = dict(os.environ, FLIGHTS=FLIGHTS, OUT=os.path.join(self.folder, "files"),
                           WEIR_BATCH_SIZE=str(BATCH))
        if is_slow:
            environment["WEIR_TEST_SLEEP_US"] = str(PAUSE_US)
        return subprocess.Popen(
            [self.weir, "run", self.pipeline, "--until-end", "--log", f"local:{self.folder}/log"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run_to_end(self, is_slow):
        """None, or what the program said when it failed."""
        process = self.start(is_slow)
        _, said = process.communicate(timeout=120)
        return None if process.returncode == 0 else f"status {process.returncode}\n{said}"

    def kill_after(self, seconds):
        """False where the run had ended before."""
        process = self.start(is_slow=True)
        try:
            process.communicate(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return process.returncode == -signal.SIGKILL

    def topic(self, name):
        done = subprocess.run(
            [self.weir, "topic", "cat", name, "--json", "-f", self.pipeline, "--log",
             f"local:{self.folder}/log"], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return f"status {done.returncode}\n{done.stderr}"
        return done.stdout

    def files(self):
        """Path below the folder to contents; unfinished files too."""
        found = {}
        top = os.path.join(self.folder, "files")
        for base, _, names in os.walk(top):
            for name in names:
                path = os.path.join(base, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, top)] = file.read()
        return found

    def outputs(self):
        return {name: self.topic(name) for name in TOPICS}, self.files()


def differences(expected, actual):
    faults = []
    for name in TOPICS:
        if expected[0][name] != actual[0][name]:
            faults.append(f"topic {name}: {len(expected[0][name].splitlines())} records expected, "
                          f"{len(actual[0][name].splitlines())} there")
    for name in sorted(set(expected[1]) | set(actual[1])):
        if expected[1].get(name) != actual[1].get(name):
            faults.append(f"file {name}: {len(expected[1].get(name, b''))} bytes expected, "
                          f"{len(actual[1].get(name, b''))} there")
    return faults


def is_between_checkpoints(trial, whole):
    """After the first checkpoint and before the last one: some of the results are committed."""
    lines = trial.topic("short_delays").splitlines()
    return 0 < len(lines) < whole and lines[0].startswith("{")


def one_trial(weir, rng, kills, seconds, whole):
    """(kills that hit in between, faults)."""
    hits = 0
    with tempfile.TemporaryDirectory(prefix="weir-kill-") as folder:
        trial = Trial(weir, folder)
        left = seconds
        for _ in range(kills):
            moment = rng.uniform(0.05, 0.9) * left
            if trial.kill_after(moment):
                hits += is_between_checkpoints(trial, whole[0])
                left -= moment
        fault = trial.run_to_end(is_slow=False)
        faults = [fault] if fault else differences(whole[1], trial.outputs())
        faults += [f"left behind: {name}" for name in trial.files() if name.endswith(".part")]
    return hits, faults


def undisturbed(weir):
    """(seconds of a slow run, committed short delays, outputs); a quick run must give the same."""
    results = []
    for is_slow in (True, False):
        with tempfile.TemporaryDirectory(prefix="weir-kill-") as folder:
            trial = Trial(weir, folder)
            start = time.monotonic()
            fault = trial.run_to_end(is_slow)
            if fault:
                sys.exit(f"the undisturbed run failed: {fault}\n0 passed, 1 failed")
            results.append((time.monotonic() - start, trial.outputs()))
    (seconds, outputs), (_, quick) = results
    faults = differences(outputs, quick)
    if faults or len(outputs[0]["flights"].splitlines()) != 20000 or not outputs[1]:
        sys.exit(f"the undisturbed runs are wrong: {faults}\n0 passed, 1 failed")
    return seconds, len(outputs[0]["short_delays"].splitlines()), outputs


def main():
    if len(sys.argv) < 2:
        sys.exit("run.py WEIR [KILLS [SEED]]")
    weir = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    seconds, whole, outputs = undisturbed(weir)
    passed = failed = hits = 0
    left = kills
    while left > 0:
        count = min(left, rng.choice((1, 1, 2, 3)))
        left -= count
        hit, faults = one_trial(weir, rng, count, seconds, (whole, outputs))
        hits += hit
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults:
            print(f"FAIL trial of {count} kills: {fault}", file=sys.stderr)
    print(f"{hits} of {kills} kills lay between the first checkpoint and the last; "
          f"an undisturbed run takes {seconds:.1f} s")
    is_slow, is_aimed = seconds >= 2, hits >= AIMED_SHARE * kills
    if not is_slow or not is_aimed:
        print(f"FAIL the kills prove too little: {hits} hits, {seconds:.1f} s", file=sys.stderr)
    passed, failed = passed + is_slow + is_aimed, failed + (not is_slow) + (not is_aimed)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
