# SPDX-License-Identifier: MIT
"""What an expression means, in Python: evaluates trees (generate.py makes them), knows no grammar.

A value is None, bool, int, float, str, bytes, list or dict; an int of more than 64 bits is one that
came as text. Fault is an error of the record. Open is raised where the language leaves the answer
open, or where it would be too large to be worth comparing; such an expression is not used.
"""
import functools
import itertools
import math
import re

MIN, MAX = -2**63, 2**63 - 1
LARGEST = 20000  # of texts and lists that are still compared


class Fault(Exception):
    pass


class Open(Exception):
    pass


MISSING = object()
LEFT_OUT = object()  # a bound of a slice


def kind(v):
    if v is None:
        return "null"
    return {bool: "bool", int: "int", float: "float", str: "text", bytes: "bytes", list: "list",
            dict: "map"}[type(v)]


def is_number(v):
    return isinstance(v, (bool, int, float))


def is_big(v):
    return type(v) is int and not MIN <= v <= MAX


def truthy(v):
    return bool(v)


# ---- comparisons ----------------------------------------------------------------------------------

def as_float(v):
    try:
        return float(v)
    except OverflowError:
        return math.inf if v > 0 else -math.inf


def numbers_apart(a, b):
    """-1, 0, 1, or None with NaN. Python compares ints with floats exactly, as wanted."""
    if is_big(a) and type(b) is float:
        a = as_float(a)
    if is_big(b) and type(a) is float:
        b = as_float(b)
    return None if a != a or b != b else (a > b) - (a < b)


def equal(a, b):
    if is_number(a) and is_number(b):
        return numbers_apart(a, b) == 0
    if kind(a) != kind(b):
        return False
    if type(a) is list:
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if type(a) is dict:
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    return a == b


def same(a, b):
    if kind(a) != kind(b):
        return False
    if type(a) is list:
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if type(a) is dict:
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return equal(a, b)


def compare(a, b):
    """-1, 0, 1, or None with NaN."""
    if is_number(a) and is_number(b):
        return numbers_apart(a, b)
    if kind(a) != kind(b) or kind(a) not in ("text", "bytes", "list"):
        raise Fault("cannot compare")
    if type(a) is list:
        for x, y in zip(a, b):
            if not equal(x, y):
                return compare(x, y)
        return (len(a) > len(b)) - (len(a) < len(b))
    return (a > b) - (a < b)


def ordered(op, a, b):
    apart = compare(a, b)
    if apart is None:
        return False
    return {"<": apart < 0, "<=": apart <= 0, ">": apart > 0, ">=": apart >= 0}[op]


def contained(x, y):
    if type(y) is list:
        return any(equal(x, item) for item in y)
    if type(y) is dict:
        return type(x) is str and x in y
    if type(y) is str and type(x) is str:
        return x in y
    if type(y) is bytes and type(x) is bytes:
        return x in y
    if type(y) is bytes and type(x) is int and 0 <= x <= 255:
        return x in y
    raise Fault("in")


# ---- arithmetic -----------------------------------------------------------------------------------

def fit(i):
    if not MIN <= i <= MAX:
        raise Fault("overflow")
    return i


def numbers(a, b):
    """Both as they are computed with: two ints or two floats."""
    for v in (a, b):
        if not is_number(v) or is_big(v):
            raise Fault("not a number that can be computed with")
    if type(a) is float or type(b) is float:
        return float(a), float(b)
    return int(a), int(b)


def repeated(v, count):
    if type(count) is not int or is_big(count):
        raise Fault("repetition")
    count = max(count, 0)
    size = len(v.encode()) if type(v) is str else len(v)
    most = 1 << 20 if type(v) is list else 16 << 20
    if size * count > most:
        raise Fault("too large")
    if size * count > LARGEST:
        raise Open("large")
    return v * count


def add(a, b):
    if type(a) is type(b) and type(a) in (str, bytes, list):
        if len(a) + len(b) > LARGEST:
            raise Open("large")
        return a + b
    a, b = numbers(a, b)
    return a + b if type(a) is float else fit(a + b)


def subtract(a, b):
    a, b = numbers(a, b)
    return a - b if type(a) is float else fit(a - b)


def multiply(a, b):
    for v, count in ((a, b), (b, a)):
        if type(v) in (str, bytes, list):
            return repeated(v, count)
    a, b = numbers(a, b)
    return a * b if type(a) is float else fit(a * b)


def divide(a, b):
    a, b = numbers(a, b)
    if b == 0:
        raise Fault("division by zero")
    return float(a) / float(b)


