#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Values of the environment are data: each one comes to the option as it is, byte for byte, or is an error of
that option's type that names file, line and variable. None changes what else the file says.

usage: environment.py WEIR

Every option type and every place of the file that takes ${VARIABLE} gets every value of HOSTILE.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, build_plugin, contains, equals, is_sanitized

weir = os.path.abspath(sys.argv[1])
cases = Cases()
handle = tempfile.TemporaryDirectory()
home = pathlib.Path(handle.name)
build_plugin(HERE / "plugins/told.c", home / "told.so", weir=weir)

MARK = b"m4rk"
NOT_UTF8 = [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\xaf"]
HOSTILE = [text.encode() for text in (
    "a # b", "#", " # b", '"', "'", "\"a\": 'b'", "\\", "\\n", "\\x41", "a\nb: 1", "\n", "\n- x", "a: b",
    ": ", ":", "a:", "after: gone", "\nafter: gone", "${HOME}", "$${X}", "${", "$", "}", "{", "*a", "&a",
    "!!int 1", "!x", "- x", "-", "- ", "? a", "{a: 1}", "{a", "[1]", "[", "]", ",", "a, b", "~", "null",
    "true", "false", "yes", "1", "-5", "007", "1e3", "0x10", "1.10", ".inf", ".nan", "5s", "5", "4KiB",
    "2026-01-01", "json", "hex:00ff", "hex:0", "base64:AA==", "", " ", "  a", "a  ", "\t", "\ta", "%TAG",
    "---", "...", "--- a", "x" * 100000, "\u00fc\u2028\ufeff", "\x85", "\u0007\x1b[31m", "a\r\nb", "|",
    "| a", ">", "> a", "`a", "@a", "<<", "in", "memory", "a/../b", "skip")] + NOT_UTF8
EACH = list(enumerate(HOSTILE))
VALUES = {b"V%d" % i: value for i, value in EACH}
# A place needs a run for each value, of which the sanitizers see fewer.
SOME = EACH[::6] if is_sanitized(weir) else EACH


def start(*words, folder=home, env=()):
    """Bytes of what was said must be UTF-8."""
    environment = {**os.environb, b"TOLD": os.fsencode(folder / "told"), **dict(env)}
    done = subprocess.run([weir, *words], cwd=folder, env=environment, capture_output=True, timeout=120)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    assert done.returncode in (0, 1), (done.returncode, done.stdout, done.stderr)
    return done


# ---- options --------------------------------------------------------------------------------------

HEAD = """pipeline: p
log: memory
plugins: [./told.so]
topics:
  in: {value: json}
streams:
  s:
    from: {topic: in}
    steps:
"""
TAIL = """    to: {print: {}}
"""


def decimal(value):
    return re.fullmatch(rb"[-+]?[0-9]+", value) and b"%d" % int(value)


def real(value):
    if re.fullmatch(rb"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", value):
        return b"%.17g" % float(value)
    return None


def as_is(value):
    return value


def path(value):
    return value or None


def octets(value):
    known = {b"hex:00ff": b"\x00\xff", b"hex:0": None, b"base64:AA==": b"\x00"}
    return known.get(value, value)


def only(table):
    return lambda value: table.get(value)


# What YAML's core schema makes of a plain scalar: nothing that is told, or another form.
NULLS = (b"", b"~", b"null")
CORE = {b"1.10": b"1.10", b"007": b"7", b"1e3": b"1e3", b"0x10": b"16", b".inf": b"inf", b".nan": b"nan"}


def core_schema(value):
    return b"" if value in NULLS else CORE.get(value, value)


class Row:
    """form: how it is written, @ for the variable; of: what must be told of a value, None where it is refused;
    words: of the refusal; name: under which it is told."""

    def __init__(self, form, of, words="", name=None):
        self.form, self.of, self.words = form, of, words
        self.name = name or form.split(":")[0]


A_TEXT = lambda value: b"<" + value + b">"
ROWS = {
    "bool": Row('flag: "@"', only({b"true": b"1", b"false": b""}), "expects true or false"),
    "int": Row('whole: "@"', decimal, "expects a whole number"),
    "float": Row('number: "@"', real, "expects a number"),
    "text": Row('text: "@"', as_is),
    "text that is plain": Row("text: @", as_is),
    "text in single quotes": Row("text: '@'", as_is),
    "text in a block": Row("text: |-\n            @", as_is),
    "text with more around it": Row('text: "<@>"', A_TEXT),
    "text twice": Row('text: "@@"', lambda value: value + value),
    "path": Row('path: "@"', path, "needs a path"),
    "bytes": Row('bytes: "@"', octets, "expects bytes"),
    "duration": Row('wait: "@"', only({b"5s": b"5000"}), "expects a duration"),
    "size": Row('room: "@"', only({b"4KiB": b"4096", b"1": b"1", b"5": b"5", b"007": b"7", b"1.10": b"1"}),
                "expects a size"),
    "enum": Row('format: "@"', only({b"a # b": b"", b"json": b"1"}), "must be one of"),
    "time": Row('since: "@"', only({b"2026-01-01": b"1767225600000"}), "expects a time"),
    "secret": Row('secret: "@"', as_is),
    "secret with more around it": Row('secret: "<@>"', A_TEXT),
    "any": Row('any: "@"', as_is),
    "any that is plain": Row("any: @", core_schema),
    "any, item of a list": Row('any: [1, "@", 2]', as_is, name="any.item"),
    "any, member of a map": Row('any: {a: "@"}', as_is, name="any.member"),
    "list, one item": Row('texts: "@"', as_is),
    "list": Row('texts: ["@"]', as_is),
    "list of numbers": Row('numbers: ["@"]', decimal, "expects a whole number"),
    "map": Row('map: {key: "@"}', as_is),
    "struct": Row('inner: {name: "@"}', as_is, name="inner.name"),
    "struct, a number": Row('inner: {count: "@"}', decimal, "expects a whole number", name="inner.count"),
    "list of structs": Row('inners: [{name: "@"}]', as_is, name="inner.name"),
    "nullable": Row('nullable: "@"', decimal, "expects a whole number"),
    "stream": Row('right: "@"', lambda value: None, "stream"),
    "target": Row('into: "@"', lambda value: None, ""),
    "expression": Row('where: "@"', lambda value: None, 'env("'),
}


def steps(row, numbers):
    """A step each; the line of each."""
    text, lines = HEAD, {}
    for i in numbers:
        lines[i] = text.count("\n") + 4
        text += ("      - told:\n          step: %d\n          before: b\n          %s\n          after: a\n"
                 % (i + 1, row.form.replace("@", "${V%d}" % i)))
    return text + TAIL, lines


def faults_by_line(done):
    """Of a check: the message and the excerpt at each line."""
    faults = {}
    for part in re.split(r"(?=^\S*pipeline\.yaml:)", done.stdout + done.stderr, flags=re.M):
        match = re.match(r"\S*pipeline\.yaml:(\d+):\d+: error: ", part)
        if match:
            faults.setdefault(int(match[1]), []).append(part)
    return faults


def check_refused(row, refused):
    text, lines = steps(row, refused)
    (home / "pipeline.yaml").write_text(text)
    done = start("check", env=VALUES)
    equals(done.returncode, 1 if refused else 0)
    faults = faults_by_line(done)
    in_block = 1 if "\n" in row.form else 0
    for i in refused:
        place = lines[i] + in_block
        count = row.form.count("@") if is_bad(row, i) else 1
        assert len(faults.get(place, ())) == count, (HOSTILE[i][:99], faults.get(place), done.stdout[:3000])
        said = faults[place][0]
        contains(said, "V%d" % i)
        contains(said, "V%d' holds bytes that are not UTF-8" % i if is_bad(row, i) else row.words)
        assert len(said) < 2000, said
    equals(sorted(faults), sorted(lines[i] + in_block for i in refused))


def is_bad(row, i):
    return HOSTILE[i] in NOT_UTF8 and not row.form.startswith(("into", "where"))


def check_arrived(row, taken):
    (home / "told").unlink(missing_ok=True)
    (home / "pipeline.yaml").write_text(steps(row, taken)[0])
    if not taken:
        return
    done = start("run", "--until-end", env=VALUES)
    assert done.returncode == 0, done.stderr[:3000]
    told = {}
    for line in (home / "told").read_text().splitlines():
        number, name, value = line.split(" ")
        told.setdefault(int(number) - 1, []).append((name, bytes.fromhex(value)))
    equals(sorted(told), taken)
    for i in taken:
        wanted = row.of(HOSTILE[i])
        rest = [pair for pair in told[i] if pair[0] != row.name]
        others = {"any.item": [("any.item", b"1"), ("any.item", b"2")]}.get(row.name, [])
        got = [value for name, value in told[i] if name == row.name]
        if others:
            got = got[1:-1]
        assert got == [wanted] or (wanted == b"" and got == []), (HOSTILE[i][:99], wanted[:99], got)
        equals([pair for pair in rest if pair[0] != "map.key"], [("before", b"b"), ("after", b"a")])


def check_row(row):
    arrives = lambda i: HOSTILE[i] not in NOT_UTF8 and row.of(HOSTILE[i]) is not None
    numbers = [i for i, _ in EACH]
    check_refused(row, [i for i in numbers if not arrives(i)])
    check_arrived(row, [i for i in numbers if arrives(i)])


for name, row in ROWS.items():
    def one(row=row):
        check_row(row)
    one.__name__ = "an option: " + name
    cases.case(one)


@cases.case
def no_secret_is_told():
    for form in ('secret: "%s"', 'secret: "<%s>"', 'secret: "%s", wait: 5', 'secret: "%s", srcret: 1',
                 'secret: ["%s"]'):
        text = HEAD + "".join("      - told: {%s}\n" % (form % ("${V%d}" % i)) for i, _ in EACH) + TAIL
        (home / "pipeline.yaml").write_text(text)
        marked = {name: MARK + value for name, value in VALUES.items()}
        for words in (("check",), ("check", "--json"), ("explain",), ("run", "--until-end")):
            done = start(*words, env=marked)
            assert "m4rk" not in done.stdout + done.stderr, form


@cases.case
def the_function_env_gives_values_as_they_are():
    good = [i for i, value in EACH if value not in NOT_UTF8]
    members = "".join("          v%d: env(\"V%d\")\n" % (i, i) for i in good)
    (home / "in.jsonl").write_text('{"a": 1}\n')
    head = HEAD.replace("streams:\n", "streams:\n  feed: {from: {file: in.jsonl}, to: {topic: in}}\n")
    (home / "pipeline.yaml").write_text(head + "      - set:\n" + members + "    to: {file: results}\n")
    done = start("run", "--until-end", env=VALUES)
    assert done.returncode == 0, done.stderr
    files = sorted((home / "results").rglob("*.jsonl"))
    lines = [line for file in files for line in file.read_text().split("\n")[:-1]]
    equals(len(lines), 1)
    record = json.loads(lines[0])
    for i in good:
        equals(record["v%d" % i].encode(), HOSTILE[i])


@cases.case
def the_function_env_refuses_what_is_not_utf_8():
    for value in NOT_UTF8:
        (home / "pipeline.yaml").write_text(HEAD + "      - filter: env(\"VALUE\") == \"a\"\n" + TAIL)
        done = start("check", env={b"VALUE": value})
        equals(done.returncode, 1)
        contains(done.stdout, "pipeline.yaml:10:")
        contains(done.stdout, "VALUE")


# ---- places of the file ---------------------------------------------------------------------------

FILE = """pipeline: p
log: memory
topics:
  in: {value: json}
  out: {value: json}
streams:
  s:
    from: {topic: in}
    steps:
      - filter: "true"
    to: {topic: out}
"""


class Place:
    """change: what is written in another way, @ for the variable; takes: values that are right there."""

    def __init__(self, *change, takes=(), find=None):
        self.change, self.takes, self.find = change, takes, find


NUMBERS = (b"1", b"5", b"007")
PLACES = {
    "pipeline": Place("pipeline: p", 'pipeline: "@"', find=lambda plan: plan["pipeline"],
                      takes=[v for v in HOSTILE if re.fullmatch(rb"[A-Za-z0-9_.-]+", v) and len(v) < 200]),
    "log": Place("log: memory", 'log: "@"', takes=(b"memory",)),
    "guarantee": Place("log: memory", 'log: memory\nguarantee: "@"'),
    "checkpoint, interval": Place("log: memory", 'log: memory\ncheckpoint: {interval: "@"}', takes=(b"5s",)),
    "checkpoint, records": Place("log: memory", 'log: memory\ncheckpoint: {records: "@"}', takes=NUMBERS),
    "threads": Place("log: memory", 'log: memory\nthreads: "@"', takes=NUMBERS),
    "memory": Place("log: memory", 'log: memory\nmemory: "@"'),
    "shutdown_timeout": Place("log: memory", 'log: memory\nshutdown_timeout: "@"', takes=(b"5s",)),
    "on_error": Place("log: memory", 'log: memory\non_error: "@"', takes=(b"skip",)),
    "on_error of a step": Place('- filter: "true"', '- filter: "true"\n        on_error: "@"', takes=(b"skip",)),
    "dead_letters": Place("log: memory", 'log: memory\non_error: dead_letter\ndead_letters: {topic: "@"}'),
    "plugins": Place("log: memory", 'log: memory\nplugins: ["./@.so"]'),
    "plugins, sha256": Place("log: memory", 'log: memory\nplugins: [{path: ./told.so, sha256: "@"}]'),
    "topics, partitions": Place("in: {value: json}", 'in: {value: json, partitions: "@"}', takes=NUMBERS),
    "topics, retention": Place("in: {value: json}", 'in: {value: json, retention: "@"}', takes=(b"5s",)),
    "topics, compact": Place("in: {value: json}", 'in: {value: json, compact: "@"}', takes=(b"true", b"false")),
    "a topic that is read": Place("from: {topic: in}", 'from: {topic: "@"}', takes=(b"in",)),
    "a topic that is written": Place("to: {topic: out}", 'to: {topic: "@"}', takes=(b"in",)),
    "a stream that is read": Place("from: {topic: in}", 'from: "@"'),
    "the option of a sink": Place("to: {topic: out}", 'to: {topic: out}\n  t: {from: s, to: {print: {limit: "@"}}}',
                                  takes=NUMBERS),
}


def check_place(name, place, folder, i):
    """None, or what is wrong."""
    value = HOSTILE[i]
    text = FILE.replace(place.change[0], place.change[1].replace("@", "${VALUE}"), 1)
    (folder / "pipeline.yaml").write_text(text)
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "VALUE" in each)
    done = start("check", folder=folder, env={b"VALUE": value})
    if value in place.takes:
        if done.returncode != 0:
            return "is refused: " + done.stdout[:2000]
        plan = json.loads(start("explain", "--json", folder=folder, env={b"VALUE": value}).stdout)
        sizes = (len(plan["nodes"]), len(plan["streams"]))
        if sizes not in ((4, 1), (6, 2)) or (place.find and place.find(plan) != value.decode()):
            return "has changed the plan: %r" % (sizes,)
        return None
    said = done.stdout + done.stderr
    if done.returncode != 1:
        return "is taken: " + said[:2000]
    faults = faults_by_line(done)
    if line not in faults or not any("VALUE" in fault for fault in faults[line]):
        return "is refused without its place and name: " + said[:2000]
    if value in NOT_UTF8 and "'VALUE' holds bytes that are not UTF-8" not in said:
        return "is refused for another reason: " + said[:2000]
    return None if len(said) < 4000 else "is refused with %d bytes: %s" % (len(said), said[:300])


