# SPDX-License-Identifier: MIT
"""A graph made at random: the text of a pipeline file, and the same as streams of the model.

Values are lists that begin with an int. Every graph has an input topic of its own with PARTITIONS
partitions and writes the topics x and y; all names end with the graph's number, so that one file can hold
many graphs.

Some have a second input, which meets the first somewhere: then the records of both go by time, a partition
number for itself. Some give records another key and write them to z. Each partition of the topic in between
is fed by one partition of the input there, since between those of several there is no order; and what comes
out of it meets nothing, since the input does not wait for what it has itself sent there.
"""
from model import Record, Stream, json_text, partition_of, tag

PARTITIONS = 3
KEYS = 11
NEW_KEYS = ('ann', 'bob', 'jim')  # one for each partition, all at different places, as JSON and as text
PUSHES = 40000  # a graph that makes more of its records is too large to be looked at
PLUGINS = "['${WEIR_TEST_PLUGINS}/scatter.so', '${WEIR_TEST_PLUGINS}/tag.so']"

# (text of a step, function from a value to a list of values)
STEPS = [
    ("filter: $value[0] % {n} != {m}", lambda v, n, m: [v] if v[0] % n != m else []),
    ("set: {{$value: '$value + [{n}]'}}", lambda v, n, m: [v + [n]]),
    ("set: {{$value: '[$value[0] + {m}] + $value[1:]'}}", lambda v, n, m: [[v[0] + m] + v[1:]]),
    ("flat_map: '[$value, $value + [{m}]]'", lambda v, n, m: [v, v + [m]]),
    ("flat_map: '([[], [$value], [$value, $value + [-1]]])[$value[0] % 3]'",
     lambda v, n, m: [[], [v], [v, v + [-1]]][v[0] % 3]),
    ("flat_map: 'map(range(($value[0] + {m}) % 4), $value + [$it])'",
     lambda v, n, m: [v + [i] for i in range((v[0] + m) % 4)]),
]

# Outputs of a step of the plugin scatter.c for what a record's first item is, modulo their number, in
# the order in which it emits.
PATTERNS = ("ba", "c", "", "bcba", "acab")


class TooLarge(Exception):
    """The graph makes too much of its records."""


def scatter(record):
    pattern = PATTERNS[record.value[0] % len(PATTERNS)]
    return [[record] * pattern.count(output) for output in "abc"]


def input_records(count):
    """(key, value, timestamp) of each. Some are late, some of equal time."""
    return [(f"k{i * 7 % KEYS}", [i], i - i * i % 5) for i in range(count)]


