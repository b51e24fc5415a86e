# SPDX-License-Identifier: MIT
"""`weir topic replay`: each letter is put back once, whatever comes in between."""
import json
import signal
import subprocess

from cases import contains, equals, until
from fixture import Broker, Folder, cases, name
from kafka_cases import WEIR


COUNT = 5000  # letters where a replay is disturbed


def letters_of(topic, count):
    """A topic with records that fail, and a topic with a letter for each. Returns who replays, and the letters."""
    letters = topic + "-letters"
    Broker.probe.create(topic, 2)
    Broker.probe.create(letters, 2)
    Broker.probe.produce([{"topic": topic, "partition": v % 2, "key": "k%d" % v, "value": json.dumps({"v": v})}
                          for v in range(count)])
    folder = Folder(topic, "{%s: {}, %s: {}}" % (topic, letters),
                    "{s: {from: {topic: %s}, steps: [{filter: v / 0 > 1}], to: print}}" % topic,
                    more="on_error: dead_letter\ndead_letters: {topic: %s}\n" % letters)
    folder.call("run", "--until-end")
    equals(len(Broker.probe.consume(letters)), count)

    def replay(*words, **more):
        return json.loads(folder.out("topic", "replay", letters, "--json", *words, **more))
    return replay, letters, folder


def told(messages, before, letters, refused=0):
    return {"topic": letters, "messages": messages, "before": before, "refused": refused}


def times(topic):
    """How often each value stands in the topic."""
    counts = {}
    for record in Broker.probe.consume(topic):
        value = json.loads(record["value"])["v"]
        counts[value] = counts.get(value, 0) + 1
    return counts


@cases.case
def nothing_is_replayed_twice_unless_it_is_asked_for():
    topic = name("bad")
    replay, letters, folder = letters_of(topic, 6)
    equals(replay("--dry-run"), told(6, 0, letters))
    assert "replayed__" + letters not in Broker.probe.topics(), "a dry run makes no topic"
    equals(replay("--where", "message.offset == 1"), told(2, 0, letters))
    equals(replay("--dry-run"), told(4, 2, letters))
    equals(replay("--count", "1")["messages"], 1)
    equals(sum(times(topic).values()), 9)
    contains(folder.out("topic", "replay", letters), "put back 3 messages of topic '%s'" % letters)
    equals(times(topic), dict.fromkeys(range(6), 2))
    equals(replay(), told(0, 6, letters))
    equals(replay("--again", "--partition", "0")["messages"] > 0, True)
    equals(Broker.probe.config("replayed__" + letters)["cleanup.policy"], "compact")


@cases.case
def letters_of_a_topic_that_was_made_again_are_others():
    topic = name("anew")
    replay, letters, folder = letters_of(topic, 4)
    equals(replay(), told(4, 0, letters))
    Broker.probe.delete(letters)
    Broker.probe.create(letters, 2)
    equals(replay("--dry-run"), told(0, 0, letters))
    folder.call("run", "--until-end")  # what was put back fails once more
    equals(replay(), told(4, 0, letters))


@cases.case
def what_cannot_be_remembered_is_not_put_back():
    topic = name("forgetful")
    replay, letters, folder = letters_of(topic, 4)
    Broker.probe.create("replayed__" + letters, 1, settings={"max.message.bytes": 100})
    said = folder.fault("topic", "replay", letters)
    contains(said, "could not deliver a message")
    contains(said, "to topic 'replayed__%s'" % letters)
    equals(times(topic), dict.fromkeys(range(4), 1))
    Broker.probe.alter("replayed__" + letters, {"max.message.bytes": 100000})
    equals(replay(), told(4, 0, letters))
    equals(times(topic), dict.fromkeys(range(4), 2))


def slowly(folder):
    """The file, for somebody who delivers few messages at a time and takes minutes for all of them."""
    text = (folder.path / "pipeline.yaml").read_text()
    folder.write("slow.yaml", text + "kafka: {queue.buffering.max.messages: 10, linger.ms: 500}\n")
    return "slow.yaml"


@cases.case
def a_replay_that_is_killed_is_finished_by_the_next_one():
    topic = name("killed")
    replay, letters, folder = letters_of(topic, COUNT)
    ends = Broker.probe.watermarks(topic)
    with subprocess.Popen([WEIR, "topic", "replay", letters, "-f", slowly(folder)], cwd=folder.path,
                          stdout=subprocess.DEVNULL) as run:
        until(lambda: Broker.probe.watermarks(topic) != ends)
        run.kill()
    equals(run.returncode, -signal.SIGKILL)
    put = replay()
    equals(put["messages"] + put["before"], COUNT)
    equals(times(topic), dict.fromkeys(range(COUNT), 2))


@cases.case
def another_replay_of_the_same_letters_takes_over():
    topic = name("rivals")
    replay, letters, folder = letters_of(topic, COUNT)
    ends = Broker.probe.watermarks(topic)
    with subprocess.Popen([WEIR, "topic", "replay", letters, "-f", slowly(folder)], cwd=folder.path,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        until(lambda: Broker.probe.watermarks(topic) != ends)
        run.send_signal(signal.SIGSTOP)
        put = replay()
        run.send_signal(signal.SIGCONT)
        said = run.communicate(timeout=300)[1]
    equals((run.returncode, put["messages"] + put["before"]), (1, COUNT))
    contains(said, "another process has begun to work on 'replayed__%s'" % letters)
    equals(times(topic), dict.fromkeys(range(COUNT), 2))
