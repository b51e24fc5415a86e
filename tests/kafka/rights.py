#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a user may do at a real Kafka: `weir run --dry-run` tells each right that is missing, and a run says in
time which one it has met.

Usage: tests/kafka/rights.py WEIR [NAME...]
"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import Cases, contains, equals, run  # noqa: E402
from kafka_cases import WEIR, on_cluster  # noqa: E402
import settings  # noqa: E402

cases = Cases()
kafka = probe = None

PIPELINE = """pipeline: {name}
log: kafka://{address}
guarantee: {guarantee}
kafka: {properties}
topics:
  {name}-in: {{partitions: 2}}
  {name}-out: {{partitions: 1, key: json}}
streams:
  s:
    from: {{topic: {name}-in}}
    steps: [{{group_by: {{key: v}}}}]
    to: [{{topic: {name}-out}}, {{file: out}}]
"""


class Pipeline:
    """One that reads, groups and writes, with topics of its own."""

    def __init__(self, name, is_there=True, guarantee="exactly-once"):
        self.name, self.guarantee = name, guarantee
        self.read, self.written = name + "-in", name + "-out"
        self.between, self.facts = "repartition__%s--%s-in--v" % (name, name), "positions__" + name
        self.handle = tempfile.TemporaryDirectory(prefix="weir-rights-")
        properties = kafka.client("SASL_PLAINTEXT")
        address = properties.pop("bootstrap.servers")
        folder = pathlib.Path(self.handle.name)
        (folder / "password").write_text(properties["sasl.password"])
        properties["sasl.password"] = {"file": "password"}
        properties["request_timeout"] = "10m"  # much longer than the tests have: what is missing is told soon
        text = PIPELINE.format(name=name, address=address, guarantee=guarantee,
                               properties=json.dumps(properties))
        (folder / "pipeline.yaml").write_text(text)
        if is_there:
            probe.create(self.read, 2)
            probe.create(self.written, 1)
            probe.create(self.between, 2)
            probe.create(self.facts, 1, settings={"cleanup.policy": "compact"})

    def rights(self):
        """All that a run needs where its topics are there."""
        topics = {self.read: ["Read", "DescribeConfigs"], self.written: ["Write", "DescribeConfigs"],
                  self.between: ["Read", "Write", "Delete", "DescribeConfigs"], self.facts: ["Read", "Write"]}
        transactions = [("Write", "transactional id", self.name + ".*")]
        return [(right, "topic", topic) for topic, rights in topics.items() for right in rights] + [
            ("Read", "group", self.name)] + (transactions if self.guarantee == "exactly-once" else [])

    def weir(self, *words):
        return run([WEIR, *words], cwd=self.handle.name, timeout=180)

    def dry(self, status):
        """What a dry run tells of faults; nothing changes."""
        before = probe.everything()
        done = self.weir("run", "--dry-run", "--json")
        assert probe.everything() == before, "something has changed"
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        assert done.stdout != "", done.stderr
        return json.loads(done.stdout)

    def faults(self):
        told = self.dry(1)["faults"]
        return [(fault["line"], fault["message"]) for fault in told]


def lack(right, resource, name):
    return "user 'alice' lacks the right %s on %s '%s" % (right, resource, name.rstrip("*"))


@cases.case
def each_right_that_is_missing_is_told_by_name():
    pipeline = Pipeline("each")
    rights = pipeline.rights()
    kafka.give(*rights)
    equals(pipeline.dry(0)["faults"], [])
    lines = {pipeline.read: 6, pipeline.written: 7, pipeline.between: 11}
    for one in rights:
        kafka.take(one)
        told = pipeline.faults()
        assert len(told) == 1, (one, told)
        line, message = told[0]
        contains(message, lack(*one))
        contains(message, "kafka-acls --add --allow-principal User:alice --operation %s" % one[0])
        equals(line, lines.get(one[2]))
        kafka.give(one)


