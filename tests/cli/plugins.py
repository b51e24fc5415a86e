#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir plugin list` and `weir plugin inspect`, with plugins that crash, hang or are none.

Usage: tests/cli/plugins.py WEIR
"""
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from cases import Cases, build_plugin, contains, equals, run  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="weir-plugins-")
GOOD = os.path.join(FOLDER, "good")
BAD = os.path.join(FOLDER, "bad")
cases = Cases()


def build(folder, name, *defines):
    os.makedirs(folder, mode=0o755, exist_ok=True)
    path = os.path.join(folder, name + ".so")
    build_plugin(os.path.join(HERE, "plugins/plugin.c"), path, '-DNAME="%s"' % name, *defines)
    return path


def build_all():
    build(GOOD, "well")
    build(GOOD, "noisy", "-DBEHAVIOUR_NOISE")
    for name in ("crash", "abort", "hang", "exit", "close", "old", "escape"):
        build(BAD, name, "-DBEHAVIOUR_" + name.upper(), "-Wno-override-init")
    with open(os.path.join(BAD, "text.so"), "w") as file:
        file.write("not a shared object\n")
    shutil.copy(os.path.join(GOOD, "well.so"), os.path.join(BAD, "twin.so"))


def weir(*words, path=None):
    # The sanitizers' own handlers would turn a signal into an exit status.
    env = dict(os.environ, WEIR_PLUGIN_PATH=path or GOOD,
               ASAN_OPTIONS="handle_segv=0:handle_abort=0:verify_asan_link_order=0",
               UBSAN_OPTIONS="handle_segv=0:handle_abort=0", TSAN_OPTIONS="handle_segv=0:handle_abort=0")
    return run([WEIR, *words], env=env)


def plugins(path=None):
    ended = weir("plugin", "list", "--json", path=path)
    equals((ended.returncode, ended.stderr), (0, ""))
    return json.loads(ended.stdout)


@cases.case
def lists_what_a_plugin_brings():
    rows = [row for row in plugins()["plugins"] if row["plugin"] == "org.example.well"]
    equals(rows, [{"kind": "operator", "name": "well", "plugin": "org.example.well",
                   "version": "1.2.3", "license": "MIT", "file": os.path.join(GOOD, "well.so")}])
    line = [line.split() for line in weir("plugin", "list").stdout.split("\n")
            if "org.example.well" in line]
    equals(line, [["operator", "well", "org.example.well", "1.2.3", "MIT",
                   os.path.join(GOOD, "well.so")]])


@cases.case
def what_a_plugin_prints_goes_nowhere():
    ended = weir("plugin", "list")
    contains(ended.stdout, "noisy")
    assert "noise" not in ended.stdout.replace("noisy", "") + ended.stderr, ended


@cases.case
def lists_each_file_once():
    rows = plugins(GOOD + ":" + GOOD + "/../good")["plugins"]
    equals(len([row for row in rows if row["plugin"] == "org.example.well"]), 1)


REASONS = {
    "crash.so": "ended by signal 11 (SIGSEGV) while loading",
    "abort.so": "ended by signal 6 (SIGABRT) while loading",
    "exit.so": "ended with status 0 while loading",
    "hang.so": "did not answer within 5 s",
    "close.so": "did not answer within 5 s",
    "text.so": "",
    "old.so": "0.99",
    "twin.so": "org.example.well",
    "escape.so": "doc",
}


@cases.case
def lists_every_plugin_that_fails_with_its_reason():
    told = plugins(GOOD + ":" + BAD)
    problems = {os.path.basename(item["file"]): item["message"] for item in told["problems"]}
    equals(sorted(problems), sorted(REASONS))
    for name, reason in REASONS.items():
        contains(problems[name], reason)
        assert "\n" not in problems[name] and problems[name] != "", problems
    assert "org.example.well" in [row["plugin"] for row in told["plugins"]]


@cases.case
def failing_plugins_stand_below_the_table():
    text = weir("plugin", "list", path=GOOD + ":" + BAD).stdout
    below = text.split("\nnot loaded:\n")[1]
    contains(below, "  %s/crash.so: ended by signal 11 (SIGSEGV) while loading\n" % BAD)
    equals(below.count("\n"), len(REASONS))


@cases.case
def says_when_a_folder_of_the_path_is_not_there():
    contains(json.dumps(plugins(FOLDER + "/nowhere")["problems"]), "nowhere")


@cases.case
def inspects_by_name_id_and_file():
    by_name = weir("plugin", "inspect", "well")
    equals(by_name.returncode, 0)
    for part in ("well 1.2.3 (org.example.well)", "vendor: Example", "licence: MIT",
                 "url: https://example.org", "plugin ABI 0.3, value layout 1",
                 "text (text, required, the body)", "limit (int: 1 to 1000, default 7)",
                 "wait (duration: at least 1s, default 5s)", "A longer word about it.",
                 "style (enum: round, square, default round)"):
        contains(by_name.stdout, part)
    equals(weir("plugin", "inspect", "org.example.well").stdout, by_name.stdout)
    equals(weir("plugin", "inspect", os.path.join(GOOD, "well.so")).stdout, by_name.stdout)


@cases.case
def no_plugin_can_steer_the_terminal():
    text = weir("plugin", "inspect", "well").stdout
    contains(text, "  A ??31mred word\n")
    assert "\u009b" not in text, text
    for words in (["list"], ["inspect", os.path.join(BAD, "escape.so")]):
        ended = weir("plugin", *words, path=BAD)
        assert "\033" not in ended.stdout + ended.stderr, ended


@cases.case
def inspects_in_json():
    told = json.loads(weir("plugin", "inspect", "well", "--json").stdout)["plugins"]
    equals(len(told), 1)
    equals([told[0][key] for key in ("id", "abi", "value_layout")], ["org.example.well", "0.3", 1])
    options = {option["name"]: option for option in told[0]["factories"][0]["options"]}
    equals(options["text"]["required"] and options["text"]["body"], True)
    equals((options["limit"]["min"], options["limit"]["max"]), (1, 1000))
    equals(options["style"]["enum"], ["round", "square"])
    equals(options["wait"]["default"], "5s")


@cases.case
def writes_the_page_of_the_reference():
    page = weir("plugin", "inspect", "well", "--markdown").stdout
    contains(page, "# well (operator)\n")
    contains(page, "| `text` (body) | text | required | What to say \\| or not |")
    contains(page, "| `limit` | int: 1 to 1000 | `7` | How often |")
    contains(page, "### `wait`\n\nA longer word about it.\n")
    assert FOLDER not in page, page


@cases.case
def suggests_the_nearest_name():
    ended = weir("plugin", "inspect", "wel")
    equals((ended.returncode, ended.stdout), (1, ""))
    contains(ended.stderr, "no plugin 'wel' is found; did you mean 'well'?")


@cases.case
def keeps_to_the_kind_that_is_asked_for():
    equals(weir("plugin", "inspect", "well", "--kind", "operator").returncode, 0)
    ended = weir("plugin", "inspect", "well", "--kind", "sink")
    equals(ended.returncode, 1)
    contains(ended.stderr, "no sink 'well' is found")


@cases.case
def a_file_that_fails_is_told_with_its_reason():
    for name in ("crash.so", "text.so", "missing.so"):
        ended = weir("plugin", "inspect", os.path.join(BAD, name))
        equals((ended.returncode, ended.stdout), (1, ""))
        contains(ended.stderr, REASONS.get(name, "No such file"))


@cases.case
def a_folder_that_others_may_write_to_is_a_warning():
    folder = os.path.join(FOLDER, "shared")
    build(folder, "open")
    os.chmod(folder, 0o775)
    row = [row for row in plugins(folder)["plugins"] if row["name"] == "open"]
    contains(row[0]["warning"], "group")


build_all()
try:
    cases.finish()
finally:
    shutil.rmtree(FOLDER)
