#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --explain`: the numbers add up, and what is slow is shown as slow.

usage: run_explain.py WEIR
"""
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, build_plugin, contains, equals, run

weir = os.path.abspath(sys.argv[1])
cases = Cases()
handle = tempfile.TemporaryDirectory()
folder = pathlib.Path(handle.name)

PIPELINE = """
pipeline: p
log: memory
checkpoint: {interval: 1h, records: 100}
plugins: [./slow.so]
topics:
  numbers: {value: json, partitions: 2}
  kept: {value: json}
streams:
  feed:
    from: {file: in.jsonl, key: text(n)}
    to: {topic: numbers}
  work:
    from: {topic: numbers}
    steps:
      - filter: n % 2 == 0
      - slow
      - set: {half: 1000 / (n % 4)}
        on_error: skip
    to:
      - topic: kept
        key: text(n)
      - file: out
"""
RECORDS = 400
PASSED = 200
LEFT = 100


def setup():
    build_plugin(HERE / "plugins/slow.c", folder / "slow.so")
    (folder / "pipeline.yaml").write_text(PIPELINE)
    (folder / "in.jsonl").write_text("".join('{"n": %d}\n' % n for n in range(RECORDS)))


def start(*arguments):
    done = run([weir, "run", "--until-end", "--fresh", *arguments], cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


def explained(*arguments):
    """The object, which is the last line."""
    found = json.loads(start("--explain", "--json", *arguments).splitlines()[-1])
    equals(found["event"], "explain")
    return found


def counts(node):
    return tuple(node["measured"][name] for name in ("in", "out", "dropped", "failed"))


def only(nodes, kind, start=""):
    found = [node for node in nodes if node["kind"] == kind and node.get("step", "").startswith(start)]
    equals(len(found), 1)
    return found[0]


@cases.case
def records_add_up_node_by_node():
    nodes = explained()["nodes"]
    equals(counts(only(nodes, "input")), (RECORDS, RECORDS, 0, 0))
    equals(counts(only(nodes, "step", "filter")), (RECORDS, PASSED, RECORDS - PASSED, 0))
    equals(counts(only(nodes, "step", "slow")), (PASSED, PASSED, 0, 0))
    equals(counts(only(nodes, "step", "set")), (PASSED, LEFT, 0, PASSED - LEFT))
    for end in (node for node in nodes if node["kind"] == "end"):
        equals(counts(end), (LEFT, LEFT, 0, 0))
    write = only(nodes, "write")["measured"]
    equals((write["in"], write["out"]), (LEFT, LEFT))
    assert "measured" not in only(nodes, "branch")


@cases.case
def what_is_slow_is_shown_as_slow():
    found = explained()
    slow = only(found["nodes"], "step", "slow")["measured"]
    assert slow["time"]["ns"] >= PASSED * 100000, slow
    # Of each node, since a worker may stand still anywhere on a busy machine, and that is its time too.
    turns = found["measured"]["workers"]["turns"]["ns"]
    for node in (node["measured"] for node in found["nodes"] if "measured" in node):
        assert abs(node["share"] - node["time"]["ns"] / turns) < 0.001, (node, turns)


@cases.case
def shares_are_parts_of_a_whole():
    for threads in ("1", "2"):
        found = explained("--threads", threads)
        workers = found["measured"]["workers"]
        measured = [node["measured"] for node in found["nodes"] if "measured" in node]
        assert sum(node["share"] for node in measured) <= 1.0001, measured
        parts = sum(node["time"]["ns"] for node in measured)
        parts += workers["read"]["ns"] + workers["append"]["ns"]
        assert parts <= workers["turns"]["ns"], (parts, workers)
        equals(workers["count"], int(threads))
        assert workers["turns"]["ns"] <= found["measured"]["seconds"] * 1e9 * int(threads), found


def laps_in(value):
    """Every measured time in an answer."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return []
    own = [value] if "longest_ns" in value else []
    return own + [lap for inner in value.values() for lap in laps_in(inner)]


@cases.case
def no_call_is_longer_than_the_longest():
    laps = laps_in(explained())
    assert len(laps) > 20, laps
    for lap in laps:
        assert lap["longest_ns"] <= lap["ns"] <= lap["longest_ns"] * lap["calls"], lap


@cases.case
def lanes_are_told():
    measured = explained()["measured"]
    source, = measured["sources"]
    equals((source["label"], source["records"]), ("streams.feed.from (file)", RECORDS))
    for name in ("poll", "position", "encode", "append"):
        assert source[name]["calls"] > 0, name
    sink, = measured["sinks"]
    equals((sink["label"], sink["records"]), ("streams.work.to[1] (file)", LEFT))
    for name in ("write", "flush", "publish"):
        assert sink[name]["calls"] > 0, name
    assert 1 <= sink["highest_fill"] <= 16, sink
    equals(sink["retries"]["calls"], 0)


@cases.case
def checkpoints_are_their_steps():
    checkpoints = explained()["measured"]["checkpoints"]
    assert checkpoints["count"] >= 4, checkpoints
    steps = [checkpoints[name] for name in ("gate", "flush", "commit", "publish")]
    for step in steps:
        equals(step["calls"], checkpoints["count"])
    assert sum(step["ns"] for step in steps) <= checkpoints["whole"]["ns"], checkpoints


@cases.case
def the_text_has_it_beside_the_plan():
    text = start("--explain")
    line, = [line for line in text.splitlines() if line.endswith("work: slow  <- 1")]
    contains(" ".join(line.split()), " %d %d 0 0 2 step work: slow" % (PASSED, PASSED))
    for part in ("a batch of topic numbers", " a record ", "\ntime\n", " workers, busy ",
                 "    write  ", "    queue  ", " checkpoints, "):
        contains(text, part)


@cases.case
def nobody_is_told_who_has_not_asked():
    equals(" a record " in start(), False)
    equals('"explain"' in start("--json"), False)


setup()
cases.finish()
