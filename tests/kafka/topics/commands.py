# SPDX-License-Identifier: MIT
"""`weir topic`: what it makes, shows, removes and puts."""
import json
import signal
import subprocess
import time

from cases import SECONDS, contains, equals, until
from fixture import Broker, Folder, cases, name, produce
from kafka_cases import WEIR


def values_of(text):
    """Of lines of `topic cat --json`."""
    return [json.loads(line)["value"] for line in text.splitlines()]


# ---- create, delete, list ------------------------------------------------------------------------------

@cases.case
def create_makes_what_is_asked_for():
    topic = name("made")
    said = Folder().topic("create", topic, "--partitions", "3", "--replication", "1",
                          "--config", "retention.ms=3600000 cleanup.policy=compact,delete")
    equals(said, "created topic '%s' with 3 partitions\n" % topic)
    equals(len(Broker.probe.topics()[topic]), 3)
    config = Broker.probe.config(topic)
    equals((config["retention.ms"], config["cleanup.policy"]), ("3600000", "compact,delete"))


@cases.case
def create_takes_the_file_and_flags_win():
    topic = name("declared")
    folder = Folder("p", "{t: {name: %s, partitions: 2, replication: 1, retention: 2h, compact: true}}" % topic,
                    "{s: {from: {topic: t}, to: print}}", more="kafka: {create_topics: false}\n")
    folder.out("topic", "create", "t", "-f", "pipeline.yaml", "--config", "retention.ms=5000")
    equals(len(Broker.probe.topics()[topic]), 2)
    config = Broker.probe.config(topic)
    equals((config["retention.ms"], config["cleanup.policy"]), ("5000", "compact,delete"))


@cases.case
def create_refuses_what_is_there_and_what_the_broker_refuses():
    topic = name("twice")
    Folder().topic("create", topic)
    contains(Folder().topic_fault("create", topic), "the topic '%s' is there already" % topic)
    contains(Folder().topic_fault("create", topic + "x", "--replication", "7"), "replication factor of 7")
    contains(Folder().topic_fault("create", topic + "x", "--config", "retention.ms=long"), "retention.ms")
    contains(Folder().topic_fault("create", topic + "x", "--config", "retention", status=2), "NAME=VALUE")
    assert topic + "x" not in Broker.probe.topics()


@cases.case
def delete_removes_it_and_tells_who_has_read_it():
    topic = name("gone")
    Broker.probe.create(topic, 1)
    produce(topic, 1, 2)
    Broker.probe.commit("g-" + topic, topic, 0, 1)
    said = Folder().topic("delete", topic)
    contains(said, "deleted topic '%s' with 2 records" % topic)
    contains(said, "pipeline 'g-%s' has read partition 0 of it up to offset 1" % topic)
    assert topic not in Broker.probe.topics()


@cases.case
def delete_is_refused_while_a_pipeline_reads_the_topic():
    topic, other = name("read"), name("unread")
    Broker.probe.create(topic, 1)
    Broker.probe.create(other, 1)
    folder = Folder("p-" + topic, "{%s: {}, %s: {}}" % (topic, other),
                    "{s: {from: {topic: %s}, to: {topic: %s}}}" % (topic, other))
    produce(topic, 1)
    with folder.running("--checkpoint", "100ms"):
        until(lambda: (topic, 0) in Broker.probe.offsets("p-" + topic), lambda: Broker.probe.offsets("p-" + topic))
        contains(folder.topic_fault("delete", topic), "pipeline 'p-%s' reads the topic '%s' and runs" % (topic, topic))
        folder.topic("trim", topic, "--before", "end")
    assert topic in Broker.probe.topics()
    folder.topic("delete", topic)


@cases.case
def delete_spares_what_is_kafkas_own():
    topic = name("own")
    Broker.probe.create(topic, 1)
    Broker.probe.commit("g-" + topic, topic, 0, 0)  # so that __consumer_offsets is there
    contains(Folder().topic_fault("delete", "__consumer_offsets", "--internal"), "is Kafka's own")
    assert "__consumer_offsets" in Broker.probe.topics()


