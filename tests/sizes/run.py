#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sizes and oddities of data through every plugin that comes with weir: what comes in goes out exactly,
or is an error of its record; nothing is cut, changed in silence, or brings the run down. The limits
stand in docs/limits.md.

usage: run.py WEIR
"""
import base64
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, contains, equals, run
from payloads import MANY, MAX_DEPTH, PAYLOADS, REFUSED, SIZES, nested_lists

weir = os.path.abspath(sys.argv[1])
cases = Cases()

HEAD = """
pipeline: sizes
on_error: dead_letter
dead_letters: {topic: letters}
"""


class Pipeline:
    """A folder with a pipeline that has run, every failed record of which is a dead letter."""

    def __init__(self, text, puts=(), status=0, **files):
        """puts: pairs of a topic and messages for it, as bytes; files: by name, what they hold."""
        self.handle = tempfile.TemporaryDirectory(prefix="weir-sizes-")
        self.path = pathlib.Path(self.handle.name)
        (self.path / "pipeline.yaml").write_text(HEAD + text)
        for name, data in files.items():
            (self.path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        for topic, messages in puts:
            (self.path / "messages").write_bytes(b"".join(message + b"\n" for message in messages))
            done = self.call("topic", "put", topic, "messages", "--raw", "--create", "1")
            assert done.returncode == 0, done.stderr
        done = self.call("run", "--until-end")
        assert "Sanitizer" not in done.stderr, done.stderr
        assert done.returncode == status, done.stderr
        self.output, self.errors = done.stdout, done.stderr

    def call(self, *arguments):
        return run([weir, *arguments], cwd=self.path, timeout=300, errors="surrogateescape")

    def topic(self, name):
        return self.call("topic", "cat", name, "--json").stdout.splitlines()

    def letters(self):
        return [json.loads(line)["value"] for line in self.topic("letters")]

    def faults(self):
        return [letter["error"]["message"] for letter in self.letters()]

    def files(self, folder, suffix=".jsonl"):
        """What the files of a sink hold, in the order of their offsets."""
        return b"".join(path.read_bytes() for path in sorted(self.path.glob(folder + "/*/*/*" + suffix)))

    def lines(self, folder):
        return self.files(folder).decode().splitlines()


def same(name, got, wanted):
    """As `equals`, but it tells no megabytes."""
    if got == wanted:
        return
    at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    raise AssertionError("%s: differs at %d: got %r (%d in all), wanted %r (%d in all)" % (
        name, at, got[at : at + 60], len(got), wanted[at : at + 60], len(wanted)))


def same_lines(names, got, wanted):
    for name, a, b in zip(names, got, wanted):
        same(name, a, b)
    equals(len(got), len(wanted))


def refused(names, faults, parts):
    for name, fault, part in zip(names, faults, parts):
        assert part in fault, (name, fault, part)
    equals(len(faults), len(parts))


NAMES = [payload.name for payload in PAYLOADS]

# ---- operators ---------------------------------------------------------------------------------------


def one(value=None, key=None, timestamp=None, headers=""):
    """What a step makes of the value {"v": X}: texts with %s for X; where None, as it came in."""
    return lambda at, name, x: ['{"topic":"input","partition":0,"offset":%d,"timestamp":%s,"key":%s,'
                                '"value":%s%s}' % (at, at if timestamp is None else timestamp,
                                                   '"%s"' % name if key is None else key.replace("%s", x),
                                                   (value or '{"v":%s}').replace("%s", x), headers)]


def twice(value):
    return lambda at, name, x: one(value)(at, name, x) * 2


# A step, and what it makes of a record. `null` is no value that flat_map could part from a tombstone.
OPERATORS = {
    "filter": ("filter: has(v)", one()),
    "set": ("set: {w: v}", one('{"v":%s,"w":%s}')),
    "unset": ("unset: v", one("{}")),
    "drop": ("drop: [v]", one("{}")),
    "rename": ("rename: {w: v}", one('{"w":%s}')),
    "select": ("select: [{w: v}, v]", one('{"w":%s,"v":%s}')),
    "fill": ("fill: {w: v}", one('{"v":%s,"w":%s}')),
    "flat_map": ("flat_map: '[v, v]'", twice("%s")),
    "key": ("key: v", one(key="%s")),
    "timestamp": ("timestamp: -1", one(timestamp="-1")),
    "headers": ("headers: {add: {h: text(has(v))}}", one(headers=',"headers":[["h","true"]]')),
    "log": ("log: {message: v}", one()),
    "sample": ("sample: {every: 1}", one()),
    "stamp": ("stamp: {field: v}", None),
    "route": ("route: {yes: has(v)}", None),
    "group_by": ("group_by: {key: v, name: v}", one(key="%s")),
}


def operators_here():
    folder = HERE.parents[1] / "plugins/operators"
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


@cases.case
def every_operator_is_in_the_table():
    equals(sorted(OPERATORS), operators_here())


@cases.case
def operators_take_and_give_values_of_every_size():
    streams = "".join("  s_%s: {from: input, steps: [%s], to: {file: {path: out-%s, content: record}}}\n" %
                      (name, step if ": '" in step else "{%s}" % step, name)
                      for name, (step, answer) in OPERATORS.items() if answer)
    lines = "".join('{"timestamp":%d,"key":"%s","value":{"v":%s}}\n' % (i, payload.name, payload.text)
                    for i, payload in enumerate(PAYLOADS))
    p = Pipeline("""
