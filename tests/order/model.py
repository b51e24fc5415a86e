# SPDX-License-Identifier: MIT
"""What the tests know of weir by themselves: the partition of a key, record lines, and a graph that
runs records one by one, depth first. Nothing here asks the program."""
import json


def murmur2(data):
    """The hash that Kafka's Java client uses, as a signed 32-bit number."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = (0x9747B28C ^ len(data)) & mask
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    rest = data[whole:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    h ^= h >> 15
    return h - (1 << 32) if h >> 31 else h


def partition_of(key, count):
    """key: bytes. Where the record goes that has this key."""
    return (murmur2(key) & 0x7FFFFFFF) % count


def record_line(topic, partition, timestamp, key, value, headers=None):
    """A record line without offset, as text."""
    line = (f'{{"topic":{json_text(topic)},"partition":{partition},"timestamp":{timestamp},'
            f'"key":{json_text(key)},"value":{json_text(value)}')
    return line + (f',"headers":{json_text(headers)}}}' if headers else "}")


def json_text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Record:
    """What flows; steps make new ones. partition: of the input message."""

    def __init__(self, key, value, timestamp=0, headers=None, partition=0):
        self.key, self.value, self.timestamp = key, value, timestamp
        self.headers, self.partition = headers, partition

    def with_value(self, value):
        return Record(self.key, value, self.timestamp, self.headers, self.partition)


class Stream:
    """steps: functions from a record and the number of the input that it came in at to a list of
    records. ends: functions that take a record.

    split: the last step, where it has several outputs: a function from a record to a list of records
    for each output. parents: pairs of a stream and the number of its output, 0 where it has one.
    ports: what options of steps read: step, number of the input, and such a pair.
    """

    def __init__(self, parents, steps, ends=(), split=None, outputs=1, ports=()):
        self.steps, self.ends, self.split = steps, list(ends), split
        self.readers = [[] for _ in range(outputs)]  # stream, step, input
        for parent, output in parents:  # in the order of the file
            parent.readers[output].append((self, 0, 0))
        for step, port, (parent, output) in ports:
            parent.readers[output].append((self, step, port))

    def push(self, record, index=0, port=0):
        if index < len(self.steps):
            for made in self.steps[index](record, port):
                self.push(made, index + 1)
            return
        for end in self.ends:
            end(record)
        for output, records in enumerate(self.split(record) if self.split else [[record]]):
            for made in records:
                for reader, step, port in self.readers[output]:
                    reader.push(made, step, port)


def tag(record, port):
    """The operator of plugins/tag.c."""
    tagged = record.with_value(record.value + [port])
    return [tagged, record] if port == 1 else [tagged]
