# SPDX-License-Identifier: MIT
"""What lies in topics and files, as the auditor wants it: {partition: [id, ...]}."""
import json
import os
import re
import time

PUBLISHED = re.compile(r"\d{19}\.jsonl$")


class Unfinished(Exception):
    """Something is there that must not be there when a pipeline has ended."""


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.endswith("\n"):
                raise Unfinished(f"{path} ends within a line")
            yield line


def file_ids(folder, name):
    if not PUBLISHED.match(name):
        raise Unfinished(f"{os.path.join(folder, name)} is no published file")
    return [json.loads(line)["id"] for line in lines(os.path.join(folder, name))]


def files(root):
    """Of the sink `file`, by (topic, partition). Refuses whatever is not published."""
    seen = {}
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            topic, partition = os.path.relpath(folder, root).split(os.sep)
            seen.setdefault((topic, int(partition)), []).extend(file_ids(folder, name))
    return seen


def fed(path):
    """The values of a file that a source reads."""
    return [json.loads(line) for line in lines(path)]


def record_id(message):
    return json.loads(message.value())["id"]


def letter_id(message):
    """The id of the record that a letter is about. All letters are about records that the pipeline cannot
    divide by; another one's class would be a fault of its own."""
    letter = json.loads(message.value())
    text = letter["message"]["value"] if letter["message"] else json.dumps(letter["record"]["value"])
    return json.loads(text)["id"]


def value(message):
    return json.loads(message.value())


def topic(brokers, name, take, timeout=180):
    """
    {partition: [take(message), ...]} of everything that is committed. A process that was killed may have left a
    transaction open, which hides what others have committed behind it until the broker aborts it.
    """
    # Only who reads topics needs the client.
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

    settings = {"bootstrap.servers": brokers, "group.id": "audit", "enable.auto.commit": False, "log_level": 2}
    consumer = Consumer({**settings, "isolation.level": "read_committed", "enable.partition.eof": True})
    looker = Consumer({**settings, "isolation.level": "read_uncommitted"})

    def is_end(partition, offset):
        return offset >= looker.get_watermark_offsets(TopicPartition(name, partition), timeout=30, cached=False)[1]

    try:
        partitions = consumer.list_topics(name, timeout=timeout).topics[name].partitions
        consumer.assign([TopicPartition(name, partition, OFFSET_BEGINNING) for partition in partitions])
        seen, ends, deadline = {partition: [] for partition in partitions}, set(), time.monotonic() + timeout
        while len(ends) < len(partitions):
            if time.monotonic() > deadline:
                raise TimeoutError(f"could not read topic '{name}' to its end in {timeout} s")
            for message in consumer.consume(1000, 0.2):
                if message.error() is None:
                    seen[message.partition()].append(take(message))
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    if is_end(message.partition(), message.offset()):
                        ends.add(message.partition())
                elif not message.error().retriable():
                    raise RuntimeError(f"could not read topic '{name}': {message.error()}")
        return seen
    finally:
        consumer.close()
        looker.close()
