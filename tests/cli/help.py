#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command line itself: help, wrong use, exit statuses, a reader that goes away.

Usage: tests/cli/help.py WEIR
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Cases, contains, equals, run  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
cases = Cases()


def weir(*words, **more):
    return run([WEIR, *words], **more)


def commands():
    listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +\S", weir("help").stdout, re.MULTILINE)
    assert len(listed) >= 9, listed
    return [name.split() for name in listed]


@cases.case
def weir_alone_lists_the_commands_with_status_2():
    ended = weir()
    equals(ended.returncode, 2)
    for name in ("run", "check", "topic cat", "plugin inspect", "version"):
        contains(ended.stdout, "  %s " % name)


@cases.case
def three_ways_to_ask_for_help_are_one():
    asked = [weir("help"), weir("--help"), weir("-h")]
    equals([ended.returncode for ended in asked], [0, 0, 0])
    equals(len({ended.stdout for ended in asked}), 1)


@cases.case
def every_command_has_help_with_an_example():
    for words in commands():
        ended = weir(*words, "--help")
        name = " ".join(words)
        equals(ended.returncode, 0)
        contains(ended.stdout, "usage: weir %s" % name)
        example = ended.stdout.split("\nexample:\n")
        equals(len(example), 2)
        contains(example[1], "weir %s" % name)
        for flag in ("--json", "--color WHEN", "-h, --help"):
            contains(ended.stdout, flag)


@cases.case
def help_command_shows_the_same_as_the_flag():
    for words in commands():
        equals(weir("help", *words).stdout, weir(*words, "--help").stdout)


@cases.case
def a_group_lists_its_commands():
    for group, members in (("topic", ("list", "cat", "put")), ("plugin", ("list", "inspect"))):
        for member in members:
            contains(weir(group, "--help").stdout, "%s %s" % (group, member))
        equals(weir(group, "--help").returncode, 0)
        equals(weir(group).returncode, 2)


WRONG = [
    (["chek"], "weir: unknown command 'chek'; did you mean 'check'?"),
    (["plugins"], "did you mean 'plugin'?"),
    (["frobnicate"], "weir: unknown command 'frobnicate'\n"),
    (["--frobnicate"], "weir: unknown flag '--frobnicate'"),
    (["help", "chek"], "did you mean 'check'?"),
    (["topic", "lst"], "weir topic: unknown command 'lst'; did you mean 'list'?"),
    (["plugin", "inspct", "filter"], "did you mean 'inspect'?"),
    (["version", "--jsn"], "weir version: unknown flag '--jsn'; did you mean '--json'?"),
    (["version", "now"], "'now' is one word too many"),
    (["version", "--color=blue"], "'--color' must be auto, always or never, not 'blue'"),
    (["run", "--untl-end"], "unknown flag '--untl-end'; did you mean '--until-end'?"),
    (["run", "--count", "none"], "'--count' needs a whole number, not 'none'"),
    (["run", "--timeout", "5"], "'--timeout' needs a duration, not '5'; write its unit too"),
    (["check", "--strct"], "did you mean '--strict'?"),
    (["topic", "cat"], "something is missing: weir topic cat NAME"),
    (["plugin", "inspect"], "something is missing: weir plugin inspect NAME|FILE.so"),
]


@cases.case
def wrong_use_is_explained_with_status_2():
    for words, sentence in WRONG:
        ended = weir(*words)
        equals((words, ended.returncode, ended.stdout), (words, 2, ""))
        contains(ended.stderr, sentence)
        contains(ended.stderr, "\nhint: ")


@cases.case
def version_tells_all_versions():
    text = weir("version").stdout
    for name in ("weir", "plugin ABI", "value layout", "RocksDB", "librdkafka", "libfyaml", "yyjson"):
        assert re.search(r"^%s \d+" % name, text, re.MULTILINE), text
    equals(weir("--version").stdout, text)


@cases.case
def version_answers_in_json():
    told = json.loads(weir("version", "--json").stdout)
    for version in (told["version"], told["abi"], *told["libraries"].values()):
        assert re.match(r"\d+\.\d+", version), told
    equals(sorted(told["libraries"]), ["libfyaml", "librdkafka", "rocksdb", "yyjson"])
    equals(told["value_layout"], 1)


@cases.case
def the_reference_page_holds_every_command():
    page = weir("help", "--markdown").stdout
    for words in commands():
        contains(page, "\n## weir %s\n" % " ".join(words))


@cases.case
def a_reader_that_goes_away_is_no_fault():
    for words in (["help", "--markdown"], ["version"], ["plugin", "list"], ["check", "--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        ended = weir(*words, stdout=writer)
        os.close(writer)
        equals((words, ended.returncode, ended.stderr), (words, 0, ""))


@cases.case
def a_full_device_is_a_fault():
    with open("/dev/full", "w") as full:
        ended = weir("version", stdout=full)
    equals(ended.returncode, 1)
    contains(ended.stderr, "could not write to standard output: No space left on device")


@cases.case
def closed_standard_files_do_no_harm():
    def close_all():
        for descriptor in (0, 1, 2):
            os.close(descriptor)

    equals(weir("version", preexec_fn=close_all).returncode, 0)


cases.finish()