@cases.case
def list_hides_what_nobody_made_and_unknown_bytes_are_unknown():
    topic = name("listed")
    Broker.probe.create(topic, 2)
    produce(topic, 1)
    Broker.probe.commit("g-" + topic, topic, 0, 1)  # so that __consumer_offsets is there
    Broker.probe.create("positions__" + topic, 1)
    shown = json.loads(Folder().topic("list", "--json"))["topics"]
    equals([row for row in shown if row["topic"] == topic],
           [{"topic": topic, "partitions": 2, "records": 1, "bytes": None}])
    equals([row["topic"] for row in shown if "__" in row["topic"]], [])
    everything = {row["topic"] for row in json.loads(Folder().topic("list", "--all", "--json"))["topics"]}
    equals(everything, set(Broker.probe.topics()))
    contains(Folder().call("topic", "list", "--log", "kafka://" + Broker.kafka.bootstrap).stderr, "--all shows")


# ---- describe, trim --------------------------------------------------------------------------------------

@cases.case
def describe_tells_lag_and_leaves_open_what_it_cannot_know():
    topic = name("described")
    Broker.probe.create(topic, 2, settings={"retention.ms": 7200000, "compression.type": "lz4"})
    produce(topic, 1, 2, 3)
    Broker.probe.commit("a-" + topic, topic, 0, 1)
    Broker.probe.commit("b-" + topic, topic, 1, 0)
    told = json.loads(Folder().topic("describe", topic, "--json"))
    equals(told["options"]["retention_ms"], 7200000)
    equals((told["replication"], told["config"]), (1, {"retention.ms": "7200000", "compression.type": "lz4"}))
    first, second = told["partitions"]
    equals((first["first"], first["next"], first["bytes"], first["newest"]), (0, 3, None, None))
    contains(first["oldest"], "T")
    equals((second["next"], second["oldest"]), (0, None))
    equals(told["pipelines"], [{"pipeline": "a-" + topic, "partition": 0, "position": 1, "lag": 2},
                               {"pipeline": "b-" + topic, "partition": 1, "position": 0, "lag": 0}])
    text = Folder().topic("describe", topic)
    contains(text, "retention:            2h")
    contains(text, "replication:          1\nconfig:               ")
    contains(text, " compression.type=lz4\n")
    for wrong in ("1844674407370955", "-292275055", "1970"):
        assert wrong not in text, text


@cases.case
def trim_moves_groups_over_what_is_removed():
    topic = name("trimmed")
    group = "g-" + topic
    Broker.probe.create(topic, 1)
    produce(topic, 1, 2, 3, 4)
    Broker.probe.commit(group, topic, 0, 1)
    contains(Folder().topic_fault("trim", topic, "--before", "3"), "has read partition 0 up to offset 1 only")
    equals(Broker.probe.watermarks(topic), [(0, 4)])
    contains(Folder().topic("trim", topic, "--before", "3", "--unread"), "goes on at offset 3")
    equals(Broker.probe.watermarks(topic), [(3, 4)])
    equals(Broker.probe.offsets(group)[(topic, 0)], 3)


@cases.case
def a_pipeline_keeps_its_state_when_its_positions_are_moved():
    topic = name("moved")
    folder = Folder(topic, "{%s: {partitions: 1}}" % topic,
                    "{s: {from: {topic: %s}, to: {file: {path: out}}}}" % topic)
    Broker.probe.create(topic, 1)
    produce(topic, 1, 2)
    folder.call("run", "--until-end")
    produce(topic, 3, 4)
    folder.topic("trim", topic, "--before", "3", "--unread")
    folder.call("run", "--until-end")
    lines = "".join(path.read_text() for path in sorted((folder.path / "out").rglob("*")) if path.is_file())
    for wanted, value in ((True, 1), (True, 2), (False, 3), (True, 4)):
        equals(any(line.strip() == str(value) for line in lines.splitlines()), wanted)


# ---- cat, put, replay ----------------------------------------------------------------------------------

@cases.case
def cat_shows_places_headers_and_what_is_chosen():
    topic = name("shown")
    Broker.probe.create(topic, 2)
    Broker.probe.produce([{"topic": topic, "partition": 1, "key": "k", "value": json.dumps({"v": v}),
                           "headers": [["from", "here"]]} for v in range(5)])
    folder = Folder()
    lines = [json.loads(line) for line in folder.topic("cat", topic, "--json", "--where", "v >= 3").splitlines()]
    equals([(line["partition"], line["offset"], line["value"]["v"]) for line in lines], [(1, 3, 3), (1, 4, 4)])
    contains(json.dumps(lines[0]["headers"]), "from")
    equals(values_of(folder.topic("cat", topic, "--json", "--partition", "1", "--from", "2", "--count", "2")),
           [{"v": 2}, {"v": 3}])
    equals(folder.topic("cat", topic, "--from", "4").split("  ")[2:], ["k", '{"v": 4}', '[["from","here"]]\n'])
    equals(folder.topic("cat", topic, "--raw", "--where", "v > 0", "--count", "1"), '{"v": 1}\n')
    unclear = folder.call("topic", "cat", topic, "--where", "w > 1", "--log", "kafka://" + Broker.kafka.bootstrap)
    contains(unclear.stderr,
             "'--where' cannot judge 5 records, which are not shown: field 'w' is missing")
    contains(folder.topic_fault("cat", topic, "--where", "v >", status=2), "'--where' at byte")


