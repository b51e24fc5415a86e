#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run` with several workers: what comes of one input partition comes in its order, whatever their
number, nothing is left lying, and limits hold.

usage: threads.py WEIR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import Cases, contains, equals, run, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()

# `middle` is filled by every task and read by every task: its records lie by another key.
PIPELINE = """
pipeline: p
log: local:data
checkpoint: {interval: %(interval)s, records: %(records)d}
%(top)s
topics:
  numbers: {value: json, partitions: 8}
  middle: {value: json, partitions: 5}
  out: {value: json, partitions: 3}
streams:
  feed:
    from: {file: in.jsonl, key: text(n)}
    to: {topic: numbers}
  first:
    from: {topic: numbers}
    steps:
      - set: {first: $partition}
    to:
      - topic: middle
        key: text(n %% 100)
  second:
    from: {topic: middle}
    steps:
      - set: {second: $partition}
    to:
      - topic: out
        key: text(n %% 7)
"""


class Folder:
    def __init__(self, records=3000, interval="1h", every=0, top=""):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        text = PIPELINE % {"interval": interval, "records": every, "top": top}
        (self.path / "pipeline.yaml").write_text(text)
        lines = ('{"n": %d}\n' % n for n in range(records))
        (self.path / "in.jsonl").write_text("".join(lines))

    def run(self, *arguments, batch=None):
        environment = dict(os.environ)
        if batch:
            environment["WEIR_BATCH_SIZE"] = str(batch)
        done = run([weir, "run", *arguments], cwd=self.path, env=environment)
        equals(done.returncode, 0)
        return done.stderr

    def topic(self, name):
        done = run([weir, "topic", "cat", name, "--json"], cwd=self.path)
        return [json.loads(line) for line in done.stdout.splitlines()]


def by_path(records):
    """The numbers that took one way through the partitions, in their order."""
    paths = {}
    for record in records:
        value = record["value"]
        path = (value["first"], value["second"], record["partition"])
        paths.setdefault(path, []).append(value["n"])
    return paths


@cases.case
def results_of_one_partition_do_not_depend_on_the_number_of_workers():
    wanted = None
    for threads in (1, 2, 4, 0):
        for batch in (1, 7, None):
            folder = Folder(records=600 if batch == 1 else 3000)
            folder.run("--until-end", "--threads", str(threads), batch=batch)
            found = by_path(folder.topic("out"))
            for path in found.values():
                equals(path, sorted(path))
            if batch is None:
                wanted = wanted or found
                equals(found, wanted)
            equals(sorted(n for path in found.values() for n in path),
                   list(range(600 if batch == 1 else 3000)))


@cases.case
def a_run_that_goes_on_reads_what_other_tasks_write():
    folder = Folder(interval="100ms")
    with subprocess.Popen([weir, "run", "--threads", "3"], cwd=folder.path, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        until(lambda: len(folder.topic("out")) == 3000, lambda: "%d have come" % len(folder.topic("out")))
        process.terminate()
        process.communicate()
    equals(process.returncode, 0)
    equals(sorted(r["value"]["n"] for r in folder.topic("out")), list(range(3000)))


@cases.case
def count_stops_behind_the_very_record():
    folder = Folder(records=300)
    folder.run("--count", "77", "--threads", "4")
    # An end each: of the 77 some are still on their way, in the topic between.
    equals(len(folder.topic("middle")) + len(folder.topic("out")), 77)
    folder.run("--until-end", "--threads", "4")
    equals(sorted(r["value"]["n"] for r in folder.topic("out")), list(range(300)))


@cases.case
def checkpoints_by_number_hold_for_all_workers_together():
    folder = Folder(every=100)
    errors = folder.run("--until-end", "--threads", "4", "--json")
    checkpoints = json.loads(errors.splitlines()[-1])["checkpoints"]
    # 6,000 messages in two steps: at least 60 checkpoints.
    assert checkpoints >= 60, checkpoints
    equals(len(folder.topic("out")), 3000)


@cases.case
def the_file_names_the_number_too():
    Folder(records=10, top="threads: 3").run("--until-end")
    folder = Folder(records=10, top="threads: 1025")
    done = run([weir, "check"], cwd=folder.path)
    equals(done.returncode, 1)
    contains(done.stderr + done.stdout, "'threads' must be between 0 and 1024")


cases.finish()