topics:
  input: {key: json, value: json}
  letters: {value: json}
streams:
  feed: {from: {file: {path: input.jsonl, content: record}}, to: {topic: input}}
  input: {from: {topic: input}}
  stamped: {from: input, steps: [stamp: {field: v}], to: {file: {path: out-stamp}}}
  routed: {from: input, steps: [route: {yes: has(v)}]}
  s_route: {from: routed.yes, to: {file: {path: out-route, content: record}}}
""" + streams, **{"input.jsonl": lines})
    equals(p.faults(), [])
    for name, (_, answer) in OPERATORS.items():
        answer = answer or one()
        got = p.lines("out-" + name)
        if name == "stamp":
            equals(len(got), len(PAYLOADS))
            continue
        wanted = [(payload.name, line) for i, payload in enumerate(PAYLOADS)
                  for line in answer(i, payload.name, payload.out)]
        same_lines(["%s: %s" % (name, n) for n, _ in wanted], got, [line for _, line in wanted])


@cases.case
def a_value_larger_than_any_that_steps_make_passes_through_them():
    text = "a" * (20 << 20)
    p = Pipeline("""
topics: {input: {}, letters: {value: json}}
streams:
  feed: {from: {file: {path: input.jsonl, max_line: 32MiB}}, to: {topic: input}}
  work:
    from: {topic: input}
    steps: [{log: v}, {log: $value}, {set: {w: 1}}, {flat_map: '[$value]'}, {filter: length(v) > 1}]
    to: [{file: out}, {print: {format: json}}, {file: {path: out-csv, format: csv, columns: [v]}}]
""", **{"input.jsonl": '{"v":"%s"}\n' % text})
    equals(p.faults(), [])
    contains(p.errors, "(log): aaaa")
    contains(p.errors, "aaaa…\n")
    contains(p.errors, "(log): (a value of more than 16 MiB)\n")
    same("line", p.lines("out"), ['{"v":"%s","w":1}' % text])
    same("CSV", p.files("out-csv", ".csv").decode(), "v\n%s\n" % text)
    same("print", p.output, '{"v":"%s","w":1}\n' % text)


@cases.case
def the_log_shows_what_stands_behind_a_nul():
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: input.jsonl}, steps: [log: v], to: {file: out}}
""", **{"input.jsonl": '{"v":"a\\u0000b\\nc"}\n'})
    contains(p.errors, "(log): a b c\n")


# ---- JSON that is refused ----------------------------------------------------------------------------

REFUSED_NAMES = [name for name, _, _ in REFUSED]
REFUSED_PARTS = [part for _, _, part in REFUSED]


