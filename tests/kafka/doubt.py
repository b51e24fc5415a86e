#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commits of which the answer is late or lost, under exactly once: a real broker, and between it and the run a proxy
that keeps answers back. Whatever the run hears, each record is there once, and its next start goes on behind it.

    doubt.py WEIR [NAME...]
"""
import os
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import SECONDS, Cases, contains, equals  # noqa: E402
from kafka_cases import WEIR, on_cluster  # noqa: E402
from proxy import Order, Proxy  # noqa: E402

LINES = 6  # of a run
STEPS = ("AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn")
AGAIN = "what was done since the last checkpoint is dropped and done again"
cases = Cases()
kafka = probe = proxy = None

# The source and what reads behind it commit apart, since only what is committed is read.
PIPELINE = """
pipeline: %s
log: kafka://%s
guarantee: exactly-once
topics: {%s-in: {partitions: 1}, %s-out: {partitions: 1}}
kafka: {broker_availability_timeout: %s}
streams:
  f: {from: {file: lines}, to: {topic: %s-in}}
  s: {from: {topic: %s-in}, to: {topic: %s-out}}
"""


class Runs:
    """Of one pipeline, each with some more lines in its file."""

    def __init__(self, name, away="120s"):
        """away: how long the broker may be."""
        self.name, self.count, self.said = name, 0, ""
        self.folder = tempfile.TemporaryDirectory(prefix="weir-doubt-")
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(PIPELINE % (name, proxy.bootstrap, name, name, away, *[name] * 3))

    def start(self, *words):
        with open(os.path.join(self.folder.name, "lines"), "a", encoding="utf-8") as file:
            file.writelines("%d\n" % n for n in range(self.count, self.count + LINES))
        self.count += LINES
        return subprocess.Popen([WEIR, "run", "--checkpoint", "300ms", *words], cwd=self.folder.name, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, status=0):
        self.said = process.communicate(timeout=SECONDS)[1]
        equals((process.returncode, process.returncode != status and self.said), (status, False))
        assert proxy.is_done(), self.said

    def go(self):
        self.finish(self.start("--until-end"))

    def check(self):
        for end in ("in", "out"):
            records = probe.consume("%s-%s" % (self.name, end))
            equals((end, [int(record["value"]) for record in records]), (end, list(range(self.count))))

    def transactions(self):
        """What the run's are called."""
        return "%s.%s.0" % (self.name, socket.gethostname())


def lost(request):
    """The first answer in one run, the second in the next one."""
    runs = Runs("lost-" + request.lower())
    proxy.lose(request)
    runs.go()
    proxy.delay(request, 0)
    proxy.lose(request)
    runs.go()
    assert AGAIN not in runs.said, runs.said
    runs.check()


def late(request):
    """For longer than one attempt is waited for."""
    runs = Runs("late-" + request.lower())
    proxy.delay(request, 0.7, times=2)
    runs.go()
    assert AGAIN not in runs.said, runs.said
    runs.go()
    runs.check()


def add(function, request):
    def case():
        function(request)
    case.__name__ = "an answer to %s is %s" % (request, function.__name__)
    cases.case(case)


for step in STEPS:
    add(lost, step)
    add(late, step)


@cases.case
def a_coordinator_that_needs_a_second_try_loses_no_transaction():
    runs = Runs("second-try")
    proxy.lose("TxnOffsetCommit", seconds=0.7)
    runs.go()
    assert AGAIN not in runs.said, runs.said
    runs.check()


def fence(runs):
    """As another process does that bears the same name, or the same one in a new life."""
    return lambda: probe.produce([], transactional=runs.transactions())


def doubted(runs, which):
    """The broker has committed, its answer is lost, and when it is asked again it knows the producer no more."""
    proxy.delay("EndTxn", 0, times=which)
    proxy.lose("EndTxn", act=fence(runs))
    runs.go()
    contains(runs.said, "the transaction was committed all the same")
    assert AGAIN not in runs.said, runs.said


@cases.case
def what_a_source_has_brought_is_not_brought_again_after_a_doubtful_commit():
    runs = Runs("doubted-source")
    doubted(runs, 0)
    runs.go()
    runs.check()


@cases.case
def what_was_read_is_not_done_again_after_a_doubtful_commit():
    runs = Runs("doubted-reader")
    doubted(runs, 1)
    runs.go()
    runs.check()


@cases.case
def what_another_process_has_aborted_is_done_again():
    runs = Runs("fenced")
    proxy.lose("AddOffsetsToTxn", act=fence(runs))
    runs.go()
    contains(runs.said, AGAIN)
    runs.go()
    runs.check()


@cases.case
def a_last_commit_that_fails_is_made_again_after_what_it_held():
    runs = Runs("last")
    proxy.delay("AddOffsetsToTxn", 0)  # of what the source has brought
    proxy.lose("AddOffsetsToTxn", act=fence(runs))
    runs.go()
    contains(runs.said, AGAIN)
    runs.check()


@cases.case
def a_stop_whose_last_commit_fails_is_no_fault():
    runs = Runs("stopped")
    for topic in ("stopped-in", "stopped-out"):
        probe.create(topic, 1)
    process = runs.start()
    probe.consume("stopped-out", count=LINES, wait=SECONDS)
    proxy.lose("AddOffsetsToTxn", act=fence(runs))
    process.send_signal(signal.SIGTERM)
    runs.finish(process)
    contains(runs.said, AGAIN)
    runs.go()
    runs.check()


@cases.case
def a_coordinator_that_goes_away_in_the_middle_holds_nobody_for_ever():
    runs = Runs("away", away="3s")
    proxy.delay("AddOffsetsToTxn", 0)
    proxy.give("AddOffsetsToTxn", 1, Order(lambda: kafka.kill(1), 0, False))
    runs.finish(runs.start("--until-end"), status=75)
    contains(runs.said, "Kafka has been away for")
    kafka.start(1)
    runs.go()
    runs.check()


with Proxy() as proxy, on_cluster(settings=proxy.settings()) as (kafka, probe):
    proxy.forward(kafka.bootstrap)
    cases.finish(names=sys.argv[2:])
