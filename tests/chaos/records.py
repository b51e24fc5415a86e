# SPDX-License-Identifier: MIT
"""The records of a chaos run, and where chaos.yaml has to bring each of them.

A record has an id that tells where it was put in: `left-000042` is number 42 of the topic `left`, `feed-000042`
the line 42 of the file. Its key decides the partition as everywhere; `item` is what it is grouped by. Some
have an amount of 0, which the pipeline cannot divide by: they are dead letters.
"""
import json

from audit import Place

PARTITIONS = 6
TOPICS = ("left", "right")
FILE = "feed"
SOURCES = (*TOPICS, FILE)
OUTPUTS = ("feed", "copies", "grouped", "letters", "files")
BAD_EVERY = 23


def murmur2(data):
    """As Kafka's clients compute it, positive."""
    mask, multiplier = 0xFFFFFFFF, 0x5BD1E995
    hashed = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start:start + 4], "little") * multiplier & mask
        word = (word ^ word >> 24) * multiplier & mask
        hashed = hashed * multiplier & mask ^ word
    rest = data[whole:]
    if rest:
        hashed = (hashed ^ int.from_bytes(rest, "little")) * multiplier & mask
    hashed = (hashed ^ hashed >> 13) * multiplier & mask
    return (hashed ^ hashed >> 15) & 0x7FFFFFFF


def partition_of(key):
    return murmur2(key.encode()) % PARTITIONS


def record(source, number):
    """The value as a map; its keys and items are neither regular nor alike in two sources."""
    return {"id": f"{source}-{number:06d}", "key": f"key-{number * 31 % 53}", "item": f"item-{number * 17 % 29}",
            "amount": 0 if number % BAD_EVERY == 7 else number % 9 + 1, "number": number}


def encode(value):
    return json.dumps(value, separators=(",", ":")).encode()


def expected(values):
    """{output: {id: Place}} for the values of all records that were put in."""
    places = {output: {} for output in OUTPUTS}
    for value in values:
        one, number = value["id"], value["number"]
        source, partition = one.rsplit("-", 1)[0], partition_of(value["key"])
        place = Place(partition, (source, partition), number)
        if source == FILE:
            places["feed"][one] = place
        if value["amount"] == 0:
            places["letters"][one] = place
            continue
        places["copies"][one] = place
        places["files"][one] = Place((source, partition), source, number)
        # The topic between is keyed in another form, so only what has the same key stays in order.
        places["grouped"][one] = Place(partition_of(value["item"]), (source, partition, value["item"]), number)
    return places
