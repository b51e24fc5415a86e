# SPDX-License-Identifier: MIT
"""The probe for tests in Python: what a client that is not weir sees and does at a broker.

    probe = Probe("build/release", kafka.client())
    probe.create("orders", 4)
    probe.produce([{"topic": "orders", "key": "a", "value": "1"}])
    records = probe.consume("orders")
"""
import json
import os
import subprocess
import time


class ProbeError(Exception):
    """What the probe said on standard error."""


class Probe:
    def __init__(self, build, properties):
        """properties: librdkafka's, by name; Cluster.client() makes them, or only a bootstrap."""
        if isinstance(properties, str):
            properties = {"bootstrap.servers": properties}
        self.command = [os.path.join(build, "tests", "servers", "kafka", "probe")]
        for name, value in properties.items():
            self.command += ["-X", "%s=%s" % (name, value)]

    def run(self, *arguments, text="", timeout=300):
        """The lines that a command prints, read as JSON."""
        done = subprocess.run([*self.command, *map(str, arguments)], input=text, text=True, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise ProbeError(done.stderr.strip())
        return [json.loads(line) for line in done.stdout.splitlines()]

    def create(self, topic, partitions, replicas=None, settings=None):
        options = ["--replicas", replicas] if replicas else []
        self.run("create", topic, partitions, *options, *("%s=%s" % pair for pair in (settings or {}).items()))

    def grow(self, topic, partitions):
        self.run("grow", topic, partitions)

    def delete(self, *topics):
        """Returns when they are gone: a broker may list for a while what the controller has deleted."""
        self.run("delete", *topics)
        deadline = time.monotonic() + 120
        while not self.topics().keys().isdisjoint(topics):
            if time.monotonic() > deadline:
                raise ProbeError("topics are still there after they were deleted: %s" % ", ".join(topics))
            time.sleep(0.05)

    def alter(self, topic, settings):
        """Settings of a topic; others are the broker's again."""
        self.run("alter", topic, *("%s=%s" % pair for pair in settings.items()))

    def trim(self, topic, partition, offset):
        """Removes the records before an offset, as retention does."""
        self.run("trim", topic, partition, offset)

    def topics(self):
        """Partitions by topic: a list of {partition, leader, replicas, in_sync}."""
        return {line["topic"]: line["partitions"] for line in self.run("list")}

    def config(self, topic):
        return self.run("config", topic)[0]

    def produce(self, records, transactional=None):
        """Produces records and does {"do": ...} between them; what became of each."""
        options = ["--transactional", transactional] if transactional else []
        return self.run("produce", *options, text="".join(json.dumps(record) + "\n" for record in records))

    def producer(self, transactional=None):
        """One that stays: write lines to its stdin, read lines from its stdout."""
        options = ["--transactional", transactional] if transactional else []
        return subprocess.Popen([*self.command, "produce", *options], text=True, bufsize=1,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def consume(self, *topics, uncommitted=False, partition=None, start=None, count=None, wait=None):
        """The records that are there; with count, waits until so many are. Each partition in its order."""
        options = ["--uncommitted"] if uncommitted else []
        for name, value in (("--partition", partition), ("--from", start), ("--count", count), ("--wait", wait)):
            options += [name, value] if value is not None else []
        return self.run("consume", *topics, *options)

    def watermarks(self, topic, committed=False):
        """(first offset, end) of each partition."""
        return [(line["low"], line["high"])
                for line in self.run("watermarks", topic, *(["--committed"] if committed else []))]

    def groups(self, *names):
        """Descriptions by group."""
        return {line["group"]: line for line in self.run("groups", *names)}

    def offsets(self, group, *of):
        """What a group has committed, by (topic, partition). of: a topic and its count of partitions, where the broker
        cannot tell of all."""
        return {(line["topic"], line["partition"]): line["offset"] for line in self.run("offsets", group, *of)}

    def everything(self):
        """What the brokers have: topics with ends and configuration, groups with positions."""
        return ({topic: (self.watermarks(topic), self.config(topic)) for topic in self.topics()},
                {group: (told, self.offsets(group)) for group, told in self.groups().items()})

    def commit(self, group, topic, partition, offset):
        self.run("commit", group, topic, partition, offset)