for name, place in PLACES.items():
    def one(name=name, place=place):
        with tempfile.TemporaryDirectory() as top, ThreadPoolExecutor(4) as pool:
            folders = {i: pathlib.Path(top) / str(i) for i, _ in SOME}
            for folder in folders.values():
                folder.mkdir()
                (folder / "told.so").symlink_to(home / "told.so")
            results = list(pool.map(lambda i: check_place(name, place, folders[i], i), folders))
        equals([(HOSTILE[i][:60], fault) for i, fault in zip(folders, results) if fault], [])
    one.__name__ = "a place: " + name
    cases.case(one)


# Values that no folder or file can have as its name.
NO_NAME = [v for v in HOSTILE if b"/" in v or len(v) > 200 or v in NOT_UTF8]


@cases.case
def the_folder_of_the_log_has_the_name_that_the_value_gives():
    for i, value in SOME:
        folder = home / ("log%d" % i)
        folder.mkdir()
        (folder / "pipeline.yaml").write_text(FILE.replace("log: memory", 'log: "local:./log${VALUE}"'))
        done = start("run", "--until-end", folder=folder, env={b"VALUE": value})
        if value in NO_NAME:
            continue
        assert done.returncode == 0, done.stderr
        equals(sorted(os.listdir(os.fsencode(folder))), sorted([b"log" + value, b"pipeline.yaml"]))


