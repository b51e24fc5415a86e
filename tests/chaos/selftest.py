# SPDX-License-Identifier: MIT
"""That a run with fake.py finds the fault that fake.py makes, and none where it makes none.

Runs with the Python of the reference, on brokers of its own.
"""
import contextlib
import io
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import main  # noqa: E402
import portion  # noqa: E402
import records  # noqa: E402
from cases import Cases, contains, equals  # noqa: E402
from portion import cluster  # noqa: E402

cases = Cases()
CLEAN = "0 lost, 0 twice, 0 unknown, 0 misplaced, 0 disordered"


def chaos(faults, *more):
    """(number of faults found, what was printed) of a run of fake.py with one broker."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        found = main.main(["--nodes", "1", "--replicas", "1", "--rate", "1500", "--distance", "0.5", "--quiet", "1",
                           "--command", f"{sys.executable} {HERE}/fake.py {faults}", *more])
    return found, said.getvalue()


@cases.case
def work_that_is_right_has_no_faults_though_it_is_killed():
    found, said = chaos("", "--events", "4", "--kinds", "kill", "terminate")
    equals(found, 0)
    contains(said, "event kill: 2, ")
    for output in records.OUTPUTS:
        contains(said, f"{output}: {CLEAN}")


@cases.case
def every_fault_is_found_where_it_is_and_nowhere_else():
    found, said = chaos("lose repeat reorder misplace invent", "--events", "0")
    contains(said, "copies: 1 lost, 1 twice, 1 unknown, 1 misplaced, 1 disordered")
    equals(found, 5)
    for output in set(records.OUTPUTS) - {"copies"}:
        contains(said, f"{output}: {CLEAN}")


@cases.case
def at_least_once_allows_repetition_and_nothing_else():
    found, said = chaos("repeat lose", "--events", "0", "--guarantee", "at-least-once")
    contains(said, "copies: 1 lost, 1 twice, ")
    equals(found, 1)


@cases.case
def a_file_that_is_not_published_is_found():
    found, said = chaos("part", "--events", "0")
    contains(said, "is no published file")
    equals(found, 1)


@cases.case
def what_breaks_off_is_a_fault_and_the_next_portion_runs():
    def break_off(_world, _chance):
        broken.append(1)
        if len(broken) == 1:
            raise RuntimeError("the roof fell in")

    broken, kill = [], portion.events.KINDS["kill"]
    portion.events.KINDS["kill"] = break_off
    try:
        found, said = chaos("", "--events", "3", "--portion", "2", "--kinds", "kill", "--seed", "7")
    finally:
        portion.events.KINDS["kill"] = kill
    equals(found, 1)
    contains(said, "FAILED it broke off:")
    contains(said, "the roof fell in")
    contains(said, "---- portion 2 of 2, exactly-once")
    contains(said, "event kill: 1, 1 of them while records flowed")
    contains(said, "seed 7, 1 of 3 events, exactly-once: 1 faults")


def finish():
    try:
        cluster.fetched()
    except cluster.cache.Unavailable as why:
        print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
        return
    cases.finish()


if __name__ == "__main__":
    finish()
