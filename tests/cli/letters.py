#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What becomes of a record that fails, at every place and under every on_error; dead letters, and the way
back.

usage: letters.py WEIR
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import SECONDS, Cases, build_plugin, contains, equals

weir = os.path.abspath(sys.argv[1])
cases = Cases()
home = tempfile.TemporaryDirectory()
plugin = os.path.join(home.name, "picky.so")
build_plugin(HERE / "plugins/picky.c", plugin, "-D_GNU_SOURCE", weir=weir)


class Place:
    """One good record and one that fails at one place.

    topics, streams   of the pipeline; ON stands where on_error may be written
    lines             of the source's file; or puts: record lines of topic `input`, raw: bytes of one more
    label, step       of the place
    input             what a letter must hold of the bytes that came in; None: it has no message
    good              what arrives all the same, in `out` (a topic) or out.jsonl
    cut               what the letter says of the bytes that it does not hold
    """

    def __init__(self, label, step, topics, streams, input, lines=None, puts=None, raw=None, record=True,
                 good=1, cut=None):
        self.label, self.step, self.topics, self.streams = label, step, topics, streams
        self.input, self.lines, self.puts, self.raw = input, lines, puts, raw
        self.record, self.good, self.cut = record, good, cut


TO_OUT = "s: {from: {topic: input}, to: {topic: out}}"
FEED = "feed: {from: {file: in.jsonl%s}, to: {topic: input%s}}"
GOOD = '{"value":{"n":1,"t":1}}'
# What the expressions of a generator see.
GENERATED = ('{"n":1,"t":1,"r":0.2191151301314187,"r2":0.7743991716672016,"r3":0.6262666033818561,'
             '"r4":0.24696520214533768}')