def fmod(a, b):
    return math.nan if math.isinf(a) or a != a or b != b else math.fmod(a, b)


def modulo(a, b):
    a, b = numbers(a, b)
    if b == 0:
        raise Fault("division by zero")
    if type(a) is int:
        return a % b
    r = fmod(a, b)
    if r == 0:
        return math.copysign(0.0, b)
    return r + b if (r < 0) != (b < 0) and r == r else r


def floor_divide(a, b):
    a, b = numbers(a, b)
    if b == 0:
        raise Fault("division by zero")
    if type(a) is int:
        return fit(a // b)
    r = modulo(a, b)
    quotient = (a - r) / b
    if math.isinf(quotient) or quotient != quotient:
        return quotient
    if quotient == 0:
        return math.copysign(0.0, a / b)
    low = math.floor(quotient)
    return float(low + 1 if quotient - low > 0.5 else low)


def power(a, b):
    a, b = numbers(a, b)
    if type(a) is int and b >= 0:
        if abs(a) > 1 and b > 64:
            raise Fault("overflow")
        return fit(a ** b if abs(a) > 1 else a ** (b % 2 + 2) if b else 1)
    a, b = float(a), float(b)
    if a == 0 and b < 0:
        raise Fault("zero to a negative power")
    if a < 0 and math.isfinite(b) and b != math.floor(b):
        raise Fault("complex")
    try:
        return math.pow(a, b)
    except (OverflowError, ValueError):
        raise Fault("beyond float64")


def negative(v):
    v, _ = numbers(v, 0)
    return -v if type(v) is float else fit(-v)


def positive(v):
    return numbers(v, 0)[0]


BINARY = {"+": add, "-": subtract, "*": multiply, "/": divide, "//": floor_divide, "%": modulo,
          "**": power}
ORDER = ("<", "<=", ">", ">=")


# ---- functions ------------------------------------------------------------------------------------

def want(v, *kinds):
    if kind(v) not in kinds:
        raise Fault("wrong kind")
    return v


def text(v):
    return want(v, "text")


def number(v):
    if not is_number(v) or is_big(v):
        raise Fault("no number")
    return v


def integer(v):
    if type(v) is not int or is_big(v):
        raise Fault("no int")
    return v


def whole(f):
    if type(f) is float and not math.isfinite(f):
        raise Fault("does not fit")
    return f


def best(side):
    def choose(*args):
        if len(args) == 1:
            args = want(args[0], "list")
            if not args:
                raise Fault("empty")
            if len(args) == 1:
                compare(args[0], args[0])
        found = args[0]
        for v in args[1:]:
            apart = compare(v, found)
            if apart is None:
                found = v if v != v else found
            elif apart == side:
                found = v
        return found
    return choose


def absolute(v):
    v = positive(v)
    return abs(v) if type(v) is float else fit(abs(v))


def sign(v):
    v = number(v)
    if v != v:
        raise Open("sign of NaN")
    return (v > 0) - (v < 0)


def rounded(v, *digits):
    v = number(v)
    if not digits:
        return fit(round(whole(v)))
    n = integer(digits[0])
    if type(v) is not float:
        return float(round(int(v), max(n, -40)))
    try:
        return round(float(v), max(min(n, 400), -400))
    except OverflowError:
        raise Fault("beyond float64")


def float_text(f):
    """The shortest digits, plain from 1e-5 to below 1e16."""
    if not math.isfinite(f):
        return "null"
    digits = repr(f)
    found = re.fullmatch(r"(-?)(\d)(?:\.(\d+))?e([+-])0*(\d+)", digits)
    if found and found[4] == "-" and found[5] == "5":
        return "%s0.0000%s%s" % (found[1], found[2], found[3] or "")
    return "%s%s%se%s%s" % (found[1], found[2], "." + found[3] if found[3] else "", found[4], found[5]) \
        if found else digits


def as_json(v):
    if type(v) is bytes:
        raise Open("bytes as JSON")
    if v is None or type(v) is bool:
        return {None: "null", True: "true", False: "false"}[v]
    if type(v) is float:
        return float_text(v)
    if type(v) is list:
        return "[%s]" % ",".join(map(as_json, v))
    if type(v) is dict:
        return "{%s}" % ",".join(as_json(key) + ":" + as_json(item) for key, item in v.items())
    if type(v) is str:
        short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
        return '"%s"' % "".join(short.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in v)
    return str(v)


def as_text(v):
    if v is None:
        raise Fault("null")
    if type(v) is str:
        return v
    if type(v) is float and not math.isfinite(v):
        raise Fault("no text")
    if type(v) is bytes:
        try:
            return v.decode()
        except UnicodeDecodeError:
            raise Fault("no UTF-8")
    return as_json(v)


def to_int(v, *other):
    if type(v) is str:
        if not re.fullmatch(r"[+-]?[0-9]+", v.strip()):
            if other:
                return other[0]
            raise Fault("no number")
        return fit(int(v.strip()))
    return fit(math.trunc(whole(number(v))))


def to_float(v, *other):
    if type(v) is str:
        if not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", v.strip()):
            if other:
                return other[0]
            raise Fault("no number")
        v = float(v.strip())
        if math.isinf(v):
            raise Fault("beyond float64")
        return v
    if not is_number(v):
        raise Fault("wrong kind")
    return float(v)


def one_to_one(change):
    def change_all(v):
        return "".join(change(c) if len(change(c)) == 1 else c for c in text(v))
    return change_all


def replace(v, old, new):
    if text(old) == "":
        raise Open("an empty text replaced")
    made = text(v).replace(old, text(new))
    if len(made) > LARGEST:
        raise Open("large")
    return made


def split(v, separator, *limit):
    text(v), text(separator)
    if separator == "":
        raise Open("an empty separator")
    if limit and integer(limit[0]) < 1:
        raise Open("no parts")
    return v.split(separator, limit[0] - 1) if limit else v.split(separator)


def join(parts, separator):
    return text(separator).join(text(part) for part in want(parts, "list"))


def merge(*maps):
    made = {}
    for one in maps:
        made.update(want(one, "map"))
    return made


def without(v, *names):
    want(v, "map")
    names = [text(name) for name in names]
    return {key: item for key, item in v.items() if key not in names}


def end(index):
    def item(v):
        if not want(v, "list"):
            raise Fault("empty")
        return v[index]
    return item


def total(v):
    made = 0
    for item in want(v, "list"):
        made = add(made, number(item))
    return made


def mean(v):
    if not want(v, "list"):
        return None
    for item in v:
        number(item)
    if any(type(item) is float for item in v):
        return functools.reduce(lambda made, item: made + float(item), v, 0.0) / len(v)
    return float(sum(v)) / len(v)  # ints are added exactly


def in_order(v):
    want(v, "list")
    for a, b in itertools.combinations(v, 2):
        try:
            if compare(a, b) is None:
                raise Open("NaN sorted")
        except Fault:
            if type(a) is type(b) is list:
                raise Open("lists of which some compare")
            raise
    return sorted(v, key=functools.cmp_to_key(compare))


def distinct(v):
    made = []
    for item in want(v, "list"):
        if not contained(item, made):
            made.append(item)
    return made


def int_range(*bounds):
    first, last = (0, *map(integer, bounds)) if len(bounds) == 1 else map(integer, bounds)
    if last - first > 1 << 20:
        raise Fault("too many")
    if last - first > LARGEST:
        raise Open("large")
    return list(range(first, last))


def flatten(v):
    made = []
    for item in want(v, "list"):
        made += item if type(item) is list else [item]
    return made


def clamp(v, low, high):
    if compare(low, high) is None or compare(v, low) is None or compare(low, high) > 0:
        raise Open("bounds")
    return low if compare(v, low) < 0 else high if compare(v, high) > 0 else v


def hexadecimal(v):
    return want(v, "bytes").hex()


FUNCTIONS = {
    "length": lambda v: len(want(v, "text", "bytes", "list", "map")),
    "upper": one_to_one(str.upper), "lower": one_to_one(str.lower),
    "trim": lambda v: text(v).strip(), "trim_start": lambda v: text(v).lstrip(),
    "trim_end": lambda v: text(v).rstrip(),
    "min": best(-1), "max": best(1), "abs": absolute, "sign": sign, "clamp": clamp,
    "floor": lambda v: fit(math.floor(whole(number(v)))),
    "ceil": lambda v: fit(math.ceil(whole(number(v)))),
    "trunc": lambda v: fit(math.trunc(whole(number(v)))),
    "round": rounded, "int": to_int, "float": to_float, "text": as_text, "type": kind,
    "bool": truthy, "to_json": as_json,
    "starts_with": lambda v, part: text(v).startswith(text(part)),
    "ends_with": lambda v, part: text(v).endswith(text(part)),
    "contains": lambda v, x: contained(x, want(v, "text", "list", "map")),
    "find": lambda v, part: text(v).find(text(part)),
    "replace": replace, "split": split, "join": join,
    "reverse": lambda v: want(v, "text", "list")[::-1], "chars": lambda v: list(text(v)),
    "keys": lambda v: list(want(v, "map")), "values": lambda v: list(want(v, "map").values()),
    "merge": merge, "without": without, "first": end(0), "last": end(-1), "sum": total, "mean": mean,
    "sort": in_order, "distinct": distinct, "flatten": flatten, "range": int_range,
    "bytes": lambda v: text(v).encode(), "hex": hexadecimal,
    "is_nan": lambda v: number(v) != number(v),
    "is_finite": lambda v: math.isfinite(number(v)),
}


# ---- trees ----------------------------------------------------------------------------------------

def member(container, name):
    if container is MISSING or container is None:
        return MISSING
    return want(container, "map").get(name, MISSING)


def indexed(container, index):
    if container is MISSING or container is None:
        return MISSING
    if type(container) is dict:
        return container.get(text(index), MISSING)
    want(container, "list", "text", "bytes")
    index = integer(index)
    return container[index] if -len(container) <= index < len(container) else MISSING


def sliced(container, *bounds):
    if container is MISSING or container is None:
        return MISSING
    want(container, "list", "text", "bytes")
    return container[slice(*[None if bound is LEFT_OUT else integer(bound) for bound in bounds])]


class Scope:
    """What a tree is evaluated on."""

    def __init__(self, value, item=None, index=None):
        self.value, self.item, self.index = value, item, index

    def of_item(self, item, index):
        return Scope(self.value, item, index)


def path(tree, scope):
    """Like evaluate, but MISSING for a missing path."""
    head = tree[0]
    if head == "field":
        return member(scope.value, tree[1])
    if head == "member":
        return member(path(tree[1], scope), tree[2])
    if head == "index":
        container = path(tree[1], scope)
        return indexed(container, evaluate(tree[2], scope))
    if head == "slice":
        container = path(tree[1], scope)
        bounds = [LEFT_OUT if bound is None else evaluate(bound, scope) for bound in tree[2:]]
        return sliced(container, *bounds)
    return evaluate(tree, scope)


def each(form, items, tree, scope):
    made = []
    for index, item in enumerate(want(items, "list")):
        v = evaluate(tree, scope.of_item(item, index))
        if form == "map":
            made.append(v)
        elif form == "filter" and truthy(v):
            made.append(item)
        elif form == "any" and truthy(v) or form == "all" and not truthy(v):
            return form == "any"
    return {"any": False, "all": True}.get(form, made)


def evaluate(tree, scope):
    head = tree[0]
    if head in ("field", "member", "index", "slice"):
        v = path(tree, scope)
        if v is MISSING:
            raise Fault("missing")
        return v
    if head == "literal":
        return tree[1]
    if head == "duration":
        return tree[2]
    if head == "value":
        return scope.value
    if head == "it":
        return scope.item
    if head == "position":
        return scope.index
    if head == "list":
        return [evaluate(item, scope) for item in tree[1]]
    if head == "map":
        return {key: evaluate(item, scope) for key, item in tree[1]}
    if head in ("and", "or"):
        left = evaluate(tree[1], scope)
        return evaluate(tree[2], scope) if truthy(left) == (head == "and") else left
    if head == "not":
        return not truthy(evaluate(tree[1], scope))
    if head == "negative":
        return negative(evaluate(tree[1], scope))
    if head == "positive":
        return positive(evaluate(tree[1], scope))
    if head == "if":
        return evaluate(tree[2 if truthy(evaluate(tree[1], scope)) else 3], scope)
    if head == "is null":
        return (path(tree[1], scope) in (MISSING, None)) != tree[2] \
            if not isinstance(path(tree[1], scope), (list, dict)) else tree[2]
    if head == "fallback":
        left = path(tree[1], scope)
        return evaluate(tree[2], scope) if left is MISSING or left is None else left
    if head == "has":
        return all(path(one, scope) is not MISSING for one in tree[1])
    if head == "try":
        try:
            return evaluate(tree[1], scope)
        except Fault:
            return evaluate(tree[2], scope)
    if head == "each":
        return each(tree[1], evaluate(tree[2], scope), tree[3], scope)
    if head == "call":
        return FUNCTIONS[tree[1]](*[evaluate(item, scope) for item in tree[2]])
    assert head == "binary", head
    op, left, right = tree[1], evaluate(tree[2], scope), evaluate(tree[3], scope)
    if op in BINARY:
        return BINARY[op](left, right)
    if op in ORDER:
        return ordered(op, left, right)
    if op in ("==", "!="):
        return equal(left, right) == (op == "==")
    if op in ("is", "is not"):
        return same(left, right) == (op == "is")
    return contained(left, right) == (op == "in")
