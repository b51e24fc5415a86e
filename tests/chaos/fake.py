# SPDX-License-Identifier: MIT
"""The work of chaos.yaml by hand, exactly once, in one process; and with those faults that are asked for.

    fake.py [lose] [repeat] [reorder] [misplace] [invent] [part]

It shows that the auditor sees what is wrong, and that the driver disturbs nobody who works rightly. BROKERS,
FEED and OUT come from the environment, as for weir. Each fault happens once, to another record; `part` leaves
a file without its name in every transaction.
"""
import json
import os
import re
import signal
import sys

from confluent_kafka import Consumer, Producer, TopicPartition

import read
import records

BATCH = 500
WAIT_SECONDS = 0.1
# Of which copy, by its number.
FAULTS = {"lose": 300, "repeat": 310, "reorder": 320, "misplace": 330, "invent": 340, "part": 0}
INPUTS = (*records.TOPICS, records.FILE)


class Files:
    """One file for each partition and transaction: FIRST-LAST.part until the transaction is committed."""

    def __init__(self, root):
        self.root, self.rows = root, {}

    def add(self, message, value):
        self.rows.setdefault((message.topic(), message.partition()), []).append((message.offset(), value))

    def write(self):
        parts = []
        for (topic, partition), rows in self.rows.items():
            folder = os.path.join(self.root, topic, str(partition))
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, f"{rows[0][0]:019d}-{rows[-1][0]:019d}.part")
            with open(path, "wb") as file:
                file.writelines(records.encode(value) + b"\n" for _, value in rows)
            parts.append(path)
        self.rows = {}
        return parts

    def recover(self, committed):
        """committed(topic, partition): an offset. Parts before it were in a transaction that succeeded."""
        for folder, _, names in os.walk(self.root):
            for name in names:
                part = re.match(r"\d{19}-(\d{19})\.part$", name)
                if part:
                    topic, partition = os.path.relpath(folder, self.root).split(os.sep)
                    path = os.path.join(folder, name)
                    if int(part[1]) < committed(topic, int(partition)):
                        publish(path)
                    else:
                        os.unlink(path)


def publish(path):
    folder, name = os.path.split(path)
    os.rename(path, os.path.join(folder, name[:19] + ".jsonl"))


class Pipeline:
    def __init__(self, brokers, feed, out, faults):
        client = {"bootstrap.servers": brokers, "log_level": 2}
        self.producer = Producer({**client, "transactional.id": "fake", "partitioner": "murmur2", "linger.ms": 5})
        self.consumer = Consumer({**client, "group.id": "chaos", "auto.offset.reset": "earliest",
                                  "enable.auto.commit": False, "isolation.level": "read_committed",
                                  "session.timeout.ms": 6000})
        self.files = Files(out)
        self.brokers, self.feed, self.faults = brokers, feed, faults
        self.done, self.kept, self.is_stopped = 0, None, False

    def prepare(self):
        self.producer.init_transactions(60)  # ends what a process before this one left open
        self.files.recover(self.committed)
        self.file = open(self.feed, "rb")  # pylint: disable=consider-using-with
        fed = read.topic(self.brokers, records.FILE, lambda _: 1)
        for _ in range(sum(map(len, fed.values()))):
            self.file.readline()
        self.consumer.subscribe(list(INPUTS))

    def committed(self, topic, partition):
        return self.consumer.committed([TopicPartition(topic, partition)], 60)[0].offset

    # ---- the work ---------------------------------------------------------------------------------------

    def read_file(self):
        for _ in range(BATCH):
            start = self.file.tell()
            line = self.file.readline()
            if not line.endswith(b"\n"):
                self.file.seek(start)
                return
            self.producer.produce(records.FILE, key=json.loads(line)["key"], value=line[:-1])

    def put(self, output, key, value, **more):
        self.producer.produce(output, key=key, value=records.encode(value), **more)

    def copy(self, value):
        """Into the topic of copies, where the faults happen."""
        self.done += 1
        fault = next((one for one in self.faults if FAULTS[one] == self.done), None)
        key = value["key"]
        if fault == "lose":
            return
        if fault == "reorder":
            self.kept = value
            return
        if fault == "misplace":
            self.put("copies", key, value, partition=(records.partition_of(key) + 1) % records.PARTITIONS)
            return
        self.put("copies", key, value)
        if fault == "repeat":
            self.put("copies", key, value)
        if fault == "invent":
            self.put("copies", key, {**value, "id": "nobody-000001"})
        if self.kept is not None and self.kept["key"] == key and is_before(self.kept, value):
            self.put("copies", key, self.kept)
            self.kept = None

    def work(self, message):
        value = read.value(message)
        if value["amount"] == 0:
            self.put("letters", value["key"], {"message": {"value": message.value().decode()}})
            return
        self.copy(value)
        self.put("grouped", value["item"], value)
        self.files.add(message, value)

    def turn(self):
        """One transaction."""
        messages = self.consumer.consume(BATCH, WAIT_SECONDS)
        self.producer.begin_transaction()
        self.read_file()
        for message in messages:
            if message.error() is None:
                self.work(message)
        parts = self.files.write()
        self.producer.send_offsets_to_transaction(self.consumer.position(self.consumer.assignment()),
                                                  self.consumer.consumer_group_metadata(), 60)
        self.producer.commit_transaction(60)
        for path in parts[1 if "part" in self.faults else 0:]:
            publish(path)

    def run(self):
        while not self.is_stopped:
            self.turn()
        self.consumer.close()

    def stop(self, *_):
        self.is_stopped = True


def is_before(one, other):
    """In the same sequence."""
    return one["id"].split("-")[0] == other["id"].split("-")[0] and one["number"] < other["number"]


def main():
    faults = sys.argv[1:]
    if set(faults) - set(FAULTS):
        sys.exit(__doc__)
    pipeline = Pipeline(os.environ["BROKERS"], os.environ["FEED"], os.environ["OUT"], faults)
    signal.signal(signal.SIGTERM, pipeline.stop)
    pipeline.prepare()
    pipeline.run()


if __name__ == "__main__":
    main()
