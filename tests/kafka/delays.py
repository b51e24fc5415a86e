#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What takes longer than it may: a process that sleeps through the time of its transaction, a broker that is away
while the producer's queue is full, and a stop while it is away. Nothing is lost, nobody waits for ever.

    delays.py WEIR
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import SECONDS, Cases, equals, until  # noqa: E402
from kafka_cases import WEIR, on_cluster  # noqa: E402

cases = Cases()
kafka = probe = None

# A file fills a topic, and what is in it goes to another one.
PIPELINE = """
pipeline: %s
log: kafka://%s
guarantee: %s
checkpoint: {interval: 1s}
shutdown_timeout: 5s
kafka: %s
topics: {%s-in: {partitions: 1}, %s-out: {partitions: 1}}
streams:
  f: {from: {file: {path: lines, follow: true, poll: 50ms}}, to: {topic: %s-in}}
  s: {from: {topic: %s-in}, to: {topic: %s-out}}
"""


class Run:
    def __init__(self, name, guarantee, **properties):
        self.out = name + "-out"
        self.folder = tempfile.TemporaryDirectory(prefix="weir-delays-")
        self.count = 0
        given = json.dumps({key.replace("_", "."): value for key, value in properties.items()})
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(PIPELINE % (name, kafka.bootstrap, guarantee, given, *[name] * 5))
        self.write(100)
        for topic in (name + "-in", self.out):
            probe.create(topic, 1)

    def __enter__(self):
        self.text = open(os.path.join(self.folder.name, "said"), "w+", encoding="utf-8")
        self.process = subprocess.Popen([WEIR, "run"], cwd=self.folder.name, text=True,
                                        stdin=subprocess.DEVNULL, stdout=self.text, stderr=subprocess.STDOUT)
        self.wait_for(100)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.text.close()
        self.folder.cleanup()

    def said(self):
        with open(self.text.name, encoding="utf-8") as file:
            return file.read()

    def write(self, count):
        with open(os.path.join(self.folder.name, "lines"), "a", encoding="utf-8") as file:
            file.writelines("%d\n" % n for n in range(self.count, self.count + count))
        self.count += count

    def numbers(self, **more):
        return [int(record["value"]) for record in probe.consume(self.out, **more)]

    def wait_for(self, count, **more):
        self.wait_until(lambda: len(set(self.numbers(**more))) >= count)

    def wait_until(self, is_true):
        def is_so():
            assert self.process.poll() is None, self.said()
            return is_true()

        until(is_so)

    def stop(self, seconds=SECONDS):
        """Status and text of the run."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds), self.said()


def sleeps_in_a_transaction(run):
    """False: on a busy machine it was committed before the process fell asleep, or while it did."""
    run.write(100)
    run.wait_for(run.count, uncommitted=True)
    run.process.send_signal(signal.SIGSTOP)
    # The broker has aborted it when readers of what is committed come to the very end.
    run.wait_until(lambda: probe.watermarks(run.out) == probe.watermarks(run.out, committed=True))
    is_dropped = len(run.numbers()) < run.count
    run.process.send_signal(signal.SIGCONT)
    return is_dropped


@cases.case
def a_process_that_sleeps_through_its_transaction_goes_on():
    with Run("sleeping", "exactly-once", transaction_timeout_ms=2000) as run:
        while not sleeps_in_a_transaction(run):
            assert run.count < 10000, "no transaction was open when it fell asleep"
        run.write(100)
        run.wait_for(run.count)
        status, text = run.stop()
        equals(status, 0)
        equals(sorted(run.numbers()), list(range(run.count)))
        assert "what was done since the last checkpoint is dropped and done again" in text, text


@cases.case
def a_full_queue_waits_for_the_broker():
    with Run("full", "at-least-once", queue_buffering_max_messages=10) as run:
        kafka.kill(1)
        run.write(1000)  # which fill the queue long before the broker is there again
        kafka.start(1)
        run.wait_for(1100)
        equals(run.stop()[0], 0)
        equals(sorted(set(run.numbers())), list(range(1100)))


@cases.case
def a_full_queue_outlives_the_session():
    """The partitions are lost meanwhile, and whoever waits for room stops to wait for nothing."""
    with Run("longer", "at-least-once", queue_buffering_max_messages=10, session_timeout_ms=6000) as run:
        kafka.kill(1)
        run.write(1000)
        run.wait_until(lambda: "is dropped and done again" in run.said())
        kafka.start(1)
        run.wait_for(1100)
        equals(run.stop()[0], 0)
        equals(sorted(set(run.numbers())), list(range(1100)))


@cases.case
def a_stop_does_not_wait_for_the_end_of_a_transaction_that_nobody_answers():
    with Run("unanswered", "exactly-once") as run:
        run.write(100)
        run.wait_for(200, uncommitted=True)
        kafka.kill(1)
        status, text = run.stop(45)  # shutdown_timeout says 5 s, and the transaction would last for 60 s
        assert status in (0, 75), (status, text)
        kafka.start(1)


with on_cluster(settings={"transaction.abort.timed.out.transaction.cleanup.interval.ms": 200}) as (kafka, probe):
    cases.finish(names=sys.argv[2:])