def held(letter):
    """The message that a letter holds, as bytes."""
    value = letter["message"]["value"]
    return base64.b64decode(value["$bytes"]) if isinstance(value, dict) else value.encode()


def refuses_lines(source, before, after):
    lines = [before + text + after for _, text, _ in REFUSED]
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: {path: input.jsonl, %s}}, to: {file: out}}
""" % source, **{"input.jsonl": b"".join(line + b"\n" for line in lines)})
    refused(REFUSED_NAMES, p.faults(), REFUSED_PARTS)
    for at, fault in enumerate(p.faults()):
        contains(fault, "'input.jsonl' line %d, byte " % (at + 1))
    same_lines(REFUSED_NAMES, [held(letter) for letter in p.letters()], lines)
    equals(p.lines("out"), [])


@cases.case
def the_source_file_refuses_what_is_no_json():
    refuses_lines("format: jsonl", b'{"v":', b"}")
    refuses_lines("content: record", b'{"value":[[', b"]]}")
    refuses_lines("content: record", b'{"value":1,"key":[[', b"]]}")


@cases.case
def the_serializer_json_refuses_what_is_no_json():
    texts = [b'{"v":' + text + b"}" for _, text, _ in REFUSED]
    p = Pipeline("""
topics: {input: {value: json}, letters: {value: json}}
streams:
  s: {from: {topic: input}, to: {file: out}}
""", puts=[("input", texts)])
    refused(REFUSED_NAMES, p.faults(), REFUSED_PARTS)
    same_lines(REFUSED_NAMES, [held(letter) for letter in p.letters()], texts)
    equals(p.lines("out"), [])


@cases.case
def what_steps_nest_too_deep_is_an_error_where_it_is_written():
    p = Pipeline("""
topics: {input: {}, out: {value: json}, letters: {value: json}}
streams:
  feed: {from: {file: input.jsonl}, to: {topic: input}}
  deep: {from: {topic: input}, steps: [set: {$value: '{deeper: $value}'}]}
  topics: {from: deep, to: {topic: out}}
  files: {from: deep, to: {file: out}}
  records: {from: deep, to: {file: {path: out-record, content: record}}}
  tables: {from: deep, to: {file: {path: out-csv, format: csv, columns: [deeper]}}}
  prints: {from: deep, to: {print: {format: json}}}
  logs: {from: deep, steps: [log: $value]}
""", **{"input.jsonl": "".join(nested_lists(levels) + "\n" for levels in (MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH))})
    fit = ['{"deeper":%s}' % nested_lists(levels) for levels in (MAX_DEPTH - 2, MAX_DEPTH - 1)]
    same_lines(["file"] * 2, p.lines("out"), fit)
    same_lines(["print"] * 2, p.output.splitlines(), fit)
    same_lines(["topic"] * 2, [line.partition('"value":')[2] for line in p.topic("out")], [text + "}" for text in fit])
    same_lines(["record"] * 2, [line.partition('"value":')[2] for line in p.lines("out-record")], [text + "}" for text in fit])
    # A cell of a table is the value of a field.
    same("CSV", p.files("out-csv", ".csv").decode(),
         "".join(cell + "\n" for cell in ("deeper", *map(nested_lists, (MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH)))))
    equals(sorted((letter["step"], letter["error"]["message"].partition(": ")[2]) for letter in p.letters()),
           [(step, "its lists and maps are nested too deep") for step in ("file", "file", "log", "print", "topic")])


@cases.case
def record_lines_of_the_deepest_values_are_read_back():
    p = Pipeline("""
topics: {input: {key: json}, letters: {value: json}}
streams:
  feed: {from: {file: {path: input.jsonl, content: record}}, to: {topic: input}}
  back: {from: {topic: input}, to: {file: {path: out, content: record}}}
