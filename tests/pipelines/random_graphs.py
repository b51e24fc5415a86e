#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes graphs at random and compares what they write with a model that runs record by record.

    random_graphs.py WEIR [COUNT [SEED]]

The model (model.py) is the definition: a record is finished, depth first, before the next one. The
program runs whole batches and must show the same order, at every batch size.
"""
import os
import random
import sys
import tempfile

import run
from model import Record, Stream, record_line, tag

# (text of a step, function from a value to a list of values); values are lists that begin with an int
STEPS = [
    ("filter: $value[0] % {n} != {m}", lambda v, n, m: [v] if v[0] % n != m else []),
    ("set: {{$value: '$value + [{n}]'}}", lambda v, n, m: [v + [n]]),
    ("set: {{$value: '[$value[0] + {m}] + $value[1:]'}}", lambda v, n, m: [[v[0] + m] + v[1:]]),
    ("flat_map: '[$value, $value + [{m}]]'", lambda v, n, m: [v, v + [m]]),
    ("flat_map: '([[], [$value], [$value, $value + [-1]]])[$value[0] % 3]'",
     lambda v, n, m: [[], [v], [v, v + [-1]]][v[0] % 3]),
]

# Outputs of a step of the plugin scatter.c for what a record's first item is, modulo their number, in
# the order in which it emits.
PATTERNS = ("ba", "c", "", "bcba", "acab")


def scatter(record):
    pattern = PATTERNS[record.value[0] % len(PATTERNS)]
    return [[record] * pattern.count(output) for output in "abc"]


# The end "?": x where a record's last item is even, else y.
CHOICE = """      - topic: {expr: "if $value[-1] % 2 == 0 then 'x' else 'y'", among: [x, y]}"""


class Graph:
    """A pipeline's text, and the same as streams of the model."""

    def __init__(self, rng, index):
        self.written = {"x": [], "y": []}
        self.text = [f"pipeline: random-{index}", "log: local:weir-data",
                     "plugins: ['${WEIR_TEST_PLUGINS}/scatter.so', '${WEIR_TEST_PLUGINS}/tag.so']",
                     "topics:",
                     "  input: {value: json}", "  x: {value: json}", "  y: {value: json}", "streams:",
                     "  feed:", "    from: {file: {path: input.jsonl, content: record}}",
                     "    to: {topic: input}"]
        self.streams = []
        self.outputs = []  # what may be read: name, stream, number of the output
        self.together = []  # the outputs of each step with several
        count = rng.randint(2, 9)
        for i in range(count):
            self.add_stream(rng, i, is_last=i == count - 1)
        for topic in "xy":  # one that nobody writes is never made
            if f"      - topic: {topic}" not in self.text and CHOICE not in self.text:
                self.text.remove(f"  {topic}: {{value: json}}")

    def add_stream(self, rng, i, is_last):
        parents = []
        if i > 0:
            width = rng.choice([1, 1, 1, 2, 2, 3])
            outputs = self.outputs
            if self.together and rng.random() < 0.3:
                outputs = rng.choice(self.together)
            parents = rng.sample(outputs, min(width, len(outputs)))
        steps = [self.make_step(rng) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        ports = []
        while i > 0 and rng.random() < 0.3:
            at = rng.randint(0, len(steps))
            steps.insert(at, self.make_tag(rng, ports, at))
        ends = [rng.choice(("x", "x", "y", "?")) for _ in range(rng.choice([0, 1, 1, 2]))]
        split = None
        if is_last and not ends:
            ends = ["x"]
        elif not is_last and rng.random() < 0.4:
            split, ends = self.make_split(rng), []
        names = ", ".join(name for name, _, _ in parents)
        self.text += [f"  s{i}:", f"    from: {'[' + names + ']' if parents else '{topic: input}'}"]
        if steps or split:
            texts = [step[0] for step in steps + ([split] if split else [])]
            self.text += ["    steps:"] + [f"      - {text}" for text in texts]
        if ends:
            self.text += ["    to:"] + [CHOICE if end == "?" else f"      - topic: {end}" for end in ends]
        stream = Stream([(parent, output) for _, parent, output in parents],
                        [step for _, step in steps], [self.make_end(end) for end in ends],
                        split=split[1] if split else None, outputs=3 if split else 1, ports=ports)
        self.streams.append(stream)
        if split:
            self.together.append([(f"s{i}.{name}", stream, n) for n, name in enumerate(split[2])])
            self.outputs += self.together[-1]
        else:
            self.outputs.append((f"s{i}", stream, 0))

    def make_split(self, rng):
        """Text of a step with three outputs, its function, its outputs."""
        if rng.random() < 0.5:
            return "scatter", scatter, ("a", "b", "c")
        n, m = rng.randint(2, 4), rng.randint(0, 2)

        def route(record):
            length, last = len(record.value), record.value[-1]
            chosen = 0 if length % n == 0 else 1 if last % 3 == m else 2
            return [[record] if output == chosen else [] for output in range(3)]
        text = f"{{a: 'length($value) % {n} == 0', b: '$value[-1] % 3 == {m}'}}"
        return f"route: {text}", route, ("a", "b", "unmatched")

    def make_tag(self, rng, ports, at):
        """A step with several inputs, which stands in front of step `at`. Adds what it reads."""
        right = rng.choice([None] + self.outputs)
        more = rng.sample(self.outputs, rng.randint(0, min(2, len(self.outputs))))
        reads = [(1, right)] if right else []
        reads += [(2, output) for output in more]
        ports[:] = sorted([(step + (step >= at), port, read) for step, port, read in ports]
                          + [(at, port, (stream, output)) for port, (_, stream, output) in reads],
                          key=lambda port: port[:2])
        options = [f"right: {right[0]}"] if right else []
        options += [f"more: [{', '.join(name for name, _, _ in more)}]"] if more else []
        return "tag: {" + ", ".join(options) + "}" if options else "tag", tag

    def make_step(self, rng):
        text, function = rng.choice(STEPS)
        n, m = rng.randint(2, 4), rng.randint(0, 3)

        def step(record, _):
            return [record.with_value(value) for value in function(record.value, n, m)]
        return text.format(n=n, m=m), step

    def make_end(self, topic):
        def end(record):
            name = "xy"[record.value[-1] % 2] if topic == "?" else topic
            self.written[name].append(
                record_line(name, 0, record.timestamp, record.key, record.value))
        return end

    def expected(self, count):
        for i in range(count):
            self.streams[0].push(Record(None, [i], i))
        return self.written["x"] + self.written["y"]


def compare(weir, graph, count):
    """None, or what is wrong."""
    lines = graph.expected(count)
    if len(lines) > 20000:
        return None
    with tempfile.TemporaryDirectory(prefix="weir-random-") as case:
        with open(os.path.join(case, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write("\n".join(graph.text) + "\n")
        with open(os.path.join(case, "input.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(f'{{"timestamp":{i},"value":[{i}]}}\n' for i in range(count))
        with open(os.path.join(case, "expected.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return run.run_case(weir, case)


def failures(weir, count, seed):
    """How many of `count` graphs, from this seed on, come out wrong; prints each."""
    wrong = 0
    for i in range(seed, seed + count):
        graph = Graph(random.Random(i), i)
        fault = compare(weir, graph, count=30)
        if fault:
            wrong += 1
            text = "\n    ".join(graph.text)
            print(f"FAIL random graph {i}: {fault}\n    {text}", file=sys.stderr)
    return wrong


def main():
    if len(sys.argv) < 2:
        sys.exit("random_graphs.py WEIR [COUNT [SEED]]")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wrong = failures(os.path.abspath(sys.argv[1]), count, seed)
    print(f"{count - wrong} passed, {wrong} failed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
