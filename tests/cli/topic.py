#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir topic list|cat|put` as a user meets them: with and without a pipeline file, while one runs.

usage: topic.py WEIR
"""
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import SECONDS, Cases, contains, equals, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()

PIPELINE = """
pipeline: p
log: local:data
topics:
  numbers: {value: json}
  words: {key: text, value: text}
  stored: {name: in-the-log, value: json}
  out: {value: json}
  words-out: {value: text}
streams:
  work:
    from: {topic: numbers}
    to: {topic: out}
  other:
    from: {topic: words}
    to: {topic: words-out}
  third:
    from: {topic: stored}
    to: {topic: out}
"""


class Folder:
    """An empty folder; weir runs in it, with its temporary files in it too."""

    def __init__(self, pipeline=None):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        self.temporary = tempfile.TemporaryDirectory()
        if pipeline is not None:
            self.write("pipeline.yaml", pipeline)

    def write(self, name, text):
        (self.path / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def environment(self):
        return dict(os.environ, TMPDIR=self.temporary.name)

    def call(self, *words, given=b"", status=0):
        """The finished process; what it was given and has said are bytes."""
        given = given if isinstance(given, bytes) else given.encode()
        done = subprocess.run([weir, "topic", *words], cwd=self.path, input=given,
                              capture_output=True, timeout=SECONDS, env=self.environment())
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        if status == 0:
            equals(os.listdir(self.temporary.name), [])
        return done

    def out(self, *words, **more):
        done = self.call(*words, **more)
        equals(done.stderr, b"")
        return done.stdout.decode()

    def fault(self, *words, given=b"", status=1):
        done = self.call(*words, given=given, status=status)
        equals(done.stdout, b"")
        return done.stderr.decode()

    def put(self, name, lines, *words):
        return self.out("put", name, *words, given=lines)

    def put_beside(self, name, lines):
        """While a reader has its temporary files."""
        done = subprocess.run([weir, "topic", "put", name], cwd=self.path, input=lines, text=True,
                              capture_output=True, timeout=SECONDS)
        equals((done.returncode, done.stderr), (0, ""))

    def records(self, name, *words):
        return [json.loads(line) for line in self.out("cat", name, "--json", *words).splitlines()]

    def values(self, name, *words):
        return [record["value"] for record in self.records(name, *words)]

    def start(self, *words, **more):
        return subprocess.Popen([weir, *words], cwd=self.path, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment(), **more)


def numbers(first, end):
    return "".join('{"n":%d}\n' % i for i in range(first, end))


# ---- put and cat without a pipeline file -----------------------------------------------------------


@cases.case
def what_was_put_is_shown():
    folder = Folder()
    equals(folder.put("t", '{"a":1}\n[2]\n"three"\n', "--create", "1"), "put 3 messages into topic 't'\n")
    equals(folder.put("t", "4"), "put 1 message into topic 't'\n")
    equals(folder.values("t"), [{"a": 1}, [2], "three", 4])
    equals([record["offset"] for record in folder.records("t")], [0, 1, 2, 3])


@cases.case
def a_line_for_people_shows_place_time_key_value():
    folder = Folder()
    folder.put("t", '{"value":{"a":1},"key":"k","timestamp":1767225600123}\n'
                    '{"value":"x y","key":"two words","timestamp":0}\n'
                    '{"value":null,"timestamp":0}\n', "--json", "--create", "1")
    equals(folder.out("cat", "t").splitlines(),
           ['0@0  2026-01-01T00:00:00.123Z  k  {"a":1}',
            '0@1  1970-01-01T00:00:00.000Z  "two words"  "x y"',
            '0@2  1970-01-01T00:00:00.000Z  -  null'])


@cases.case
def values_keep_their_bytes():
    folder = Folder()
    lines = b'{"a": 1.10,  "b":12345678901234567890123}\n["\\u00e9" ]\n'
    folder.put("t", lines, "--create", "1")
    equals(folder.call("cat", "t", "--raw").stdout, lines)


@cases.case
def blank_lines_a_byte_order_mark_and_carriage_returns_are_no_messages():
    folder = Folder()
    folder.put("t", b'\xef\xbb\xbf{"a":1}\r\n\r\n  \n{"a":2}', "--create", "1")
    equals(folder.call("cat", "t", "--raw").stdout, b'{"a":1}\n{"a":2}\n')


@cases.case
def raw_lines_are_taken_as_they_are():
    folder = Folder()
    lines = b'no json\r\n\n\xff\xfe\n  \nlast'
    equals(folder.put("t", lines, "--raw", "--create", "1"), "put 5 messages into topic 't'\n")
    equals(folder.call("cat", "t", "--raw").stdout, lines + b"\n")
    equals(folder.values("t"), ["no json\r", "", {"$bytes": "//4="}, "  ", "last"])


@cases.case
def a_file_is_read_like_standard_input():
    folder = Folder()
    folder.write("in.jsonl", numbers(0, 3000))
    equals(folder.out("put", "t", "in.jsonl", "--create", "1"), "put 3000 messages into topic 't'\n")
    equals(folder.values("t"), [{"n": i} for i in range(3000)])


@cases.case
def nothing_puts_nothing():
    folder = Folder()
    equals(folder.put("t", "", "--create", "2"), "put 0 messages into topic 't'\n")
    equals(folder.out("cat", "t"), "")


@cases.case
def long_lines_are_no_trouble():
    folder = Folder()
    text = "x" * 3_000_000
    folder.put("t", json.dumps(text) + "\n" + numbers(0, 1), "--create", "1")
    equals(folder.values("t"), [text, {"n": 0}])


# ---- keys and partitions ---------------------------------------------------------------------------


@cases.case
def keys_are_computed_and_place_messages():
    folder = Folder()
    lines = "".join('{"k":"%s","n":%d}\n' % (key, n)
                    for n, key in enumerate(("21", "foobar", "abc", "21", "foobar", "abc")))
    folder.put("t", lines, "--create", "10", "--key", "k")
    # murmur2 of the Java client: 21 -> 1173551340, foobar -> 1357151166, abc -> 479470107
    equals({(r["key"], r["partition"]) for r in folder.records("t")},
           {("21", 0), ("foobar", 6), ("abc", 7)})
    equals([r["value"]["n"] for r in folder.records("t", "--partition", "6")], [1, 4])


@cases.case
def a_declared_partitioner_places_messages():
    folder = Folder("pipeline: p\ntopics:\n  t: {value: json, partitions: 7, partitioner: fnv1a}\n"
                    "streams: {s: {from: {generator: {count: 0}}, to: {topic: t}}}\n")
    lines = "".join('{"k":"%s"}\n' % key for key in ("key", "key0", "key1"))
    folder.put("t", lines, "--create", "7", "--key", "k", "-f", "pipeline.yaml")
    # librdkafka: 1746258028, 910846164, 927623783
    equals({(r["key"], r["partition"]) for r in folder.records("t")},
           {("key", 1746258028 % 7), ("key0", 910846164 % 7), ("key1", 927623783 % 7)})


@cases.case
def keyless_messages_are_spread():
    folder = Folder()
    folder.put("t", numbers(0, 6), "--create", "3")
    equals([r["partition"] for r in folder.records("t")], [0, 0, 1, 1, 2, 2])


@cases.case
def keys_of_raw_lines_are_computed_from_their_text():
    folder = Folder()
    folder.put("t", "a;1\nb;2\n", "--raw", "--create", "1", "--key", "split($value, ';')[0]")
    equals([(r["key"], r["value"]) for r in folder.records("t")], [("a", "a;1"), ("b", "b;2")])


@cases.case
def wrong_keys_are_told():
    folder = Folder()
    contains(folder.fault("put", "t", "--create", "1", "--key", "k +", status=2), "'--key' at byte 3: ")
    contains(folder.fault("put", "t", "--create", "1", "--key", "nothing(k)", status=2), "nothing")
    fault = folder.fault("put", "t", "--create", "1", "--key", "k", given='{"k":"a"}\n{"b":1}\n')
    contains(fault, "standard input:2: field 'k' is missing")
    fault = folder.fault("put", "t", "--create", "1", "--key", "k", given='{"k":1}\n')
    contains(fault, "standard input:1: the serializer 'text' takes text, not int")
    equals(folder.out("cat", "t"), "")


# ---- record lines ----------------------------------------------------------------------------------


@cases.case
def record_lines_come_back_as_they_were():
    folder = Folder()
    lines = [
        '{"partition":1,"offset":0,"timestamp":5,"key":"k","value":{"a":[1,2.50]},'
        '"headers":[["h","v"],["n",null],["h",{"$bytes":"/w=="}]]}',
        '{"partition":1,"offset":1,"timestamp":-6,"key":null,"value":null}',
        '{"partition":2,"offset":0,"timestamp":7,"key":{"$bytes":"AP8="},"value":"text"}',
        '{"partition":2,"offset":1,"timestamp":8,"key":"","value":{"$bytes":"/w=="}}',
    ]
    equals(folder.put("t", "\n".join(lines), "--json", "--create", "3"),
           '{"topic":"t","messages":4}\n')
    got = folder.out("cat", "t", "--json").splitlines()
    equals(got, [line.replace("{", '{"topic":"t",', 1) for line in lines])
    folder.put("copy", "\n".join(got), "--json", "--create", "3")
    equals(folder.out("cat", "copy", "--json"), folder.out("cat", "t", "--json").replace('"t"', '"copy"'))


@cases.case
def a_record_line_needs_a_value_only():
    folder = Folder()
    before = int(time.time() * 1000)
    folder.put("t", '{"value":1}', "--json", "--create", "1")
    record = folder.records("t")[0]
    equals((record["key"], record["value"]), (None, 1))
    assert before <= record["timestamp"] <= int(time.time() * 1000), record


@cases.case
def wrong_record_lines_are_told():
    folder = Folder()
    for line, fault in (('{"valu":1}', "a record line has no member 'valu'"),
                        ('{"key":1}', "no member 'value'"),
                        ('[1]', "must be a JSON object"),
                        ('{"value":1,"partition":2}', "the topic 't' has no partition 2; it has 2"),
                        ('{"value":1,"timestamp":"now"}', "'timestamp'")):
        said = folder.fault("put", "t", "--json", "--create", "2", given='{"value":0}\n' + line)
        contains(said, "standard input:2: ")
        contains(said, fault)
    equals(folder.out("cat", "t"), "")


# ---- faults ----------------------------------------------------------------------------------------


@cases.case
def a_bad_line_is_named_and_nothing_is_put():
    folder = Folder()
    folder.write("in.jsonl", numbers(0, 1500) + '{"n":1,}\n' + numbers(0, 5))
    folder.put("t", numbers(0, 1), "--create", "1")
    fault = folder.fault("put", "t", "in.jsonl")
    contains(fault, "weir topic put: in.jsonl:1501: cannot read the payload as JSON: byte 6: ")
    contains(fault, "no message was put")
    equals(folder.values("t"), [{"n": 0}])
    contains(folder.fault("put", "t", "missing.jsonl"), "missing.jsonl")


@cases.case
def what_is_missing_is_named_and_not_made():
    folder = Folder()
    for words in (("list",), ("cat", "t")):
        contains(folder.fault(*words), "there is no log in 'weir-data'")
    contains(folder.fault("put", "t", given="1"), "--create N")
    equals(os.listdir(folder.path), [])
    folder.put("readings", "1", "--create", "1")
    for words in (("cat", "reading"), ("put", "reading")):
        fault = folder.fault(*words, given="1")
        contains(fault, "there is no topic 'reading' in the log 'local:weir-data'")
        contains(fault, "did you mean 'readings'?")
    contains(folder.fault("cat", "readings", "--partition", "1"), "has no partition 1; it has 1")
    contains(folder.fault("put", "t", "--create", "1", "--log", "memory", given="1"), "memory")


@cases.case
def wrong_flags_are_wrong_use():
    folder = Folder()
    for words, fault in ((("cat", "t", "--from", "yesterday"), "beginning, end, an offset or a time"),
                         (("cat", "t", "--from", "99999999999999999999"), "is no offset"),
                         (("cat", "t", "--raw", "--json"), "'--raw' and '--json'"),
                         (("put", "t", "--raw", "--json"), "'--raw' and '--json'"),
                         (("list", "--log", "data"), "local:DIR")):
        contains(folder.fault(*words, status=2), fault)


# ---- where to begin and to stop --------------------------------------------------------------------


@cases.case
def cat_begins_where_it_is_told_and_stops_after_count():
    folder = Folder()
    lines = "".join('{"value":%d,"timestamp":%d}\n' % (i, 1767225600000 + i * 1000) for i in range(10))
    folder.put("t", lines, "--json", "--create", "1")
    for words, expected in ((("--from", "beginning"), range(10)),
                            (("--from", "end"), range(0)),
                            (("--from", "7"), range(7, 10)),
                            (("--from", "70"), range(0)),
                            (("--from", "2026-01-01T00:00:04Z"), range(4, 10)),
                            (("--from", "2026-01-01T00:00:03.001Z"), range(4, 10)),
                            (("--from", "2026-01-02"), range(0)),
                            (("--count", "3"), range(3)),
                            (("--count", "3", "--from", "5"), range(5, 8))):
        equals(folder.values("t", *words), list(expected))


@cases.case
def follow_shows_what_comes_and_ends_quietly():
    folder = Folder()
    folder.put("t", numbers(0, 2), "--create", "1")
    process = folder.start("topic", "cat", "t", "--follow", "--raw")
    equals([process.stdout.readline() for _ in range(2)], ['{"n":0}\n', '{"n":1}\n'])
    folder.put_beside("t", numbers(2, 4))
    equals([process.stdout.readline() for _ in range(2)], ['{"n":2}\n', '{"n":3}\n'])
    process.send_signal(signal.SIGINT)
    equals((process.wait(timeout=SECONDS), process.stderr.read()), (0, ""))
    equals(os.listdir(folder.temporary.name), [])


@cases.case
def follow_ends_when_its_reader_goes_away():
    folder = Folder()
    folder.put("t", numbers(0, 1), "--create", "1")
    process = folder.start("topic", "cat", "t", "--follow")
    process.stdout.readline()
    process.stdout.close()
    equals((process.wait(timeout=SECONDS), process.stderr.read()), (0, ""))


@cases.case
def follow_stops_after_count():
    folder = Folder()
    folder.put("t", numbers(0, 1), "--create", "1")
    process = folder.start("topic", "cat", "t", "--follow", "--count", "2", "--raw")
    process.stdout.readline()
    folder.put_beside("t", numbers(1, 5))
    equals((process.communicate(timeout=SECONDS)[0], process.returncode), ('{"n":1}\n', 0))


@cases.case
def a_closed_reader_is_no_fault():
    folder = Folder()
    folder.put("t", numbers(0, 20000), "--create", "1")
    process = folder.start("topic", "cat", "t")
    process.stdout.readline()
    process.stdout.close()
    equals((process.wait(timeout=SECONDS), process.stderr.read()), (0, ""))


# ---- list ------------------------------------------------------------------------------------------


@cases.case
def list_counts_records_and_bytes():
    folder = Folder()
    folder.put("b", numbers(0, 7), "--create", "3")
    folder.put("a", "", "--create", "1")
    topics = json.loads(folder.out("list", "--json"))["topics"]
    equals([(t["topic"], t["partitions"], t["records"]) for t in topics], [("a", 1, 0), ("b", 3, 7)])
    equals((topics[0]["bytes"], topics[1]["bytes"] > 7 * 7), (0, True))
    lines = folder.out("list").splitlines()
    equals([line.split()[:3] for line in lines],
           [["topic", "partitions", "records"], ["a", "1", "0"], ["b", "3", "7"]])


@cases.case
def list_hides_what_pipelines_have_made_for_themselves():
    folder = Folder()
    folder.put("mine", "1\n", "--create", "1")
    folder.put("source__p--s", "1\n", "--create", "1")
    done = folder.call("list", "--json")
    equals([t["topic"] for t in json.loads(done.stdout)["topics"]], ["mine"])
    done = folder.call("list")
    assert b"source__" not in done.stdout
    equals(done.stderr, b"hint: 1 internal topic is not shown; --all shows it\n")
    equals([t["topic"] for t in json.loads(folder.out("list", "--all", "--json"))["topics"]],
           ["mine", "source__p--s"])


# ---- create ----------------------------------------------------------------------------------------


@cases.case
def create_makes_a_topic_with_options():
    folder = Folder()
    equals(folder.out("create", "t", "--partitions", "3",
                      "--config", "retention.ms=60000  cleanup.policy=compact retention.bytes=-1"),
           "created topic 't' with 3 partitions\n")
    told = json.loads(folder.out("describe", "t", "--json"))
    equals(len(told["partitions"]), 3)
    equals((told["options"]["retention_ms"], told["options"]["retention_bytes"], told["options"]["compact"]),
           (60000, 0, True))
    contains(folder.fault("create", "t"), "the topic 't' is there already")
    equals(json.loads(folder.out("create", "one", "--json")), {"topic": "one", "partitions": 1})


@cases.case
def create_refuses_what_the_embedded_log_has_not():
    folder = Folder()
    for words, fault in ((("--replication", "2"), "'--replication' is for topics on Kafka"),
                         (("--config", "retention.ms=1h"), "cannot use 'retention.ms=1h'"),
                         (("--config", "compression.type=lz4"), "cannot use 'compression.type=lz4'"),
                         (("--config", "=1"), "expects NAME=VALUE, found '=1'"),
                         (("--partitions", "0"), "--partitions")):
        contains(folder.fault("create", "t", *words, status=2), fault)
    equals(os.listdir(folder.path), [])


@cases.case
def create_takes_partitions_and_name_from_the_file():
    folder = Folder("pipeline: p\nlog: local:data\ntopics: {t: {name: in-the-log, partitions: 4}}\n"
                    "streams: {s: {from: {topic: t}, to: print}}\n")
    equals(folder.out("create", "t"), "created topic 'in-the-log' with 4 partitions\n")


# ---- where -----------------------------------------------------------------------------------------


@cases.case
def cat_shows_the_records_that_are_chosen():
    folder = Folder()
    folder.put("t", "".join('{"v":%d}\n' % i for i in range(1200)) + "{}\n", "--create", "1")
    equals(folder.out("cat", "t", "--raw", "--where", "v ?? 0 >= 1198"), '{"v":1198}\n{"v":1199}\n')
    equals(folder.out("cat", "t", "--raw", "--where", "v % 500 == 499", "--count", "2"),
           '{"v":499}\n{"v":999}\n')
    done = folder.call("cat", "t", "--raw", "--where", "v == 3")
    equals(done.stdout, b'{"v":3}\n')
    contains(done.stderr.decode(), "cannot judge 1 record, which is not shown: field 'v' is missing")
    contains(folder.fault("cat", "t", "--where", "v ==", status=2), "'--where' at byte")
    # A fault that has nothing to advise.
    folder.put("t", '"a text"\n')
    contains(folder.call("cat", "t", "--where", "v == 3").stderr.decode(),
             "cannot judge 2 records, which are not shown: ")
    contains(folder.call("cat", "t", "--from", "1201", "--where", "v == 3").stderr.decode(),
             "which is not shown: the value is text, it has no field 'v'\n")


@cases.case
def people_see_headers_behind_the_value():
    folder = Folder()
    folder.put("t", '{"value":1,"timestamp":0,"headers":[["h","x y"],["h",null]]}\n{"value":2,"timestamp":0}\n',
               "--json", "--create", "1")
    equals(folder.out("cat", "t").splitlines(),
           ['0@0  1970-01-01T00:00:00.000Z  -  1  [["h","x y"],["h",null]]', "0@1  1970-01-01T00:00:00.000Z  -  2"])


# ---- with a pipeline file --------------------------------------------------------------------------


@cases.case
def the_pipeline_file_gives_log_names_and_serializers():
    folder = Folder(PIPELINE)
    folder.put("words", "plain words\n", "--create", "1", "--key", "$value")
    folder.put("stored", "[1]\n", "--create", "1")
    equals(sorted(os.listdir(folder.path)), ["data", "pipeline.yaml"])
    equals([(r["key"], r["value"]) for r in folder.records("words")], [("plain words", "plain words")])
    equals([(r["topic"], r["value"]) for r in folder.records("stored")], [("stored", [1])])
    topics = json.loads(folder.out("list", "--json"))["topics"]
    equals([t["topic"] for t in topics], ["in-the-log", "words"])
    contains(folder.fault("put", "stored", given="words"), "cannot read the payload as JSON")
    # From elsewhere, by name; the log hangs on the file's folder.
    with tempfile.TemporaryDirectory() as other:
        done = subprocess.run([weir, "topic", "cat", "words", "--raw", "-f", folder.path / "pipeline.yaml"],
                              cwd=other, capture_output=True, text=True)
        equals((done.stdout, done.stderr), ("plain words\n", ""))
    # --log alone reads without the file, with -f it overrides the file's log only.
    equals(folder.values("words", "--log", "local:data"), ["plain words"])
    contains(folder.fault("cat", "stored", "--log", "local:data"), "there is no topic 'stored'")
    equals(folder.values("stored", "--log", "local:data", "-f", "pipeline.yaml"), [[1]])


@cases.case
def what_a_declared_serializer_cannot_read_is_shown_as_it_is():
    folder = Folder(PIPELINE)
    folder.put("numbers", "1\nno json\n", "--create", "1", "--raw")
    done = folder.call("cat", "numbers", "--json")
    equals([json.loads(line)["value"] for line in done.stdout.splitlines()],
           [1, {"$bytes": base64.b64encode(b"no json").decode()}])
    contains(done.stderr.decode(), "1 keys or values could not be decoded")
    contains(folder.call("cat", "numbers").stdout.decode(), '-  "no json"')


@cases.case
def a_file_with_errors_is_told_and_can_be_passed_by():
    folder = Folder(PIPELINE.replace("{topic: numbers}", "{topic: nombers}"))
    fault = folder.fault("list")
    contains(fault, "pipeline.yaml:")
    contains(fault, "did you mean 'numbers'?")
    contains(fault, "with --log URL")
    folder.put("t", "1", "--create", "1", "--log", "local:data")
    equals(folder.values("t", "--log", "local:data"), [1])
    contains(folder.fault("list", "-f", "nothing.yaml"), "nothing.yaml")


@cases.case
def while_a_pipeline_runs_cat_reads_and_put_is_refused():
    folder = Folder("""