""", **{"input.jsonl": '{"value":%s}\n{"key":%s,"value":0}\n' % (nested_lists(MAX_DEPTH), nested_lists(MAX_DEPTH))})
    equals(p.faults(), [])
    equals(len(p.lines("out")), 2)
    contains(p.lines("out")[0], '"value":%s' % nested_lists(MAX_DEPTH))
    contains(p.lines("out")[1], '"key":%s' % nested_lists(MAX_DEPTH))


# ---- serializers -------------------------------------------------------------------------------------


def in_base64(data):
    return '{"$bytes":"%s"}' % base64.b64encode(data).decode()


# What each takes and gives back, as in a record line: what comes out, where it differs, behind it.
SERIALIZERS = {
    "json": [(payload.text, payload.out, payload.as_key) for payload in PAYLOADS],
    "text": [('"%s"' % ("a" * size),) for size in SIZES] + [('"a\\u0000b"',), ('"ü"',), ("null",)],
    "bytes": [(in_base64(b"\xff" * size),) for size in SIZES] + [(in_base64(b"\0a\n\0"),), ("null",)],
    "integer": [("0",), ("-1",), ("2147483647",), ("-2147483648",), ("null",), ("true", "1")],
    "double": [("0.5",), ("-0.0", "-0.0", "0.0"), ("1.7976931348623157e+308",), ("5e-324",), ("null",), ("1", "1.0"),
               ("9007199254740993", "9007199254740992.0"), ("9223372036854775807", "9.223372036854776e+18")],
}
# What each cannot write, with a part of what it says.
UNWRITABLE = {
    "json": [],
    "text": [("1", "not int"), (in_base64(b"a"), "not bytes"), ("[]", "not list"), ("{}", "not map")],
    "bytes": [('"a"', "not text"), ("1", "not int"), ("[]", "not list"), ("{}", "not map")],
    "integer": [("2147483648", "lies outside"), ("-2147483649", "lies outside"), ("9223372036854775808", "lies outside"),
                ("1.0", "not float"), ('"1"', "not text"), (in_base64(b"1234"), "not bytes"), ("[]", "not list")],
    "double": [("1e400", "too large"), ('"1"', "not text"), ("[]", "not list"), (in_base64(b"12345678"), "not bytes")],
}
# Messages that each cannot read.
UNREADABLE = {
    "json": [],
    "text": [(b"a\xffb", "UTF-8"), (b"\xed\xa0\x80", "UTF-8"), (b"\xc3", "UTF-8"), (b"\xc0\x80", "UTF-8")],
    "bytes": [],
    "integer": [(b"123", "3 bytes"), (b"12345", "5 bytes"), (b"1" * 65536, "65536 bytes")],
    "double": [(b"1234567", "7 bytes"), (b"123456789", "9 bytes"), (b"1" * 65536, "65536 bytes")],
}


@cases.case
def every_serializer_is_in_the_table():
    folder = HERE.parents[1] / "plugins/serializers"
    equals(sorted(SERIALIZERS), sorted(path.name for path in folder.iterdir() if path.is_dir()))


def goes_through(name, what):
    """What a serializer takes, as a key and as a value, once through a topic."""
    pairs = [(one[0], one[-1] if what == "key" or len(one) < 3 else one[1]) for one in SERIALIZERS[name]] + [(text, None) for text, _ in UNWRITABLE[name]]
    line = '{"timestamp":0,"key":%s,"value":0}\n' if what == "key" else '{"timestamp":0,"key":0,"value":%s}\n'
    other = "value: json" if what == "key" else "key: json"
    p = Pipeline("""
topics: {out: {%s: %s, %s}, letters: {value: json}}
streams:
  feed: {from: {file: {path: input.jsonl, content: record}}, to: {topic: out}}
  back: {from: {topic: out}, to: {file: {path: out, content: record}}}
