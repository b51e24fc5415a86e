#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run does while its broker is away: it ends in time when it is told to, ends with status 75 when the
broker stays away for too long, and goes on when it comes back, with nothing lost.

    liveness.py WEIR [NAME...]
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import Cases, Skipped  # noqa: E402
from kafka_cases import BUILD, WEIR  # noqa: E402
import cache  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe  # noqa: E402

cases = Cases()

PIPELINE = """
pipeline: away
log: kafka://%s
guarantee: %s
checkpoint: {interval: %s}
shutdown_timeout: %s
kafka: {broker_availability_timeout: %s%s}
topics: {in: {value: json}, out: {value: json}}
streams: {s: {from: {topic: in}, to: {topic: out}}}
"""


class Away:
    """A run on a broker of its own; it has written records, and others are waiting."""

    def __init__(self, guarantee, limit, shutdown="5s", interval="500ms", more=""):
        try:
            self.kafka = Cluster()
        except cache.Unavailable as why:
            raise Skipped(why) from None
        self.folder = tempfile.TemporaryDirectory(prefix="weir-away-")
        self.values = guarantee, interval, shutdown, limit, more
        self.said = os.path.join(self.folder.name, "said")

    def __enter__(self):
        self.kafka.__enter__()
        self.probe = Probe(BUILD, self.kafka.client())
        self.probe.create("in", 1)
        self.probe.create("out", 1)
        self.put(0, 100)
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(PIPELINE % (self.kafka.bootstrap, *self.values))
        with open(self.said, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen([WEIR, "run"], cwd=self.folder.name, stdout=file, stderr=file)
        self.wait_for(100)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.kafka.__exit__(None, None, None)
        self.folder.cleanup()

    def put(self, first, end):
        self.probe.produce([{"topic": "in", "value": json.dumps({"n": n})} for n in range(first, end)])

    def numbers(self):
        return [json.loads(record["value"])["n"] for record in self.probe.consume("out")]

    def wait_for(self, count):
        deadline = time.monotonic() + 120
        while len(set(self.numbers())) < count:
            assert time.monotonic() < deadline, "only %d records have come" % len(set(self.numbers()))
            assert self.process.poll() is None, self.text()
            time.sleep(0.2)

    def text(self):
        """What the run has said so far."""
        with open(self.said, encoding="utf-8") as file:
            return file.read()

    def says(self, part):
        deadline = time.monotonic() + 120
        while part not in self.text():
            assert time.monotonic() < deadline and self.process.poll() is None, self.text()
            time.sleep(0.2)

    def end(self, seconds):
        """Status and text of the run, which must end within so many seconds."""
        return self.process.wait(seconds), self.text()


@cases.case
def a_run_that_is_told_to_stop_ends_in_time():
    with Away("at-least-once", "10m") as away:
        away.kafka.kill(1)
        away.process.send_signal(signal.SIGTERM)
        status, text = away.end(120)
        assert status in (0, 75), (status, text)


@cases.case
def a_stop_gives_up_a_broker_that_is_there_and_silent():
    with Away("at-least-once", "10m", interval="1h") as away:
        away.kafka.pause(1)
        away.process.send_signal(signal.SIGTERM)
        status, text = away.end(120)
        away.kafka.resume(1)
        assert status == 75, (status, text)
        assert "no checkpoint within shutdown_timeout: " in text, text
        assert "start it again: it goes on from the checkpoint before" in text, text


@cases.case
def a_broker_that_stays_away_ends_the_run_with_75():
    with Away("exactly-once", "3s") as away:
        away.kafka.kill(1)
        status, text = away.end(120)
        assert status == 75, (status, text)
        assert "Kafka has been away for" in text and "broker_availability_timeout" in text, text
        assert "TLS" not in text, text  # it was let in before, so that is not what is wrong


def comes_back(guarantee):
    with Away(guarantee, "120s", shutdown="60s") as away:
        away.kafka.kill(1)
        time.sleep(4)  # longer than the library's first tries
        away.kafka.start(1)
        away.put(100, 200)
        away.wait_for(200)
        away.process.send_signal(signal.SIGTERM)
        status, text = away.end(120)
        assert status == 0, (status, text)
        numbers = away.numbers()
        assert sorted(set(numbers)) == list(range(200)), numbers
        assert guarantee == "at-least-once" or len(numbers) == 200, numbers


@cases.case
def a_broker_that_comes_back_is_gone_on_with():
    comes_back("at-least-once")


@cases.case
def a_broker_that_is_silent_for_longer_than_a_session_is_gone_on_with():
    """What was under way is dropped, for others may have the partitions; nobody ends."""
    with Away("at-least-once", "120s", shutdown="1s", more=", session.timeout.ms: 6000") as away:
        away.put(100, 200)
        away.kafka.pause(1)
        away.says("has lost: in 0")
        away.kafka.resume(1)
        away.wait_for(200)
        away.process.send_signal(signal.SIGTERM)
        status, text = away.end(120)
        assert status in (0, 75), (status, text)
        assert sorted(set(away.numbers())) == list(range(200)), away.numbers()


@cases.case
def transactions_go_on_too():
    comes_back("exactly-once")


cases.finish(names=sys.argv[2:])
