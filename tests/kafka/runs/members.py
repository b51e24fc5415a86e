# SPDX-License-Identifier: MIT
"""Partitions that come and go: between replicas, back from one that was silent, and never for nothing."""
import os
import signal
import tempfile

from cases import build_plugin, contains, equals
from kafka_cases import TESTS, WEIR
from fixture import MEETING, NEVER, QUICK, Broker, Pipeline, under_each_guarantee, until

RUDE = os.path.join(TESTS, "robustness", "plugins", "rude.c")


def rude():
    """The line that loads the plugin that behaves as it is told."""
    path = os.path.join(tempfile.mkdtemp(prefix="weir-rude-"), "rude.so")
    build_plugin(RUDE, path, weir=WEIR)
    return "plugins: [%s]" % path


def a_partition_is_handed_over_with_its_position():
    """Nothing else commits here, and transactions would tell of anything that is done twice."""
    pipeline = Pipeline(2, guarantee="exactly-once")
    for partition in range(2):
        pipeline.put(10 * partition, 10 * partition + 10, partition)
    with pipeline.start("--checkpoint", NEVER) as first:
        pipeline.has(range(20), uncommitted=True)
        with pipeline.start("--checkpoint", NEVER) as second:
            pipeline.shared(1, 1)
            pipeline.has(range(20))
            for partition in range(2):
                pipeline.put(20 + 10 * partition, 30 + 10 * partition, partition)
            pipeline.has(range(40), uncommitted=True)
            second.stop()
            pipeline.shared(2)
        first.stop()
    pipeline.holds(range(40))
    equals([pipeline.position(partition) for partition in range(2)], [20, 20])


def topics_that_meet_go_together():
    """Equal partition numbers of both come to one process."""
    other = Pipeline(4)
    pipeline = Pipeline(4)
    pipeline.write(text=MEETING, b=other.input)
    with pipeline.start() as first, pipeline.start() as second:
        pipeline.shared(2, 2)
        for member in pipeline.group():
            parts = {topic: sorted(number for name, number in member["partitions"] if name == topic)
                     for topic in (pipeline.input, other.input)}
            equals(parts[pipeline.input], parts[other.input])
        first.stop()
        second.stop()


def who_was_silent_gives_way(guarantee):
    """It is stopped with an epoch under way; another process does that anew and goes on."""
    pipeline = Pipeline(guarantee=guarantee, kafka=QUICK + ", transaction.timeout.ms: 30000")
    pipeline.put(0, 5)
    with pipeline.start("--checkpoint", "29s") as first:
        pipeline.has(range(5), uncommitted=True)
        first.popen.send_signal(signal.SIGSTOP)
        with pipeline.start() as second:
            pipeline.reaches(5)
            first.popen.send_signal(signal.SIGCONT)
            first.says("since the last checkpoint is dropped")
            first.stop()
            pipeline.put(5, 10)
            pipeline.reaches(10)
            second.stop()
    pipeline.has(range(10))
    equals(sorted(set(pipeline.out())), list(range(10)))
    assert guarantee == "at-least-once" or len(pipeline.out()) == 10, pipeline.out()
    equals(pipeline.position(), 10)


def who_is_told_to_stop_in_its_sleep_has_nothing_to_commit():
    """It wakes when all that it had is another's."""
    pipeline = Pipeline(guarantee="exactly-once", kafka=QUICK + ", transaction.timeout.ms: 30000")
    pipeline.put(0, 5)
    with pipeline.start("--checkpoint", "29s") as first:
        pipeline.has(range(5), uncommitted=True)
        first.popen.send_signal(signal.SIGSTOP)
        with pipeline.start() as second:
            pipeline.reaches(5)
            first.popen.send_signal(signal.SIGTERM)
            first.popen.send_signal(signal.SIGCONT)
            first.ends(0)
            second.stop()
    pipeline.holds(range(5))
    equals(pipeline.position(), 5)


def a_static_member_finds_its_partitions_again():
    pipeline = Pipeline(2, kafka="group.instance.id: '${MEMBER}'")
    with pipeline.start(env={"MEMBER": "a"}) as first, pipeline.start(env={"MEMBER": "b"}) as second:
        pipeline.shared(1, 1)
        before = {member["instance"]: member["partitions"]
                  for member in pipeline.group()}
        first.stop()
        pipeline.shared(1, 1)  # the group keeps its place
        pipeline.put(0, 10, 0)
        pipeline.put(10, 20, 1)
        with pipeline.start(env={"MEMBER": "a"}) as again:
            pipeline.has(range(20))
            after = {member["instance"]: member["partitions"]
                     for member in pipeline.group()}
            equals(after, before)
            again.stop()
        second.stop()
    pipeline.holds(range(20))


