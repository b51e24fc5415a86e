#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Partitions that are not read for long although there is something: the log and the summary say which, and
what holds them back. The patience is shorter than users have it.

usage: paused.py WEIR
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, build_plugin, equals

weir = os.path.abspath(sys.argv[1])
cases = Cases()
home = tempfile.TemporaryDirectory()
plugin = os.path.join(home.name, "rude.so")
build_plugin(HERE / "plugins/rude.c", plugin, weir=weir)

START = """
pipeline: p
plugins: [%s]
""" % plugin

# The sink is away as long as there is a file named absent.
FULL = START + """
topics: {numbers: {value: text, partitions: 3}}
streams:
  feed: {from: {rude: {records: 300}}, to: {topic: numbers}}
  work: {from: {topic: numbers}, to: {rude: {do: absent write}}}
"""

# Records of both are read by their time, and the source of one does not come.
ORDERED = START + """
topics: {early: {value: text}, late: {value: text}}
streams:
  feed: {from: {rude: {records: 5}}, to: {topic: early}}
  more: {from: {rude: {records: 5, do: away open, n: 1000000}, on_start_failure: retry}, to: {topic: late}}
  one: {from: {topic: early}}
  two: {from: {topic: late}}
  both: {from: [one, two], to: {rude: {}}}
"""


class Run:
    def __init__(self, text, *arguments):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        (self.path / "pipeline.yaml").write_text(text)
        (self.path / "absent").touch()
        self.errors = open(self.path / "errors.txt", "w+")
        self.process = subprocess.Popen(
            [weir, "run", "--json", *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.errors, env=dict(os.environ, WEIR_BATCH_SIZE="1", WEIR_TEST_STALL_MS="1000"))

    def said(self):
        return (self.path / "errors.txt").read_text()

    def says(self, level, subject, message):
        pattern = '"level":"%s","subject":"%s","message":"%s"' % (level, subject, message)
        deadline = time.monotonic() + 90
        while not re.search(pattern, self.said()):
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, "%s is not in: %s" % (pattern, self.said())
            time.sleep(0.02)

    def stop(self):
        """The summary."""
        self.process.send_signal(signal.SIGTERM)
        equals(self.process.wait(timeout=90), 0)
        return json.loads(self.said().splitlines()[-1])

    def close(self):
        self.process.kill()
        self.process.wait()


@cases.case
def who_waits_for_room_at_a_sink_is_told_until_it_goes_on():
    with contextlib.closing(Run(FULL)) as run:
        run.says("warning", "numbers", r"partitions? .* stood still .*for \d+ s: no room at 'streams.work.to \(rude\)'")
        (run.path / "absent").unlink()
        run.says("info", "numbers", r"partitions? .* goe?s? on, after \d+ s")
        summary = run.stop()
    assert summary["stalled"], summary
    for stalled in summary["stalled"]:
        equals((stalled["topic"], stalled["over"]), ("numbers", True))
        equals(stalled["reason"], "no room at 'streams.work.to (rude)'")


@cases.case
def who_waits_for_records_that_may_have_to_go_first_is_told():
    with contextlib.closing(Run(ORDERED, "--until-end")) as run:
        run.says("warning", "early", r"partition 0 has stood still at offset 0 for \d+ s: records of topic 'late' may "
                 r"have to go first, and have not come yet")
        summary = run.stop()
    stalled, = summary["stalled"]
    equals((stalled["topic"], stalled["partition"], stalled["offset"], stalled["over"]), ("early", 0, 0, False))


cases.finish()
