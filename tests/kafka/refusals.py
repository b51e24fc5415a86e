#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages that a topic does not take: what is the record's own fault meets its on_error, known beforehand or
found out when the broker has refused a batch; what is wrong with the topic ends the run with its name.

    refusals.py WEIR
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [TESTS, os.path.join(TESTS, "servers"), os.path.join(TESTS, "servers", "kafka")]
import cache  # noqa: E402
from cases import Cases, contains, equals, skip_all  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
BUILD = os.path.dirname(os.path.dirname(WEIR))
HOUR_MS = 3600 * 1000
cases = Cases()

PIPELINE = """
pipeline: %(name)s
log: kafka://%(brokers)s
guarantee: %(guarantee)s
checkpoint: {interval: 300ms}
on_error: %(on_error)s
kafka: {topic.metadata.propagation.max.ms: 500, topic.metadata.refresh.interval.ms: 500}
topics:
  %(name)s-in: {key: text, value: json}
  %(name)s-out: {key: text, value: json}
  %(name)s-letters: {value: json}
%(letters)s
streams: {s: {from: {topic: %(name)s-in}, to: {topic: %(name)s-out}}}
"""


class Run:
    """Topics of a pipeline, and its runs; `settings` are those of the output."""

    def __init__(self, kafka, name, guarantee, on_error="dead_letter", settings=None):
        self.name = "%s-%s" % (name, guarantee[:2])
        self.into, self.out, self.letters = (self.name + end for end in ("-in", "-out", "-letters"))
        self.guarantee = guarantee
        self.probe = Probe(BUILD, kafka.client())
        self.probe.create(self.into, 1)
        self.probe.create(self.out, 1, settings=settings)
        self.probe.create(self.letters, 1)
        self.folder = tempfile.TemporaryDirectory(prefix="weir-refusals-")
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(PIPELINE % {"name": self.name, "brokers": kafka.bootstrap, "guarantee": guarantee,
                                   "on_error": on_error,
                                   "letters": "dead_letters: {topic: %s}" % self.letters
                                              if on_error == "dead_letter" else ""})
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def start(self):
        self.process = subprocess.Popen([WEIR, "run"], cwd=self.folder.name, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def put(self, numbers, **more):
        self.probe.produce([{"topic": self.into, "value": json.dumps({"n": n}), **more} for n in numbers])

    def numbers(self):
        return [json.loads(record["value"])["n"] for record in self.probe.consume(self.out)]

    def wait_for(self, number):
        deadline = time.monotonic() + 60
        while number not in self.numbers():
            assert time.monotonic() < deadline, "%d has not come: %s" % (number, self.numbers()[-5:])
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self):
        text = self.process.communicate(timeout=60)[0]
        return self.process.returncode, text

    def check(self, good):
        numbers = self.numbers()
        equals(sorted(set(numbers)), sorted(good))
        assert self.guarantee == "at-least-once" or len(numbers) == len(good), numbers


def old_times_are_known_beforehand(kafka, guarantee):
    with Run(kafka, "old", guarantee, settings={"message.timestamp.before.max.ms": HOUR_MS}) as run:
        now = int(time.time() * 1000)
        run.put(range(10), timestamp=now)
        run.put(range(10, 15), timestamp=now - 2 * HOUR_MS)
        run.put(range(15, 20), timestamp=now)
        run.start()
        run.wait_for(19)
        status, text = run.stop()
        equals(status, 0)
        run.check([*range(10), *range(15, 20)])
        contains(text, "the time %d of a message is older than topic '%s' takes" % (now - 2 * HOUR_MS, run.out))
        contains(text, "5 dead-lettered")
        equals(len(run.probe.consume(run.letters)), 5)
        assert "dropped and done again" not in text, text


def what_is_refused_in_a_batch_is_found(kafka, guarantee):
    with Run(kafka, "found", guarantee) as run:
        run.put(range(10), key="a")
        run.start()
        run.wait_for(9)
        run.probe.alter(run.out, {"cleanup.policy": "compact"})  # behind the back of the run
        records = [{"topic": run.into, "value": json.dumps({"n": n}), **({} if n in (150, 151, 190) else {"key": "a%d" % n})}
                   for n in range(100, 200)]
        run.probe.produce(records)
        run.wait_for(199)
        status, text = run.stop()
        equals(status, 0)
        run.check([*range(10), *(n for n in range(100, 200) if n not in (150, 151, 190))])
        contains(text, "topic '%s' refuses the message" % run.out)
        letters = run.probe.consume(run.letters)
        equals(len({record["value"] for record in letters}), 3)


def what_is_refused_ends_the_run_with_fail(kafka, guarantee):
    with Run(kafka, "ends", guarantee, on_error="fail") as run:
        run.put(range(10), key="a")
        run.start()
        run.wait_for(9)
        run.probe.alter(run.out, {"cleanup.policy": "compact"})
        run.put([100])
        status, text = run.end()
        equals(status, 1)
        contains(text, "%s[0]@10" % run.into)
        contains(text, "topic '%s' refuses the message" % run.out)


def small_messages_do_not_make_a_batch_that_is_too_large(kafka, guarantee):
    with Run(kafka, "batch", guarantee, settings={"max.message.bytes": 5000}) as run:
        run.put(range(2000), key="k")
        run.start()
        run.wait_for(1999)
        status, text = run.stop()
        equals(status, 0)
        run.check(range(2000))
        assert "done again" not in text, text


def a_topic_that_is_deleted_ends_the_run(kafka, guarantee):
    with Run(kafka, "gone", guarantee) as run:
        run.put(range(10))
        run.start()
        run.wait_for(9)
        run.probe.delete(run.out)
        run.put(range(10, 20))
        status, text = run.end()
        assert status in (1, 75), (status, text)
        contains(text, run.out)
        contains(text, "the topic was there at the start")


def main():
    try:
        kafka = Cluster()
    except cache.Unavailable as why:
        skip_all(why)
    with kafka:
        for guarantee in ("at-least-once", "exactly-once"):
            for function in (old_times_are_known_beforehand, what_is_refused_in_a_batch_is_found,
                             what_is_refused_ends_the_run_with_fail,
                             small_messages_do_not_make_a_batch_that_is_too_large,
                             a_topic_that_is_deleted_ends_the_run):
                add(lambda f=function, g=guarantee: f(kafka, g), "%s, %s" % (function.__name__, guarantee))
        cases.finish()


def add(function, name):
    function.__name__ = name
    cases.case(function)


main()
