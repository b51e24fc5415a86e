# SPDX-License-Identifier: MIT
"""A process that is alive and does nothing says why, where that is a fault, and says no such thing where it is
none. The patience is shorter than users have it, so that nobody has to wait for half a minute."""
import json
import time

from cases import contains, equals
from fixture import Broker, Pipeline, until

IMPATIENT = {"WEIR_TEST_STALL_MS": "2000"}
# Where nothing may be told: longer than a busy broker may take for an answer, and short enough to be waited for.
PATIENT_SECONDS = 10
PATIENT = {"WEIR_TEST_STALL_MS": "%d" % (PATIENT_SECONDS * 1000)}


def lacks(text, part):
    assert part not in text, "%r is in: %s" % (part, text)


def a_transaction_that_others_leave_open_is_named_until_it_ends():
    """What lies behind it cannot be read before it is committed, by nobody."""
    pipeline = Pipeline(2)
    pipeline.put(0, 5)
    other = Broker.probe.producer("other-" + pipeline.name)
    try:
        for n in (5, 6):
            other.stdin.write('{"topic": "%s", "partition": 0, "value": "{\\"n\\":%d}"}\n' % (pipeline.input, n))
        other.stdin.write('{"do": "flush"}\n')
        until(lambda: Broker.probe.watermarks(pipeline.input)[0] == (0, 7), "the open transaction has messages")
        pipeline.put(7, 9)  # and so do these wait, which are in none
        with pipeline.start(env=IMPATIENT) as process:
            pipeline.has(range(5))
            process.says("warning %s: partition 0 has stood still at offset 5 for " % pipeline.input)
            process.says("a transaction that is still open holds back what is there up to offset 8; it comes when ")
            other.stdin.write('{"do": "commit"}\n')
            process.says("info %s: partition 0 goes on, after " % pipeline.input)
            pipeline.has(range(9))
            said = process.stop()
            contains(said, "partition 0 stood still at offset 5 for ")
            lacks(said, "partition 1 ")
    finally:
        other.kill()
        other.communicate()


def the_summary_tells_what_stands_still_at_the_end():
    pipeline = Pipeline()
    other = Broker.probe.producer("other-" + pipeline.name)
    try:
        other.stdin.write('{"topic": "%s", "value": "1"}\n{"do": "flush"}\n' % pipeline.input)
        until(lambda: Broker.probe.watermarks(pipeline.input)[0] == (0, 1), "the open transaction has a message")
        with pipeline.start("--json", env=IMPATIENT) as process:
            process.says("has stood still at offset 0 for ")
            summary = json.loads(process.stop().splitlines()[-1])
    finally:
        other.kill()
        other.communicate()
    stalled, = summary["stalled"]
    assert stalled.pop("seconds") >= 2, stalled
    contains(stalled.pop("reason"), "a transaction that is still open")
    equals(stalled, {"topic": pipeline.input, "partition": 0, "offset": 0, "over": False})


def its_own_transaction_is_no_fault_while_it_may_be_open():
    """Behind the step is a topic of the pipeline's own, of which nothing is committed before the checkpoint."""
    pipeline = Pipeline(2, guarantee="exactly-once", checkpoint="{interval: 12s}", steps="[{set: {key: text(n)}}, {group_by: key}]")
    pipeline.put(0, 5)
    # A busy broker may take its time between the end of a transaction and its messages.
    with pipeline.start(env=PATIENT) as process:
        pipeline.has(range(5))
        pipeline.put(5, 10)
        pipeline.has(range(10))
        lacks(process.stop(), "stood still")


def who_stands_by_says_so_once_and_nothing_is_wrong():
    pipeline = Pipeline()
    pipeline.put(0, 5)
    said = "stands by: other members of the group '%s' have all partitions" % pipeline.name
    with pipeline.start(env=PATIENT) as first, pipeline.start(env=PATIENT) as second:
        pipeline.has(range(5))
        until(lambda: said in first.said() or said in second.said(), lambda: first.said() + second.said())
        idle, busy = (first, second) if said in first.said() else (second, first)
        lacks(busy.said(), "stands by")
        time.sleep(PATIENT_SECONDS + 2)
        busy.stop()
        pipeline.put(5, 10)
        pipeline.has(range(10))
        text = idle.stop()
    for word in ("stood still", "warning"):
        lacks(text, word)
    equals(text.count("stands by"), 1)


CASES = [a_transaction_that_others_leave_open_is_named_until_it_ends, the_summary_tells_what_stands_still_at_the_end,
         its_own_transaction_is_no_fault_while_it_may_be_open, who_stands_by_says_so_once_and_nothing_is_wrong]
