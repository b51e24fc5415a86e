#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a record is on Kafka, and where it goes: times, headers, keys, partitions, and the order of topics that meet;
judged by a client that is not weir.

    records.py WEIR [NAME...]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import SECONDS, Cases, contains, equals, until  # noqa: E402
from kafka_cases import BUILD, WEIR, on_cluster  # noqa: E402
from probe import Probe, ProbeError  # noqa: E402

PLUGINS = os.path.join(BUILD, "tests", "pipelines", "plugins")
cases = Cases()
kafka = probe = None


class Folder:
    """A folder with a pipeline file for the broker, named after its case."""

    def __init__(self, name, topics, streams, more=""):
        self.handle = tempfile.TemporaryDirectory(prefix="weir-records-")
        self.path = pathlib.Path(self.handle.name)
        self.write("pipeline.yaml", "pipeline: %s\nlog: kafka://%s\n%stopics: %s\nstreams:\n%s"
                   % (name, kafka.bootstrap, more, topics, streams))

    def write(self, file, text):
        (self.path / file).write_text(text, encoding="utf-8")

    def weir(self, *words, status=0):
        done = subprocess.run([WEIR, *words], cwd=self.path, text=True, capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done


class Replicas:
    """Runs of a folder's pipeline, which end with status 0 when they are told to."""

    def __init__(self, folder, count=1):
        self.runs = [subprocess.Popen([WEIR, "run", "--checkpoint", "200ms"], cwd=folder.path, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                     for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for run in self.runs:
            run.send_signal(signal.SIGTERM if kind is None else signal.SIGKILL)
        for run in self.runs:
            told = run.communicate(timeout=SECONDS)[1]
            assert run.returncode == 0 or kind is not None, told


# ---- what a record is ----------------------------------------------------------------------------------------

@cases.case
def times_headers_and_nulls_come_through_unchanged():
    lines = ['{"timestamp":-1,"key":"a","value":{"n":1},"headers":[["h",null],["h",""],["h","x"]]}',
             '{"timestamp":-5000,"key":"","value":{"n":2}}',
             '{"timestamp":1,"key":null,"value":null}',
             '{"timestamp":0,"key":"first","value":0}',
             '{"timestamp":1700000000123,"key":"k","value":"","headers":[["\\u00e9","\\u0000"]]}']
    folder = Folder("unchanged", "{once: {partitions: 1}, twice: {partitions: 1}}",
                    "  f: {from: {file: {path: lines, content: record}}, to: {topic: once}}\n"
                    "  s: {from: {topic: once}, to: {topic: twice}}\n")
    folder.write("lines", "".join(line + "\n" for line in lines))
    folder.weir("run", "--until-end")
    for topic in ("once", "twice"):
        equals([(r["timestamp"], r["key"], r["value"], r.get("headers") or []) for r in probe.consume(topic)],
               [(-1, "a", '{"n":1}', [["h", None], ["h", ""], ["h", "x"]]), (-5000, "", '{"n":2}', []),
                (1, None, None, []), (1, "first", "0", []), (1700000000123, "k", '""', [["\u00e9", "\0"]])])


@cases.case
def the_brokers_time_counts_where_the_topic_says_so_and_event_time_before_it():
    probe.create("stamped", 1, settings={"message.timestamp.type": "LogAppendTime"})
    before = int(time.time() * 1000)
    probe.produce([{"topic": "stamped", "timestamp": 1000, "value": '{"at": 77}'}])
    for pipeline, option, low, high in (("by-message", "", before - 60000, before + 60000),
                                        ("by-event", "event_time: at", 77, 77)):
        folder = Folder(pipeline, "{stamped: {%s}, %s-out: {partitions: 1}}" % (option, pipeline),
                        "  s: {from: {topic: stamped}, steps: [set: {t: $timestamp}], to: {topic: %s-out}}\n" % pipeline)
        folder.weir("run", "--until-end")
        record, = probe.consume(pipeline + "-out")
        assert low <= record["timestamp"] <= high, record
        equals(json.loads(record["value"]), {"at": 77, "t": record["timestamp"]})


def codecs(topic):
    """Of the batches that lie in the broker's files, as the format of Kafka's logs has them."""
    names = ("none", "gzip", "snappy", "lz4", "zstd")
    found = set()
    for file in pathlib.Path(kafka.nodes[1].data).glob(topic + "-*/*.log"):
        data, at = file.read_bytes(), 0
        while at < len(data):
            found.add(names[data[at + 22] & 7])
            at += 12 + int.from_bytes(data[at + 8:at + 12], "big")
    return found


@cases.case
def batches_are_compressed_as_the_file_says():
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        topic = "packed-" + codec
        folder = Folder(topic, "{%s: {partitions: 1}}" % topic,
                        "  s: {from: {file: lines}, to: {topic: %s}}\n" % topic,
                        "kafka: {compression.type: %s}\n" % codec)
        folder.write("lines", '{"text": "%s"}\n' % ("again and " * 100) * 200)
        folder.weir("run", "--until-end")
        equals((codec, codecs(topic)), (codec, {codec}))
        equals(len(probe.consume(topic)), 200)


# ---- where it goes -------------------------------------------------------------------------------------------

@cases.case
def each_partitioner_places_keys_as_librdkafka_does():
    names = ("consistent", "consistent_random", "murmur2", "murmur2_random", "fnv1a", "fnv1a_random")
    keys = ["k%d" % n for n in range(40)] + ["\u00e9", "a-little-bit-longer-string"]
    topics = "".join(", %s-ours: {key: text, partitions: 7, partitioner: %s}" % (name, name) for name in names)
    ends = "".join("      - {topic: %s-ours}\n" % name for name in names)
    folder = Folder("placing", "{keys: {key: text, partitions: 2}%s}" % topics,
                    "  f: {from: {file: {path: lines, content: record}}, to: {topic: keys}}\n"
                    "  s:\n    from: {topic: keys}\n    to:\n" + ends)
    folder.write("lines", "".join(json.dumps({"key": key, "value": 1}) + "\n" for key in keys))
    folder.weir("run", "--until-end")
    for name in names:
        probe.create(name + "-theirs", 7)
        producer = Probe(BUILD, {**kafka.client(), "partitioner": name})
        producer.produce([{"topic": name + "-theirs", "key": key, "value": "1"} for key in keys])
        theirs, ours = ({r["key"]: r["partition"] for r in probe.consume(name + end)} for end in ("-theirs", "-ours"))
        equals((name, ours), (name, theirs))
        assert len(set(ours.values())) > 1, ours


@cases.case
def one_key_goes_anywhere_with_the_partitioner_random():
    folder = Folder("anywhere", "{anywhere: {key: text, partitions: 7, partitioner: random}}",
                    "  f: {from: {file: {path: lines, content: record}}, to: {topic: anywhere}}\n")
    folder.write("lines", '{"key": "k", "value": 1}\n' * 200)
    folder.weir("run", "--until-end")
    equals({record["partition"] for record in probe.consume("anywhere")}, set(range(7)))


@cases.case
def a_topic_of_which_nobody_says_it_has_the_partitions_of_the_brokers():
    streams = ("  f: {from: {file: lines}, steps: [filter: true], to: {topic: open}}\n"
               "  s: {from: {topic: open}, steps: [group_by: v], to: {topic: open-out}}\n")
    folder = Folder("open", "{open: {}, open-out: {key: json, partitions: 2}}", streams)
    folder.write("lines", '{"v": 1}\n')
    told = json.loads(folder.weir("run", "--dry-run", "--json").stdout)
    expected = {"open": 3, "open-out": 2, "repartition__open--open--v": 3, "source__open--f": 1}
    equals({row["topic"]: row["partitions"] for row in told["topics"]}, {**expected, "positions__open": 1})
    folder.weir("run", "--until-end")
    equals({name: len(parts) for name, parts in probe.topics().items() if name in expected}, expected)
    folder.weir("topic", "create", "by-hand")
    equals(len(probe.topics()["by-hand"]), 3)


@cases.case
def a_topic_behind_a_step_is_as_safe_as_the_safest_that_comes_in():
    for topic, replicas in (("a1", 1), ("a2", 2), ("a3", 1)):
        probe.create(topic, 2, replicas)
    folder = Folder("safety", "{a1: {}, a2: {}, a3: {}, safe-out: {key: json, replication: 1}}",
                    "  x: {from: {topic: a1}}\n  y: {from: {topic: a2}}\n  z: {from: {topic: a3}}\n"
                    "  s: {from: [x, y, z], steps: [group_by: v], to: {topic: safe-out}}\n")
    folder.weir("run", "--until-end")
    equals([len(part["replicas"]) for part in probe.topics()["repartition__safety--a1--a2--a3--v"]], [2, 2])


@cases.case
def topics_that_meet_at_a_step_have_equal_partition_counts():
    probe.create("two", 2)
    folder = Folder("meeting", "{two: {}, open-too: {}, met: {}}",
                    "  left: {from: {topic: two}, steps: [tag: right], to: {topic: met}}\n"
                    "  right: {from: {topic: open-too}}\n", more='plugins: ["%s/tag.so"]\n' % PLUGINS)
    for words in (("run", "--dry-run"), ("run", "--until-end")):
        contains(folder.weir(*words, status=1).stderr,
                 "topic 'two' has 2 partitions and topic 'open-too' 3, and both come to streams.left.steps[0] (tag)")
    equals([name for name in probe.topics() if name in ("open-too", "met")], [])


def members(group):
    """None while they come to terms, and while the brokers choose who coordinates them."""
    try:
        described = probe.groups(group)[group]
    except ProbeError:
        return []
    return described["members"] if described["state"] == "Stable" else []


@cases.case
def replicas_that_start_at_once_make_each_topic_once_and_have_equal_partitions():
    folder = Folder("racing", "{racing-in: {partitions: 4}, racing-out: {key: json, partitions: 4}}",
                    "  s: {from: {topic: racing-in}, steps: [group_by: v], to: {topic: racing-out}}\n")
    with Replicas(folder, 3):
        until(lambda: len(members("racing")) == 3, lambda: members("racing"))
        behind = "repartition__racing--racing-in--v"
        for shares in ([tuple(place) for place in member["partitions"]] for member in members("racing")):
            equals([n for topic, n in shares if topic == "racing-in"], [n for topic, n in shares if topic == behind])
        probe.produce([{"topic": "racing-in", "partition": n % 4, "value": json.dumps({"v": n})} for n in range(40)])
        records = probe.consume("racing-out", count=40, wait=SECONDS)
    equals(sorted(json.loads(record["value"])["v"] for record in records), list(range(40)))


def produce_to_new(topic, partition):
    """Brokers hear of a partition one after the other."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return probe.produce([{"topic": topic, "partition": partition, "value": "{}"}])
        except ProbeError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


@cases.case
def a_topic_that_gets_more_partitions_asks_for_a_new_start():
    probe.create("growing", 2)
    probe.create("grown", 2)
    folder = Folder("growing", "{growing: {}, grown: {}}",
                    "  s: {from: {topic: growing}, steps: [set: {at: $partition}], to: {topic: grown}}\n",
                    more="kafka: {topic.metadata.refresh.interval.ms: 200}\n")
    probe.produce([{"topic": "growing", "partition": 0, "value": "{}"}])
    run = Replicas(folder).runs[0]
    probe.consume("grown", count=1, wait=SECONDS)
    probe.grow("growing", 3)
    produce_to_new("growing", 2)
    told = run.communicate(timeout=SECONDS)[1]
    equals(run.returncode, 75)
    contains(told, "error topic 'growing' has more partitions than when this run began, 2; start it again")
    folder.weir("run", "--until-end")
    equals(sorted(json.loads(record["value"])["at"] for record in probe.consume("grown")), [0, 2])


# ---- topics that meet ----------------------------------------------------------------------------------------

def put(topic, partition, times, transactional=None):
    lines = [{"topic": topic, "partition": partition, "timestamp": at, "value": json.dumps("%s%d" % (topic, at))}
             for at in times]
    probe.produce(lines + ([{"do": "commit"}] if transactional else []), transactional)


def out(count):
    """Values of each partition that the merged stream has written, once there are so many."""
    found = {}
    for record in probe.consume("all", count=count, wait=SECONDS):
        found.setdefault(record["partition"], []).append(json.loads(record["value"]))
    return found


@cases.case
def a_topic_that_is_at_its_end_or_empty_holds_nobody_back():
    for topic in ("a", "b", "c", "all"):
        probe.create(topic, 2)
    folder = Folder("aligned", "{a: {}, b: {}, c: {}, all: {}}",
                    "  a: {from: {topic: a}}\n  b: {from: {topic: b}}\n  c: {from: {topic: c}}\n"
                    "  all: {from: [a, b, c], to: {topic: all}}\n")
    put("a", 0, (10, 20, 30))
    put("a", 1, (11, 21))
    put("b", 0, (15, 25), transactional="filler")  # behind its last record there is a mark
    wanted = {0: ["a10", "b15", "a20", "b25", "a30"], 1: ["a11", "a21"]}  # c, and b there, never had any
    with Replicas(folder):
        equals(out(7), wanted)
    put("a", 0, (40,))  # when it starts again b is at its end
    put("a", 1, (41,))
    wanted = {0: wanted[0] + ["a40"], 1: wanted[1] + ["a41"]}
    with Replicas(folder):
        equals(out(9), wanted)
        put("c", 1, (5,))  # its first one, which is late
        wanted[1].append("c5")
        equals(out(10), wanted)


@cases.case
def what_is_on_its_way_to_other_topics_holds_nobody_back():
    for topic in ("busy", "idle", "both"):
        probe.create(topic, 1)
    put("busy", 0, range(1, 21))
    folder = Folder("waiting", "{busy: {}, idle: {}, both: {}}",
                    "  a: {from: {topic: busy}}\n  b: {from: {topic: idle}}\n"
                    "  s: {from: [a, b], to: {topic: both}}\n", more="kafka: {linger.ms: 300000}\n")
    # Nothing is delivered before the checkpoint at the end; turns are of one record with --count.
    folder.weir("run", "--count", "20", "--checkpoint", "1h")
    equals(len(probe.consume("both")), 20)


# Times are of 1970, which the broker would remove at once.
with on_cluster(nodes=2, settings={"num.partitions": 3, "log.retention.ms": -1}) as (kafka, probe):
    cases.finish(names=sys.argv[2:])