PLACES = {
    "a value that cannot be decoded": Place(
        "topics.input.value (json)", "json", "{input: {value: {json: {} ON}}, out: {}}", TO_OUT,
        puts=[GOOD], raw=b"{bad\xff", input={"$bytes": base64.b64encode(b"{bad\xff").decode()},
        record=False),
    "a key that cannot be decoded": Place(
        "topics.input.key (integer)", "integer", "{input: {key: {integer: {} ON}}, out: {key: integer}}",
        TO_OUT, puts=[GOOD, '{"key":"x","value":{"n":2}}'], input='{"n":2}', record=False),
    "a time that cannot be computed": Place(
        "topics.input.event_time", "json", "{input: {event_time: t, value: {json: {} ON}}, out: {}}", TO_OUT,
        puts=[GOOD, '{"value":{"n":2}}'], input='{"n":2}'),
    "a step": Place(
        "streams.s.steps[0] (set)", "set", "{input: {}, out: {}}",
        "s: {from: {topic: input}, steps: [{set: {m: n + 1} ON}], to: {topic: out}}",
        puts=[GOOD, '{"value":{"n":"x"}}'], input='{"n":"x"}'),
    "the key of an end": Place(
        "streams.s.to (topic out)", "topic", "{input: {}, out: {}}",
        "s: {from: {topic: input}, to: {topic: out, key: text(n) ON}}",
        puts=[GOOD, '{"value":{"m":2}}'], input='{"m":2}'),
    "a key that an end cannot encode": Place(
        "streams.s.to (topic out)", "topic", "{input: {key: json}, out: {}}",
        "s: {from: {topic: input}, to: {topic: out ON}}",
        puts=[GOOD, '{"key":"7","value":{"n":2}}'], input='{"n":2}'),
    "a value that an end cannot encode": Place(
        "streams.s.to (topic out)", "topic", "{input: {}, out: {value: integer}}",
        "s: {from: {topic: input}, steps: [{set: {$value: n}}], to: {topic: out ON}}",
        puts=[GOOD, '{"value":{"n":"x"}}'], input='{"n":"x"}'),
    "a value that the serializer of an end cannot encode": Place(
        "streams.s.to (topic out)", "topic", "{input: {}, out: {value: {integer: {} ON}}}",
        "s: {from: {topic: input}, steps: [{set: {$value: n}}], to: {topic: out}}",
        puts=[GOOD, '{"value":{"n":"x"}}'], input='{"n":"x"}'),
    "a record that a sink rejects": Place(
        "streams.s.to (picky)", "picky", "{input: {}}",
        "s: {from: {topic: input}, to: {picky: {path: out.jsonl, no: bad} ON}}",
        puts=[GOOD, '{"value":{"n":"bad"}}'], input='{"n":"bad"}'),
    "a line that a source cannot read": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}", FEED % (" ON", "") + ", " + TO_OUT,
        lines=['{"n":1}', "{bad"], input="{bad", record=False),
    "a time of a replay that cannot be computed": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        "feed: {from: {file: {path: in.jsonl, replay: {time: t}} ON}, to: {topic: input}}, " + TO_OUT,
        lines=['{"n":1,"t":1}', '{"n":1}'], input='{"n":1}', record=False),
    "a time of a replay that is no time": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        "feed: {from: {file: {path: in.jsonl, replay: {time: t}} ON}, to: {topic: input}}, " + TO_OUT,
        lines=['{"n":1,"t":1}', '{"t":"x"}'], input='{"t":"x"}', record=False),
    "a line of a source that is too long": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        "feed: {from: {file: {path: in.jsonl, max_line: 2000} ON}, to: {topic: input}}, " + TO_OUT,
        lines=['{"n":1}', '"é' + "x" * 3000 + '"', '"y"'], input='"é' + "x" * 1021, record=False, good=2,
        cut={"value": 3004}),
    "a line of a source that is not read to its end": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        "feed: {from: {file: {path: in.jsonl, max_line: 2000} ON}, to: {topic: input}}, " + TO_OUT,
        lines=['{"n":1}', "x" * (4 << 20), '"y"'], input="x" * 1024, record=False, good=2,
        cut={"value": True}),
    "a record of CSV that is too long": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        "feed: {from: {file: {path: in.jsonl, format: csv, max_line: 2000} ON}, to: {topic: input}}, " + TO_OUT,
        lines=["a,b", "1,2", "x," + "é" * 2000, "3,4"], input="x," + "é" * 511, record=False, good=2,
        cut={"value": 4002}),
    "a record that a generator cannot make": Place(
        "streams.feed.from (generator)", "generator", "{input: {}, out: {}}",
        "feed: {from: {generator: {count: 2, start: 1970-01-01, rate: 1000, fields: {n: 1 // (1 - n)}} ON}, "
        "to: {topic: input}}, " + TO_OUT, lines=[], input=GENERATED, record=False),
    "a field that a generator cannot set": Place(
        "streams.feed.from (generator)", "generator", "{input: {}, out: {}}",
        "feed: {from: {generator: {count: 2, start: 1970-01-01, rate: 1000, fields: {a: 'if n == 1 then 1 "
        "else null', a.b: 2}} ON}, to: {topic: input}}, " + TO_OUT, lines=[], input=GENERATED, record=False),
    "the key of a source": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        FEED % (", key: text(n) ON", "") + ", " + TO_OUT, lines=['{"n":1}', '{"m":1}'], input=None),
    "the time of a source": Place(
        "streams.feed.from (file)", "file", "{input: {}, out: {}}",
        FEED % (", event_time: t ON", "") + ", " + TO_OUT, lines=['{"n":1,"t":1}', '{"n":1,"t":"x"}'],
        input=None),
    "a record of a source that cannot be encoded": Place(
        "streams.feed.to (topic input)", "topic", "{input: {value: integer}, out: {value: integer}}",
        FEED % ("", " ON") + ", " + TO_OUT, lines=["1", '"x"'], input=None),
}


class Folder:
    def __init__(self):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)

    def weir(self, *arguments, status=0, input=None, **environment):
        done = subprocess.run([weir, *arguments], cwd=self.path, input=input or b"", timeout=SECONDS,
                              capture_output=True, env=dict(os.environ, **environment))
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done

    def write(self, text):
        (self.path / "pipeline.yaml").write_text(text)

    def run(self, status=0, **environment):
        """The summary."""
        done = self.weir("run", "--until-end", "--json", status=status, **environment)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.said = done.stderr
        return next(line for line in lines if line.get("event") == "summary")

    def topic(self, name):
        done = self.weir("topic", "cat", name, "--json", "--log", "local:data")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def arrived(self):
        sink = self.path / "out.jsonl"
        return len(sink.read_text().splitlines()) if sink.exists() else len(self.topic("out"))

    def fill(self, place):
        """Before any pipeline is known: as another program would."""
        if place.lines is not None:
            (self.path / "in.jsonl").write_text("".join(line + "\n" for line in place.lines))
            return
        text = "".join(line + "\n" for line in place.puts).encode()
        self.weir("topic", "put", "input", "--json", "--create", "1", "--log", "local:data", input=text)
        if place.raw is not None:
            self.weir("topic", "put", "input", "--raw", "--log", "local:data", input=place.raw + b"\n")


