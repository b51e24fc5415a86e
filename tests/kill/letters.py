# SPDX-License-Identifier: MIT
"""Records that fail, under `on_error: dead_letter`: which id fails where, and what must be there at the end.

Every place that an id fails at must have one letter about it, and every output that it does not fail on its
way to must have it once. That is known beforehand, without any run. Beside it, letters must be those of an
undisturbed run, but for the time when they were made and for the order of those of different partitions; and
the other topics and files must be its own byte for byte, without the raw messages, whose times are a clock's.
"""
import collections
import json
import os
import re
import subprocess

from trial import FLIGHTS, HERE, SECONDS, Scenario

ENDS = {"topic": "{topic: letters}", "file": '{file: {path: "${OUT}/letters", roll_size: 256KiB}}'}
TOPICS = ("flights", "hours", "numbers", "raws")
RAW_FIRST, RAW_COUNT = 1000000, 4000

# Of 25 records: the one at which a line, a time, ... is wrong; one is wrong for two branches.
LINE, TIME, DELAY, NUMBER, CELL, DELAY_AND_NUMBER = 1, 4, 7, 10, 13, 16
# Of 5 raw messages the one that is no JSON.
RAW = 2

READ, TOLD, DECODED = "streams.feed.from (file)", "topics.flights.event_time", "topics.raw.value (json)"
SET, ENCODED, REJECTED = ("streams.hours.steps[0] (set)", "streams.numbers.to (topic numbers)",
                          "streams.tables.to (file)")
# Of a branch: its output, and the place where those of some kinds fail.
BRANCHES = (("hours", SET, (DELAY, DELAY_AND_NUMBER)), ("numbers", ENCODED, (NUMBER, DELAY_AND_NUMBER)),
            ("tables", REJECTED, (CELL,)))


def line_of(number, flight):
    """Line of the input with that id."""
    kind = number % 25
    record = dict(json.loads(flight), id=number, number=number, cell=f"c{number}")
    if kind == TIME:
        record["ts"] = "soon"
    if kind in (DELAY, DELAY_AND_NUMBER):
        record["delay"] = "late"
    if kind in (NUMBER, DELAY_AND_NUMBER):
        record["number"] = str(number)
    if kind == CELL:
        record["cell"] = "none"
    line = json.dumps({"timestamp": 1000000 + number, "key": record["origin"], "value": record})
    return line[:-1] if kind == LINE else line


def raw_line(number):
    return json.dumps({"id": number})[:-1 if number % 5 == RAW else None]


def expected():
    """Of each output its ids, and of each place of failure the ids that failed there."""
    there = collections.defaultdict(list)
    with open(FLIGHTS, encoding="utf-8") as flights:
        count = sum(1 for _ in flights)
    for number in range(count):
        kind = number % 25
        if kind == LINE:
            there[READ].append(number)
            continue
        there["flights"].append(number)
        if kind == TIME:
            there[TOLD].append(number)
            continue
        for output, place, kinds in BRANCHES:
            there[place if kind in kinds else output].append(number)
    for number in range(RAW_FIRST, RAW_FIRST + RAW_COUNT):
        there[DECODED if number % 5 == RAW else "raws"].append(number)
    return there


def id_of_letter(letter):
    """From the bytes that came in, which may be no JSON; else from the record."""
    if letter["message"] is None:
        return letter["record"]["value"]["id"]
    return int(re.search(r'"id": (\d+)', letter["message"]["value"])[1])


def id_of_value(value):
    return value if isinstance(value, int) else value["id"]


def timeless(letter):
    """Without the times that a clock gave: of the letter, and of a raw message."""
    letter = {name: part for name, part in letter.items() if name != "time"}
    if letter["place"] == DECODED:
        letter["message"] = dict(letter["message"], timestamp=None)
    return json.dumps(letter)


class LettersScenario(Scenario):
    """end: of the dead letters."""

    def __init__(self, end, by_partition=False):
        self.end = end
        with open(os.path.join(HERE, "letters.yaml"), encoding="utf-8") as file:
            text = file.read() + f"dead_letters: {ENDS[end]}\n"
        topics = TOPICS
        if end == "topic":
            text = text.replace("topics:\n", "topics:\n  letters: {partitions: 4}\n", 1)
            topics += ("letters",)
        super().__init__(text, topics, "hours", 25000, by_partition)
        self.expected = expected()

    def prepare(self, trial):
        with open(FLIGHTS, encoding="utf-8") as flights, \
                open(trial.input, "w", encoding="utf-8") as file:
            file.writelines(line_of(number, flight) + "\n" for number, flight in enumerate(flights))
        lines = "".join(raw_line(RAW_FIRST + i) + "\n" for i in range(RAW_COUNT))
        done = subprocess.run(
            [trial.weir, "topic", "put", "raw", "--raw", "--create", "4", "--log",
             f"local:{trial.folder}/log"], input=lines, text=True, capture_output=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, done.stderr

    def letters(self, outputs):
        """As they lie there, one by one."""
        topics, files = outputs
        if self.end == "topic":
            return [json.loads(line)["value"] for line in topics["letters"].splitlines()]
        lines = b"".join(bytes for name, bytes in files.items() if name.startswith("letters/"))
        return [json.loads(line) for line in lines.splitlines()]

    def found(self, outputs):
        """What `expected` says, as it is."""
        there = collections.defaultdict(list)
        for name in TOPICS:
            there[name] = [id_of_value(json.loads(line)["value"]) for line in outputs[0][name].splitlines()]
        for name, content in outputs[1].items():
            if name.startswith("tables/"):
                there["tables"] += [int(row.split(b",")[0]) for row in content.splitlines()[1:]]
        for letter in self.letters(outputs):
            there[letter["place"]].append(id_of_letter(letter))
        return there

    def faults(self, outputs):
        broken = [f"topic {name}: {text}" for name, text in outputs[0].items() if text.startswith("status")]
        if broken:
            return broken
        found, faults = self.found(outputs), []
        for name in sorted(set(self.expected) | set(found)):
            want, got = collections.Counter(self.expected[name]), collections.Counter(found[name])
            missing, extra = list((want - got).elements()), list((got - want).elements())
            if missing or extra:
                faults.append(f"{name}: {len(missing)} missing {missing[:5]}, {len(extra)} too many {extra[:5]}")
        return faults

    def comparable(self, outputs):
        topics, files = outputs
        kept = {name: text for name, text in topics.items() if name not in ("letters", "raws")}
        # A file begins with the names of its columns, wherever a stop has cut it.
        tables = {name: content.partition(b"\n")[2] if name.startswith("tables/") else content
                  for name, content in files.items() if not name.startswith("letters/") or name.endswith(".part")}
        kept["letters"] = "\n".join(sorted(map(timeless, self.letters(outputs))))
        return kept, tables
