# SPDX-License-Identifier: MIT
"""What `weir run --dry-run` tells, and that it changes nothing."""
import json

from cases import contains, equals, until
from fixture import Broker, Folder, cases, dry, name, produce


@cases.case
def a_dry_run_tells_what_is_and_what_would_be_and_changes_nothing():
    topic = name("dry")
    Broker.probe.create(topic, 2, settings={"retention.ms": 1000000})
    produce(topic, 1, 2, 3)
    Broker.probe.commit(topic, topic, 0, 1)
    folder = Folder(topic, "{%s: {retention: 2h}, %s-out: {partitions: 3, retention: 1h}}" % (topic, topic),
                    "{s: {from: {topic: %s}, steps: [{group_by: {key: v}}], to: {topic: %s-out}}}" % (topic, topic))
    before = Broker.probe.everything()
    told = dry(folder)
    text = folder.out("run", "--dry-run")
    equals(Broker.probe.everything(), before)
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


UNMAKEABLE = ("replication factor of 3", "retention.ms", "'create_topics' is false")


@cases.case
def a_dry_run_finds_what_would_end_the_start():
    topic = name("stopped")
    Broker.probe.create(topic, 2)
    produce(topic, 1, 2, 3)
    Broker.probe.commit(topic + "-others", topic, 0, 1)  # the brokers' own topic of groups is there
    streams = "{s: {from: {topic: %s}, to: {topic: %s-out}}}" % (topic, topic)
    for topics, more, fault in (
            ("{%s: {partitions: 5}, %s-out: {}}", "", "has 2 partitions, the file says 5"),
            ("{%s: {}, %s-out: {replication: 3}}", "", "replication factor of 3"),
            ("{%s: {}, %s-out: {config: {retention.ms: -7}}}", "", "retention.ms"),
            ("{%s: {}, %s-out: {}}", "kafka: {create_topics: false}\n", "'create_topics' is false"),
            ("{%s: {}, %s-out: {}}", "kafka: {auto_offset_reset: error}\n", "has no position in topic")):
        folder = Folder(topic, topics % (topic, topic), streams, more)
        before = Broker.probe.everything()
        done = folder.call("run", "--dry-run", status=1)
        contains(done.stderr, fault)
        equals("cannot be created" in done.stdout, fault in UNMAKEABLE)
        equals(Broker.probe.everything(), before)
        contains(folder.fault("run", "--until-end"), fault.replace("has no position in topic", "no position"))


@cases.case
def a_dry_run_tells_all_faults_and_where_they_are():
    topic = name("faulty")
    Broker.probe.create(topic, 2, settings={"retention.ms": 1000000})
    produce(topic, 1, 2, 3)
    Broker.probe.commit(topic, topic, 0, 1)
    Folder().topic("trim", topic, "--before", "2", "--partition", "0", "--unread")
    Broker.probe.commit(topic, topic, 0, 0)
    folder = Folder(topic, "\n  {%s: {partitions: 5, retention: 2h},\n   %s-a: {replication: 3},\n   %s-b: {}}"
                    % (topic, topic, topic),
                    "{s: {from: {topic: %s}, to: [{topic: %s-a}, {topic: %s-b}]}}" % (topic, topic, topic),
                    "kafka: {lost_offsets: fail}\n")
    before = Broker.probe.everything()
    done = folder.call("run", "--dry-run", "--json", status=1)
    equals(Broker.probe.everything(), before)
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
    Broker.probe.create(topic, 2)
    produce(topic, *range(6))
    Broker.probe.trim(topic, 0, 4)
    Broker.probe.commit(topic, topic, 0, 1)
    Broker.probe.commit(topic, topic, 1, 100)  # as where the topic was made anew
    folder = Folder(topic, "{%s: {}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic,
                    "kafka: {lost_offsets: fail}\n")
    said = folder.fault("run", "--dry-run")
    contains(said, "goes on at offset 1 of topic '%s' partition 0, which begins at 4; so it is with 1 more" % topic)
    contains(folder.fault("run", "--until-end"), "topic '%s' partition " % topic)
    Broker.probe.commit(topic, topic, 0, 4)
    contains(folder.fault("run", "--dry-run"), "partition 1, which ends at 0; the topic was made anew")
    contains(folder.fault("run", "--until-end"), "up to offset 100, but it ends at 0; the topic was made anew")
    Broker.probe.commit(topic, topic, 0, 1)
    folder.write("pipeline.yaml", (folder.path / "pipeline.yaml").read_text().replace("fail", "earliest"))
    equals([row["reads"] for row in dry(folder)["topics"] if row["topic"] == topic],
           [[{"partition": 0, "position": 4, "committed": True, "end": 6, "to_read": 2, "was": 1},
             {"partition": 1, "position": 0, "committed": True, "end": 0, "to_read": 0, "was": 100}]])
    contains(folder.out("run", "--dry-run"), "2  instead of 1, which is not there any more")


@cases.case
def a_flag_is_judged_against_transactions_as_the_file_is():
    topic = name("interval")
    Broker.probe.create(topic, 1)
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
    Broker.probe.create(topic, 1)
    folder = Folder(topic, "{%s: {}}" % topic, "{s: {from: {topic: %s}, to: print}}" % topic)
    with folder.running():
        until(lambda: dry(folder)["group"] == {"state": "Stable", "members": 1}, lambda: dry(folder))
