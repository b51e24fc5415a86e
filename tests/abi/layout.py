#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the layout of everything that crosses the plugin boundary with a recorded table.

    layout.py --compiler CC            compare; exit status 1 where anything differs
    layout.py --compiler CC --record   write the table anew, for a change that is meant

The names come from the headers themselves, so nothing can be forgotten; the compiler says what they
are. The table is one for all 64-bit machines.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "sdk", "include")
TABLE = os.path.join(HERE, "layout.txt")
# In the order in which one builds on the other.
HEADERS = ["abi", "value", "record", "option", "types", "host", "plugin", "operator", "function",
           "source", "serializer", "sink", "field"]


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def block_behind(text, start):
    """What stands between the brace before `start` and the one that closes it."""
    depth, at = 1, start
    while depth > 0:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def declarations(body):
    """(name, text) of each field; what nests in braces belongs to the field behind it."""
    fields, depth, start = [], 0, 0
    for at, char in enumerate(body):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == ";" and depth == 0:
            fields.append(" ".join(body[start:at].split()))
            start = at + 1
    for text in fields:
        function = re.search(r"\(\*(\w+)\)", text) if "}" not in text else None
        parts = [text] if function or "}" in text else text.split(",")
        for part in parts:
            plain = re.sub(r"\[.*?\]", "", part)
            yield (function[1] if function else re.findall(r"\w+", plain)[-1]), text


def structs_of(text):
    for found in re.finditer(r"\b(?:struct|union)\s+(weir_\w+)\s*\{", text):
        yield found[1], list(declarations(block_behind(text, found.end())))


def constants_of(text):
    for found in re.finditer(r"\benum\s*\{(.*?)\}", text, flags=re.S):
        yield from re.findall(r"\b(WEIR_\w+)\s*=", found[1])


def macros_of(text):
    """Numbers and texts; not what takes arguments or spans lines."""
    for name, value in re.findall(r"^#define (WEIR_\w+)[ \t]+(\S.*)$", text, flags=re.M):
        if not value.endswith("\\") and re.match(r'"|\(?-?\d|U?INT', value):
            yield name, value.startswith('"')


def check_headers():
    there = {name[:-2] for name in os.listdir(os.path.join(INCLUDE, "weir")) if name.endswith(".h")}
    if there != set(HEADERS):
        sys.exit(f"layout.py: HEADERS and the SDK differ in: {sorted(there ^ set(HEADERS))}")


def program():
    lines = ["#include <inttypes.h>", "#include <stddef.h>", "#include <stdio.h>"]
    lines += [f"#include <weir/{name}.h>" for name in HEADERS]
    lines += ["int main(void) {"]
    for name in HEADERS:
        with open(os.path.join(INCLUDE, "weir", name + ".h"), encoding="utf-8") as file:
            text = without_comments(file.read())
        lines.append(f'puts("== {name}.h");')
        for macro, is_text in macros_of(text):
            show = f'"%s\\n", {macro}' if is_text else f'"%" PRIi64 "\\n", (int64_t)({macro})'
            lines.append(f'printf("{macro} = " {show});')
        for constant in constants_of(text):
            lines.append(f'printf("{constant} = %" PRIi64 "\\n", (int64_t){constant});')
        for struct, fields in structs_of(text):
            is_typedef = re.search(r"\}\s*" + struct + r"\s*;|typedef struct " + struct + r"\b", text)
            kind = struct if is_typedef else f"struct {struct}"
            lines.append(f'printf("{struct}: %zu bytes\\n", sizeof({kind}));')
            for field, declared in fields:
                lines.append(f'printf("  %3zu %3zu  %s\\n", offsetof({kind}, {field}), '
                             f'sizeof((({kind} *)0)->{field}), "{declared}");')
    return "\n".join(lines + ["return 0; }", ""])


def layout(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program())
        subprocess.run([compiler, "-std=c11", "-I", INCLUDE, source, "-o", binary], check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    check_headers()
    now = layout(options.compiler)
    if options.record:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(now)
        return 0
    with open(TABLE, encoding="utf-8") as file:
        recorded = file.read()
    if now == recorded:
        return 0
    sys.stdout.writelines(difflib.unified_diff(recorded.splitlines(True), now.splitlines(True),
                                               "recorded", "now"))
    print("\nThe ABI has changed. If that is meant: raise WEIR_ABI_MINOR while the major is 0 and run\n"
          "tests/abi/layout.py --record; docs/abi.md says what may change at all.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
