#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages that the broker removes under a run which is behind: `lost_offsets` decides, and every message
that is there before and after the gap has come, whatever the run had fetched of it.

    lost_offsets.py WEIR
"""
import json
import os
import re
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
BEFORE, AFTER, KEPT = 10, 1000, 100  # messages before the gap and behind it; of those, what is not removed
cases = Cases()

PIPELINE = """
pipeline: %(name)s
log: kafka://%(brokers)s
guarantee: %(guarantee)s
checkpoint: {interval: 300ms}
kafka: {lost_offsets: %(policy)s}
topics: {%(name)s-in: {value: json}, %(name)s-out: {value: json}}
streams: {s: {from: {topic: %(name)s-in}, to: {topic: %(name)s-out}}}
"""
# Of several topics partitions with one number stay together, and then the group gives and takes all at once.
BESIDE = """
topics: {%(name)s-in: {value: json}, %(name)s-out: {value: json}, %(name)s-beside: {value: json}}
streams:
  s: {from: {topic: %(name)s-in}, to: {topic: %(name)s-out}}
  beside: {from: {topic: %(name)s-beside}, to: {topic: %(name)s-out}}
"""


class Run:
    """A run that has read what there is."""

    def __init__(self, kafka, policy, guarantee="at-least-once"):
        self.name = "%s-%s" % (policy, guarantee[:2])
        self.into, self.out = self.name + "-in", self.name + "-out"
        self.probe = Probe(BUILD, kafka.client())
        self.folder = tempfile.TemporaryDirectory(prefix="weir-lost-")
        self.beside = self.name + "-beside"
        self.has_beside = guarantee == "exactly-once"
        text = PIPELINE.replace(PIPELINE[PIPELINE.index("topics:"):], BESIDE) if self.has_beside else PIPELINE
        self.text = text % {"name": self.name, "brokers": kafka.bootstrap, "guarantee": guarantee,
                                "policy": policy}

    def __enter__(self):
        self.probe.create(self.into, 1)
        if self.has_beside:
            self.probe.create(self.beside, 1)
        self.probe.create(self.out, 1)
        self.put(0, BEFORE)
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(self.text)
        self.process = self.start()
        self.wait_for(BEFORE - 1)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def start(self):
        return subprocess.Popen([WEIR, "run"], cwd=self.folder.name, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def put(self, first, end, topic=None):
        self.probe.produce([{"topic": topic or self.into, "value": json.dumps({"n": n})} for n in range(first, end)])

    def numbers(self):
        return [json.loads(record["value"])["n"] for record in self.probe.consume(self.out)]

    def wait_for(self, number):
        deadline = time.monotonic() + 60
        while number not in self.numbers():
            assert time.monotonic() < deadline, "%d has not come" % number
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.1)

    def wait_for_position(self, offset):
        deadline = time.monotonic() + 60
        while self.probe.offsets(self.name).get((self.into, 0)) != offset:
            assert time.monotonic() < deadline, self.probe.offsets(self.name)
            time.sleep(0.1)

    def make_gap(self):
        """While it stands still messages come and most of them go; the request that is under way may still
        bring the first."""
        self.process.send_signal(signal.SIGSTOP)
        self.put(BEFORE, BEFORE + 1)
        self.put(BEFORE + 1, BEFORE + AFTER)
        self.probe.trim(self.into, 0, BEFORE + AFTER - KEPT)
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self):
        text = self.process.communicate(timeout=60)[0]
        return self.process.returncode, text


def goes_on(kafka, policy, guarantee):
    with Run(kafka, policy, guarantee) as run:
        run.make_gap()
        first_kept = BEFORE + AFTER - (KEPT if policy == "earliest" else 0)
        if policy == "latest":
            run.wait_for_position(first_kept)
        run.put(BEFORE + AFTER, BEFORE + AFTER + 5)
        run.wait_for(BEFORE + AFTER + 4)
        if run.has_beside:
            run.put(5000, 5003, run.beside)
            run.wait_for(5002)
        status, text = run.stop()
        equals(status, 0)
        told = re.search("goes on at offset %d instead of (\\d+), (\\d+) offsets are skipped" % first_kept, text)
        assert told, text
        wanted, skipped = map(int, told.groups())
        equals(skipped, first_kept - wanted)
        contains(text, "%d offsets lost; the broker removed them before they were read" % skipped)
        beside = range(5000, 5003) if run.has_beside else ()
        equals(run.numbers(), [*range(wanted), *range(first_kept, BEFORE + AFTER + 5), *beside])
        equals(run.probe.offsets(run.name)[(run.into, 0)], BEFORE + AFTER + 5)


def ends(kafka, guarantee):
    with Run(kafka, "fail", guarantee) as run:
        run.make_gap()
        status, text = run.end()
        equals(status, 1)
        found = re.search("topic '%s' partition 0: this pipeline has read up to offset (\\d+), but the broker "
                          "keeps %d to %d only" % (run.into, BEFORE + AFTER - KEPT, BEFORE + AFTER), text)
        assert found, text
        contains(text, "write 'lost_offsets: earliest' or 'latest' under 'kafka' to go on there")
        wanted = int(found[1])
        equals(run.numbers(), list(range(wanted)))
        equals(run.probe.offsets(run.name)[(run.into, 0)], wanted)
        run.process = run.start()  # the next start says the same
        status, text = run.end()
        equals(status, 1)
        contains(text, found[0])


def main():
    try:
        kafka = Cluster()
    except cache.Unavailable as why:
        skip_all(why)
    with kafka:
        for guarantee in ("at-least-once", "exactly-once"):
            for policy in ("earliest", "latest"):
                add(lambda p=policy, g=guarantee: goes_on(kafka, p, g), "%s goes on, %s" % (policy, guarantee))
            add(lambda g=guarantee: ends(kafka, g), "fail ends the run behind what was read, %s" % guarantee)
        cases.finish()


def add(function, name):
    function.__name__ = name
    cases.case(function)


main()
