#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir plugin check`: each rule with a plugin that breaks it, and all plugins that come with weir.

Usage: tests/cli/plugin_check.py WEIR
"""
import glob
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from cases import Cases, contains, equals, run  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
BUILD = os.path.dirname(os.path.dirname(WEIR))
SDK = os.path.join(HERE, "..", "..", "sdk")
SOURCE = os.path.join(HERE, "plugins", "rules.c")
FOLDER = tempfile.mkdtemp(prefix="weir-plugin-check-")
RIGHT = ["-Wl,-z,nodelete", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack",
         "-Wl,--version-script=" + os.path.join(SDK, "cmake", "weir-plugin.map")]
cases = Cases()


def build(name, *words, flags=None, compiler=("-fPIC",)):
    path = os.path.join(FOLDER, name + ".so")
    ended = run([os.environ.get("CC", "cc"), "-shared", *compiler, "-std=gnu11", "-I",
                 os.path.join(SDK, "include"), "-o", path, SOURCE, *words,
                 *(RIGHT if flags is None else flags)])
    assert ended.returncode == 0, ended.stderr
    return path


def weir(*words, path=""):
    # The sanitizers' own handlers would turn a signal into an exit status.
    env = dict(os.environ, WEIR_PLUGIN_PATH=path,
               ASAN_OPTIONS="handle_segv=0:handle_abort=0:verify_asan_link_order=0",
               UBSAN_OPTIONS="handle_segv=0:handle_abort=0", TSAN_OPTIONS="handle_segv=0:handle_abort=0")
    return run([WEIR, "plugin", "check", *words], env=env)


def judge(file, path=""):
    """(grade, what was found by rule, rules that were not judged)"""
    ended = weir(file, "--json", path=path)
    equals(ended.stderr, "")
    told = json.loads(ended.stdout)
    equals(told["file"], file)
    equals(ended.returncode, 0 if told["grade"] in ("conforms", "exemplary") else 1)
    rules = told["rules"]
    return (told["grade"], {rule["id"]: rule["found"] for rule in rules if rule["result"] == "broken"},
            {rule["id"] for rule in rules if rule["result"] == "unknown"})


@cases.case
def a_right_plugin_is_exemplary():
    equals(judge(build("right")), ("exemplary", {}, set()))


def without(flag):
    return [word for word in RIGHT if flag not in word]


# Name, grade that is left, rule, what is found of it, how it is built.
BREAKING = [
    ("second symbol", "loads", "one-symbol", "it exports 'also_exported'",
     dict(flags=without("version-script"))),
    ("unloaded", "loads", "nodelete", "it may be unloaded", dict(flags=without("nodelete"))),
    ("executable stack", "loads", "stack", "executable",
     dict(flags=without("noexecstack") + ["-Wl,-z,execstack"])),
    ("licence", "loads", "licence", "it is 'All rights reserved'",
     dict(words=['-DLICENCE="All rights reserved"'])),
    ("version", "loads", "version", "it is '1.0'", dict(words=['-DVERSION="1.0"'])),
    ("name", "loads", "names", "operator 'filter' is also one of 'org.weir.operator.filter'",
     dict(words=['-DNAME="filter"'])),
    ("relro", "conforms", "read-only", "-z relro", dict(flags=without("relro") + ["-Wl,-z,norelro"])),
    ("lazy", "conforms", "read-only", "-z now", dict(flags=without("now") + ["-Wl,-z,lazy"])),
    ("search path", "conforms", "search-path", "/opt/lib", dict(words=["-Wl,-rpath,/opt/lib"])),
    ("doc", "conforms", "documented", "operator 'right' has no doc", dict(words=["-DDOC=NULL"])),
    ("summary", "conforms", "summaries", "option 'limit' of operator 'right'",
     dict(words=['-DSUMMARY="A number."'])),
]


def breaking(name, grade, rule, found, how):
    def check():
        file = build(name.replace(" ", "-"), *how.get("words", []), flags=how.get("flags"))
        got, broken, unknown = judge(file)
        equals((got, list(broken), unknown), (grade, [rule], set()))
        contains(broken[rule], found)
    check.__name__ = "tells_" + name
    cases.case(check)


for row in BREAKING:
    breaking(*row)


@cases.case
def an_allocator_is_told():
    library = os.path.join(FOLDER, "libjemalloc.so.2")
    ended = run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wl,-soname,libjemalloc.so.2", "-o",
                 library, "-xc", os.devnull])
    equals(ended.returncode, 0)
    file = build("allocator", "-Wl,--no-as-needed", library, "-Wl,-rpath," + FOLDER)
    grade, broken, _ = judge(file)
    equals((grade, broken["libraries"]), ("loads", "it needs 'libjemalloc.so.2'"))


@cases.case
def what_does_not_load_has_no_grade():
    for name in ("crash", "hang"):
        grade, broken, unknown = judge(build(name, "-DBEHAVIOUR_" + name.upper()))
        equals((grade, list(broken)), ("none", ["loads"]))
        contains(broken["loads"], {"crash": "ended by signal 11 (SIGSEGV)", "hang": "5 s"}[name])
        equals(unknown, {"licence", "version", "names", "documented", "summaries"})


@cases.case
def what_is_no_plugin_is_told():
    text = os.path.join(FOLDER, "text.so")
    with open(text, "w", encoding="utf-8") as file:
        file.write("not a shared object\n" * 10)
    equals(judge(text)[:2], ("none", {"loads": "it is not an ELF file"}))
    grade, broken, _ = judge(os.path.join(FOLDER, "missing.so"))
    equals((grade, list(broken)), ("none", ["loads"]))
    contains(broken["loads"], "No such file")


@cases.case
def a_pipe_does_not_hold_it_up():
    pipe = os.path.join(FOLDER, "pipe.so")
    os.mkfifo(pipe)
    equals(judge(pipe)[:2], ("none", {"loads": "it is not a regular file"}))


@cases.case
def the_wrong_plugins_of_the_boundary_do_not_load():
    wrong = ["bad_options", "function_symbol", "long_entry", "no_symbol", "null_slot", "other_layout",
             "other_major", "other_minor", "short_entry", "short_vtable", "undefined_symbol",
             "wrong_magic"]
    for name in wrong:
        grade, broken, _ = judge(os.path.join(BUILD, "tests", "abi", "plugins", name + ".so"))
        equals((name, grade, "loads" in broken), (name, "none", True))


@cases.case
def the_exit_status_is_that_of_the_grade_asked_for():
    file = build("undocumented", "-DDOC=NULL")
    for grade, status in (("loads", 0), ("conforms", 0), ("exemplary", 1)):
        equals(weir(file, "--grade", grade).returncode, status)
    ended = weir(file, "--grade", "good")
    equals((ended.returncode, ended.stdout), (2, ""))
    contains(ended.stderr, "there is no grade 'good'")


@cases.case
def a_name_stands_for_the_file_of_its_plugin():
    for name in ("filter", "org.weir.operator.filter", "sha256"):
        ended = weir(name, "--grade", "loads") # the run-time of a sanitizer forbids more
        equals((ended.returncode, ended.stderr), (0, ""))
        contains(ended.stdout.splitlines()[0], ".so: ")
    several = weir("file")
    equals((several.returncode, several.stdout), (1, ""))
    contains(several.stderr, "several plugins have something called 'file'; write an id, such as ")
    for id in ("org.weir.sink.file", "org.weir.source.file"):
        contains(several.stderr, "'%s'" % id)
    nothing = weir("filtr")
    equals((nothing.returncode, nothing.stdout), (1, ""))
    contains(nothing.stderr, "weir plugin check: no plugin 'filtr' is found; did you mean 'filter'?")


@cases.case
def what_is_cut_off_or_empty_is_told():
    whole = build("whole")
    with open(whole, "rb") as file:
        bytes = file.read()
    for size, why in ((0, "the file is empty"), (2, "the file is cut off"), (40, "the file is cut off")):
        part = os.path.join(FOLDER, "part.so")
        with open(part, "wb") as file:
            file.write(bytes[:size])
        equals(judge(part)[:2], ("none", {"loads": why}))


@cases.case
def the_text_names_each_rule():
    file = build("in-text", "-DDOC=NULL")
    lines = weir(file).stdout.splitlines()
    equals(lines[0], file + ": conforms")
    rules = json.loads(weir(file, "--json").stdout)["rules"]
    equals([line.split()[2] for line in lines[1:]], [rule["id"] for rule in rules])
    contains([line for line in lines if "documented" in line][0], "broken")


@cases.case
def every_plugin_that_comes_with_weir_is_exemplary():
    files = sorted(glob.glob(os.path.join(BUILD, "lib", "weir", "plugins", "*.so")))
    assert len(files) > 10, files
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        is_sanitized = any(line.startswith("WEIR_SANITIZE:STRING=") and line.strip()[-1] != "="
                           for line in cache)
    for file in files:
        grade, broken, _ = judge(file)
        if is_sanitized: # its run-time is what the rule forbids
            broken.pop("libraries", None)
            grade = "exemplary" if not broken else grade
        equals((os.path.basename(file), grade, broken), (os.path.basename(file), "exemplary", {}))


try:
    cases.finish()
finally:
    shutil.rmtree(FOLDER)
