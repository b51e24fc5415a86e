# SPDX-License-Identifier: MIT
"""How runs begin and end, and what is committed then."""
import json
import signal
import time

from cases import contains, equals
from fixture import NEVER, QUICK, Broker, Pipeline


def a_stop_before_the_broker_answers_ends_at_once():
    # With a patience much longer than that of the test.
    pipeline = Pipeline(create=False, bootstrap="127.0.0.1:1", kafka="request_timeout: 15m", shutdown="1h")
    with pipeline.start() as process:
        process.says("nobody listens there; trying on")
        said = process.stop()
        contains(said, "stopped before the start: could not reach Kafka")


def a_broker_that_does_not_come_asks_for_another_start():
    pipeline = Pipeline(create=False, bootstrap="127.0.0.1:1", kafka="request_timeout: 1s")
    contains(pipeline.run(status=75), "could not reach Kafka at 127.0.0.1:1: nobody listens there; check 'log'")


def count_commits_behind_the_very_record():
    pipeline = Pipeline()
    pipeline.put(0, 4)
    pipeline.run("--count", "1")
    equals((pipeline.out(), pipeline.position()), ([0], 1))
    pipeline.run("--count", "2")
    equals((pipeline.out(), pipeline.position()), ([0, 1, 2], 3))


def timeout_begins_when_partitions_have_come():
    pipeline = Pipeline()  # a new group waits for a second before it gives partitions
    pipeline.put(0, 4)
    contains(pipeline.run("--timeout", "300ms"), "reads from now on: %s 0" % pipeline.input)
    pipeline.run("--until-end")  # on a busy machine messages may come later than that
    equals((pipeline.out(), pipeline.position()), ([0, 1, 2, 3], 4))


def whichever_of_count_and_timeout_comes_first():
    pipeline = Pipeline()
    pipeline.put(0, 1)
    pipeline.run("--count", "2", "--timeout", "2s")  # there is no second one
    first = len(pipeline.out())  # none, where a busy broker gives nothing for so long
    pipeline.put(1, 4)
    pipeline.run("--count", "2", "--timeout", "1h")
    equals((pipeline.out(), pipeline.position()), ([0, 1, 2][:first + 2], first + 2))


def a_signal_commits_what_was_done():
    for sign in (signal.SIGTERM, signal.SIGINT):
        pipeline = Pipeline(checkpoint="{interval: 1h}")
        pipeline.put(0, 5)
        with pipeline.start() as process:
            pipeline.has(range(5))
            equals(pipeline.position(), None)
            process.stop(sign=sign)
        equals((pipeline.out(), pipeline.position()), ([0, 1, 2, 3, 4], 5))


def the_number_of_records_is_a_trigger_of_its_own():
    pipeline = Pipeline(checkpoint="{interval: 1h, records: 10}")
    pipeline.put(0, 14)
    with pipeline.start() as process:
        pipeline.has(range(14))
        pipeline.reaches(10)
        pipeline.put(14, 23)
        pipeline.reaches(20)
        process.kill()
    equals(pipeline.position(), 20)


def key_time_and_headers_go_through():
    pipeline = Pipeline()
    now = int(time.time() * 1000)  # what is older than a week the broker would remove
    sent = [{"topic": pipeline.input, "key": "k%d" % n, "timestamp": now + n, "value": json.dumps({"n": n}),
             "headers": [["a", "1"], ["a", "2"]]} for n in range(3)]
    Broker.probe.produce(sent)
    pipeline.run("--until-end")
    parts = ("key", "timestamp", "headers", "value")
    equals([[record[part] for part in parts] for record in Broker.probe.consume(pipeline.output)],
           [[record[part] for part in parts] for record in sent])
    equals(pipeline.position(), 3)


def a_failing_record_commits_nothing_of_its_epoch():
    pipeline = Pipeline(steps="[{filter: '10 / (n - 2) < 100'}]", guarantee="exactly-once")
    pipeline.put(0, 5)
    said = pipeline.run("--checkpoint", NEVER, status=1)
    contains(said, "%s[0]@2 streams.s.steps[0] (filter)" % pipeline.input)
    equals((pipeline.out(), pipeline.position()), ([], None))


def a_group_without_a_position_may_be_an_error():
    pipeline = Pipeline(kafka="auto_offset_reset: error")
    pipeline.put(0, 1)
    contains(pipeline.run("--timeout", "1h", status=1), "the group has no position in it")
    Broker.probe.commit(pipeline.name, pipeline.input, 0, 0)
    pipeline.run("--until-end")
    equals(pipeline.out(), [0])


def latest_begins_at_the_end_once():
    """What comes while nobody is there, before any message was read, is not passed over."""
    pipeline = Pipeline(kafka="auto_offset_reset: latest, " + QUICK)
    pipeline.put(0, 3)
    with pipeline.start() as process:
        pipeline.reaches(3)
        process.kill()
    pipeline.put(3, 5)
    pipeline.run("--until-end")
    equals((pipeline.out(), pipeline.position()), ([3, 4], 5))


CASES = [a_stop_before_the_broker_answers_ends_at_once, a_broker_that_does_not_come_asks_for_another_start,
         count_commits_behind_the_very_record,
         timeout_begins_when_partitions_have_come, whichever_of_count_and_timeout_comes_first,
         a_signal_commits_what_was_done, the_number_of_records_is_a_trigger_of_its_own,
         key_time_and_headers_go_through, a_failing_record_commits_nothing_of_its_epoch,
         a_group_without_a_position_may_be_an_error, latest_begins_at_the_end_once]
