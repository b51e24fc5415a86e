#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Streams of several topics: whatever happens in between, their records go in the order of time, each once.

usage: merge.py WEIR
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import Cases, equals, run, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()

PIPELINE = """
pipeline: p
checkpoint: {interval: 20ms}
topics: {a: {value: json}, b: {value: json}, c: {value: json}, out: {value: json}}
streams:
  a: {from: {topic: a}}
  b: {from: {topic: b}}
  c: {from: {topic: c}}
  all: {from: [a, b, c], to: {topic: out}}
"""


class Folder:
    def __init__(self):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        (self.path / "pipeline.yaml").write_text(PIPELINE)

    def put(self, topic, times):
        lines = "".join('{"timestamp":%d,"key":null,"value":"%s%d"}\n' % (at, topic, at) for at in times)
        (self.path / "lines").write_text(lines)
        done = run([weir, "topic", "put", topic, "lines", "--json", "--create", "1"], cwd=self.path)
        equals((done.returncode, done.stderr), (0, ""))

    def run(self, *words):
        done = run([weir, "run", *(words or ["--until-end"])], cwd=self.path)
        equals((done.returncode, done.stdout), (0, ""))

    def out(self):
        done = run([weir, "topic", "cat", "out", "--json"], cwd=self.path)
        return [json.loads(line)["value"] for line in done.stdout.splitlines()]

    def start(self, **variables):
        return subprocess.Popen([weir, "run"], cwd=self.path, stdin=subprocess.DEVNULL,
                                env=dict(os.environ, **variables), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def wait_for(self, count):
        until(lambda: len(self.out()) >= count, lambda: "%d have come" % len(self.out()))


def end(child, number):
    child.send_signal(number)
    child.wait()


def by_time(*topics):
    """Names of records, of pairs (topic, times) whose times rise."""
    return [name for _, _, name in sorted((at, n, f"{topic}{at}") for n, (topic, times)
                                          in enumerate(topics) for at in times)]


@cases.case
def a_kill_changes_no_order_and_loses_nothing():
    folder, kills = Folder(), 0
    times = {"a": [], "b": [], "c": []}
    for first in range(0, 30 * 300, 300):
        for topic, some in (("a", range(10, 300, 2)), ("b", range(11, 300, 5)),
                            ("c", [*range(50, 60), *range(200, 210)])):
            times[topic] += [first + at for at in some]
            folder.put(topic, [first + at for at in some])
        wanted = by_time(*times.items())
        child = folder.start(WEIR_BATCH_SIZE="64", WEIR_TEST_SLEEP_US="10000")
        folder.wait_for(len(folder.out()) + 1)
        end(child, signal.SIGKILL)
        got = folder.out()
        equals(got, wanted[:len(got)])
        kills += len(got) < len(wanted)  # on a busy machine one may come too late to prove anything
        if kills == 3:
            break
    equals(kills, 3)
    folder.run()
    equals(folder.out(), wanted)


@cases.case
def checkpoints_and_counts_cut_a_batch_anywhere():
    folder = Folder()
    times = {"a": range(10, 100, 2), "b": range(11, 100, 5), "c": range(30, 40)}
    for topic, some in times.items():
        folder.put(topic, some)
    wanted = by_time(*times.items())
    folder.run("--count", "7")
    equals(folder.out(), wanted[:7])
    text = PIPELINE.replace("{interval: 20ms}", "{interval: 1h, records: 5}")
    (folder.path / "pipeline.yaml").write_text(text)
    folder.run("--count", "16")
    equals(folder.out(), wanted[:23])
    folder.run()
    equals(folder.out(), wanted)


@cases.case
def a_topic_that_is_at_its_end_holds_nobody_back():
    folder = Folder()
    folder.put("a", range(10, 20))
    folder.put("b", range(5, 8))
    child = folder.start()
    folder.wait_for(13)  # nothing has ever come to c
    equals(folder.out(), by_time(("a", range(10, 20)), ("b", range(5, 8))))
    end(child, signal.SIGTERM)
    folder.put("a", range(30, 40))  # after a start b is at its end, and known to be
    child = folder.start()
    folder.wait_for(23)
    equals(folder.out()[13:], by_time(("a", range(30, 40))))
    end(child, signal.SIGTERM)
    folder.put("c", [1, 35])  # its first ones, which are late
    folder.put("a", [50])
    folder.run()
    equals(folder.out()[23:], ["c1", "c35", "a50"])


cases.finish()
