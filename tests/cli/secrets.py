#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Secrets stand in no output, whatever a plugin says; values of the environment are data.

usage: secrets.py WEIR
"""
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, contains, equals, run

weir = os.path.abspath(sys.argv[1])
cases = Cases()
handle = tempfile.TemporaryDirectory()
folder = pathlib.Path(handle.name)

MARK = "m4rk-of-a-secret"
FROM_FILE = "m4rk-in-a-file"
SECRETS = {"SECRET": MARK}

PIPELINE = """
pipeline: p
log: memory
plugins: [./teller.so]
topics:
  numbers: {value: json}
streams:
  feed:
    from: {file: in.jsonl}
    to: {topic: numbers}
  work:
    from: {topic: numbers}
    steps:
      - teller: {secret: "${SECRET}", more: [{file: secret.txt}], fails: %s}
    to:
      - teller: {secret: "a ${SECRET} b", more: [{file: secret.txt}], fails: %s}
        on_error: %s
"""


def setup():
    built = run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-std=gnu11", "-I",
                 str(HERE / "../../sdk/include"), "-o", str(folder / "teller.so"),
                 str(HERE / "plugins/teller.c")])
    assert built.returncode == 0, built.stderr
    (folder / "in.jsonl").write_text('{"n": 1}\n{"n": 2}\n')
    (folder / "secret.txt").write_text(FROM_FILE + "\n")


def start(*words, env=None):
    return run([weir, *words], cwd=folder, env=dict(os.environ, **(SECRETS if env is None else env)))


def write(step="none", sink="none", on_error="fail"):
    (folder / "pipeline.yaml").write_text(PIPELINE % (step, sink, on_error))


def is_kept(done):
    for text in (done.stdout, done.stderr):
        for secret in ("m4rk", "a-secret", "in-a-file"):
            assert secret not in text, "a secret is told:\n" + text


@cases.case
def no_command_tells_a_secret():
    write()
    (folder / "wrong.yaml").write_text(PIPELINE.replace("steps:", "stepz:") % ("none", "none", "fail"))
    for file in ("pipeline.yaml", "wrong.yaml"):
        for words in (("check",), ("explain",), ("explain", "--json"), ("graph",),
                      ("graph", "--json"), ("check", "--json"), ("graph", "--format", "svg")):
            is_kept(start(*words, file))
    for words in (("schema", "pipeline.yaml"), ("schema",),
                  ("plugin", "inspect", str(folder / "teller.so")),
                  ("plugin", "inspect", str(folder / "teller.so"), "--json")):
        is_kept(start(*words))


@cases.case
def no_run_tells_a_secret():
    places = [("none", "none"), ("create", "none"), ("process", "none"), ("none", "create"),
              ("none", "open"), ("none", "write"), ("none", "record"), ("none", "flush")]
    for step, sink in places:
        for on_error in ("fail", "skip"):
            for more in ((), ("--json",), ("--explain",), ("--explain", "--json")):
                write(step, sink, on_error)
                done = start("run", "--until-end", *more)
                is_kept(done)
                contains(done.stderr, "create with <")
                contains(done.stderr, "***")
                told = step if step != "none" else sink
                if told == "none" or (told == "record" and on_error == "skip"):
                    assert done.returncode == 0, (told, done.stderr)
                else:
                    equals(done.returncode, 1)
                if told not in ("none", "record"):
                    contains(done.stderr, told + " with <")


@cases.case
def the_debug_host_tells_none_either():
    for sink in ("none", "create", "open", "write", "record", "flush"):
        write(sink=sink)
        done = start("run", "--until-end", env=dict(SECRETS, WEIR_CHECK_ABI="1"))
        is_kept(done)


@cases.case
def a_secret_that_is_wrong_is_not_shown():
    write()
    for env in ({"SECRET": MARK + "\udcff"}, {"SECRET": MARK + "\n" + MARK}, {}):
        is_kept(start("check", env=env))
    (folder / "secret.txt").write_bytes(FROM_FILE.encode() + b"\0\xff")
    is_kept(start("check"))
    (folder / "secret.txt").write_text(FROM_FILE + "\n")


@cases.case
def a_secret_in_the_file_is_hidden_in_excerpts():
    text = PIPELINE % ("none", "none", "fail")
    for change in (('"${SECRET}"', MARK), ('"${SECRET}"', '"%s", mroe: 1' % MARK),
                   ('"a ${SECRET} b"', "'%s ${NOT_SET}'" % MARK),
                   ("[{file: secret.txt}], fails: none}\n    to", "[x, %s], fails: none}\n    to" % MARK)):
        (folder / "pipeline.yaml").write_text(text.replace(*change))
        for words in (("check",), ("check", "--json"), ("run", "--until-end"), ("explain",)):
            done = start(*words)
            is_kept(done)


# ---- values of the environment --------------------------------------------------------------------

HOSTILE = ["a # b", "#", '"', "'", "\\", "\\n", "a\nb: 1", "a: b", ": ", "${HOME}", "$${X}", "*a", "&a", "!!int 1",
           "- x", "{a: 1}", "[1]", "~", "null", "true", "1e3", "0x10", "", " ", "\t", "%TAG", "---", "...",
           "x" * 100000, "ü\u2028\ufeff", "a\r\nb", "}", "${", "|", ">"]

VALUES = """
pipeline: p
log: memory
topics:
  in: {value: json}
