# SPDX-License-Identifier: MIT
"""Disturbs replicas of a pipeline at random and says what became of every record.

    run --seed 1 --events 30 --guarantee exactly-once

Starts three brokers and three replicas of chaos.yaml, writes records at a set rate, lets one event after the
other happen, waits until all is quiet, stops the replicas and audits. The same seed gives the same events;
when exactly they hit differs from run to run.
"""
import argparse
import collections
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import time

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

import audit
import events
import read
import records
from generate import Generator
from replicas import Replicas, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "servers", "kafka"))
import cluster  # noqa: E402

OUTPUT_TOPICS = ("feed", "copies", "grouped", "letters")
TAKE = {"feed": read.record_id, "copies": read.record_id, "grouped": read.record_id, "letters": read.letter_id}
OFFSETS_PARTITIONS = 4
CALM_SECONDS = 30  # in which records flow again after an event, or the next one comes all the same
STANDSTILL_SECONDS = 60  # without a new result, though some are missing: they will not come
EXAMPLES = 5  # findings of one kind that are shown


def options(arguments=None):
    parser = argparse.ArgumentParser(prog="tests/chaos/run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=21, help="how many (21)")
    parser.add_argument("--kinds", nargs="+", choices=list(events.KINDS), default=list(events.KINDS), metavar="KIND",
                        help="of events: " + ", ".join(events.KINDS))
    parser.add_argument("--guarantee", choices=("at-least-once", "exactly-once"), default="exactly-once")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=3, help="brokers (3)")
    parser.add_argument("--rate", type=float, default=600, help="records a second (600)")
    parser.add_argument("--distance", type=float, default=3, help="mean time between two events, in seconds (3)")
    parser.add_argument("--pause", type=float, default=12, help="how long a paused replica is silent, in seconds (12)")
    parser.add_argument("--records", type=int, default=3000, help="at least so many (3000)")
    parser.add_argument("--quiet", type=float, default=12, help="so long after the last result all is done (12)")
    parser.add_argument("--command", default=f"{ROOT}/build/release/bin/weir run {HERE}/chaos.yaml",
                        help="what runs a replica")
    parser.add_argument("--keep", metavar="FOLDER", help="keep logs, input and files there")
    return parser.parse_args(arguments)


class Flow(threading.Thread):
    """How many results there were at each time, as the ends of the topics tell."""

    def __init__(self, brokers):
        super().__init__(daemon=True)
        self.consumer = Consumer({"bootstrap.servers": brokers, "group.id": "flow", "log_level": 2})
        self.samples, self.is_finished = [], threading.Event()

    def total(self):
        return sum(self.consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=5, cached=False)[1]
                   for topic in OUTPUT_TOPICS for partition in range(records.PARTITIONS))

    def run(self):
        while not self.is_finished.wait(0.25):
            try:
                total = self.total()
                self.samples.append((time.monotonic(), total))
            except KafkaException:
                self.look_again()

    def look_again(self):
        """A broker is away, which is what this is about: others lead its partitions by now."""
        try:
            self.consumer.list_topics(timeout=5)
        except KafkaException:
            pass  # the next turn tries again

    def grew_since(self, moment):
        since = [total for at, total in self.samples if at >= moment]
        return len(since) > 1 and since[-1] > since[0]

    def is_done(self, results, seconds):
        """All results are there and nothing came for so long; or nothing came for much longer."""
        is_complete = bool(self.samples) and self.samples[-1][1] >= results
        return self.is_quiet(seconds if is_complete else STANDSTILL_SECONDS)

    def is_quiet(self, seconds):
        """Seen as unchanged for so long."""
        now = time.monotonic()
        return (bool(self.samples) and self.samples[0][0] < now - seconds and now - self.samples[-1][0] < 2
                and not self.grew_since(now - seconds))

    def finish(self):
        self.is_finished.set()
        self.join()


class World:
    """What events act upon."""

    def __init__(self, kafka, args, folder):
        self.kafka, self.folder = kafka, folder
        self.group, self.offsets_partitions = "chaos", OFFSETS_PARTITIONS
        self.topics = [*records.TOPICS, *OUTPUT_TOPICS]
        self.pause_seconds, self.end_seconds = args.pause, 60
        self.feed, self.out = os.path.join(folder, "feed.jsonl"), os.path.join(folder, "files")
        self.complaints = []
        create_topics(kafka, self.topics)
        open(self.feed, "wb").close()
        environment = {"BROKERS": kafka.bootstrap, "FEED": self.feed, "OUT": self.out, "GUARANTEE": args.guarantee}
        self.replicas = Replicas(shlex.split(args.command), environment, folder, args.replicas)

    def complain(self, text):
        self.complaints.append(text)


