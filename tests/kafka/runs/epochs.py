# SPDX-License-Identifier: MIT
"""What moves a position, and what transactions keep together."""
import json
import socket
import time

from cases import contains, equals
from fixture import MEETING, NEVER, QUICK, Broker, Pipeline, under_each_guarantee


def dropped_records_move_the_position():
    """Whatever becomes of the last message of a partition, it is not read again, and no lag stays."""
    pipeline = Pipeline(top="on_error: skip", steps="[{filter: n is not null and n < 100}, {flat_map: items}]")
    lasts = {"filtered out": '{"n": 100, "items": []}', "no items": '{"n": 1, "items": []}',
             "a failing step": '{"m": 1}', "undecodable": "no JSON", "a tombstone": None}
    with pipeline.start() as process:
        for number, (what, value) in enumerate(lasts.items()):
            Broker.probe.produce([{"topic": pipeline.input, "partition": 0, "value": value}])
            pipeline.reaches(number + 1)
        process.stop()
    equals(pipeline.out(), [])


def the_mark_of_a_transaction_leaves_no_lag():
    pipeline = Pipeline()
    with pipeline.start() as process:
        pipeline.shared(1)
        Broker.probe.produce([{"topic": pipeline.input, "partition": 0, "value": '{"n": 0}'}, {"do": "commit"}],
                             transactional="others-" + pipeline.name)
        pipeline.reaches(Broker.probe.watermarks(pipeline.input)[0][1])
        process.stop()
    equals(pipeline.out(), [0])


def what_others_have_aborted_is_not_read():
    pipeline = Pipeline()
    records = [{"topic": pipeline.input, "partition": 0, "value": json.dumps({"n": n})} for n in range(6)]
    Broker.probe.produce([*records[:3], {"do": "flush"}, {"do": "abort"}, *records[3:], {"do": "commit"}],
                         transactional="others-" + pipeline.name)
    pipeline.run("--until-end")
    equals((pipeline.out(), pipeline.position()), ([3, 4, 5], 8))


def topics_that_meet_go_by_time():
    """Also after a start at which one of them has nothing to read."""
    other, pipeline = Pipeline(), Pipeline()
    pipeline.write(text=MEETING, b=other.input)
    now = int(time.time() * 1000)
    Broker.probe.produce([{"topic": (pipeline.input, other.input)[n // 3 % 2], "partition": 0, "timestamp": now + n,
                           "value": json.dumps({"n": n})} for n in range(20)])
    pipeline.run("--until-end")
    equals(pipeline.written(), list(range(20)))
    pipeline.put(20, 25)
    with pipeline.start() as process:
        pipeline.has(range(25))
        process.stop()


def nothing_is_committed_where_nothing_comes(guarantee):
    """Forty times it would have been due."""
    pipeline = Pipeline(guarantee=guarantee, checkpoint="{interval: 50ms}")
    pipeline.put(0, 5)
    with pipeline.start("--json") as process:
        pipeline.has(range(5))
        pipeline.reaches(5)
        time.sleep(2)
        summary = json.loads(process.stop().splitlines()[-1])
    # One of where it begins, one for each message, and the last.
    assert 1 <= summary["checkpoints"] <= 7, summary


def readers_see_an_epoch_when_it_is_committed():
    pipeline = Pipeline(guarantee="exactly-once")
    pipeline.put(0, 5)
    with pipeline.start("--checkpoint", NEVER) as process:
        pipeline.has(range(5), uncommitted=True)
        equals((pipeline.out(), pipeline.position()), ([], None))
        process.stop()
    pipeline.holds(range(5))
    equals(pipeline.position(), 5)


def the_next_start_ends_the_transaction_of_a_crash():
    """Long before it would time out, and readers do not wait for it."""
    pipeline = Pipeline(guarantee="exactly-once", kafka=QUICK + ", transaction.timeout.ms: 900000")
    pipeline.put(0, 5)
    with pipeline.start("--checkpoint", "10m") as process:
        pipeline.has(range(5), uncommitted=True)
        process.kill()
    equals(pipeline.position(), None)
    with pipeline.start() as process:
        pipeline.has(range(5))
        process.stop()
    pipeline.holds(range(5))
    equals(sorted(pipeline.out(uncommitted=True)), sorted([*range(5), *range(5)]))


def who_is_fenced_goes_on_with_a_producer_of_its_own():
    """Another process bears the same name, again and again: at last under another one."""
    pipeline = Pipeline(guarantee="exactly-once")
    pipeline.put(0, 5)
    with pipeline.start() as process:
        pipeline.has(range(5))
        for turn in range(1, 4):
            Broker.probe.produce([{"topic": pipeline.input, "value": '{"n": 100}'}, {"do": "abort"}],
                                 transactional="%s.%s.0" % (pipeline.name, socket.gethostname()))
            pipeline.put(5 * turn, 5 * turn + 5)
            pipeline.has(range(5 * turn + 5))
        said = process.stop()
        equals((said.count("the producer is made anew"), said.count("; goes on as '%s." % pipeline.name)), (2, 1))
    pipeline.holds(range(20))


CASES = [dropped_records_move_the_position, the_mark_of_a_transaction_leaves_no_lag,
         *under_each_guarantee(nothing_is_committed_where_nothing_comes),
         what_others_have_aborted_is_not_read, topics_that_meet_go_by_time, readers_see_an_epoch_when_it_is_committed,
         the_next_start_ends_the_transaction_of_a_crash, who_is_fenced_goes_on_with_a_producer_of_its_own]