pipeline: p
topics: {numbers: {value: json}}
streams:
  feed:
    from: {file: {path: in.jsonl, follow: true}}
    to: {topic: numbers}
""")
    folder.write("in.jsonl", numbers(0, 5))
    process = folder.start("run", "--checkpoint", "50ms")
    try:
        def shown():
            return subprocess.run([weir, "topic", "cat", "numbers", "--json"], cwd=folder.path,
                                  capture_output=True, text=True).stdout

        until(lambda: shown().count("\n") == 5, shown)
        equals(process.poll(), None)
        refused = subprocess.run([weir, "topic", "put", "numbers"], cwd=folder.path, input="1",
                                 capture_output=True, text=True)
        equals(refused.returncode, 1)
        contains(refused.stderr, "the log in 'weir-data' is in use by process %d" % process.pid)
        contains(refused.stderr, "stop it first")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)
    equals(process.returncode, 0)
    folder.put("numbers", "7")
    equals(folder.values("numbers")[-1], 7)


# ---- describe, trim, delete ------------------------------------------------------------------------

KEEPING = """
pipeline: p
log: local:data
checkpoint: {interval: 50ms}
topics:
  numbers: {%s}
  out: {key: text%s}
streams:
  work:
    from: {topic: numbers}
    to: {topic: out, key: text(n %% 50)}