def pipeline(place, on_error, is_default):
    top = "on_error: %s\n" % on_error if is_default else ""
    here = "" if is_default else ", on_error: %s" % on_error
    topics = place.topics
    if on_error == "dead_letter":
        top += "dead_letters: {topic: letters}\n"
        topics = topics[:-1] + ", letters: {}}"
    return ("pipeline: p\nlog: local:data\nplugins: [%s]\n%stopics: %s\nstreams: {%s}\n"
            % (plugin, top, topics, place.streams)).replace(" ON", here)


def run_place(place, on_error, is_default):
    folder = Folder()
    folder.fill(place)
    folder.write(pipeline(place, on_error, is_default))
    folder.weir("check", "--strict")
    return folder, folder.run(status=1 if on_error == "fail" else 0)


def check_fail(place, is_default):
    folder, summary = run_place(place, "fail", is_default)
    contains(folder.said, place.label)
    equals(summary["complete"], False)
    equals(summary["dropped"], [])
    if "picky" not in place.label:  # that one is told no epoch
        equals(folder.arrived(), 0)


def check_skip(place, is_default):
    folder, summary = run_place(place, "skip", is_default)
    equals([(d["label"], d["on_error"], d["failed"]) for d in summary["dropped"]],
           [(place.label, "skip", 1)])
    equals((summary["failed"], summary["dead_letters"], folder.arrived()), (1, 0, place.good))


def check_dead_letter(place, is_default):
    folder, summary = run_place(place, "dead_letter", is_default)
    equals([(d["label"], d["on_error"], d["failed"]) for d in summary["dropped"]],
           [(place.label, "dead_letter", 1)])
    equals((summary["failed"], summary["dead_letters"], folder.arrived()), (1, 1, place.good))
    letters = folder.topic("letters")
    equals(len(letters), 1)
    letter = letters[0]["value"]
    equals(list(letter), ["time", "error", "place", "stream", "step", "message", "record", "cut"])
    equals((letter["place"], letter["step"], letter["cut"]), (place.label, place.step, place.cut))
    equals(letter["error"]["class"], "data")
    contains(summary["dropped"][0]["first"], letter["error"]["message"])
    equals(letter["message"] and letter["message"]["value"], place.input)
    equals(letter["record"] is not None, place.record)
    if place.puts is not None:
        equals((letter["message"]["topic"], letter["message"]["offset"]), ("input", 1))
    equals(folder.run()["dead_letters"], 0)
    equals(len(folder.topic("letters")), 1)


for name, place in PLACES.items():
    for check in (check_fail, check_skip, check_dead_letter):
        for is_default in (False, True):
            def one(place=place, check=check, is_default=is_default):
                check(place, is_default)
            one.__name__ = "%s: %s%s" % (name, check.__name__[6:], " by default" if is_default else "")
            cases.case(one)


# ---- the end of dead letters ----------------------------------------------------------------------------

STEP = """
pipeline: p
log: local:data
plugins: [%s]
on_error: dead_letter
dead_letters: %%s
topics: {input: {partitions: 4}, out: {}, letters: {partitions: 4%%s}}
streams: {s: {from: {topic: input}, steps: [{set: {m: n + 1}}], to: {topic: out}}}
""" % plugin


def failing(end="{topic: letters}", options="", puts=('{"key":"k","value":{"n":"x"}}',)):
    folder = Folder()
    text = "".join(line + "\n" for line in puts).encode()
    folder.weir("topic", "put", "input", "--json", "--create", "4", "--log", "local:data", input=text)
    text = STEP % (end, options)
    folder.write(text if "letters" in end else text.replace(", letters: {partitions: 4}", ""))
    return folder


@cases.case
def a_letter_goes_to_the_partition_of_its_message():
    folder = failing(puts=['{"key":"k%d","value":{"n":"x"}}' % i for i in range(20)])
    equals(folder.run()["dead_letters"], 20)
    for letter in folder.topic("letters"):
        equals(letter["partition"], letter["value"]["message"]["partition"])
        equals(letter["key"], letter["value"]["message"]["key"])


