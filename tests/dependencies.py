#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the rules about source files that no compiler checks.

Who may include whom (docs/architecture.md): each folder of core may include those before it in
ORDER and itself; plugins include the SDK, their own folder and support/; the SDK includes nothing
but itself and the headers of the C language; tests of plugins may use the core. Besides: the heap has one door in core, and functions
that write without a bound are used nowhere.

Usage: tests/dependencies.py [FOLDER]      prints every breach, then "N passed, N failed"
"""
import os
import re
import subprocess
import sys

# One set may include all earlier ones; members of a set do not know each other.
ORDER = [
    {"base"},
    {"value", "kafka"},
    {"expr"},
    {"plugin"},
    {"pipeline", "log"},
    {"graph"},
    {"engine"},
    {"cli"},
]
LANGUAGE_HEADERS = {"errno.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}
BANNED = ("strcpy", "strcat", "sprintf", "vsprintf", "strtok", "atoi", "atol", "gets", "rand",
          "localtime", "gmtime", "setjmp", "alloca")
HEAP = ("malloc", "calloc", "realloc", "free", "strdup", "strndup", "asprintf", "vasprintf")
HEAP_DOOR = "core/base/memory.c"

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def rank(folder):
    for place, members in enumerate(ORDER):
        if folder in members:
            return place
    return None


def is_test(path):
    return path.endswith(("_test.c", "_fixture.h", "_fixture.c")) or "/testing/" in path


def check_core(path, mark, header):
    """core/<folder>/...: own folder, earlier ones, <weir/...>, other libraries in < >."""
    folder = path.split("/")[1]
    if mark == "<":
        return None
    if is_test(path) and header in ("unit.h",):
        return None
    if "/" not in header:
        return 'write it with its folder: "%s/%s"' % (folder, header)
    wanted = header.split("/")[0]
    if folder == "main.c":
        return None if wanted == "cli" else "the program includes cli/ only"
    if wanted == folder:
        return None
    mine, theirs = rank(folder), rank(wanted)
    if mine is None:
        return "folder core/%s has no place in the order" % folder
    if theirs is None:
        return "'%s' is no folder of core" % wanted
    return None if theirs < mine else "core/%s must not know core/%s" % (folder, wanted)


def check_plugin(path, mark, header, root):
    """plugins/...: <weir/...>, own folder, "support/...", libraries in < >."""
    if mark == "<":
        return None
    if is_test(path):
        return None  # a plugin's test may load it as the program does
    if header.startswith("support/"):
        return None
    own = os.path.join(root, os.path.dirname(path), header)
    if "/" not in header and os.path.exists(own):
        return None
    return "a plugin includes <weir/...>, its own folder and support/ only"


def check_sdk(path, mark, header, root):
    if not path.startswith("sdk/include/"):
        return None
    if mark == "<":
        return None if header in LANGUAGE_HEADERS else "the SDK needs nothing but the C language"
    own = os.path.join(root, os.path.dirname(path), header)
    return None if os.path.exists(own) else "the SDK includes itself only"


def check_include(path, mark, header, root):
    area = path.split("/")[0]
    if area == "core":
        return check_core(path, mark, header)
    if area == "plugins":
        return check_plugin(path, mark, header, root)
    if area == "sdk":
        return check_sdk(path, mark, header, root)
    return None


def blank(match):
    """Keeps the line breaks of a comment or text, so that numbers of lines stay right."""
    return re.sub(r"[^\n]", " ", match.group(0))


def calls(code, names):
    pattern = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(names))
    for match in pattern.finditer(code):
        yield match.group(1), code.count("\n", 0, match.start()) + 1


def check_file(path, root):
    """Breaches as (line, sentence), and the number of things looked at."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    found, looked = [], 0
    for match in INCLUDE.finditer(text):
        looked += 1
        fault = check_include(path, match.group(1), match.group(2), root)
        if fault:
            line = text.count("\n", 0, match.start(1)) + 1
            found.append((line, "includes '%s': %s" % (match.group(2), fault)))
    code = NOISE.sub(blank, text)
    for name, line in calls(code, BANNED):
        found.append((line, "calls '%s', which is banned" % name))
    if path.startswith("core/") and path != HEAP_DOOR and not is_test(path):
        for name, line in calls(code, HEAP):
            found.append((line, "calls '%s'; core takes memory through base/memory.h" % name))
    if not text.startswith("/* SPDX-License-Identifier: MIT */"):
        found.append((1, "does not begin with the SPDX line"))
    return found, looked + 1


def source_files(root):
    listed = subprocess.run(["git", "ls-files", "-z", "--", "*.c", "*.h"], cwd=root, check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    return [path for path in listed.split("\0") if path and os.path.exists(os.path.join(root, path))]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    passed = failed = 0
    for path in source_files(root):
        found, looked = check_file(path, root)
        for line, sentence in sorted(found):
            print("%s:%d: %s" % (path, line, sentence))
        failed += len(found)
        passed += max(0, looked - len(found))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
