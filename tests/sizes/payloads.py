# SPDX-License-Identifier: MIT
"""The values that go through every plugin, as JSON texts, and those that none may let through.

What is untouched goes out byte for byte, so `text` is also what must come out, unless `out` says
otherwise. As a key it is written in one form for all that is equal, `as_key`.
"""
from dataclasses import dataclass

SIZES = (0, 1, 4095, 4096, 4097, 64 * 1024, 1024 * 1024)
MANY = 100000
MAX_DEPTH = 254
DEEP = 40000


@dataclass
class Payload:
    name: str
    text: str
    out: str = ""
    as_key: str = ""

    def __post_init__(self):
        self.out = self.out or self.text
        self.as_key = self.as_key or self.out


def nested_lists(levels):
    return "[" * levels + "]" * levels


def nested_maps(levels):
    return '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)


def sized(name, make):
    return [Payload(f"{name} of {size}", make(size)) for size in SIZES]


# The deepest leave room for the map that the suite puts around them, and for the record line.
PAYLOADS = [
    *sized("text", lambda size: '"%s"' % ("a" * size)),
    *sized("escaped text", lambda size: '"%s"' % ("\\n\\u0001" * (size // 2))),
    *sized("text of two-byte letters", lambda size: '"%s"' % ("ü" * (size // 2))),
    *sized("field named by a text", lambda size: '{"%s":1}' % ("k" * size)),
    *sized("number with digits", lambda size: "1" * (size or 1)),
    Payload("map with many members", "{%s}" % ",".join('"m%d":%d' % (i, i) for i in range(MANY))),
    Payload("list with many items", "[%s]" % ",".join(str(i) for i in range(MANY))),
    Payload("list of many maps", "[%s]" % ",".join('{"i":%d}' % i for i in range(MANY))),
    Payload("lists as deep as allowed", nested_lists(MAX_DEPTH - 2)),
    Payload("maps as deep as allowed", nested_maps(MAX_DEPTH - 2)),
    Payload("equal keys", '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'),
    Payload("many equal keys", "{%s}" % ",".join('"a":%d' % i for i in range(MANY)),
            '{"a":%d}' % (MANY - 1)),
    Payload("null", "null"),
    Payload("empty list", "[]"),
    Payload("empty map", "{}"),
    Payload("empty key in a map", '{"":""}'),
    Payload("NUL inside a text", '"a\\u0000b"'),
    Payload("NUL inside a field's name", '{"a\\u0000b":1,"a":2}'),
    Payload("greatest int", "9223372036854775807"),
    Payload("least int", "-9223372036854775808"),
    Payload("one more than the greatest int", "9223372036854775808"),
    Payload("one less than the least int", "-9223372036854775809"),
    Payload("number beyond all floats", "1e400"),
    Payload("number nearer to 0 than all floats", "-1e-400", as_key="0.0"),
    Payload("negative zero", "-0.0", as_key="0.0"),
    Payload("digits that a float would lose", "1.10", as_key="1.1"),
    Payload("surrogates in a pair", '"\\ud83d\\ude00"', as_key='"\U0001f600"'),
]

# JSON that every reader of JSON refuses, with a part of what it says. A record line may be two levels deeper.
REFUSED = [
    ("lists deeper than allowed", nested_lists(MAX_DEPTH).encode(), "nested deeper than 25"),
    ("maps deeper than allowed", nested_maps(MAX_DEPTH).encode(), "nested deeper than 25"),
    ("lists far too deep", nested_lists(DEEP).encode(), "nested deeper than 25"),
    ("maps far too deep", nested_maps(DEEP).encode(), "nested deeper than 25"),
    ("lists without an end", b"[" * DEEP, "unexpected character, expected a"),
    ("maps without an end", b'{"a":' * DEEP, "unexpected character, expected a"),
    ("NaN", b"NaN", "expected a valid JSON value"),
    ("infinity", b"Infinity", "expected a valid JSON value"),
    ("negative infinity", b"-Infinity", "no digit after minus sign"),
    ("high surrogate alone", b'"\\ud800"', "no low surrogate"),
    ("low surrogate alone", b'"\\udc00"', "invalid high surrogate"),
    ("surrogates in the wrong order", b'"\\udc00\\ud800"', "invalid high surrogate"),
    ("surrogate as UTF-8", b'"\xed\xa0\x80"', "invalid UTF-8"),
    ("byte that is not UTF-8", b'"a\xffb"', "invalid UTF-8"),
    ("UTF-8 cut short", b'"\xc3"', "invalid UTF-8"),
    ("overlong UTF-8", b'"\xc0\x80"', "invalid UTF-8"),
    ("raw NUL inside a text", b'"a\x00b"', "control character"),
    ("raw NUL beside a value", b"1\x00", "unexpected character"),
    ("raw control character in a text", b'"a\x01b"', "control character"),
    ("nothing behind a minus", b"-", "no digit after minus sign"),
    ("leading zero", b"007", "leading zero"),
]