""" % (what, name, other), **{"input.jsonl": "".join(line % text for text, _ in pairs)})
    wanted = [(line % out).strip() for _, out in pairs if out is not None]
    got = ["{" + text.split(",", 3)[3] for text in p.lines("out")]
    same_lines(["%s %s %.60s" % (name, what, text) for text in wanted], got, wanted)
    refused([text for text, _ in UNWRITABLE[name]], p.faults(), [part for _, part in UNWRITABLE[name]])


@cases.case
def serializers_give_back_what_they_take():
    for name in SERIALIZERS:
        for what in ("value", "key"):
            goes_through(name, what)


@cases.case
def serializers_refuse_messages_that_are_none_of_theirs():
    for name, messages in UNREADABLE.items():
        if messages:
            p = Pipeline("""
topics: {input: {value: %s}, letters: {value: json}}
streams:
  s: {from: {topic: input}, to: {file: out}}
""" % name, puts=[("input", [message for message, _ in messages])])
            refused([message[:20] for message, _ in messages], p.faults(), [part for _, part in messages])
            same_lines([name] * len(messages), [held(letter) for letter in p.letters()],
                       [message for message, _ in messages])


# ---- CSV and plain lines -----------------------------------------------------------------------------


@cases.case
def csv_gives_back_fields_of_every_size():
    rows = [("a" * size, size) for size in SIZES]
    rows += [(('""' + "\n" + ",") * (size // 4), "quoted") for size in SIZES]
    text = "a,b\n" + "".join('%s,%s\n' % (a if "," not in a and a else '"%s"' % a, b) for a, b in rows)
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: {path: input.csv, format: csv, types: infer}}}
  values: {from: feed, to: {file: {path: out, format: csv, columns: [a, b]}}}
  json: {from: feed, to: {file: {path: out-json}}}
""", **{"input.csv": text})
    equals(p.faults(), [])
    same("CSV", p.files("out", ".csv").decode(), text)
    for (a, b), line in zip(rows, p.lines("out-json"), strict=True):
        same("row %s" % b, json.loads(line), {"a": a.replace('""', '"'), "b": b})


@cases.case
def csv_has_columns_up_to_their_limit():
    for count, status in ((65536, 0), (65537, 1)):
        names = ["c%d" % i for i in range(count)]
        p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: {path: input.csv, format: csv}}, to: {file: out}}
""", status=status, **{"input.csv": ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"})
        if status == 0:
            equals(p.faults(), [])
            same("row", p.lines("out")[0], "{%s}" % ",".join('"%s":"1"' % name for name in names))
        else:
            contains(p.errors, "there are more than 65536; give the names with 'columns'")


@cases.case
def csv_that_is_wrong_is_an_error_of_its_record():
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: {path: input.csv, format: csv}}, to: {file: out}}
""", **{"input.csv": b'a,b\n1,2\n1\n1,2,3\n\xff,1\nx"y,1\n3,4\n'})
    equals(p.lines("out"), ['{"a":"1","b":"2"}', '{"a":"3","b":"4"}'])
    equals(p.faults(), [
        "'input.csv' line 3, byte 0: the record has 1 field, there are 2 columns",
        "'input.csv' line 4, byte 0: the record has 3 fields, there are 2 columns",
        "'input.csv' line 5, byte 0: the record is not UTF-8",
        "'input.csv' line 6, byte 1: a quote in a field without quotes; put the field in quotes and double it",
    ])


@cases.case
def plain_lines_of_every_size_are_texts():
    texts = ["a" * size for size in SIZES if size] + ["a\0b", "\x01", "ü"]
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: {path: input.txt, content: text}}, to: {file: out}}
""", **{"input.txt": b"\n".join([text.encode() for text in texts] + [b"a\xffb", b"\xed\xa0\x80", b""])})
    same_lines([text[:9] for text in texts], [json.loads(line) for line in p.lines("out")], texts)
    refused(["one", "two"], p.faults(), ["UTF-8", "UTF-8"])


@cases.case
def a_line_has_max_line_bytes_and_no_more():
    for form, make in (("content: text", lambda size: "a" * size),
                       ("format: jsonl", lambda size: '"%s"' % ("a" * (size - 2))),
                       ("content: record", lambda size: '{"value":"%s"}' % ("a" * (size - 12))),
                       ("{format: csv, columns: [a]", lambda size: "a" * size)):
        p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: {path: input, max_line: 64KiB, %s}}, to: {file: out}}
""" % form.strip("{"), input="".join(make(65536 + more) + "\n" for more in (-1, 0, 1, 65536, -2)))
        equals(len(p.lines("out")), 3)
        refused(["one more", "twice"], p.faults(), ["max_line", "max_line"])


