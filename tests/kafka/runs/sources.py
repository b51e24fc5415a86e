# SPDX-License-Identifier: MIT
"""Sources run in one of the replicas, and go on in another one when that dies."""
import pathlib

from fixture import QUICK, Pipeline, under_each_guarantee, until

# A file that grows fills the input.
FED = """
pipeline: %(name)s
log: kafka://%(bootstrap)s
guarantee: %(guarantee)s
checkpoint: %(checkpoint)s
kafka: {%(kafka)s}
topics: {%(input)s: {value: json}, %(output)s: {value: json}}
streams:
  lines: {from: {file: {path: lines, follow: true, poll: 50ms}}, to: {topic: %(input)s}}
  s: {from: {topic: %(input)s}, to: {topic: %(output)s}}
"""


def grow(pipeline, first, end):
    with open(pathlib.Path(pipeline.folder, "lines"), "a", encoding="utf-8") as lines:
        lines.writelines('{"n": %d}\n' % n for n in range(first, end))


def runs_them(process):
    said = process.said()
    return said.rfind("runs the sources from now on") > said.rfind("runs the sources no more")


def who(processes):
    """Waits until it is one of them alone: the one, then the others."""
    until(lambda: sum(map(runs_them, processes)) == 1, "one process runs the sources")
    return sorted(processes, key=runs_them, reverse=True)


def sources_go_on_where_their_process_died(guarantee):
    """What it has brought since the last commit is brought again, once the brokers have ended its transaction."""
    pipeline = Pipeline(2, guarantee=guarantee, kafka=QUICK + ", transaction.timeout.ms: 5000")
    pipeline.write(text=FED)
    grow(pipeline, 0, 50)
    with pipeline.start() as first, pipeline.start() as second:
        pipeline.shared(1, 1)
        pipeline.has(range(50))
        one, other = who([first, second])
        grow(pipeline, 50, 100)
        pipeline.has(range(100), uncommitted=True)
        one.kill()
        until(lambda: runs_them(other), "the other process runs the sources")
        grow(pipeline, 100, 150)
        pipeline.has(range(150))
        other.stop()
    if guarantee == "exactly-once":
        pipeline.holds(range(150))


def sources_are_handed_over_at_a_stop(guarantee):
    """With their position: nothing is done again."""
    pipeline = Pipeline(2, guarantee=guarantee)
    pipeline.write(text=FED)
    grow(pipeline, 0, 50)
    with pipeline.start() as first, pipeline.start() as second:
        pipeline.shared(1, 1)
        pipeline.has(range(50))
        one, other = who([first, second])
        one.stop()
        until(lambda: runs_them(other), "the other process runs the sources")
        grow(pipeline, 50, 100)
        pipeline.has(range(100))
        other.stop()
    pipeline.holds(range(100))


CASES = under_each_guarantee(sources_go_on_where_their_process_died, sources_are_handed_over_at_a_stop)
