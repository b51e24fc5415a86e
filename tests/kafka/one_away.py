#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir topic` and a run while one of three brokers is away: what the others take over is waited for, told and
changed; of what nobody can tell it is said so, in time.

    one_away.py WEIR
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import Cases, contains, equals, run, until  # noqa: E402
from kafka_cases import WEIR, on_cluster  # noqa: E402

GROUPS = ["group%d" % n for n in range(8)]  # so that each broker coordinates some
AWAY = 2
# The cluster waits for a broker that is away until it is told to give it up: so long nobody takes over what it had.
GRACE = {"broker.session.timeout.ms": 3600000}
cases = Cases()
kafka = probe = before = None


def wait_for_positions(group, total):
    until(lambda: sum(offset for (name, _), offset in probe.offsets(group).items() if name == "lone") == total,
          lambda: probe.offsets(group))


def topic(*words):
    return run([WEIR, "topic", *words, "--log", "kafka://" + kafka.bootstrap])


def describe():
    """The brokers may be at odds with each other for a while; every time it is said what could not be done."""
    tries = []

    def is_told():
        told = topic("describe", "safe", "--json")
        tries.append(told)
        if not told.stdout:
            equals(told.returncode, 1)
            contains(told.stderr, "could not ")
        return told.stdout

    until(is_told, lambda: tries[-1].stderr)
    page = json.loads(tries[-1].stdout)
    equals([(part["first"], part["next"]) for part in page["partitions"]], [(0, 10)] * 3)
    return tries[-1], page["pipelines"]


def short_of_patience():
    """A file for the same log, of somebody who does not wait long."""
    return ("pipeline: hasty\nlog: kafka://%s\nkafka: {request_timeout: 1s}\ntopics: {safe: {value: json}}\n"
            "streams: {s: {from: {topic: safe}, to: print}}\n" % kafka.bootstrap)


@cases.case
def trim_refuses_in_time_where_nobody_knows_all_groups():
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(short_of_patience())
        file.flush()
        told = run([WEIR, "topic", "trim", "safe", "--partition", "1", "--before", "5", "-f", file.name])
    equals((told.returncode, told.stdout), (1, ""))
    contains(told.stderr, "could not list the groups")
    contains(told.stderr, "try again when all answer, or when others have taken over")


@cases.case
def trim_waits_until_all_groups_are_known():
    """And then it does not remove what one of them has not read."""
    command = [WEIR, "topic", "trim", "safe", "--partition", "0", "--before", "5", "--log", "kafka://" + kafka.bootstrap]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as trim:
        waits = trim.stderr.readline()
        contains(waits, "could not list the groups: ")
        contains(waits, "; waits for up to 30 s until every broker answers, or others have taken over")
        kafka.give_up(AWAY)
        told = trim.stderr.read()
    equals(trim.returncode, 1)
    contains(told, "has read partition 0 up to offset 3 only")
    equals(told.count("could not"), 0)


@cases.case
def describe_tells_all_when_others_have_taken_over():
    told, readers = describe()
    equals((told.returncode, told.stderr), (0, ""))
    equals(sorted(reader["pipeline"] for reader in readers), GROUPS)
    equals({reader["lag"] for reader in readers}, {7})


@cases.case
def trim_removes_what_the_others_lead():
    told = topic("trim", "safe", "--partition", "1", "--before", "5")
    equals((told.returncode, told.stderr), (0, ""))
    equals(probe.watermarks("safe")[1], (5, 10))


def led_by_nobody():
    return [part["partition"] for part in probe.topics()["lone"] if part["leader"] == -1]


@cases.case
def describe_says_which_partitions_nobody_can_tell_of():
    until(lambda: len(led_by_nobody()) == 1, led_by_nobody)
    lost = led_by_nobody()
    told = topic("describe", "lone", "--json")
    equals(told.returncode, 1)
    contains(told.stderr, "could not ask for the offsets of topic 'lone' partition %d" % lost[0])
    parts = json.loads(told.stdout)["partitions"]
    equals([part["partition"] for part in parts if "next" not in part], lost)
    equals([part["next"] for part in parts if "next" in part], [10, 10])
    text = topic("describe", "lone").stdout
    assert any(line.split()[:3] == [str(lost[0]), "-", "-"] for line in text.splitlines()), text


class Idle:
    """A run that reads `lone`, and does not wait long before it says what stands still."""

    def __init__(self, name):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-away-")
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write("pipeline: %s\nlog: kafka://%s\ntopics: {lone: {value: json}}\n"
                       "streams: {s: {from: {topic: lone}, to: {file: out}}}\n" % (name, kafka.bootstrap))
        self.process = subprocess.Popen([WEIR, "run"], cwd=self.folder.name, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env=dict(os.environ, WEIR_TEST_STALL_MS="2000"))
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.folder.cleanup()

    def says(self, part):
        """The line that has this in it; the time of the whole file is limited."""
        for line in self.process.stderr:
            self.said += line
            if part in line:
                return line
        raise AssertionError("%r is not in: %s" % (part, self.said))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.stderr.read()


@cases.case
def a_run_says_which_partition_nobody_leads():
    """Until the cluster has given the broker up it is the leader that does not answer."""
    before.says(": no broker leads the partition, so nobody can tell what is behind it")
    lost, = led_by_nobody()
    equals({line.split(" lone: ")[1].split(" for ")[0] for line in before.said.splitlines() if " lone: " in line},
           {"partition %d has stood still at offset 10" % lost})
    contains(before.stop(), "  lone  ")


@cases.case
def a_run_says_why_it_begins_nothing():
    """One of the partitions that come to it has nobody who leads it."""
    with Idle("after") as idle:
        line = idle.says("reads nothing of the partitions that the group has given to it, for ")
        contains(line, "could not ask for the offsets of topic 'lone' partition ")
        contains(idle.stop(), "  all partitions ")


def fill():
    for one, replicas in (("safe", 3), ("lone", 1)):
        probe.create(one, 3, replicas=replicas)
        probe.produce([{"topic": one, "partition": n % 3, "value": "1"} for n in range(30)])
    # Of a run that begins when two brokers are left, which are too few to make it.
    probe.create("positions__after", 1, replicas=3, settings={"cleanup.policy": "compact"})
    for group in GROUPS:
        probe.commit(group, "safe", 0, 3)


with on_cluster(nodes=3, settings=GRACE) as (kafka, probe):
    fill()
    with Idle("before") as before:
        before.says("reads from now on: lone 0-2")
        wait_for_positions("before", 30)
        kafka.kill(AWAY)
        cases.finish(names=sys.argv[2:])
