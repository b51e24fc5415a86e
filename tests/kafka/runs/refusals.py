# SPDX-License-Identifier: MIT
"""Messages that a topic does not take: what is the record's own fault meets its on_error, known beforehand or
found out when the broker has refused a batch; what is wrong with the topic ends the run with its name."""
import json
import time

from cases import contains, equals, until
from fixture import Broker, Pipeline, under_each_guarantee
from probe import ProbeError

HOUR_MS = 3600 * 1000
WITHOUT_KEY = (150, 151, 190)

PIPELINE = """
pipeline: %(name)s
log: kafka://%(bootstrap)s
guarantee: %(guarantee)s
checkpoint: %(checkpoint)s
kafka: {topic.metadata.propagation.max.ms: 500, topic.metadata.refresh.interval.ms: 500}
%(top)s
topics:
  %(input)s: {key: text, value: json}
  %(output)s: {key: text, value: json}
  %(name)s-letters: {value: json}
streams: {s: {from: {topic: %(input)s}, to: {topic: %(output)s}}}
"""

# What is read besides, by the names that the brokers refresh every five minutes.
BESIDE = """
pipeline: %(name)s
log: kafka://%(bootstrap)s
guarantee: %(guarantee)s
checkpoint: %(checkpoint)s
kafka: {request_timeout: 15s}
topics: {%(input)s: {value: json}, %(beside)s: {value: json}, %(output)s: {value: json}}
streams:
  s: {from: {topic: %(input)s}, to: {topic: %(output)s}}
  beside: {from: {topic: %(beside)s}, to: {topic: %(output)s}}
"""


def pipeline_to(guarantee, on_error="dead_letter", settings=None):
    """settings: of the output"""
    pipeline = Pipeline(guarantee=guarantee, settings=settings)
    letters = "dead_letters: {topic: %s-letters}" % pipeline.name if on_error == "dead_letter" else ""
    pipeline.write(text=PIPELINE, top="on_error: %s\n%s" % (on_error, letters))
    Broker.probe.create(pipeline.name + "-letters", 1)
    return pipeline


def put(pipeline, numbers, **more):
    Broker.probe.produce([{"topic": pipeline.input, "value": json.dumps({"n": n}), **more} for n in numbers])


def letters_of(pipeline):
    return [record["value"] for record in Broker.probe.consume(pipeline.name + "-letters")]


def compact(pipeline):
    """Behind the back of a run. Returns when the broker, which takes its time, refuses messages without a key."""
    Broker.probe.alter(pipeline.output, {"cleanup.policy": "compact"})

    def is_refused():
        try:
            Broker.probe.produce([{"topic": pipeline.output, "value": '{"n": -1}'}])
        except ProbeError:
            return True
        return False

    until(is_refused)


def has_written(pipeline, guarantee, good):
    """Each of them, and nothing else; under exactly-once each once."""
    numbers = [n for n in pipeline.out() if n >= 0]
    equals(sorted(set(numbers)), sorted(good))
    assert guarantee == "at-least-once" or len(numbers) == len(good), numbers


def times_that_are_too_old_are_known_beforehand(guarantee):
    pipeline = pipeline_to(guarantee, settings={"message.timestamp.before.max.ms": HOUR_MS})
    now = int(time.time() * 1000)
    put(pipeline, range(10), timestamp=now)
    put(pipeline, range(10, 15), timestamp=now - 2 * HOUR_MS)
    put(pipeline, range(15, 20), timestamp=now)
    with pipeline.start() as process:
        pipeline.has([19])
        said = process.stop()
    has_written(pipeline, guarantee, [*range(10), *range(15, 20)])
    contains(said, "the time %d of a message is older than topic '%s' takes" % (now - 2 * HOUR_MS, pipeline.output))
    contains(said, "5 dead-lettered")
    equals(len(letters_of(pipeline)), 5)
    assert "dropped and done again" not in said, said


def what_is_refused_in_a_batch_is_found(guarantee):
    pipeline = pipeline_to(guarantee)
    put(pipeline, range(10), key="a")
    with pipeline.start() as process:
        pipeline.has(range(10))
        compact(pipeline)
        Broker.probe.produce([{"topic": pipeline.input, "value": json.dumps({"n": n}),
                               **({} if n in WITHOUT_KEY else {"key": "a%d" % n})} for n in range(100, 200)])
        pipeline.has([199])
        said = process.stop()
    has_written(pipeline, guarantee, [*range(10), *(n for n in range(100, 200) if n not in WITHOUT_KEY)])
    contains(said, "topic '%s' refuses the message" % pipeline.output)
    equals(len(set(letters_of(pipeline))), len(WITHOUT_KEY))
    contains(said, "is dropped and done again")
    contains(said, "%s: 110 records in, 107 out, 3 failed" % pipeline.name)  # however often it was done again
    contains(said, "3 dead-lettered")


def what_is_refused_ends_the_run_with_fail(guarantee):
    pipeline = pipeline_to(guarantee, on_error="fail")
    put(pipeline, range(10), key="a")
    with pipeline.start() as process:
        pipeline.has(range(10))
        compact(pipeline)
        put(pipeline, [100])
        said = process.ends(1)
    contains(said, "%s[0]@10" % pipeline.input)
    contains(said, "topic '%s' refuses the message" % pipeline.output)


def small_messages_do_not_make_a_batch_that_is_too_large(guarantee):
    pipeline = pipeline_to(guarantee, settings={"max.message.bytes": 5000})
    put(pipeline, range(2000), key="k")
    with pipeline.start() as process:
        pipeline.has([1999])
        said = process.stop()
    has_written(pipeline, guarantee, range(2000))
    assert "done again" not in said, said


def a_topic_that_is_deleted_ends_the_run(guarantee):
    pipeline = pipeline_to(guarantee)
    put(pipeline, range(10))
    with pipeline.start() as process:
        pipeline.has(range(10))
        Broker.probe.delete(pipeline.output)
        put(pipeline, range(10, 20))
        said = process.ends((1, 75))
    contains(said, pipeline.output)
    contains(said, "the topic was there at the start")


def a_topic_that_is_read_and_deleted_ends_the_run(guarantee):
    """Where others are read too; its position is a part of each commit."""
    pipeline, other = Pipeline(guarantee=guarantee), Pipeline()
    pipeline.write(text=BESIDE, beside=other.input)
    pipeline.put(0, 3)
    with pipeline.start() as process:
        pipeline.has(range(3))
        Broker.probe.delete(pipeline.input)
        other.put(3, 6)
        said = process.ends(1)
    contains(said, "could not commit the positions of the group '%s': the topic '%s' is gone; it was there at the start"
             % (pipeline.name, pipeline.input))
    if guarantee == "exactly-once":
        pipeline.holds(range(3))


CASES = under_each_guarantee(times_that_are_too_old_are_known_beforehand, what_is_refused_in_a_batch_is_found,
                             what_is_refused_ends_the_run_with_fail,
                             small_messages_do_not_make_a_batch_that_is_too_large,
                             a_topic_that_is_deleted_ends_the_run,
                             a_topic_that_is_read_and_deleted_ends_the_run)
