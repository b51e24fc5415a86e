#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""That the auditor finds each kind of fault, and nothing where there is none. Takes no server."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import audit  # noqa: E402
import read  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402
from audit import Finding, Place  # noqa: E402
from cases import Cases, equals  # noqa: E402
from folders import temporary_files  # noqa: E402

cases = Cases()
EXPECTED = {"a1": Place(0, "a", 1), "a2": Place(0, "a", 2), "b1": Place(1, "b", 1), "c1": Place(None, "c", 1)}
RIGHT = {0: ["a1", "c1", "a2"], 1: ["b1"]}


def found(seen):
    return [(finding.kind, finding.id) for finding in audit.findings("out", EXPECTED, seen)]


@cases.case
def what_is_right_has_no_findings():
    equals(audit.findings("out", EXPECTED, RIGHT), [])


@cases.case
def a_missing_record_is_lost():
    equals(found({0: ["a1", "c1", "a2"]}), [("lost", "b1")])
    equals(len(found({})), 4)


@cases.case
def a_record_is_found_twice_in_one_partition_and_in_two():
    equals(audit.findings("out", EXPECTED, {0: ["a1", "c1", "a2", "a2"], 1: ["b1"]}),
           [Finding("twice", "out", "a2", "2 times")])
    equals(found({0: ["a1", "c1", "a2"], 1: ["b1", "c1"]}), [("twice", "c1")])


@cases.case
def a_record_that_nobody_sent_is_unknown():
    equals(found({0: ["a1", "x", "c1", "a2"], 1: ["b1"]}), [("unknown", "x")])


@cases.case
def a_record_in_another_partition_is_misplaced():
    equals(audit.findings("out", EXPECTED, {0: ["a1", "c1", "a2", "b1"]}),
           [Finding("misplaced", "out", "b1", "in partition 0, not in 1")])


@cases.case
def the_order_of_a_sequence_counts_within_a_partition():
    equals(audit.findings("out", EXPECTED, {0: ["a2", "c1", "a1"], 1: ["b1"]}),
           [Finding("disordered", "out", "a1", "after a2")])
    order = {"a1": Place(None, "a", 1), "a2": Place(None, "a", 2)}
    equals(audit.findings("out", order, {0: ["a2"], 1: ["a1"]}), [])


@cases.case
def work_done_again_is_no_disorder():
    again = {0: ["a1", "a2", "a1", "a2", "c1"], 1: ["b1"]}
    equals(found(again), [("twice", "a1"), ("twice", "a2")])
    equals(audit.faults(audit.findings("out", EXPECTED, again), "at-least-once"), [])
    equals(len(audit.faults(audit.findings("out", EXPECTED, again), "exactly-once")), 2)


@cases.case
def loss_is_a_fault_under_both_guarantees():
    for guarantee in ("at-least-once", "exactly-once"):
        equals(len(audit.faults(audit.findings("out", EXPECTED, {}), guarantee)), 4)


@cases.case
def an_output_that_is_missing_or_unknown_is_audited():
    equals(audit.audit({"out": {"a1": Place(0, "a", 1)}}, {"other": {0: ["x"]}}),
           [Finding("unknown", "other", "x", ""), Finding("lost", "out", "a1", "")])


@cases.case
def partitions_are_those_of_kafkas_clients():
    # Kafka's own test of murmur2 has these.
    equals([records.murmur2(text) for text in (b"21", b"foobar", b"a-little-bit-long-string", b"abc")],
           [value & 0x7FFFFFFF for value in (-973932308, -790332482, -985981536, 479470107)])


@cases.case
def each_record_has_its_places():
    good, bad = records.record("feed", 1), records.record("left", 7)
    places = records.expected([good, bad])
    equals({output: sorted(ids) for output, ids in places.items()},
           {"feed": [good["id"]], "copies": [good["id"]], "grouped": [good["id"]], "files": [good["id"]],
            "letters": [bad["id"]]})
    equals(places["files"][good["id"]].partition, ("feed", records.partition_of(good["key"])))


@cases.case
def published_files_are_read_in_the_order_of_their_names():
    files = {"left/0/0000000000000000009.jsonl": '{"id":"b"}\n', "left/0/0000000000000000000.jsonl": '{"id":"a"}\n',
             "feed/3/0000000000000000000.jsonl": '{"id":"c"}\n{"id":"d"}\n'}
    with temporary_files(files) as folder:
        equals(read.files(folder), {("left", 0): ["a", "b"], ("feed", 3): ["c", "d"]})


@cases.case
def a_file_that_is_not_published_is_refused():
    for name in ("left/0/0000000000000000000.jsonl.part", "left/0/note.txt"):
        with temporary_files({name: '{"id":"a"}\n'}) as folder:
            try:
                read.files(folder)
            except read.Unfinished as why:
                assert name in str(why), why
            else:
                raise AssertionError("it is not refused")


@cases.case
def a_line_without_its_end_is_refused():
    with temporary_files({"left/0/0000000000000000000.jsonl": '{"id":"a"}'}) as folder:
        try:
            read.files(folder)
        except read.Unfinished as why:
            assert "ends within a line" in str(why), why
        else:
            raise AssertionError("it is not refused")


@cases.case
def keys_and_items_hit_every_partition_from_each_source():
    for source in records.SOURCES:
        values = [records.record(source, number) for number in range(1000)]
        for name in ("key", "item"):
            hit = {records.partition_of(value[name]) for value in values if value["amount"] != 0}
            equals(hit, set(range(records.PARTITIONS)))
    equals({records.partition_of(value["key"]) for value in values if value["amount"] == 0},
           set(range(records.PARTITIONS)))


def reported(seed, happened, found=(), faults=()):
    made = report.Report(seed)
    made.happened.update(happened)
    made.found, made.faults, made.records, made.seconds = list(found), list(faults), 100, 9.6
    return made


@cases.case
def portions_are_added_up():
    lost = Finding("lost", "copies", "a1", "")
    first = reported(4, {"kill": [True, True], "scale": [False]})
    second = reported(5, {"kill": [True]}, found=[lost, Finding("twice", "copies", "b1", "2 times")], faults=[lost])
    lines = [line.split() for line in report.summary_lines([first, second])]
    equals(lines[1], "1 4 3 2 100 0 0 0 0 0 0 0 10".split())
    equals(lines[2], "2 5 1 1 100 1 1 0 0 0 0 1 10".split())
    equals(lines[3], "all 4 3 200 1 1 0 0 0 0 1 20".split())
    equals(report.summary_lines([first, second])[-2:],
           ["event kill: 3, 3 of them while records flowed", "event scale: 1, 0 of them while records flowed"])


@cases.case
def a_portion_tells_what_it_has_found():
    lines = list(report.portion_lines(reported(1, {"kill": [True]}, [Finding("lost", "grouped", "a1", "")],
                                               ["nothing has come out"])))
    for line in ("100 records", "event kill: 1, 1 of them while records flowed", "    lost: a1",
                 "grouped: 1 lost, 0 twice, 0 unknown, 0 misplaced, 0 disordered", "FAILED nothing has come out"):
        assert line in lines, lines


cases.finish()