def create_topics(kafka, names):
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 2})
    made = admin.create_topics([NewTopic(name, records.PARTITIONS, min(3, len(kafka.nodes))) for name in names])
    for future in made.values():
        future.result(30)
    for name in names:
        assert wait_until(lambda: has_leaders(kafka, name), 30), f"nobody leads topic '{name}'"


def has_leaders(kafka, name):
    partitions = kafka.metadata().topics.get(name, {})
    return len(partitions) == records.PARTITIONS and all(one.leader > 0 for one in partitions.values())


def say(text):
    print(text, file=sys.stderr, flush=True)


def disturb(world, flow, args):
    """Lets the events happen. {kind: [whether records were flowing when it began, ...]}"""
    chance = random.Random(args.seed)
    happened = collections.defaultdict(list)
    for number, kind in enumerate(events.schedule(chance, args.kinds, args.events), 1):
        time.sleep(chance.uniform(0.5, 1.5) * args.distance)
        is_flowing = wait_until(lambda: flow.grew_since(time.monotonic() - 2), CALM_SECONDS)
        say(f"event {number} of {args.events}: {kind}" + ("" if is_flowing else ", nothing flows"))
        events.KINDS[kind](world, chance)
        happened[kind].append(is_flowing)
    return happened


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


def show(found, happened, world, count):
    print(f"{count} records")
    for kind, flowing in sorted(happened.items()):
        print(f"event {kind}: {len(flowing)}, {sum(flowing)} of them while records flowed")
    for (number, status), times in sorted(collections.Counter(world.replicas.own_ends).items()):
        print(f"replica {number} ended by itself with status {status}: {times} times")
    groups = collections.defaultdict(list)
    for finding in found:
        groups[finding.output, finding.kind].append(finding)
    for output in records.OUTPUTS:
        print(f"{output}: " + ", ".join(f"{len(groups[output, kind])} {kind}" for kind in audit.KINDS))
        for kind in audit.KINDS:
            for finding in groups[output, kind][:EXAMPLES]:
                print(f"    {kind}: {finding.id} {finding.detail}".rstrip())


def run(args, folder):
    """The faults: findings that the guarantee forbids, and complaints."""
    with cluster.Cluster(nodes=args.nodes) as kafka:
        world = World(kafka, args, folder)
        generator, flow = Generator(kafka.bootstrap, world.feed, args.rate), Flow(kafka.bootstrap)
        try:
            for thread in (world.replicas, generator, flow):
                thread.start()
            if not wait_until(lambda: flow.grew_since(0), 90):
                world.complain("nothing has come out after 90 s:\n" + world.replicas.all[1].tail())
            happened = disturb(world, flow, args)
            wait_until(lambda: generator.count() >= args.records, 600)
            total = results_of(generator.finish())
            if not wait_until(lambda: flow.is_done(total, args.quiet), 300):
                world.complain("it is not quiet after 300 s")
            flow.finish()
            for number, status in world.replicas.finish(world.end_seconds).items():
                world.complain(f"replica {number} ended with status {status} at the end:\n"
                               + world.replicas.all[number].tail())
        finally:
            world.replicas.kill()
        try:
            expected, seen, count = results(world)
        except read.Unfinished as why:
            return [*world.complaints, str(why)]
        found = audit.audit(expected, seen)
        show(found, happened, world, count)
        return [*world.complaints, *audit.faults(found, args.guarantee)]


def main(arguments=None):
    """The number of faults."""
    args = options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # so that no replica is left behind
    folder = args.keep or tempfile.mkdtemp(prefix="weir-chaos-")
    os.makedirs(folder, exist_ok=True)
    try:
        faults = run(args, folder)
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    for fault in faults:
        if isinstance(fault, str):
            print("FAILED " + fault)
    print(f"seed {args.seed}, {args.events} events, {args.guarantee}: {len(faults)} faults")
    return len(faults)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