@cases.case
def a_letter_that_a_topic_does_not_take_is_made_smaller():
    headers = json.dumps([["h", "y" * 2000]])
    puts = ['{"key":"k","value":{"n":"x"}}', '{"key":"k","value":{"n":"%s"},"headers":%s}' % ("x" * 3000, headers)]
    folder = failing(options=", value: {json: {max_depth: 3}}", puts=puts)
    equals(folder.run()["dead_letters"], 2)
    first, second = sorted((r["value"] for r in folder.topic("letters")), key=lambda v: str(v["cut"]))
    equals((first["cut"], first["record"]["value"]), (None, {"n": "x"}))
    equals(second["cut"], {"record": True, "value": 3008, "headers": 2001})
    equals((second["record"], len(second["message"]["value"])), (None, 1024))
    done = folder.weir("topic", "replay", "letters")
    contains(done.stderr, "its value was cut, the message had 3008 bytes")
    contains(done.stdout, "put back 1 message of topic 'letters'; 0 letters had been replayed before, 1 cannot be")


@cases.case
def a_letter_that_a_sink_rejects_is_made_smaller():
    puts = ['{"value":{"n":"%s"}}' % ("x" * size) for size in (1, 400, 5000)]
    folder = failing(end="{picky: {path: letters.jsonl, limit: 1700}}", puts=puts)
    equals(folder.run()["dead_letters"], 3)
    letters = [json.loads(line) for line in (folder.path / "letters.jsonl").read_text().splitlines()]
    equals(sorted(str(letter["cut"]) for letter in letters),
           ["None", "None", "{'record': True, 'value': 5008}"])


@cases.case
def a_letter_that_is_taken_in_no_form_ends_the_run():
    folder = failing(end="{picky: {path: letters.jsonl, no: message}}")
    folder.run(status=1)
    contains(folder.said, "dead_letters (picky): it does not like this")


@cases.case
def many_letters_about_one_large_message_are_cut():
    items = ",".join('"x"' for _ in range(40))
    put = '{"value":{"items":[%s],"pad":"%s"}}' % (items, "y" * (1 << 20))
    shown = []
    for size in ("1", "1000"):  # what is cut does not depend on what runs together
        folder = failing(puts=[put, '{"value":{"items":["x"],"pad":""}}'])
        folder.write((STEP % ("{topic: letters}", "")).replace(
            "{set: {m: n + 1}}", "{flat_map: {items: items, as: item}}, {set: {m: item + 1}}"))
        folder.run(WEIR_BATCH_SIZE=size)
        letters = sorted((r["value"] for r in folder.topic("letters")),
                         key=lambda letter: letter["message"]["partition"])
        shown.append([(len(letter["message"]["value"]), letter["cut"], letter["record"] is None)
                      for letter in letters])
        contains(folder.weir("topic", "replay", "letters").stdout, "put back 2 messages of")
    whole = max(shown[0])[0]
    assert whole > 1 << 20, whole
    cut = {"record": True, "value": whole}
    equals(sorted(map(str, shown[0])), sorted(map(str, 15 * [(whole, None, False)] + 25 * [(1024, cut, True)] +
                                                  [(len('{"items":["x"],"pad":""}'), None, False)])))
    equals(shown[0], shown[1])


@cases.case
def a_sink_of_letters_goes_on_after_a_stop():
    folder = failing(end="{file: letters}")
    equals(folder.run()["dead_letters"], 1)
    folder.weir("topic", "put", "input", "--json", "--log", "local:data", input=b'{"value":{"n":"y"}}\n')
    equals(folder.run()["dead_letters"], 1)
    lines = [line for path in sorted(folder.path.glob("letters/**/*.jsonl"))
             for line in path.read_text().splitlines()]
    equals([json.loads(line)["record"]["value"]["n"] for line in lines], ["x", "y"])


# ---- the way back ---------------------------------------------------------------------------------------

