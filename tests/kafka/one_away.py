#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir topic` while one of three brokers is away: what the others have taken over is told and changed, and of
what nobody can tell it is said so, in time.

    one_away.py WEIR
"""
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [TESTS, os.path.join(TESTS, "servers"), os.path.join(TESTS, "servers", "kafka")]
from cases import Cases, contains, equals, run, skip_all  # noqa: E402
import cache  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
BUILD = os.path.dirname(os.path.dirname(WEIR))
GROUPS = ["group%d" % n for n in range(8)]  # so that each broker coordinates some
AWAY = 2
cases = Cases()
kafka = probe = None


def topic(*words):
    return run([WEIR, "topic", *words, "--log", "kafka://" + kafka.bootstrap])


def describe(patience=0):
    """patience: how long the brokers may be at odds with each other; every time it is said what could not be done."""
    begin = time.monotonic()
    told = topic("describe", "safe", "--json")
    while not told.stdout and time.monotonic() - begin < patience:
        equals(told.returncode, 1)
        contains(told.stderr, "could not ")
        told = topic("describe", "safe", "--json")
    assert time.monotonic() - begin < 100, "it took %.0f s" % (time.monotonic() - begin)
    assert told.stdout, told.stderr
    page = json.loads(told.stdout)
    equals([(part["first"], part["next"]) for part in page["partitions"]], [(0, 10)] * 3)
    return told, page["pipelines"]


@cases.case
def describe_tells_what_is_known_right_after_a_broker_has_died():
    told, readers = describe(patience=60)
    if readers is None:  # it has some of the groups, and nobody else has them yet
        equals(told.returncode, 1)
        contains(told.stderr, "could not list the groups")
        contains(told.stderr, "when others have taken over")


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


@cases.case
def describe_says_which_partitions_nobody_can_tell_of():
    lost = [part["partition"] for part in probe.topics()["lone"] if part["leader"] == -1]
    equals(len(lost), 1)
    told = topic("describe", "lone", "--json")
    equals(told.returncode, 1)
    contains(told.stderr, "could not ask for the offsets of topic 'lone' partition %d" % lost[0])
    parts = json.loads(told.stdout)["partitions"]
    equals([part["partition"] for part in parts if "next" not in part], lost)
    equals([part["next"] for part in parts if "next" in part], [10, 10])
    text = topic("describe", "lone").stdout
    assert any(line.split()[:3] == [str(lost[0]), "-", "-"] for line in text.splitlines()), text


def main():
    global kafka, probe
    try:
        with Cluster(nodes=3) as kafka:
            probe = Probe(BUILD, kafka.client())
            for one, replicas in (("safe", 3), ("lone", 1)):
                probe.create(one, 3, replicas=replicas)
                probe.produce([{"topic": one, "partition": n % 3, "value": "1"} for n in range(30)])
            for group in GROUPS:
                probe.commit(group, "safe", 0, 3)
            kafka.kill(AWAY)
            cases.finish()
    except cache.Unavailable as why:
        skip_all("no Kafka: %s" % why)


main()