@cases.case
def a_plugin_has_the_file_that_the_value_names():
    for i, value in SOME:
        if value in NO_NAME:
            continue
        folder = home / ("plugin%d" % i)
        folder.mkdir()
        os.link(home / "told.so", os.fsencode(folder) + b"/told" + value + b".so")
        text = FILE.replace("log: memory", 'log: memory\nplugins: ["./told${VALUE}.so"]')
        (folder / "pipeline.yaml").write_text(text.replace('- filter: "true"', "- told: {step: 1}"))
        done = start("check", folder=folder, env={b"VALUE": value})
        assert done.returncode == 0, (value, done.stdout)


@cases.case
def the_option_of_a_source_and_of_a_sink_is_what_the_value_says():
    for i, value in SOME:
        if value in NO_NAME:
            continue
        folder = home / ("ends%d" % i)
        folder.mkdir()
        with open(os.fsencode(folder) + b"/in" + value, "wb") as file:
            file.write(b'{"a": 1}\n')
        text = FILE.replace("  s:\n", '  feed: {from: {file: "in${VALUE}"}, to: {topic: in}}\n  s:\n')
        (folder / "pipeline.yaml").write_text(text.replace("to: {topic: out}", 'to: {file: "out${VALUE}"}'))
        done = start("run", "--until-end", folder=folder, env={b"VALUE": value})
        assert done.returncode == 0, (value, done.stderr)
        assert b"out" + value in os.listdir(os.fsencode(folder)), value


cases.finish()