@cases.case
def what_is_replayed_gives_what_it_would_have_given():
    puts = ['{"timestamp":%d,"key":%s,"value":{"n":"x%d"},"headers":[["h","%d"]]}'
            % (1000 + i, json.dumps("k%d" % i if i % 2 else None), i, i) for i in range(9)]
    folder = failing(puts=puts)
    folder.run()
    equals(folder.topic("out"), [])
    contains(folder.weir("topic", "replay", "letters").stdout, "put back 9 messages")
    folder.write(STEP.replace("n + 1", "upper(n)") % ("{topic: letters}", ""))
    folder.run()
    got = {(r["timestamp"], r["key"], r["value"]["m"], tuple(map(tuple, r["headers"]))) for r in folder.topic("out")}
    equals(got, {(1000 + i, "k%d" % i if i % 2 else None, "X%d" % i, (("h", str(i)),)) for i in range(9)})
    places = sorted((r["partition"], r["value"]["n"]) for r in folder.topic("input"))
    equals(places[::2], places[1::2])


@cases.case
def messages_of_every_size_come_back_byte_for_byte():
    sizes = (0, 1, 4095, 4096, 4097, 65536, 1 << 20)
    for byte in (b"x", b"\xfe"):
        folder = failing(puts=[])
        lines = b"".join(byte * size + b"\n" for size in sizes)
        folder.weir("topic", "put", "input", "--raw", "--log", "local:data", input=lines)
        equals(folder.run()["dead_letters"], len(sizes))
        contains(folder.weir("topic", "replay", "letters").stdout, "put back %d messages" % len(sizes))
        raw = subprocess.run([weir, "topic", "cat", "input", "--raw", "--log", "local:data"],
                             cwd=folder.path, capture_output=True, timeout=SECONDS).stdout
        equals(sorted(raw.split(b"\n")[:-1]), sorted(2 * [byte * size for size in sizes]))


@cases.case
def nothing_is_replayed_twice_unless_it_is_asked_for():
    folder = failing(puts=['{"value":{"n":"x"}}', '{"value":{"n":"y"}}', '{"value":{"n":"z"}}'])
    folder.run()
    replay = lambda *words: json.loads(folder.weir("topic", "replay", "letters", "--json", *words).stdout)
    told = lambda *numbers: dict(zip(("topic", "messages", "before", "refused"), ("letters",) + numbers))
    equals(replay("--dry-run"), told(3, 0, 0))
    equals(replay("--where", "record.value.n == 'y'"), told(1, 0, 0))
    equals(replay("--count", "1", "--where", "record.value.n != 'y'"), told(1, 0, 0))
    equals(replay(), told(1, 2, 0))
    equals(replay(), told(0, 3, 0))
    equals(replay("--again", "--dry-run"), told(3, 0, 0))
    equals(len(folder.topic("input")), 6)


@cases.case
def letters_of_a_topic_that_was_made_again_are_others():
    folder = failing(puts=['{"value":{"n":"x"}}', '{"value":{"n":"y"}}'])
    folder.run()
    contains(folder.weir("topic", "replay", "letters").stdout, "put back 2 messages of")
    folder.weir("topic", "delete", "letters")
    folder.run()  # both fail once more
    contains(folder.weir("topic", "replay", "letters", "--dry-run").stdout,
             "would put back 2 messages of topic 'letters'; 0 letters had been replayed before, 0 cannot be")


@cases.case
def a_message_that_failed_in_two_branches_is_replayed_once():
    folder = failing()
    text = (STEP % ("{topic: letters}", "")).replace("streams: {s:", "streams: {r: {from: {topic: input}, steps: "
                                                     "[{set: {m: n + 2}}], to: {topic: out}}, s:")
    folder.write(text)
    equals(folder.run()["dead_letters"], 2)
    contains(folder.weir("topic", "replay", "letters").stdout, "put back 1 message of")
    equals(len(folder.topic("input")), 2)


@cases.case
def other_records_are_told_one_by_one():
    folder = failing(puts=['{"value":{"n":"x"}}'])
    done = folder.weir("topic", "replay", "input")
    contains(done.stderr, "weir topic replay: input[0]@0: it is no dead letter")
    contains(done.stdout, "put back 0 messages of topic 'input'; 0 letters had been replayed before, 1 cannot")
    done = folder.weir("topic", "replay", "input", "--where", "n +", status=2)
    contains(done.stderr, "'--where' at byte")
    done = folder.weir("topic", "replay", "input", "--partition", "9", status=1)
    contains(done.stderr, "has no partition 9")


cases.finish()
