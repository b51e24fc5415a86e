# SPDX-License-Identifier: MIT
"""What became of every record: lost, repeated, at a wrong place, out of order, or made up.

Pure functions. Where records were read, and how, is a matter of read.py; where each has to be is one of
records.py.

A *place* is where a record has to be in one output: the partition, and its position in a sequence. Records of
one sequence must lie in the order of their numbers within each partition.
"""
from collections import Counter, namedtuple

Place = namedtuple("Place", "partition sequence number")  # partition None: any

# kind: lost, twice, unknown, misplaced, disordered; detail: what was seen where it differs
Finding = namedtuple("Finding", "kind output id detail")

KINDS = ("lost", "twice", "unknown", "misplaced", "disordered")


def ids_in(seen):
    """How often each id is there. seen: {partition: [id, ...]} in the order of the partition."""
    return Counter(one for ids in seen.values() for one in ids)


def lost(expected, seen):
    return sorted(expected.keys() - ids_in(seen).keys())


def unknown(expected, seen):
    return sorted(ids_in(seen).keys() - expected.keys())


def twice(seen):
    """Ids that are there more than once, with how often."""
    return sorted((one, times) for one, times in ids_in(seen).items() if times > 1)


def misplaced(expected, seen):
    """Ids in another partition than theirs, with that partition."""
    return sorted((one, partition) for partition, ids in seen.items() for one in set(ids)
                  if one in expected and expected[one].partition not in (None, partition))


def disordered(expected, seen):
    """Ids that come after a later one of their sequence, with that one. What is repeated counts where it is
    first: to do a piece of work again is no disorder, to do it in another order is."""
    found = []
    for ids in seen.values():
        latest = {}
        for one in dict.fromkeys(ids):
            if one not in expected:
                continue
            place = expected[one]
            before = latest.get(place.sequence)
            if before is not None and before[0] > place.number:
                found.append((one, before[1]))
            else:
                latest[place.sequence] = (place.number, one)
    return sorted(found)


def findings(output, expected, seen):
    """All that is wrong with one output. expected: {id: Place}; seen: {partition: [id, ...]}."""
    return ([Finding("lost", output, one, "") for one in lost(expected, seen)]
            + [Finding("twice", output, one, f"{times} times") for one, times in twice(seen)]
            + [Finding("unknown", output, one, "") for one in unknown(expected, seen)]
            + [Finding("misplaced", output, one, f"in partition {partition}, not in {expected[one].partition}")
               for one, partition in misplaced(expected, seen)]
            + [Finding("disordered", output, one, f"after {before}") for one, before in disordered(expected, seen)])


def audit(expected, seen):
    """expected: {output: {id: Place}}, seen: {output: {partition: [id, ...]}}."""
    return [finding for output in sorted(expected.keys() | seen.keys())
            for finding in findings(output, expected.get(output, {}), seen.get(output, {}))]


def faults(found, guarantee):
    """Those that the guarantee forbids: at-least-once allows that records are repeated."""
    return [finding for finding in found if guarantee == "exactly-once" or finding.kind != "twice"]