streams:
  feed:
    from: {file: in.jsonl}
    to: {topic: in}
  work:
    from: {topic: in}
    steps:
      - set: {plain: "env(\\"VALUE\\")"}
    to: {file: {path: out, format: jsonl}}
"""


def results():
    lines = []
    for path in sorted((folder / "out").rglob("*.jsonl")) if (folder / "out").is_dir() else [folder / "out"]:
        lines += path.read_text().split("\n")[:-1]
    return [json.loads(line) for line in lines]


@cases.case
def env_gives_values_as_they_are():
    (folder / "pipeline.yaml").write_text(VALUES)
    for value in HOSTILE:
        done = start("run", "--until-end", "--fresh", env={"VALUE": value})
        assert done.returncode == 0, done.stderr
        for record in results():
            equals(record["plain"], value)
        run(["rm", "-rf", str(folder / "out")])


@cases.case
def texts_of_options_get_values_as_they_are():
    text = (PIPELINE % ("'${VALUE}'", "none", "fail")).replace("{file: in.jsonl}", "{topic: numbers}")
    text = text.replace("  feed:\n    from: {topic: numbers}\n    to: {topic: numbers}\n", "")
    (folder / "pipeline.yaml").write_text(text)
    for value in HOSTILE:
        done = start("run", "--until-end", env=dict(SECRETS, VALUE=value))
        assert done.returncode == 0, (value[:100], done.stderr)
        size = len(value.encode())
        contains(done.stderr, "fails is %d bytes: %s\n" % (size, value.encode()[:150].hex()))
        plan = json.loads(start("explain", "--json", env=dict(SECRETS, VALUE=value)).stdout)
        equals((len(plan["nodes"]), len(plan["streams"])), (3, 1))


@cases.case
def numbers_and_flags_refuse_hostile_values():
    for option in ("records", "interval"):
        for value in HOSTILE:
            (folder / "pipeline.yaml").write_text(
                "pipeline: p\nlog: memory\ncheckpoint: {%s: \"${VALUE}\"}\ntopics:\n  in: {value: json}\n"
                "streams:\n  s:\n    from: {topic: in}\n    to: {print: {}}\n" % option)
            done = start("check", env={"VALUE": value})
            assert done.returncode in (0, 1), (value[:100], done.stderr)
            assert len(done.stdout + done.stderr) < 5000


setup()
cases.finish()