def second_records(count):
    """Of the second input: it begins later, pauses, and ends later."""
    return [(f"k{i * 5 % KEYS}", [1000 + i], 30 + i + i // 40 * 25 - i % 3) for i in range(count)]


def by_time(first, second):
    """Pairs of a record and whether it is of the second list: heads are compared, equal ones are the
    first's."""
    merged = []
    while first or second:
        is_second = not first or bool(second) and second[0].timestamp < first[0].timestamp
        merged.append(((second if is_second else first).pop(0), is_second))
    return merged


class Graph:
    def __init__(self, rng, number):
        self.number = number
        self.topics = {name: f"{name}{number}" for name in ("x", "y", "z")}
        self.written = {}  # (topic, partition) to lines
        self.pushes = 0
        self.streams = []
        self.stream_text = [
            f"  feed{number}:",
            "    from: {file: {path: input.jsonl, content: record}}",
            f"    to: {{topic: input{number}}}"]
        self.has_second = rng.random() < 0.4
        if self.has_second:
            self.stream_text += [
                f"  feed_second{number}:",
                "    from: {file: {path: second.jsonl, content: record}}",
                f"    to: {{topic: input_second{number}}}"]
        self.roots = {}  # by id of a stream: the inputs that its records are from
        self.second = None
        self.regrouped = {}  # by partition of the topic in between
        self.outputs = []  # what may be read: name, stream, number of the output
        self.together = []  # the outputs of each step with several
        self.step_count = 0
        count = rng.randint(4, 9)
        for i in range(count):
            self.add_stream(rng, i, is_last=i == count - 1)
        self.make_last = None
        if rng.random() < 0.4:
            self.add_regrouping(rng)
        self.used = [topic for topic in self.topics.values() if self.writer_count(topic) > 0]

    def topic_text(self):
        names = [f"input{self.number}"] + self.used
        names += [f"input_second{self.number}"] if self.has_second else []
        return [f"  {name}: {{key: text, value: json, partitions: {PARTITIONS}}}" for name in names]

    # ---- making --------------------------------------------------------------------------------

    def add_stream(self, rng, i, is_last):
        parents = []
        if i > 0:
            width = rng.choice([1, 1, 1, 2, 2, 3])
            outputs = self.outputs
            if self.together and rng.random() < 0.3:
                outputs = rng.choice(self.together)
            parents = rng.sample(outputs, min(width, len(outputs)))
        is_second = self.has_second and i == 1
        if is_second:
            parents = []
        elif is_last and self.has_second and {0, 1} not in self.roots.values():
            parents = [next(output for output in self.outputs if root in self.roots[id(output[1])])
                       for root in (0, 1)]
        steps = [self.make_step(rng) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
        ports = []
        while i > 0 and rng.random() < 0.2:
            at = rng.randint(0, len(steps))
            steps.insert(at, self.make_tag(rng, ports, at))
        ends = [rng.choice("xxy?") for _ in range(rng.choice([0, 1, 1, 2]))]
        split = None
        if is_last and not ends:
            ends = ["x"]
        elif not is_last and rng.random() < 0.3:
            split, ends = self.make_split(rng), []
        self.write_stream(i, parents, steps + ([split] if split else []), ends, is_second)
        self.step_count += len(steps) + (split is not None)
        stream = Stream([(parent, output) for _, parent, output in parents],
                        [step for _, step in steps], [self.make_end(end) for end in ends],
                        split=split[1] if split else None, outputs=3 if split else 1, ports=ports)
        self.streams.append(stream)
        self.second = stream if is_second else self.second
        self.roots[id(stream)] = set.union(
            {1} if is_second else {0} if i == 0 else set(),
            *(self.roots[id(parent)] for _, parent, _ in parents),
            *(self.roots[id(parent)] for _, _, (parent, _) in ports))
        name = f"g{self.number}s{i}"
        if split:
            self.together.append([(f"{name}.{output}", stream, n)
                                  for n, output in enumerate(split[2])])
            self.outputs += self.together[-1]
        else:
            self.outputs.append((name, stream, 0))

    def add_regrouping(self, rng):
        """A stream that nobody reads, which gives records a key by their partition."""
        name, parent, output = rng.choice(self.outputs)
        before, after = self.make_step(rng), self.make_step(rng)
        self.stream_text += [
            f"  g{self.number}regrouped:", f"    from: {name}", "    steps:", f"      - {before[0]}",
            f"      - group_by: {{key: '({json_text(NEW_KEYS)})[$partition]', name: regrouped}}",
            f"      - {after[0]}", "    to:", f"      - topic: {self.topics['z']}"]

        def keep(record):
            key = NEW_KEYS[record.partition]
            there = partition_of(json_text(key).encode(), PARTITIONS)
            self.regrouped.setdefault(there, []).append(
                Record(key, record.value, record.timestamp, partition=there))
        Stream([(parent, output)], [before[1]], [keep])
        self.make_last = after[1]

    def write_stream(self, i, parents, steps, ends, is_second):
        names = ", ".join(name for name, _, _ in parents)
        topic = f"input_second{self.number}" if is_second else f"input{self.number}"
        reads = f"[{names}]" if parents else f"{{topic: {topic}}}"
        self.stream_text += [f"  g{self.number}s{i}:", f"    from: {reads}"]
        if steps:
            self.stream_text += ["    steps:"] + [f"      - {step[0]}" for step in steps]
        if ends:
            self.stream_text += ["    to:"] + [f"      - topic: {self.end_text(end)}" for end in ends]

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
            self.count_push()
            return [record.with_value(value) for value in function(record.value, n, m)]
        return text.format(n=n, m=m), step

    def end_text(self, name):
        """The end "?" is x where a record's last item is even, else y."""
        if name != "?":
            return self.topics[name]
        x, y = self.topics["x"], self.topics["y"]
        return f"{{expr: \"if $value[-1] % 2 == 0 then '{x}' else '{y}'\", among: [{x}, {y}]}}"

    def make_end(self, name):
        def end(record):
            self.count_push()
            topic = self.topics["xy"[record.value[-1] % 2] if name == "?" else name]
            self.written.setdefault((topic, record.partition), []).append(
                f"{topic}\t{record.partition}\t{record.timestamp}\t{record.key}\t"
                f"{json_text(record.value)}")
        return end

    def count_push(self):
        self.pushes += 1
        if self.pushes > PUSHES:
            raise TooLarge

    # ---- what must come out --------------------------------------------------------------------

    def run(self, count):
        """Fills `written` from that many records of each input. TooLarge where that leads too far."""
        inputs = [[Record(key, value, timestamp, partition=partition_of(key.encode(), PARTITIONS))
                   for key, value, timestamp in made]
                  for made in (input_records(count), second_records(count if self.has_second else 0))]
        for partition in range(PARTITIONS):
            first, second = ([record for record in records if record.partition == partition]
                             for records in inputs)
            for record, is_second in by_time(first, second):
                (self.second if is_second else self.streams[0]).push(record)
        for records in self.regrouped.values():
            for record in records:
                for made in self.make_last(record, 0):
                    self.write_last(made)

    def write_last(self, record):
        there = partition_of(record.key.encode(), PARTITIONS)
        self.written.setdefault((self.topics["z"], there), []).append(
            f"{self.topics['z']}\t{there}\t{record.timestamp}\t{record.key}\t"
            f"{json_text(record.value)}")

    # ---- what kind of graph it is --------------------------------------------------------------

    def node_count(self):
        return self.step_count + sum(len(stream.ends) for stream in self.streams)

    def nested_branch_points(self):
        """Most branch points on one way through the graph."""
        depths = {}

        def depth(stream):
            if id(stream) not in depths:
                below = [0]
                for readers in stream.readers:
                    is_branch = len(readers) + len(stream.ends) > 1 or len(stream.readers) > 1
                    below += [is_branch + depth(reader) for reader, _, _ in readers]
                    below.append(int(is_branch))
                depths[id(stream)] = max(below)
            return depths[id(stream)]
        return depth(self.streams[0])

    def merge_count(self):
        """Streams and steps that several streams come to, and topics with several writers."""
        arrivals = {}
        for stream in self.streams:
            for readers in stream.readers:
                for reader, step, _ in readers:
                    arrivals[id(reader), step] = arrivals.get((id(reader), step), 0) + 1
        shared = sum(self.writer_count(topic) > 1 for topic in self.used)
        return shared + sum(count > 1 for count in arrivals.values())

    def writer_count(self, topic):
        ends = (f"      - topic: {topic}", f"      - topic: {self.end_text('?')}")
        return sum(line in ends for line in self.stream_text)
