#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills runs into the example sink `parcels` and counts what is there afterwards.

    kill_sink.py WEIR PLUGIN

A run is slowed down and killed with SIGKILL when it has published as many files more as chance says, several times
in one folder; then it is let run to its end. Each record must be in exactly one published file, in its order, and no unfinished
file may be left. The kills must hit: some of the records are published after a kill, and not all.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PIPELINE = """
pipeline: p
plugins: [%s]
checkpoint: {interval: 1h, records: 100}
topics: {numbers: {value: json, partitions: 2}}
streams:
  feed: {from: {generator: {fields: {n: n}, count: 3000}}, to: {topic: numbers}}
  work: {from: {topic: numbers}, steps: [{set: {p: $partition}}], to: {parcels: out}}
"""
TRIALS, KILLS = 6, 4
SECONDS = 240  # that a run may take on a busy machine


def start(weir, folder, pause_us):
    environment = dict(os.environ, WEIR_BATCH_SIZE="50", WEIR_TEST_SLEEP_US=str(pause_us))
    return subprocess.Popen([weir, "run", "--until-end"], cwd=folder, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def published(folder):
    """The records of all files in the order of their numbers."""
    files = sorted((folder / "out").glob("*.jsonl")) if (folder / "out").exists() else []
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def count(folder):
    return len(list((folder / "out").glob("*.jsonl")))


def wait_for(process, folder, files):
    """Until so many are published, or the run has ended."""
    deadline = time.monotonic() + SECONDS
    while count(folder) < files and process.poll() is None:
        if time.monotonic() > deadline:
            sys.exit("only %d files of %d" % (count(folder), files))
        time.sleep(0.005)


def faults_of(folder):
    records = published(folder)
    if sorted(r["n"] for r in records) != list(range(3000)):
        return "%d records, %d of them different" % (len(records), len({r["n"] for r in records}))
    for partition in (0, 1):
        numbers = [r["n"] for r in records if r["p"] == partition]
        if numbers != sorted(numbers) or not numbers:
            return "partition %d is out of order" % partition
    left = [file.name for file in (folder / "out").iterdir() if file.suffix != ".jsonl"]
    return "left behind: %s" % left if left else None


def one_trial(weir, plugin, rng):
    """(kills that hit, what is wrong or None)"""
    hits = 0
    with tempfile.TemporaryDirectory(prefix="weir-parcels-") as name:
        folder = pathlib.Path(name)
        (folder / "pipeline.yaml").write_text(PIPELINE % plugin)
        for _ in range(KILLS):
            process = start(weir, folder, pause_us=20000)
            wait_for(process, folder, count(folder) + rng.randint(0, 4))
            time.sleep(rng.uniform(0, 0.05))
            process.kill()
            process.communicate()
            hits += 0 < len(published(folder)) < 3000
        process = start(weir, folder, pause_us=0)
        _, said = process.communicate(timeout=SECONDS)
        if process.returncode != 0:
            return hits, "status %d\n%s" % (process.returncode, said)
        return hits, faults_of(folder)


def main():
    if len(sys.argv) != 3:
        sys.exit("kill_sink.py WEIR PLUGIN")
    weir, plugin = (os.path.abspath(path) for path in sys.argv[1:])
    rng = random.Random(1)
    passed = failed = hits = 0
    for _ in range(TRIALS):
        hit, fault = one_trial(weir, plugin, rng)
        hits += hit
        passed, failed = passed + (not fault), failed + bool(fault)
        if fault:
            print("FAILED " + fault)
    print("%d of %d kills lay between the first checkpoint and the last" % (hits, TRIALS * KILLS))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or hits < TRIALS else 0)


if __name__ == "__main__":
    main()