"""


def keeping(numbers="value: json", out=""):
    return KEEPING % (numbers, out)


def described(folder, name):
    return json.loads(folder.out("describe", name, "--json"))


def run_pipeline(folder, *words, status=0):
    done = subprocess.run([weir, "run", *words], cwd=folder.path, capture_output=True, text=True,
                          timeout=SECONDS)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stderr


@cases.case
def describe_shows_partitions_positions_and_options():
    folder = Folder(keeping(out=", retention: 36h, retention_size: 64MiB, compact: true"))
    folder.put("numbers", numbers(0, 100), "--create", "1")
    text = folder.out("describe", "numbers")
    for part in ("topic 'numbers' in 'local:data'", "retention:            for ever",
                 "compact:              false", "no pipeline has read it"):
        contains(text, part)
    contains(run_pipeline(folder, "--until-end"),
             "topic 'out' has now retention 36h, retention_size 64MiB, compact true, "
             "tombstone_retention 1d; before: retention 0, retention_size 0, compact false")
    folder.put("numbers", numbers(100, 120))
    about = described(folder, "numbers")
    equals(about["pipelines"], [{"pipeline": "p", "partition": 0, "position": 100, "lag": 20}])
    part = about["partitions"][0]
    equals([part[name] for name in ("first", "next", "records")], [0, 120, 120])
    assert part["oldest"].startswith("20") and part["newest"] >= part["oldest"], part
    equals(described(folder, "out")["options"],
           {"retention_ms": 36 * 3600 * 1000, "retention_bytes": 64 << 20, "compact": True,
            "tombstone_retention_ms": 24 * 3600 * 1000})
    contains(folder.out("describe", "numbers"), "p                 0           100            20")
    contains(folder.fault("describe", "nunbers"), "did you mean 'numbers'?")


@cases.case
def options_change_with_the_file_and_stay_where_it_is_silent():
    folder = Folder(keeping(out=", retention: 1h"))
    folder.put("numbers", numbers(0, 3), "--create", "1")
    run_pipeline(folder, "--until-end")
    folder.write("pipeline.yaml", keeping())
    contains(run_pipeline(folder, "--until-end"),
             "topic 'out' keeps what it was given before: retention 1h")
    equals(described(folder, "out")["options"]["retention_ms"], 3600 * 1000)
    folder.write("pipeline.yaml", keeping(out=", retention: 0"))
    contains(run_pipeline(folder, "--until-end"), "topic 'out' has now retention 0,")
    equals(described(folder, "out")["options"]["retention_ms"], 0)


@cases.case
def retention_removes_what_is_read_only():
    folder = Folder(keeping("retention_size: 20KiB"))
    for first in range(0, 3000, 500):
        folder.put("numbers", numbers(first, first + 500), *(["--create", "1"] if first == 0 else []))
    run_pipeline(folder, "--until-end")
    part = described(folder, "numbers")["partitions"][0]
    assert part["first"] > 500 and part["bytes"] >= 20 * 1024, part
    done = folder.call("cat", "numbers", "--from", "100", "--count", "1", "--json")
    equals(json.loads(done.stdout)["offset"], part["first"])
    equals(done.stderr.decode(), "weir topic cat: topic 'numbers' partition 0 begins at offset %d; "
           "offsets 100 to %d are gone\n" % (part["first"], part["first"] - 1))
    equals(len(folder.records("out")), 3000)
    for first in range(3000, 5000, 500):
        done = folder.call("put", "numbers", given=numbers(first, first + 500))
    contains(done.stderr.decode(), "retention keeps messages of partition 0 that pipeline 'p' has not read")
    equals(described(folder, "numbers")["partitions"][0]["first"], 3000)


@cases.case
def retention_holds_for_what_is_put_too():
    folder = Folder(keeping(out=", retention_size: 20KiB"))
    folder.put("numbers", numbers(0, 1), "--create", "1")
    run_pipeline(folder, "--until-end")
    for first in range(0, 5000, 1000):  # nobody reads `out`, and no pipeline runs
        folder.put("out", numbers(first, first + 1000))
    part = described(folder, "out")["partitions"][0]
    assert part["first"] > 1000 and 20 * 1024 <= part["bytes"] < 80 * 1024, part
    equals(part["next"], 5001)


@cases.case
def compaction_keeps_the_newest_of_each_key():
    folder = Folder(keeping(out=", compact: true"))
    folder.put("numbers", numbers(0, 20000), "--create", "1")
    run_pipeline(folder, "--until-end")
    records = folder.records("out")
    assert len(records) < 2500, len(records)
    equals(described(folder, "out")["partitions"][0]["records"], len(records))
    newest = {record["key"]: record["value"]["n"] for record in records}
    equals(newest, {str(n % 50): n for n in range(19950, 20000)})
    contains(folder.fault("put", "out", given='{"n":1}\n'),
             "the topic 'out' is compacted and takes no message without a key")


@cases.case
def records_without_a_key_do_not_enter_a_compacted_topic():
    folder = Folder(keeping(out=", compact: true").replace(", key: text(n % 50)}", "}"))
    folder.put("numbers", numbers(0, 3), "--create", "1")
    text = run_pipeline(folder, "--until-end", status=1)
    contains(text, "topic 'out' is compacted and takes no record without a key")
    contains(text, "numbers[0]@0")
    folder.write("pipeline.yaml", keeping(out=", compact: true")
                 .replace(", key: text(n % 50)}", ", on_error: skip}"))
    run_pipeline(folder, "--until-end")
    equals(folder.records("out"), [])


@cases.case
def trim_removes_the_beginning():
    folder = Folder(keeping())
    folder.put("numbers", numbers(0, 2000), "--create", "1")
    equals(folder.out("trim", "numbers", "--before", "1500"),
           "topic 'numbers'\npartition 0: removed offsets 0 to 1499\n")
    equals(folder.out("trim", "numbers", "--before", "10"),
           "topic 'numbers'\npartition 0: nothing to remove, it begins at offset 1500\n")
    equals(folder.values("numbers", "--count", "1"), [{"n": 1500}])
    contains(folder.fault("trim", "numbers", "--before", "2001"), "offset 2001 lies behind")
    equals(json.loads(folder.out("trim", "numbers", "--before", "end", "--json"))["partitions"],
           [{"partition": 0, "first": 2000, "was": 1500}])
    equals(folder.records("numbers"), [])
    contains(folder.fault("trim", "numbers", status=2), "needs --before")
    contains(folder.fault("trim", "numbers", "--before", "soon", status=2), "not 'soon'")
    contains(folder.fault("trim", "numbers", "--before", "1", "--partition", "3"), "no partition 3")
    contains(folder.fault("trim", "other", "--before", "1"), "there is no topic 'other'")


@cases.case
def trim_by_time_takes_what_is_older():
    folder = Folder()
    lines = "".join('{"timestamp":%d,"value":%d}\n' % (1700000000000 + n * 1000, n) for n in range(10))
    folder.out("put", "t", "--json", "--create", "1", given=lines)
    folder.out("trim", "t", "--before", "2023-11-14T22:13:24Z")
    equals(folder.values("t")[0], 4)


@cases.case
def trim_asks_for_what_is_not_read():
    folder = Folder(keeping())
    folder.put("numbers", numbers(0, 100), "--create", "1")
    run_pipeline(folder, "--until-end")
    folder.put("numbers", numbers(100, 200))
    contains(folder.fault("trim", "numbers", "--before", "150"),
             "pipeline 'p' has read partition 0 up to offset 100 only, and all before offset 150 is to go")
    equals(len(folder.records("numbers")), 200)
    contains(folder.out("trim", "numbers", "--before", "150", "--unread"),
             "pipeline 'p' goes on at offset 150 of partition 0 instead of 100")
    run_pipeline(folder, "--until-end")
    equals([value["n"] for value in folder.values("out")], [*range(100), *range(150, 200)])


@cases.case
def delete_removes_a_topic_and_what_is_known_of_it():
    folder = Folder(keeping())
    folder.put("numbers", numbers(0, 100), "--create", "1")
    run_pipeline(folder, "--until-end")
    equals(folder.out("delete", "numbers"),
           "deleted topic 'numbers' with 100 records\n"
           "pipeline 'p' has read partition 0 of it up to offset 100; that is forgotten\n")
    contains(folder.fault("describe", "numbers"), "there is no topic 'numbers'")
    folder.put("numbers", numbers(7, 9), "--create", "1")
    run_pipeline(folder, "--until-end")
    equals([value["n"] for value in folder.values("out")], [*range(100), 7, 8])
    equals(json.loads(folder.out("delete", "out", "--json")),
           {"topic": "out", "records": 102, "pipelines": []})


@cases.case
def a_topic_of_a_source_needs_a_word():
    folder = Folder()
    folder.put("source__p--s", "1\n", "--create", "1")
    contains(folder.fault("delete", "source__p--s"), "--internal deletes the topic nevertheless")
    folder.out("delete", "source__p--s", "--internal")
    equals(folder.out("list"), "no topics in 'local:weir-data'\n")


def has_ten_records(folder, name):
    done = subprocess.run([weir, "topic", "describe", name, "--json"], cwd=folder.path,
                          capture_output=True, text=True, timeout=SECONDS)
    return done.returncode == 0 and json.loads(done.stdout)["partitions"][0]["records"] == 10


@cases.case
def nothing_is_removed_while_a_pipeline_runs():
    folder = Folder(keeping("value: json", ", compact: true"))
    folder.put("numbers", numbers(0, 10), "--create", "1")
    process = folder.start("run")
    try:
        until(lambda: has_ten_records(folder, "out"))
        for words in (("trim", "numbers", "--before", "5"), ("delete", "numbers")):
            contains(folder.fault(*words), "the log in 'data' is in use by process %d" % process.pid)
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


@cases.case
def commands_that_remove_make_no_log():
    folder = Folder()
    contains(folder.fault("delete", "t"), "there is no log in 'weir-data'")
    contains(folder.fault("trim", "t", "--before", "1"), "there is no log in 'weir-data'")
    equals(os.listdir(folder.path), [])


cases.finish()