@cases.case
def cat_from_an_offset_that_some_partitions_have_yet_to_reach():
    topic = name("uneven")
    Broker.probe.create(topic, 2)
    Broker.probe.produce([{"topic": topic, "partition": partition, "value": str(value)}
                          for partition, values in ((0, (1, 2)), (1, (10, 11, 12, 13, 14))) for value in values])
    folder = Folder()
    equals(folder.topic("cat", topic, "--raw", "--from", "4"), "14\n")
    equals(folder.topic("cat", topic, "--raw", "--from", "99"), "")
    command = [WEIR, "topic", "cat", topic, "--raw", "--follow", "--from", "4",
               "--log", "kafka://" + Broker.kafka.bootstrap]
    with subprocess.Popen(command, cwd=folder.path, stdout=subprocess.PIPE, text=True) as cat:
        equals(cat.stdout.readline(), "14\n")
        produce(topic, 3, 4)
        produce(topic, 5)
        equals(cat.stdout.readline(), "5\n")
        cat.send_signal(signal.SIGINT)
        equals(cat.wait(SECONDS), 0)


@cases.case
def cat_goes_on_behind_what_is_removed_under_it():
    topic = name("overtaken")
    Broker.probe.create(topic, 1)
    produce(topic, 0)
    folder = Folder()
    command = [WEIR, "topic", "cat", topic, "--raw", "--follow", "--log", "kafka://" + Broker.kafka.bootstrap]
    with subprocess.Popen(command, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as cat:
        equals(cat.stdout.readline(), "0\n")
        cat.send_signal(signal.SIGSTOP)
        produce(topic, 1)  # the request that is under way may bring it
        produce(topic, 2, 3, 4)
        Broker.probe.trim(topic, 0, 4)
        cat.send_signal(signal.SIGCONT)
        while cat.stdout.readline() != "4\n":
            assert cat.poll() is None, cat.stderr.read()
        cat.send_signal(signal.SIGINT)
        equals(cat.wait(SECONDS), 0)
        contains(cat.stderr.read(), "begins at offset 4; offsets ")


@cases.case
def cat_follows():
    topic = name("followed")
    Broker.probe.create(topic, 1)
    produce(topic, 1)
    folder = Folder("p", "{%s: {}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic,
                    more="kafka: {request_timeout: 1s}\n")
    command = [WEIR, "topic", "cat", topic, "--raw", "--follow"]
    with subprocess.Popen(command, cwd=folder.path, stdout=subprocess.PIPE, text=True) as cat:
        equals(cat.stdout.readline(), "1\n")
        time.sleep(1.5)  # nothing comes for longer than an answer may take
        produce(topic, 2)
        equals(cat.stdout.readline(), "2\n")
        cat.send_signal(signal.SIGINT)
        equals(cat.wait(SECONDS), 0)


@cases.case
def put_names_the_line_without_a_key_that_a_compacted_topic_needs():
    topic = name("keyed")
    Broker.probe.create(topic, 1, settings={"cleanup.policy": "compact"})
    said = Folder().topic_fault("put", topic, "--json", given='{"key":"k","value":1}\n{"value":2}\n')
    contains(said, "standard input:2: the topic '%s' is compacted and takes no message without a key" % topic)
    contains(said, "hint: no message was put")
    equals(Broker.probe.watermarks(topic), [(0, 0)])


@cases.case
def put_tells_what_was_put_before_a_fault():
    topic = name("put")
    Broker.probe.create(topic, 1)
    lines = "".join("%d\n" % i for i in range(700)) + "wrong {\n"
    said = Folder().topic_fault("put", topic, given=lines)
    contains(said, "standard input:701: ")
    there = len(Broker.probe.consume(topic))
    assert there > 0, "no batch was on its way, which this is about"
    contains(said, "hint: the first %d messages were put" % there)
