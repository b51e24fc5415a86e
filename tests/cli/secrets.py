#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Secrets stand in no output, whatever a plugin says.

usage: secrets.py WEIR
"""
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, build_plugin, contains, equals, run

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
    build_plugin(HERE / "plugins/teller.c", folder / "teller.so")
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


setup()
cases.finish()
