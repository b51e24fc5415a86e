#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Writes case_table.c: the one-to-one case mappings of Unicode as runs of equal distance.
#
#     python3 make_case_table.py | clang-format >case_table.c
#
# Python knows the full mappings only (one letter to several). Where the full upper-case form is
# several letters, the simple one is the title-case letter, if that is a single one; the lower-case
# form of U+0130 is a plain i.
import unicodedata


def upper(point):
    text = chr(point).upper()
    if len(text) > 1:
        text = chr(point).title()
    return ord(text) if len(text) == 1 else point


def lower(point):
    text = chr(point).lower()
    return ord(text) if len(text) == 1 else ord("i") if point == 0x130 else point


def runs(mapping):
    """(first, last, step, delta): first, first + step, ... last move by delta."""
    found = []
    for point in range(0x80, 0x110000):
        if 0xD800 <= point < 0xE000:
            continue
        delta = mapping(point) - point
        if delta == 0:
            continue
        if found:
            first, last, step, before = found[-1]
            gap = point - last
            if before == delta and gap in (1, 2) and (first == last or gap == step):
                found[-1] = (first, point, gap, delta)
                continue
        found.append((point, point, 1, delta))
    return found


def write(name, table):
    print(f"\nconst struct case_run {name}[] = {{")
    for first, last, step, delta in table:
        print(f"    {{ 0x{first:05X}, 0x{last:05X}, {step}, {delta} }},")
    print("};")
    print(f"const size_t {name}_count = sizeof {name} / sizeof {name}[0];")


print("/* SPDX-License-Identifier: MIT */")
print("/*")
print(f" * Written by make_case_table.py from Unicode {unicodedata.unidata_version}; not to be edited.")
print(" */")
print('#include "case_table.h"')
write("case_upper_runs", runs(upper))
write("case_lower_runs", runs(lower))
