#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Topics on a real broker by the commands of weir and by its runs, judged by a client that is not weir.

    run.py WEIR [NAME...]
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from cases import Cases, contains, equals  # noqa: E402
from kafka_cases import WEIR, on_cluster  # noqa: E402
from probe import ProbeError  # noqa: E402

cases = Cases()
kafka = probe = None
made = 0


def name(stem):
    """One that no other case uses."""
    global made
    made += 1
    return "%s%d" % (stem, made)


class Folder:
    """An empty folder, perhaps with a pipeline file for the broker."""

    def __init__(self, pipeline=None, topics="", streams="", more=""):
        self.handle = tempfile.TemporaryDirectory(prefix="weir-topics-")
        self.path = pathlib.Path(self.handle.name)
        self.pipeline = pipeline
        if pipeline is not None:
            self.write("pipeline.yaml", "pipeline: %s\nlog: kafka://%s\n%stopics: %s\nstreams: %s\n"
                       % (pipeline, kafka.bootstrap, more, topics, streams))

    def write(self, file, text):
        (self.path / file).write_text(text)

    def call(self, *words, status=0, given=""):
        done = subprocess.run([WEIR, *words], cwd=self.path, input=given, text=True, capture_output=True,
                              timeout=90, check=False)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done

    def out(self, *words, **more):
        return self.call(*words, **more).stdout

    def fault(self, *words, status=1, **more):
        return self.call(*words, status=status, **more).stderr

    @contextlib.contextmanager
    def running(self, *words):
        """A run beside the case, which is told to stop at its end."""
        with subprocess.Popen([WEIR, "run", *words], cwd=self.path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            try:
                yield run
            finally:
                run.send_signal(signal.SIGTERM)
                status = run.wait(30)
        equals(status, 0)

    def topic(self, *words):
        return self.out("topic", *words, "--log", "kafka://" + kafka.bootstrap)

    def topic_fault(self, *words, **more):
        return self.fault("topic", *words, "--log", "kafka://" + kafka.bootstrap, **more)


def produce(topic, *values):
    probe.produce([{"topic": topic, "partition": 0, "key": "k", "value": json.dumps(value)}
                   for value in values])


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
    equals(len(probe.topics()[topic]), 3)
    config = probe.config(topic)
    equals((config["retention.ms"], config["cleanup.policy"]), ("3600000", "compact,delete"))


@cases.case
def create_takes_the_file_and_flags_win():
    topic = name("declared")
    folder = Folder("p", "{t: {name: %s, partitions: 2, replication: 1, retention: 2h, compact: true}}" % topic,
                    "{s: {from: {topic: t}, to: print}}", more="kafka: {create_topics: false}\n")
    folder.out("topic", "create", "t", "-f", "pipeline.yaml", "--config", "retention.ms=5000")
    equals(len(probe.topics()[topic]), 2)
    config = probe.config(topic)
    equals((config["retention.ms"], config["cleanup.policy"]), ("5000", "compact,delete"))


@cases.case
def create_refuses_what_is_there_and_what_the_broker_refuses():
    topic = name("twice")
    Folder().topic("create", topic)
    contains(Folder().topic_fault("create", topic), "the topic '%s' is there already" % topic)
    contains(Folder().topic_fault("create", topic + "x", "--replication", "7"), "replication factor of 7")
    contains(Folder().topic_fault("create", topic + "x", "--config", "retention.ms=long"), "retention.ms")
    contains(Folder().topic_fault("create", topic + "x", "--config", "retention", status=2), "NAME=VALUE")
    assert topic + "x" not in probe.topics()


@cases.case
def delete_removes_it_and_tells_who_has_read_it():
    topic = name("gone")
    probe.create(topic, 1)
    produce(topic, 1, 2)
    probe.commit("g-" + topic, topic, 0, 1)
    said = Folder().topic("delete", topic)
    contains(said, "deleted topic '%s' with 2 records" % topic)
    contains(said, "pipeline 'g-%s' has read partition 0 of it up to offset 1" % topic)
    assert topic not in probe.topics()


@cases.case
def delete_is_refused_while_a_pipeline_reads_the_topic():
    topic, other = name("read"), name("unread")
    probe.create(topic, 1)
    probe.create(other, 1)
    folder = Folder("p-" + topic, "{%s: {}, %s: {}}" % (topic, other),
                    "{s: {from: {topic: %s}, to: {topic: %s}}}" % (topic, other))
    produce(topic, 1)
    with folder.running("--checkpoint", "100ms"):
        end = time.monotonic() + 90
        while (topic, 0) not in probe.offsets("p-" + topic):
            assert time.monotonic() < end, probe.offsets("p-" + topic)
            time.sleep(0.1)
        contains(folder.topic_fault("delete", topic), "pipeline 'p-%s' reads the topic '%s' and runs" % (topic, topic))
        folder.topic("trim", topic, "--before", "end")
    assert topic in probe.topics()
    folder.topic("delete", topic)


@cases.case
def list_hides_what_nobody_made_and_unknown_bytes_are_unknown():
    topic = name("listed")
    probe.create(topic, 2)
    produce(topic, 1)
    probe.commit("g-" + topic, topic, 0, 1)  # so that __consumer_offsets is there
    probe.create("positions__" + topic, 1)
    shown = json.loads(Folder().topic("list", "--json"))["topics"]
    equals([row for row in shown if row["topic"] == topic],
           [{"topic": topic, "partitions": 2, "records": 1, "bytes": None}])
    equals([row["topic"] for row in shown if "__" in row["topic"]], [])
    everything = {row["topic"] for row in json.loads(Folder().topic("list", "--all", "--json"))["topics"]}
    equals(everything, set(probe.topics()))
    contains(Folder().call("topic", "list", "--log", "kafka://" + kafka.bootstrap).stderr, "--all shows")


# ---- describe, trim --------------------------------------------------------------------------------------

@cases.case
def describe_tells_lag_and_leaves_open_what_it_cannot_know():
    topic = name("described")
    probe.create(topic, 2, settings={"retention.ms": 7200000, "compression.type": "lz4"})
    produce(topic, 1, 2, 3)
    probe.commit("a-" + topic, topic, 0, 1)
    probe.commit("b-" + topic, topic, 1, 0)
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
    probe.create(topic, 1)
    produce(topic, 1, 2, 3, 4)
    probe.commit(group, topic, 0, 1)
    contains(Folder().topic_fault("trim", topic, "--before", "3"), "has read partition 0 up to offset 1 only")
    equals(probe.watermarks(topic), [(0, 4)])
    contains(Folder().topic("trim", topic, "--before", "3", "--unread"), "goes on at offset 3")
    equals(probe.watermarks(topic), [(3, 4)])
    equals(probe.offsets(group)[(topic, 0)], 3)


@cases.case
def a_pipeline_keeps_its_state_when_its_positions_are_moved():
    topic = name("moved")
    folder = Folder(topic, "{%s: {partitions: 1}}" % topic,
                    "{s: {from: {topic: %s}, to: {file: {path: out}}}}" % topic)
    probe.create(topic, 1)
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
    probe.create(topic, 2)
    probe.produce([{"topic": topic, "partition": 1, "key": "k", "value": json.dumps({"v": v}),
                    "headers": [["from", "here"]]} for v in range(5)])
    folder = Folder()
    lines = [json.loads(line) for line in folder.topic("cat", topic, "--json", "--where", "v >= 3").splitlines()]
    equals([(line["partition"], line["offset"], line["value"]["v"]) for line in lines], [(1, 3, 3), (1, 4, 4)])
    contains(json.dumps(lines[0]["headers"]), "from")
    equals(values_of(folder.topic("cat", topic, "--json", "--partition", "1", "--from", "2", "--count", "2")),
           [{"v": 2}, {"v": 3}])
    equals(folder.topic("cat", topic, "--from", "4").split("  ")[2:], ["k", '{"v": 4}', '[["from","here"]]\n'])
    equals(folder.topic("cat", topic, "--raw", "--where", "v > 0", "--count", "1"), '{"v": 1}\n')
    contains(folder.call("topic", "cat", topic, "--where", "w > 1", "--log", "kafka://" + kafka.bootstrap).stderr,
             "'--where' cannot judge 5 records, which are not shown: field 'w' is missing")
    contains(folder.topic_fault("cat", topic, "--where", "v >", status=2), "'--where' at byte")


@cases.case
def cat_from_an_offset_that_some_partitions_have_yet_to_reach():
    topic = name("uneven")
    probe.create(topic, 2)
    probe.produce([{"topic": topic, "partition": partition, "value": str(value)}
                   for partition, values in ((0, (1, 2)), (1, (10, 11, 12, 13, 14))) for value in values])
    folder = Folder()
    equals(folder.topic("cat", topic, "--raw", "--from", "4"), "14\n")
    equals(folder.topic("cat", topic, "--raw", "--from", "99"), "")
    command = [WEIR, "topic", "cat", topic, "--raw", "--follow", "--from", "4", "--log", "kafka://" + kafka.bootstrap]
    with subprocess.Popen(command, cwd=folder.path, stdout=subprocess.PIPE, text=True) as cat:
        equals(cat.stdout.readline(), "14\n")
        produce(topic, 3, 4)
        produce(topic, 5)
        equals(cat.stdout.readline(), "5\n")
        cat.send_signal(signal.SIGINT)
        equals(cat.wait(60), 0)


@cases.case
def cat_goes_on_behind_what_is_removed_under_it():
    topic = name("overtaken")
    probe.create(topic, 1)
    produce(topic, 0)
    folder = Folder()
    command = [WEIR, "topic", "cat", topic, "--raw", "--follow", "--log", "kafka://" + kafka.bootstrap]
    with subprocess.Popen(command, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as cat:
        equals(cat.stdout.readline(), "0\n")
        cat.send_signal(signal.SIGSTOP)
        produce(topic, 1)  # the request that is under way may bring it
        produce(topic, 2, 3, 4)
        probe.trim(topic, 0, 4)
        cat.send_signal(signal.SIGCONT)
        while cat.stdout.readline() != "4\n":
            assert cat.poll() is None, cat.stderr.read()
        cat.send_signal(signal.SIGINT)
        equals(cat.wait(60), 0)
        contains(cat.stderr.read(), "begins at offset 4; offsets ")


@cases.case
def cat_follows():
    topic = name("followed")
    probe.create(topic, 1)
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
        equals(cat.wait(20), 0)


@cases.case
def put_tells_what_was_put_before_a_fault():
    topic = name("put")
    probe.create(topic, 1)
    lines = "".join("%d\n" % i for i in range(700)) + "wrong {\n"
    said = Folder().topic_fault("put", topic, given=lines)
    contains(said, "standard input:701: ")
    there = len(probe.consume(topic))
    assert there > 0, "no batch was on its way, which this is about"
    contains(said, "hint: the first %d messages were put" % there)


def letters_of(topic, count):
    """A topic with records that fail, and a topic with a letter for each. Returns who replays, and the letters."""
    letters = topic + "-letters"
    probe.create(topic, 2)
    probe.create(letters, 2)
    probe.produce([{"topic": topic, "partition": v % 2, "key": "k%d" % v, "value": json.dumps({"v": v})}
                   for v in range(count)])
    folder = Folder(topic, "{%s: {}, %s: {}}" % (topic, letters),
                    "{s: {from: {topic: %s}, steps: [{filter: v / 0 > 1}], to: print}}" % topic,
                    more="on_error: dead_letter\ndead_letters: {topic: %s}\n" % letters)
    folder.call("run", "--until-end")
    equals(len(probe.consume(letters)), count)

    def replay(*words, **more):
        return json.loads(folder.out("topic", "replay", letters, "--json", *words, **more))
    return replay, letters, folder


def told(messages, before, letters, refused=0):
    return {"topic": letters, "messages": messages, "before": before, "refused": refused}


def times(topic):
    """How often each value stands in the topic."""
    counts = {}
    for record in probe.consume(topic):
        value = json.loads(record["value"])["v"]
        counts[value] = counts.get(value, 0) + 1
    return counts


@cases.case
def nothing_is_replayed_twice_unless_it_is_asked_for():
    topic = name("bad")
    replay, letters, folder = letters_of(topic, 6)
    equals(replay("--dry-run"), told(6, 0, letters))
    assert "replayed__" + letters not in probe.topics(), "a dry run makes no topic"
    equals(replay("--where", "message.offset == 1"), told(2, 0, letters))
    equals(replay("--dry-run"), told(4, 2, letters))
    equals(replay("--count", "1")["messages"], 1)
    equals(sum(times(topic).values()), 9)
    contains(folder.out("topic", "replay", letters), "put back 3 messages of topic '%s'" % letters)
    equals(times(topic), dict.fromkeys(range(6), 2))
    equals(replay(), told(0, 6, letters))
    equals(replay("--again", "--partition", "0")["messages"] > 0, True)
    equals(probe.config("replayed__" + letters)["cleanup.policy"], "compact")


@cases.case
def letters_of_a_topic_that_was_made_again_are_others():
    topic = name("anew")
    replay, letters, folder = letters_of(topic, 4)
    equals(replay(), told(4, 0, letters))
    probe.delete(letters)
    probe.create(letters, 2)
    equals(replay("--dry-run"), told(0, 0, letters))
    folder.call("run", "--until-end")  # what was put back fails once more
    equals(replay(), told(4, 0, letters))


@cases.case
def what_cannot_be_remembered_is_not_put_back():
    topic = name("forgetful")
    replay, letters, folder = letters_of(topic, 4)
    probe.create("replayed__" + letters, 1, settings={"max.message.bytes": 100})
    said = folder.fault("topic", "replay", letters)
    contains(said, "could not deliver a message")
    contains(said, "to topic 'replayed__%s'" % letters)
    equals(times(topic), dict.fromkeys(range(4), 1))
    probe.alter("replayed__" + letters, {"max.message.bytes": 100000})
    equals(replay(), told(4, 0, letters))
    equals(times(topic), dict.fromkeys(range(4), 2))


@cases.case
def a_replay_that_is_killed_is_finished_by_the_next_one():
    topic = name("killed")
    count = 40000
    replay, letters, folder = letters_of(topic, count)
    ends = [end for _, end in probe.watermarks(topic)]
    with subprocess.Popen([WEIR, "topic", "replay", letters], cwd=folder.path, stdout=subprocess.DEVNULL) as run:
        while probe.watermarks(topic) == [(0, end) for end in ends]:
            assert run.poll() is None, "it has ended before anything was seen of it"
        run.kill()
    assert run.returncode == -signal.SIGKILL, "it was too fast, and nothing was under way"
    put = replay()
    equals(put["messages"] + put["before"], count)
    equals(times(topic), dict.fromkeys(range(count), 2))


@cases.case
def another_replay_of_the_same_letters_takes_over():
    topic = name("rivals")
    replay, letters, folder = letters_of(topic, 40000)
    ends = probe.watermarks(topic)
    with subprocess.Popen([WEIR, "topic", "replay", letters], cwd=folder.path, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as run:
        while probe.watermarks(topic) == ends:
            assert run.poll() is None, "it has ended before anything was seen of it"
        run.send_signal(signal.SIGSTOP)
        put = replay()
        run.send_signal(signal.SIGCONT)
        said = run.communicate(timeout=60)[1]
    equals((run.returncode, put["messages"] + put["before"]), (1, 40000))
    contains(said, "another process has begun to work on 'replayed__%s'" % letters)
    equals(times(topic), dict.fromkeys(range(40000), 2))


# ---- runs ------------------------------------------------------------------------------------------------

@cases.case
def the_file_says_how_topics_are_made():
    topic = name("kept")
    folder = Folder(topic, "{%s: {partitions: 2, retention: 90m, retention_size: 1MiB}, %s-out: {compact: true}}"
                    % (topic, topic), "{s: {from: {topic: %s}, to: {topic: %s-out}}}" % (topic, topic))
    said = folder.call("run", "--until-end").stderr
    config = probe.config(topic)
    equals((config["retention.ms"], config["retention.bytes"]), ("5400000", "1048576"))
    equals(probe.config(topic + "-out")["cleanup.policy"], "compact")
    again = folder.call("run", "--until-end").stderr
    for text in (said, again):
        assert "keeps what it was given" not in text and "has now" not in text and "warning" not in text, text


@cases.case
def a_topic_that_is_there_stays_and_the_difference_is_told_once():
    topic = name("other")
    probe.create(topic, 1, settings={"retention.ms": 1000000})
    before = probe.config(topic)
    folder = Folder(topic, "{%s: {retention: 90m, replication: 3}}" % topic,
                    "{s: {from: {topic: %s}, to: print}}" % topic)
    said = folder.call("run", "--until-end").stderr
    contains(said, "topic '%s' is not as the file says, and stays as it is: replication is 1 instead of 3, "
                   "retention.ms is 1000000 instead of 5400000" % topic)
    equals(said.count("stays as it is"), 1)
    equals(probe.config(topic), before)


@cases.case
def a_topic_behind_a_step_has_the_partitions_of_the_largest_and_keeps_everything():
    a, b = name("left"), name("right")
    probe.create(a, 2, settings={"retention.ms": 1000000, "retention.bytes": 5000000})
    probe.create(b, 3, settings={"retention.ms": -1, "retention.bytes": 7000000})
    folder = Folder(a, "{%s: {}, %s: {}, %s-out: {partitions: 1}}" % (a, b, a),
                    "{x: {from: {topic: %s}, steps: [filter: true]}, y: {from: {topic: %s}, steps: [filter: true]}, "
                    "s: {from: [x, y], steps: [{group_by: {key: v}}], to: {topic: %s-out}}}" % (a, b, a))
    folder.call("run", "--until-end")
    behind = [topic for topic in probe.topics() if topic.startswith("repartition__%s--" % a)]
    equals(len(behind), 1)
    equals(len(probe.topics()[behind[0]]), 3)
    config = probe.config(behind[0])
    equals((config["retention.ms"], config["retention.bytes"]), ("-1", "-1"))


def sorted_values(topic):
    return sorted(json.loads(record["value"])["v"] for record in probe.consume(topic))


@cases.case
def a_fresh_run_begins_anew_and_leaves_what_is_of_others():
    topic = name("fresh")
    folder = Folder(topic, "{%s: {partitions: 2}, %s-out: {partitions: 1, key: json}}" % (topic, topic),
                    "{f: {from: {file: lines}, steps: [filter: 'true'], to: {topic: %s-out}}, "
                    "s: {from: {topic: %s}, steps: [{group_by: {key: v}}], to: {topic: %s-out}}}" % (topic, topic, topic))
    probe.create(topic, 2)
    folder.write("lines", '{"v": 1}\n{"v": 2}\n')
    produce(topic, {"v": 3}, {"v": 4})
    folder.call("run", "--until-end")
    equals(sorted_values(topic + "-out"), [1, 2, 3, 4])
    folder.call("run", "--until-end")
    equals(sorted_values(topic + "-out"), [1, 2, 3, 4])
    own = [one for one in probe.topics() if one.startswith(("source__" + topic, "repartition__" + topic))]
    equals(len(own), 2)
    said = folder.call("run", "--until-end", "--fresh").stderr
    contains(said, "fresh start: forgets the positions and the state of '%s'" % topic)
    for one in own:
        contains(said, "fresh start: emptied topic '%s'" % one)
    contains(said, "fresh start: topic '%s-out' keeps what it has" % topic)
    equals(sorted_values(topic + "-out"), [1, 1, 2, 2, 3, 3, 4, 4])
    left = {}  # of the facts only those that the last commit names are there
    for record in probe.consume("positions__" + topic):
        left[record["key"]] = record["value"]
    equals(len([value for value in left.values() if value is not None]), 1)
    folder.call("run", "--until-end")
    equals(sorted_values(topic + "-out"), [1, 1, 2, 2, 3, 3, 4, 4])


@cases.case
def a_fresh_run_is_refused_while_another_replica_runs():
    topic = name("busy")
    folder = Folder(topic, "{%s: {partitions: 1}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic)
    probe.create(topic, 1)
    with folder.running():
        end = time.monotonic() + 30
        while dry(folder)["group"] != {"state": "Stable", "members": 1} or not probe.everything()[1][topic][1]:
            assert time.monotonic() < end, dry(folder)  # until it has committed where it begins
        before = probe.everything()
        said = folder.fault("run", "--until-end", "--fresh")
        contains(said, "cannot begin afresh while pipeline '%s' runs: its group has 1 member, such as '" % topic)
        contains(said, "' at '/127.0.0.1'; stop all of its processes first")
        equals(probe.everything(), before)


# ---- other names -----------------------------------------------------------------------------------------

RENAMED = """{{{stream}: {{from: {{file: lines{source}}}, steps: [filter: 'true', {{group_by: {{key: {key}{step}}}}}],
  to: [{{topic: {topic}-out}}, {{file: files{sink}}}]}}}}"""


def renamed(topic, folder, **names):
    given = {"stream": "old", "source": "", "sink": "", "step": "", "key": "v", "topic": topic, **names}
    folder.write("pipeline.yaml", "pipeline: %s\nlog: kafka://%s\ntopics: {%s-out: {partitions: 1, key: json}}\nstreams: %s\n"
                 % (topic, kafka.bootstrap, topic, RENAMED.format(**given)))


def files_of(folder):
    return sorted(json.loads(line)["v"] for path in folder.path.glob("files/**/*.jsonl")
                  for line in path.read_text().splitlines())


@cases.case
def a_stream_goes_on_under_another_name():
    topic = name("renamed")
    folder = Folder()
    folder.write("lines", "".join('{"v": %d}\n' % v for v in range(10)))
    renamed(topic, folder)
    folder.call("run", "--count", "6")  # the others wait in the source's topic
    assert len(probe.consume(topic + "-out")) < 10
    folder.write("lines", "".join('{"v": %d}\n' % v for v in range(15)))
    renamed(topic, folder, stream="new", source=", was: old", sink=", was: old.file")
    contains(folder.call("run", "--until-end").stderr, "goes on where the source of stream 'old' was")
    equals((sorted_values(topic + "-out"), files_of(folder)), (list(range(15)), list(range(15))))
    for source in (", was: old", ""):  # 'was' may stay, and may go
        folder.write("lines", "".join('{"v": %d}\n' % v for v in range(17 if source else 19)))
        renamed(topic, folder, stream="new", source=source, sink=", was: old.file" if source else "")
        assert "goes on where" not in folder.call("run", "--until-end").stderr
    equals((sorted_values(topic + "-out"), files_of(folder)), (list(range(19)), list(range(19))))
    equals([one for one in probe.topics() if one.startswith("source__" + topic)], ["source__%s--old" % topic])


def regrouped(topic, folder, guarantee, step="group_by: item", more=False):
    """more: another topic comes to the step too."""
    folder.write("pipeline.yaml", """pipeline: {t}
log: kafka://{at}
guarantee: {guarantee}
topics: {{{t}: {{key: text}}, {t}-more: {{key: text}}, {t}-out: {{key: json}}}}
streams:
  a: {{from: {{topic: {t}}}}}
  b: {{from: {{topic: {t}-more}}}}
  s:
    from: {ways}
    steps:
      - {step}
    to: {{topic: {t}-out}}
""".format(t=topic, at=kafka.bootstrap, guarantee=guarantee, step=step, ways="[a, b]" if more else "a"))


def stopped_in_between(stem, guarantee):
    """A pipeline that was stopped with records behind its step. Returns its topic, its folder, and how many wait."""
    for _ in range(10):
        topic = name(stem)
        for one in (topic, topic + "-more", topic + "-out"):
            probe.create(one, 2)
        probe.produce([{"topic": topic, "partition": v % 2, "key": "k", "value": json.dumps({"v": v, "item": v % 5})}
                       for v in range(3000)])
        folder = Folder()
        regrouped(topic, folder, guarantee)
        folder.call("run", "--count", "1000")
        between = "repartition__%s--%s--item" % (topic, topic)
        positions = probe.offsets(topic)
        left = sum(1 for record in probe.consume(between)
                   if record["offset"] >= max(0, positions.get((between, record["partition"]), 0)))
        if left > 0:
            assert len(probe.consume(topic + "-out")) < 3000
            return topic, folder, between, left
    raise AssertionError("no run has left anything behind the step")


GUARANTEES = ("at-least-once", "exactly-once")


@cases.case
def a_step_goes_on_under_another_name():
    for guarantee in GUARANTEES:
        topic, folder, between, _ = stopped_in_between("stepped", guarantee)
        regrouped(topic, folder, guarantee, "{group_by: {key: item, name: thing}, was: item}")
        said = folder.call("run", "--until-end").stderr
        contains(said, "goes on with what is in topic '%s'" % between)
        equals(sorted_values(topic + "-out"), list(range(3000)))
        produce(topic, {"v": 3000, "item": 1})
        regrouped(topic, folder, guarantee, "group_by: {key: item, name: thing}")  # `was` has done its work
        assert "holds" not in folder.call("run", "--until-end").stderr
        equals(sorted_values(topic + "-out"), list(range(3001)))
        equals([one for one in probe.topics() if one.startswith("repartition__" + topic)], [between])


@cases.case
def what_no_step_reads_any_more_is_told_and_gone_on_with():
    for guarantee in GUARANTEES:
        topic, folder, between, left = stopped_in_between("stranded", guarantee)
        regrouped(topic, folder, guarantee, more=True)
        for words in (("--dry-run",), ("--until-end",)):
            contains(folder.call("run", *words).stderr,
                     "topic '%s' holds %d record%s that pipeline '%s' has not read, and nothing in it reads that "
                     "topic any more; 'was: %s' at the step that takes its place goes on with them, "
                     "'weir topic delete %s --internal' drops them"
                     % (between, left, "" if left == 1 else "s", topic, between, between))
        equals(len(sorted_values(topic + "-out")), 3000 - left)
        regrouped(topic, folder, guarantee, "{group_by: item, was: %s}" % between, more=True)
        said = folder.call("run", "--until-end").stderr
        contains(said, "goes on with what is in topic '%s'" % between)
        assert "holds" not in said, said
        equals(sorted_values(topic + "-out"), list(range(3000)))


# ---- dry runs --------------------------------------------------------------------------------------------

def dry(folder, *words):
    return json.loads(folder.out("run", "--dry-run", "--json", *words))


@cases.case
def a_dry_run_tells_what_is_and_what_would_be_and_changes_nothing():
    topic = name("dry")
    probe.create(topic, 2, settings={"retention.ms": 1000000})
    produce(topic, 1, 2, 3)
    probe.commit(topic, topic, 0, 1)
    folder = Folder(topic, "{%s: {retention: 2h}, %s-out: {partitions: 3, retention: 1h}}" % (topic, topic),
                    "{s: {from: {topic: %s}, steps: [{group_by: {key: v}}], to: {topic: %s-out}}}" % (topic, topic))
    before = probe.everything()
    told = dry(folder)
    text = folder.out("run", "--dry-run")
    equals(probe.everything(), before)
    by_name = {row["topic"]: row for row in told["topics"]}
    equals((by_name[topic]["exists"], by_name[topic]["differences"]),
           (True, "retention.ms is 1000000 instead of 7200000"))
    equals(by_name[topic]["reads"],
           [{"partition": 0, "position": 1, "committed": True, "end": 3, "to_read": 2},
            {"partition": 1, "position": 0, "committed": False, "end": 0, "to_read": 0}])
    equals((by_name[topic + "-out"]["exists"], by_name[topic + "-out"]["partitions"]), (False, 3))
    equals([row["partitions"] for key, row in by_name.items() if key.startswith("repartition__")], [2])
    equals(told["group"], {"state": "Empty", "members": 0})
    contains(text, "would be created, retention.ms=3600000")
    contains(text, "nothing was changed")


@cases.case
def a_dry_run_finds_what_would_end_the_start():
    topic = name("stopped")
    probe.create(topic, 2)
    produce(topic, 1, 2, 3)
    streams = "{s: {from: {topic: %s}, to: {topic: %s-out}}}" % (topic, topic)
    for topics, more, fault in (
            ("{%s: {partitions: 5}, %s-out: {}}", "", "has 2 partitions, the file says 5"),
            ("{%s: {}, %s-out: {replication: 3}}", "", "replication factor of 3"),
            ("{%s: {}, %s-out: {config: {retention.ms: -7}}}", "", "retention.ms"),
            ("{%s: {}, %s-out: {}}", "kafka: {create_topics: false}\n", "'create_topics' is false"),
            ("{%s: {}, %s-out: {}}", "kafka: {auto_offset_reset: error}\n", "has no position in topic")):
        folder = Folder(topic, topics % (topic, topic), streams, more)
        before = probe.everything()
        contains(folder.fault("run", "--dry-run"), fault)
        equals(probe.everything(), before)
        contains(folder.fault("run", "--until-end"), fault.replace("has no position in topic", "no position"))


@cases.case
def a_dry_run_tells_all_faults_and_where_they_are():
    topic = name("faulty")
    probe.create(topic, 2, settings={"retention.ms": 1000000})
    produce(topic, 1, 2, 3)
    probe.commit(topic, topic, 0, 1)
    Folder().topic("trim", topic, "--before", "2", "--partition", "0", "--unread")
    probe.commit(topic, topic, 0, 0)
    folder = Folder(topic, "\n  {%s: {partitions: 5, retention: 2h},\n   %s-a: {replication: 3},\n   %s-b: {}}"
                    % (topic, topic, topic),
                    "{s: {from: {topic: %s}, to: [{topic: %s-a}, {topic: %s-b}]}}" % (topic, topic, topic),
                    "kafka: {lost_offsets: fail}\n")
    before = probe.everything()
    done = folder.call("run", "--dry-run", "--json", status=1)
    equals(probe.everything(), before)
    told = json.loads(done.stdout)
    places = [(fault["line"], fault["message"]) for fault in told["faults"]]
    for line, fault in ((5, "has 2 partitions, the file says 5"), (5, "goes on at offset 0"),
                        (6, "replication factor of 3")):
        equals([at for at, message in places if fault in message], [line])
    equals(len(places), 3)
    rows = {row["topic"]: row for row in told["topics"]}
    equals(rows[topic]["differences"], "retention.ms is 1000000 instead of 7200000")
    equals((rows[topic + "-b"]["exists"], rows["positions__" + topic]["exists"]), (False, False))


@cases.case
def a_dry_run_tells_positions_that_are_not_there():
    topic = name("away")
    probe.create(topic, 2)
    produce(topic, *range(6))
    probe.trim(topic, 0, 4)
    probe.commit(topic, topic, 0, 1)
    probe.commit(topic, topic, 1, 100)  # as where the topic was made anew
    folder = Folder(topic, "{%s: {}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic,
                    "kafka: {lost_offsets: fail}\n")
    said = folder.fault("run", "--dry-run")
    contains(said, "goes on at offset 1 of topic '%s' partition 0, which begins at 4; so it is with 1 more" % topic)
    contains(folder.fault("run", "--until-end"), "topic '%s' partition " % topic)
    probe.commit(topic, topic, 0, 4)
    contains(folder.fault("run", "--dry-run"), "partition 1, which ends at 0; the topic was made anew")
    contains(folder.fault("run", "--until-end"), "up to offset 100, but it ends at 0; the topic was made anew")
    probe.commit(topic, topic, 0, 1)
    folder.write("pipeline.yaml", (folder.path / "pipeline.yaml").read_text().replace("fail", "earliest"))
    equals([row["reads"] for row in dry(folder)["topics"] if row["topic"] == topic],
           [[{"partition": 0, "position": 4, "committed": True, "end": 6, "to_read": 2, "was": 1},
             {"partition": 1, "position": 0, "committed": True, "end": 0, "to_read": 0, "was": 100}]])
    contains(folder.out("run", "--dry-run"), "2  instead of 1, which is not there any more")


@cases.case
def a_flag_is_judged_against_transactions_as_the_file_is():
    topic = name("interval")
    probe.create(topic, 1)
    fault = ("each checkpoint is one transaction, which the broker aborts after 4000 ms; write a shorter 'interval' "
             "or a longer 'transaction.timeout.ms' under 'kafka'")
    folder = Folder(topic, "{%s: {}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic,
                    more="guarantee: exactly-once\ncheckpoint: {interval: 1s}\nkafka: {transaction.timeout.ms: 4000}\n")
    for words in (("--checkpoint", "4s"), ("--checkpoint", "1m", "--dry-run")):
        done = folder.call("run", "--until-end", *words, status=1)
        contains(done.stdout + done.stderr, fault)
    folder.call("run", "--until-end", "--checkpoint", "3999ms")
    folder.call("run", "--until-end", "--checkpoint", "1m", "--log", "memory")


@cases.case
def a_dry_run_sees_the_members_of_the_group():
    topic = name("watched")
    probe.create(topic, 1)
    folder = Folder(topic, "{%s: {}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic)
    with folder.running():
        end = time.monotonic() + 30
        while dry(folder)["group"] != {"state": "Stable", "members": 1}:
            assert time.monotonic() < end, dry(folder)


with on_cluster() as (kafka, probe):
    cases.finish(names=sys.argv[2:])