@cases.case
def all_that_is_missing_is_told_at_once():
    pipeline = Pipeline("none")
    told = [message for _, message in pipeline.faults()]
    for right, resource, name in pipeline.rights():
        if right not in ("Delete", "DescribeConfigs"):  # nobody can tell of a topic that cannot be seen
            equals([right for message in told if lack(right, resource, name) in message], [right])
    equals(len(told), 8)
    rows = {row["topic"]: row["exists"] for row in pipeline.dry(1)["topics"]}
    equals(rows, dict.fromkeys((pipeline.read, pipeline.written, pipeline.between, pipeline.facts)))
    text = pipeline.weir("run", "--dry-run")
    contains(text.stdout, "cannot be seen")
    contains(text.stderr, "pipeline.yaml:6:")
    contains(text.stderr, "8 faults on 'kafka://")


@cases.case
def what_would_be_created_takes_the_right_to():
    pipeline = Pipeline("made", is_there=False)
    rights = pipeline.rights()
    kafka.give(*rights)
    told = pipeline.dry(1)
    topics = (pipeline.read, pipeline.written, pipeline.between, pipeline.facts)
    equals({row["topic"]: row["exists"] for row in told["topics"]}, dict.fromkeys(topics, False))
    messages = [fault["message"] for fault in told["faults"]]
    for topic in topics:
        equals(len([message for message in messages if lack("Create", "topic", topic) in message]), 1)
    equals(len(messages), 4)
    kafka.give(*(("Create", "topic", topic) for topic in topics))
    equals(pipeline.dry(0)["faults"], [])


def a_run_ends_at_each_right_that_is_missing(guarantee):
    pipeline = Pipeline("ran-" + guarantee, guarantee=guarantee)
    rights = pipeline.rights()
    kafka.give(*rights)
    values = set()
    for one in rights:
        values.add(json.dumps({"v": len(values)}))
        probe.produce([{"topic": pipeline.read, "partition": 0, "value": value} for value in values])
        if one[0] == "Delete":
            continue  # what is processed stays, and that is told much later
        kafka.take(one)
        done = pipeline.weir("run", "--until-end")
        assert done.returncode == 1, (one, done.returncode, done.stderr)
        contains(done.stderr, lack(*one))
        kafka.give(one)
    done = pipeline.weir("run", "--until-end")
    assert done.returncode == 0, done.stderr
    equals({record["value"] for record in probe.consume(pipeline.written)}, values)


@cases.case
def a_run_in_transactions_ends_at_each_right_that_is_missing():
    a_run_ends_at_each_right_that_is_missing("exactly-once")


@cases.case
def a_run_at_least_once_ends_at_each_right_that_is_missing():
    a_run_ends_at_each_right_that_is_missing("at-least-once")


@cases.case
def looking_into_a_topic_takes_the_right_to_read_it_alone():
    pipeline = Pipeline("looked")
    probe.produce([{"topic": pipeline.read, "partition": 0, "value": "1"}])
    kafka.give(("Describe", "topic", pipeline.read))
    done = pipeline.weir("topic", "cat", pipeline.read, "--raw")
    equals((done.returncode, done.stdout), (1, ""))
    contains(done.stderr, lack("Read", "topic", pipeline.read))
    kafka.give(("Read", "topic", pipeline.read))
    equals(pipeline.weir("topic", "cat", pipeline.read, "--raw").stdout, "1\n")


def make_topics_of_brokers():
    """Those that they make when they are first asked for a group and for a transaction."""
    probe.create("first", 1)
    probe.produce([{"topic": "first"}, {"do": "commit"}], transactional="first")
    probe.commit("first", "first", 0, 1)


with on_cluster(listeners=["SASL_PLAINTEXT"], settings=settings.FORBIDDING) as (kafka, probe):
    make_topics_of_brokers()
    cases.finish(names=sys.argv[2:])
