# SPDX-License-Identifier: MIT
"""What a start makes of topics: those that are missing, those that are there, and all anew."""

from cases import contains, equals, until
from fixture import Broker, Folder, cases, dry, name, produce, sorted_values


@cases.case
def the_file_says_how_topics_are_made():
    topic = name("kept")
    folder = Folder(topic, "{%s: {partitions: 2, retention: 90m, retention_size: 1MiB}, %s-out: {compact: true}}"
                    % (topic, topic), "{s: {from: {topic: %s}, to: {topic: %s-out}}}" % (topic, topic))
    said = folder.call("run", "--until-end").stderr
    config = Broker.probe.config(topic)
    equals((config["retention.ms"], config["retention.bytes"]), ("5400000", "1048576"))
    equals(Broker.probe.config(topic + "-out")["cleanup.policy"], "compact")
    again = folder.call("run", "--until-end").stderr
    contains(said, "info created topic '%s' with 2 partitions\n" % topic)
    assert "created" not in again and "__" not in said, (said, again)
    for text in (said, again):
        assert "keeps what it was given" not in text and "has now" not in text and "warning" not in text, text


@cases.case
def a_topic_that_is_there_stays_and_the_difference_is_told_once():
    topic = name("other")
    Broker.probe.create(topic, 1, settings={"retention.ms": 1000000})
    before = Broker.probe.config(topic)
    folder = Folder(topic, "{%s: {retention: 90m, replication: 3}}" % topic,
                    "{s: {from: {topic: %s}, to: print}}" % topic)
    said = folder.call("run", "--until-end").stderr
    contains(said, "topic '%s' is not as the file says, and stays as it is: replication is 1 instead of 3, "
                   "retention.ms is 1000000 instead of 5400000" % topic)
    equals(said.count("stays as it is"), 1)
    equals(Broker.probe.config(topic), before)


@cases.case
def a_topic_behind_a_step_has_the_partitions_of_the_largest_and_keeps_everything():
    a, b = name("left"), name("right")
    Broker.probe.create(a, 2, settings={"retention.ms": 1000000, "retention.bytes": 5000000})
    Broker.probe.create(b, 3, settings={"retention.ms": -1, "retention.bytes": 7000000})
    folder = Folder(a, "{%s: {}, %s: {}, %s-out: {partitions: 1}}" % (a, b, a),
                    "{x: {from: {topic: %s}, steps: [filter: true]}, y: {from: {topic: %s}, steps: [filter: true]}, "
                    "s: {from: [x, y], steps: [{group_by: {key: v}}], to: {topic: %s-out}}}" % (a, b, a))
    folder.call("run", "--until-end")
    behind = [topic for topic in Broker.probe.topics() if topic.startswith("repartition__%s--" % a)]
    equals(len(behind), 1)
    equals(len(Broker.probe.topics()[behind[0]]), 3)
    config = Broker.probe.config(behind[0])
    equals((config["retention.ms"], config["retention.bytes"]), ("-1", "-1"))


@cases.case
def a_fresh_run_begins_anew_and_leaves_what_is_of_others():
    topic = name("fresh")
    folder = Folder(topic, "{%s: {partitions: 2}, %s-out: {partitions: 1, key: json}}" % (topic, topic),
                    "{f: {from: {file: lines}, steps: [filter: 'true'], to: {topic: %s-out}}, "
                    "s: {from: {topic: %s}, steps: [{group_by: {key: v}}], to: {topic: %s-out}}}" % (topic, topic, topic))
    Broker.probe.create(topic, 2)
    folder.write("lines", '{"v": 1}\n{"v": 2}\n')
    produce(topic, {"v": 3}, {"v": 4})
    folder.call("run", "--until-end")
    equals(sorted_values(topic + "-out"), [1, 2, 3, 4])
    folder.call("run", "--until-end")
    equals(sorted_values(topic + "-out"), [1, 2, 3, 4])
    own = [one for one in Broker.probe.topics() if one.startswith(("source__" + topic, "repartition__" + topic))]
    equals(len(own), 2)
    said = folder.call("run", "--until-end", "--fresh").stderr
    contains(said, "fresh start: forgets the positions and the state of '%s'" % topic)
    for one in own:
        contains(said, "fresh start: emptied topic '%s'" % one)
    contains(said, "fresh start: topic '%s-out' keeps what it has" % topic)
    equals(sorted_values(topic + "-out"), [1, 1, 2, 2, 3, 3, 4, 4])
    left = {}  # of the facts only those that the last commit names are there
    for record in Broker.probe.consume("positions__" + topic):
        left[record["key"]] = record["value"]
    equals(len([value for value in left.values() if value is not None]), 1)
    folder.call("run", "--until-end")
    equals(sorted_values(topic + "-out"), [1, 1, 2, 2, 3, 3, 4, 4])


@cases.case
def a_fresh_run_is_refused_while_another_replica_runs():
    topic = name("busy")
    folder = Folder(topic, "{%s: {partitions: 1}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic)
    Broker.probe.create(topic, 1)
    with folder.running():
        until(lambda: dry(folder)["group"] == {"state": "Stable", "members": 1}, lambda: dry(folder))
        until(lambda: Broker.probe.offsets(topic), "it commits where it begins")
        before = Broker.probe.everything()
        said = folder.fault("run", "--until-end", "--fresh")
        contains(said, "cannot begin afresh while pipeline '%s' runs: its group has 1 member, such as '" % topic)
        contains(said, "' at '/127.0.0.1'; stop all of its processes first")
        equals(Broker.probe.everything(), before)
