# SPDX-License-Identifier: MIT
"""What portions have shown: each by itself, and all of them so far as a table."""
import collections

import audit
import records

EXAMPLES = 5  # findings of one kind that are shown
COLUMNS = ("portion", "seed", "events", "flowing", "records", *audit.KINDS, "own ends", "faults", "seconds")


class Report:
    """One portion. It is filled while the portion runs, so that what breaks it off leaves the rest.

    happened: {kind: [whether records were flowing when the event began, ...]}
    found: findings of the audit, also those that the guarantee allows
    own_ends: [(replica, status), ...] of replicas that nobody had told to end
    faults: findings that the guarantee forbids, and complaints as texts"""

    def __init__(self, seed):
        self.seed, self.records, self.seconds = seed, 0, 0
        self.happened = collections.defaultdict(list)
        self.found, self.own_ends, self.faults = [], [], []

    def events(self):
        return sum(map(len, self.happened.values()))

    def flowing(self):
        return sum(map(sum, self.happened.values()))

    def numbers(self):
        """In the order of the COLUMNS from `events` on."""
        kinds = collections.Counter(finding.kind for finding in self.found)
        return (self.events(), self.flowing(), self.records, *(kinds[kind] for kind in audit.KINDS),
                len(self.own_ends), len(self.faults), round(self.seconds))


def happened_lines(reports):
    """Of the events of all these portions."""
    total = collections.defaultdict(list)
    for report in reports:
        for kind, flowing in report.happened.items():
            total[kind] += flowing
    return [f"event {kind}: {len(flowing)}, {sum(flowing)} of them while records flowed"
            for kind, flowing in sorted(total.items())]


def finding_lines(found):
    groups = collections.defaultdict(list)
    for finding in found:
        groups[finding.output, finding.kind].append(finding)
    for output in records.OUTPUTS:
        yield f"{output}: " + ", ".join(f"{len(groups[output, kind])} {kind}" for kind in audit.KINDS)
        for kind in audit.KINDS:
            for finding in groups[output, kind][:EXAMPLES]:
                yield f"    {kind}: {finding.id} {finding.detail}".rstrip()


def portion_lines(report):
    yield f"{report.records} records"
    yield from happened_lines([report])
    for (number, status), times in sorted(collections.Counter(report.own_ends).items()):
        yield f"replica {number} ended by itself with status {status}: {times} times"
    yield from finding_lines(report.found)
    for fault in report.faults:
        if isinstance(fault, str):
            yield "FAILED " + fault


def summary_lines(reports):
    """A row for each portion and their sum, then the events of each kind."""
    rows = [(number, report.seed, *report.numbers()) for number, report in enumerate(reports, 1)]
    sums = [sum(column) for column in zip(*(report.numbers() for report in reports))]
    table = [COLUMNS, *rows, ("all", "", *sums)]
    widths = [max(len(str(row[column])) for row in table) for column in range(len(COLUMNS))]
    lines = ["  ".join(str(cell).rjust(width) for cell, width in zip(row, widths)) for row in table]
    return lines + happened_lines(reports)