def two_processes_cannot_be_one_static_member():
    pipeline = Pipeline(kafka=QUICK + ", group.instance.id: one")
    with pipeline.start() as first:
        pipeline.shared(1)
        with pipeline.start() as second:
            contains(first.ends(1), "another process has taken the place of this one in the group '%s': both have "
                     "the 'group.instance.id' 'one'; give each process one of its own, or none" % pipeline.name)
            pipeline.put(0, 5)
            pipeline.has(range(5))
            second.stop()


def a_topic_that_is_made_anew_is_read():
    pipeline = Pipeline(kafka="topic.metadata.refresh.interval.ms: 300")
    pipeline.put(0, 5)
    with pipeline.start() as process:
        pipeline.reaches(5)
        Broker.probe.delete(pipeline.input)
        process.says("Subscribed topic not available: %s" % pipeline.input)
        until(lambda: pipeline.members() == [[]], "the partition is gone")
        Broker.probe.create(pipeline.input, 1)
        pipeline.put(5, 8)
        pipeline.has(range(8))
        process.stop()
    pipeline.holds(range(8))
    equals(pipeline.position(), 3)


def members_of_another_version_are_waited_for():
    """One topic is shared out in another way than several."""
    pipeline = Pipeline(guarantee="exactly-once")
    pipeline.write("next.yaml", """
pipeline: %(name)s
log: kafka://%(bootstrap)s
guarantee: exactly-once
topics: {%(input)s: {value: json}, more_%(input)s: {value: json}, %(output)s: {value: json}}
streams:
  s: {from: {topic: %(input)s}, to: {topic: %(output)s}}
  more: {from: {topic: more_%(input)s}, to: {topic: %(output)s}}
""")
    pipeline.put(0, 5)
    with pipeline.start() as first:
        pipeline.has(range(5))
        with pipeline.start("next.yaml") as second:
            second.says("the group '%s' has members that divide partitions in another way" % pipeline.name)
            first.stop()
            pipeline.put(5, 10)
            pipeline.has(range(10))
            second.stop()
    pipeline.holds(range(10))


def a_slow_sink_costs_no_membership():
    pipeline = Pipeline(top=rude(), kafka="session.timeout.ms: 10000, heartbeat.interval.ms: 1000, max.poll.interval.ms: 10000",
                        guarantee="exactly-once")
    pipeline.write(to="[{rude: {do: sleep write, n: 300}}, {topic: %s}]" % pipeline.output)
    pipeline.put(0, 50)
    with pipeline.start(env={"WEIR_BATCH_SIZE": "1"}) as process:
        until(lambda: pipeline.group(), "a member")
        member = pipeline.group()[0]["id"]
        pipeline.reaches(50)
        equals(pipeline.group()[0]["id"], member)
        said = process.stop()
        equals((said.count("reads from now on"), said.count("is dropped and done again")), (1, 0))
    pipeline.holds(range(50))


def a_stuck_sink_does_not_keep_its_partition_for_ever():
    pipeline = Pipeline(2, top=rude(), shutdown="1s", kafka=QUICK)
    pipeline.write("well.yaml")
    pipeline.write(to="[{rude: {do: hang write}}, {topic: %s}]" % pipeline.output)
    pipeline.put(0, 5)
    pipeline.put(5, 10, 1)
    with pipeline.start() as first:
        pipeline.has(range(10))
        with pipeline.start("well.yaml") as second:
            contains(first.ends(1), "streams.s.to[0] (rude) %s[0] did not come to an end" % pipeline.input)
            pipeline.reaches(5)
            pipeline.reaches(5, 1)
            second.stop()
    equals(sorted(set(pipeline.out())), list(range(10)))


CASES = [a_slow_sink_costs_no_membership, *under_each_guarantee(who_was_silent_gives_way),
         who_is_told_to_stop_in_its_sleep_has_nothing_to_commit, a_stuck_sink_does_not_keep_its_partition_for_ever,
         a_partition_is_handed_over_with_its_position, topics_that_meet_go_together,
         a_static_member_finds_its_partitions_again, two_processes_cannot_be_one_static_member,
         a_topic_that_is_made_anew_is_read, members_of_another_version_are_waited_for]