# ---- what is made up ---------------------------------------------------------------------------------


@cases.case
def expressions_make_values_up_to_their_limits():
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  texts:
    from: {generator: {count: 9, start: 1970-01-01, value: 'pad_end("", %s[n], "a")'}}
    to: {file: out}
  lists:
    from: {generator: {count: 4, start: 1970-01-01, value: 'range([0, 1, 100000, 1048577][n])'}}
    to: {file: out-list}
""" % [*SIZES, 1 << 24, (1 << 24) + 1])
    same_lines(SIZES, p.lines("out"), ['"%s"' % ("a" * size) for size in (*SIZES, 1 << 24)])
    same_lines([0, 1, MANY], p.lines("out-list"),
               ["[%s]" % ",".join(map(str, range(count))) for count in (0, 1, MANY)])
    equals(sorted(p.faults()), ["pad_end: the result is larger than 16 MiB",
                                "range: from 0 to 1048577 are more than a million items"])


@cases.case
def floats_that_are_no_numbers_become_null_or_an_error():
    p = Pipeline("""
topics:
  as_null: {value: json}
  as_error: {value: {json: {nan: error}}}
  as_double: {value: double}
  letters: {value: json}
streams:
  feed: {from: {generator: {count: 3, start: 1970-01-01, value: n}}}
  made: {from: feed, steps: [set: {$value: '[1e308 * 10, -1e308 * 10, 1e308 * 10 - 1e308 * 10][$value]'}]}
  ends:
    from: made
    to:
      - {topic: as_null}
      - {topic: as_error}
      - {topic: as_double}
      - {file: out}
      - {file: {path: out-record, content: record}}
      - {print: {format: json}}
  tables:
    from: made
    steps: [set: {$value: '{a: $value, b: 1}'}]
    to: {file: {path: out-csv, format: csv, columns: [a, b]}}
  from_null: {from: {topic: as_null}, steps: [set: {$value: type($value)}], to: {file: out-null}}
  from_double: {from: {topic: as_double}, steps: [set: {$value: '[is_nan($value), $value > 0]'}], to: {file: out-double}}
""")
    equals(p.faults(), ["cannot write the value as JSON: JSON has no NaN and no infinity"] * 3)
    equals(p.lines("out-null"), ['"null"'] * 3)
    equals(p.lines("out-double"), ["[false,true]", "[false,false]", "[true,false]"])
    equals(p.lines("out"), ["null"] * 3)
    equals([json.loads(line)["value"] for line in p.lines("out-record")], [None] * 3)
    equals(p.output, "null\n" * 3)
    equals(p.files("out-csv", ".csv").decode(), "a,b\n,1\n,1\n,1\n")


# ---- print -------------------------------------------------------------------------------------------


@cases.case
def print_shows_values_of_every_size():
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: input.jsonl}, to: {print: {format: json}}}
""", **{"input.jsonl": "".join('{"v":%s}\n' % payload.text for payload in PAYLOADS)})
    same_lines(NAMES, p.output.splitlines(), ['{"v":%s}' % payload.out for payload in PAYLOADS])
    equals(p.faults(), [])


@cases.case
def cells_of_tables_are_cut_and_show_no_control_characters():
    p = Pipeline("""
topics: {letters: {value: json}}
streams:
  feed: {from: {file: input.jsonl}, to: {print: {columns: [v]}}}
""", **{"input.jsonl": "".join('{"v":%s}\n' % payload.text for payload in PAYLOADS)})
    assert len(p.output.splitlines()) >= len(PAYLOADS), p.output
    for line in p.output.splitlines():
        assert len(line) <= 60 and line.isprintable(), line


cases.finish()
