# SPDX-License-Identifier: MIT
"""One cluster and its replicas, from their start to the audit."""
import os
import random
import shlex
import sys
import time

from confluent_kafka.admin import AdminClient, NewTopic

import audit
import events
import read
import records
from flow import OUTPUT_TOPICS, Flow
from generate import Generator
from replicas import Replicas, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "servers", "kafka"))
import cluster  # noqa: E402

TAKE = {"feed": read.record_id, "copies": read.record_id, "grouped": read.record_id, "letters": read.letter_id}
OFFSETS_PARTITIONS = 4
CALM_SECONDS = 30  # in which records flow again after an event, or the next one comes all the same


class World:
    """What events act upon."""

    def __init__(self, kafka, args, report, folder):
        self.kafka, self.report, self.folder = kafka, report, folder
        self.group, self.offsets_partitions = "chaos", OFFSETS_PARTITIONS
        self.topics = [*records.TOPICS, *OUTPUT_TOPICS]
        self.pause_seconds, self.end_seconds = args.pause, 120
        self.feed, self.out = os.path.join(folder, "feed.jsonl"), os.path.join(folder, "files")
        create_topics(kafka, self.topics)
        open(self.feed, "wb").close()
        environment = {"BROKERS": kafka.bootstrap, "FEED": self.feed, "OUT": self.out, "GUARANTEE": args.guarantee}
        self.replicas = Replicas(shlex.split(args.command), environment, folder, args.replicas)
        report.own_ends = self.replicas.own_ends

    def complain(self, text):
        self.report.faults.append(text)


def create_topics(kafka, names):
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 2})
    made = admin.create_topics([NewTopic(name, records.PARTITIONS, min(3, len(kafka.nodes))) for name in names])
    for future in made.values():
        future.result(120)
    for name in names:
        assert wait_until(lambda: has_leaders(kafka, name), 120), f"nobody leads topic '{name}'"


def has_leaders(kafka, name):
    partitions = kafka.metadata().topics.get(name, {})
    return len(partitions) == records.PARTITIONS and all(one.leader > 0 for one in partitions.values())


def say(text):
    print(text, file=sys.stderr, flush=True)


def disturb(world, flow, args, count):
    """Lets so many events happen."""
    chance = random.Random(world.report.seed)
    for number, kind in enumerate(events.schedule(chance, args.kinds, count), 1):
        time.sleep(chance.uniform(0.5, 1.5) * args.distance)
        is_flowing = wait_until(lambda: flow.flowed_since(time.monotonic() - 2), CALM_SECONDS)
        say(f"event {number} of {count}: {kind}" + ("" if is_flowing else ", nothing flows"))
        events.KINDS[kind](world, chance)
        world.report.happened[kind].append(is_flowing)


def results_of(number):
    """How many records the topics of results have when all is done, at least."""
    values = [records.record(source, one) for source in records.SOURCES for one in range(number)]
    places = records.expected(values)
    return sum(len(places[topic]) for topic in OUTPUT_TOPICS)


def results(world):
    """({output: {id: Place}}, {output: {partition: [id, ...]}}, ids that were put in)"""
    values = read.fed(world.feed)
    for topic in records.TOPICS:
        values += [value for part in read.topic(world.kafka.bootstrap, topic, read.value).values() for value in part]
    seen = {topic: read.topic(world.kafka.bootstrap, topic, take) for topic, take in TAKE.items()}
    seen["files"] = read.files(world.out)
    return records.expected(values), seen, len(values)


def finish(world, generator, flow, args):
    """Waits until all that is written has come out, and stops the replicas."""
    wait_until(lambda: generator.count() >= args.records, 600)
    total = results_of(generator.finish())
    if not wait_until(lambda: flow.is_done(total, args.quiet) and not flow.has_open(), 300):
        world.complain("it is not quiet after 300 s")
    flow.finish()
    for number, status in world.replicas.finish(world.end_seconds).items():
        world.complain(f"replica {number} ended with status {status} at the end:\n" + world.replicas.all[number].tail())


def judge(world, written, guarantee):
    """Audits what lies there now. written: how many records there have to be."""
    try:
        expected, seen, count = results(world)
    except read.Unfinished as why:
        world.complain(str(why))
        return
    if count != written:
        world.complain(f"{written} records were written, but {count} are in the inputs")
    world.report.records, world.report.found = count, audit.audit(expected, seen)
    world.report.faults += audit.faults(world.report.found, guarantee)


def run(args, report, count, folder):
    """Fills the report with what came of so many events."""
    with cluster.Cluster(nodes=args.nodes) as kafka:
        world = World(kafka, args, report, folder)
        generator, flow = Generator(kafka.bootstrap, world.feed, args.rate), Flow(kafka.bootstrap)
        try:
            for thread in (world.replicas, generator, flow):
                thread.start()
            if not wait_until(lambda: flow.flowed_since(0), 180):
                world.complain("nothing has come out after 180 s:\n" + world.replicas.all[1].tail())
            disturb(world, flow, args, count)
            finish(world, generator, flow, args)
        finally:
            generator.stop()
            flow.finish()
            world.replicas.kill()
        judge(world, generator.count(), args.guarantee)
