# SPDX-License-Identifier: MIT
"""Random records, random expression trees, and trees as text.

Trees aim at a kind, so that most of them get somewhere; a part of the operands is of any other kind.
"""
import json
import re

INTS = (0, 0, 1, 1, 2, 3, 5, 7, 10, -1, -2, -5, 100, 255, 1000, 2**31, 2**53, 2**53 + 1, -2**53 - 1,
        10**18, 2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1, 4611686018427387904)
SMALL = (0, 1, 2, 3, -1, -2, 4, 9)
FLOATS = (0.0, -0.0, 0.5, 1.0, 1.5, 2.5, -2.5, 0.1, 0.3, 2.675, 3.0, -7.5, 1e16, 1e-5, 1.5e-7, 1e22, 1e300,
          1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 9007199254740992.0,
          9223372036854775808.0, -9223372036854775808.0, 123456.789, 1 / 3)
TEXTS = ("", "a", "b", "abc", "héllo", "日本", "a,b,c", " x ", "12", "-7", " +3 ", "1.5", "1e3", "é", "😀b",
         "A", "Zürich", "ß", "true", "x\"y'\\z\n", "abcabc", ",", "x", "\u0001\t", "k", "\u00a0q\u2003")
BIG = (2**63, -2**63 - 1, 2**64, 12345678901234567890123, 10**30)
KEYS = ("x", "y", "k", "in", "a b")

# field: the kind that it has mostly
FIELDS = {"i": "int", "j": "int", "small": "small", "f": "float", "g": "float", "t": "text", "u": "text",
          "flag": "bool", "l": "ints", "texts": "texts", "mixed": "list", "m": "map", "items": "maps",
          "any": "any", "n": "null", "s p": "int", "is": "text", "tür": "text", "nested": "map"}
NO_FIELDS = ("zz", "yy")


def random_value(rng, kind, depth=2):
    if kind == "any":
        kind = rng.choice(("int", "small", "float", "text", "bool", "null", "ints", "list", "map", "big"))
    if kind == "int":
        return rng.choice(INTS) if rng.random() < 0.7 else rng.randrange(-10**6, 10**6)
    if kind == "small":
        return rng.choice(SMALL)
    if kind == "float":
        return rng.choice(FLOATS) if rng.random() < 0.7 else rng.uniform(-1000, 1000)
    if kind == "text":
        return rng.choice(TEXTS)
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "big":
        return rng.choice(BIG)
    if kind == "null":
        return None
    inner = {"ints": "small", "texts": "text", "maps": "map"}.get(kind, "any" if depth else "int")
    if kind == "map":
        inner = rng.choice(("int", "small", "float", "text", "any" if depth else "int"))
        return {key: random_value(rng, inner, depth - 1) for key in KEYS if rng.random() < 0.6}
    if kind == "ints" and rng.random() < 0.3:
        inner = rng.choice(("int", "float"))
    return [random_value(rng, inner, depth - 1) for _ in range(rng.choice((0, 1, 2, 3, 3, 5)))]


def random_record(rng, is_wild):
    """Wild ones lack fields, or have them of another kind."""
    made = {}
    for name, kind in FIELDS.items():
        chance = rng.random() if is_wild else 1
        if chance < 0.05:
            continue
        made[name] = random_value(rng, "null" if chance < 0.08 else "any" if chance < 0.14 else kind)
    return made


# ---- trees ----------------------------------------------------------------------------------------

# function: kinds of its arguments, kind of its result
CALLS = {
    "length": (["any"], "small"), "upper": (["text"], "text"), "lower": (["text"], "text"),
    "trim": (["text"], "text"), "trim_start": (["text"], "text"), "trim_end": (["text"], "text"),
    "min": (["number", "number"], "number"), "max": (["number", "number"], "number"),
    "abs": (["number"], "number"), "sign": (["number"], "small"), "floor": (["number"], "int"),
    "ceil": (["number"], "int"), "trunc": (["number"], "int"), "round": (["number"], "int"),
    "int": (["any"], "int"), "float": (["any"], "float"), "text": (["any"], "text"),
    "type": (["any"], "text"), "bool": (["any"], "bool"), "to_json": (["any"], "text"),
    "starts_with": (["text", "text"], "bool"), "ends_with": (["text", "text"], "bool"),
    "contains": (["any", "any"], "bool"), "find": (["text", "text"], "small"),
    "replace": (["text", "text", "text"], "text"), "split": (["text", "text"], "texts"),
    "join": (["texts", "text"], "text"), "reverse": (["text"], "text"), "chars": (["text"], "texts"),
    "keys": (["map"], "texts"), "values": (["map"], "list"), "merge": (["map", "map"], "map"),
    "without": (["map", "text"], "map"), "first": (["list"], "any"), "last": (["list"], "any"),
    "sum": (["ints"], "number"), "mean": (["ints"], "float"), "sort": (["list"], "list"),
    "distinct": (["list"], "list"), "flatten": (["list"], "list"), "range": (["small"], "ints"),
    "hex": (["bytes"], "text"), "bytes": (["text"], "bytes"), "is_nan": (["number"], "bool"),
    "is_finite": (["number"], "bool"), "clamp": (["number", "number", "number"], "number"),
}
SECOND = {"round": "small", "int": "any", "float": "any", "split": "small", "range": "small"}
ALIKE = {"number": ("int", "float", "small", "bool", "number"), "int": ("int", "small"),
         "float": ("float",), "small": ("small",), "list": ("list", "ints", "texts", "maps"),
         "text": ("text",), "texts": ("texts",), "ints": ("ints",), "maps": ("maps",), "map": ("map",),
         "bool": ("bool",), "bytes": ("bytes",)}
KINDS = ("int", "small", "float", "number", "text", "bool", "list", "ints", "texts", "map", "maps")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not")


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.inside = 0  # forms around us that give $it

    def expression(self):
        self.inside = 0
        return self.tree("any", self.rng.choice((1, 2, 3, 3, 4, 5)))

    def tree(self, kind, depth):
        rng = self.rng
        if kind == "any" or rng.random() < 0.04:
            kind = rng.choice(KINDS)
        if depth <= 0 or rng.random() < 0.08:
            return self.leaf(kind)
        chance = rng.random()
        if chance < 0.2:
            return self.general(kind, depth - 1)
        if chance < 0.45:
            return self.call(kind, depth - 1)
        return self.operator(kind, depth - 1)

    def leaf(self, kind):
        rng = self.rng
        chance = rng.random()
        if self.inside and chance < 0.3:
            return ("it",) if rng.random() < 0.7 else ("position",)
        if kind == "bytes":
            return ("call", "bytes", [self.leaf("text")])
        if chance < 0.82:
            alike = ALIKE.get(kind, KINDS)
            names = [name for name, has in FIELDS.items() if has in alike] or list(FIELDS)
            return self.field(rng.choice(names) if rng.random() < 0.93 else
                              rng.choice(list(FIELDS) + list(NO_FIELDS)))
        if chance < 0.84:
            return rng.choice((("duration", "1h30m", 5400000), ("duration", "1.5s", 1500),
                               ("duration", "250ms", 250), ("duration", "1d", 86400000)))
        return self.literal(kind)

    def field(self, name):
        if re.fullmatch(r"\w+", name) and name != "is":
            return ("field", name)
        return self.rng.choice((("member", ("value",), name), ("index", ("value",), ("literal", name))))

    def literal(self, kind):
        rng = self.rng
        if kind == "number":
            kind = rng.choice(("int", "float", "small"))
        if kind in ("list", "ints", "texts", "maps"):
            return ("list", [self.leaf({"ints": "small", "texts": "text", "maps": "map"}.get(kind, "any"))
                             for _ in range(rng.randrange(4))])
        if kind == "map":
            return ("map", [(key, self.leaf("any")) for key in KEYS if rng.random() < 0.4])
        if kind not in ("int", "small", "float", "text", "bool"):
            kind = rng.choice(("int", "small", "float", "text", "bool"))
        return ("literal", None if rng.random() < 0.05 else random_value(rng, kind))

    def general(self, kind, depth):
        """Forms that give any kind."""
        rng = self.rng
        form = rng.randrange(7)
        if form == 0:
            return ("if", self.tree("any", depth), self.tree(kind, depth), self.tree(kind, depth))
        if form == 1:
            return ("fallback", self.path(depth), self.tree(kind, depth))
        if form == 2:
            return ("try", self.tree(kind, depth), self.tree(kind, depth))
        if form == 3:
            return (rng.choice(("and", "or")), self.tree(kind, depth), self.tree(kind, depth))
        if form == 4:
            return ("fallback", self.tree(kind, depth), self.tree(kind, depth))
        return self.path(depth)

    def path(self, depth):
        """A field and perhaps members, indexes, slices behind it."""
        rng = self.rng
        made = self.leaf(rng.choice(("any", "map", "list", "text", "maps"))) if rng.random() < 0.85 else \
            self.tree("any", depth - 1)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            step = rng.randrange(6)
            if step < 2:
                made = ("member", made, rng.choice(KEYS[:4]))
            elif step == 2:
                made = ("index", made, ("literal", rng.choice(KEYS)))
            elif step < 5:
                made = ("index", made, ("literal", rng.choice(SMALL)) if rng.random() < 0.7 else
                        self.tree("small", depth - 1))
            else:
                bounds = [None if rng.random() < 0.4 else ("literal", rng.choice(SMALL)) if rng.random() < 0.7
                          else self.tree("small", depth - 1) for _ in range(2)]
                made = ("slice", made, *bounds)
        return made

    def call(self, kind, depth):
        rng = self.rng
        fitting = [name for name, (_, result) in CALLS.items()
                   if result == kind or result in ALIKE.get(kind, KINDS) or result == "any"]
        name = rng.choice(fitting or list(CALLS))
        kinds = list(CALLS[name][0])
        if name in SECOND and rng.random() < 0.4:
            kinds.append(SECOND[name])
        if name in ("min", "max") and rng.random() < 0.3:
            kinds = rng.choice((["ints"], ["list"], ["text", "text"], ["list", "list"], ["number"] * 3))
        if name == "reverse" and rng.random() < 0.4:
            kinds = ["list"]
        if name == "merge" and rng.random() < 0.2:
            kinds = kinds + ["map"]
        return ("call", name, [self.tree(one, depth) for one in kinds])

    def each(self, form, depth):
        items = self.tree(self.rng.choice(("list", "ints", "texts", "maps")), depth)
        self.inside += 1
        body = self.tree("bool" if form != "map" else "any", depth)
        self.inside -= 1
        return ("each", form, items, body)

    def operator(self, kind, depth):
        rng = self.rng

        def binary(ops, left, right):
            return ("binary", rng.choice(ops), self.tree(left, depth), self.tree(right, depth))
        if kind in ("int", "small", "number", "float"):
            if rng.random() < 0.15:
                return (rng.choice(("negative", "positive")), self.tree(kind, depth))
            side = rng.choice(("number", kind))
            if rng.random() < 0.1:
                return binary(("**",), side, "small")
            return binary(("+", "-", "*", "/", "//", "%"), side, rng.choice(("number", kind)))
        if kind == "text":
            return binary(("+",), "text", "text") if rng.random() < 0.7 else binary(("*",), "text", "small")
        if kind == "map":
            return ("map", [(key, self.tree("any", depth)) for key in KEYS if rng.random() < 0.5])
        if kind in ("list", "ints", "texts", "maps"):
            if rng.random() < 0.4:
                return self.each(rng.choice(("map", "filter")), depth)
            if rng.random() < 0.2:
                return ("list", [self.tree("any", depth) for _ in range(rng.randrange(4))])
            return binary(("+",), kind, kind) if rng.random() < 0.7 else \
                binary(("*",), *rng.sample((kind, "small"), 2))
        return self.truth(depth)

    def truth(self, depth):
        rng = self.rng
        form = rng.randrange(9)
        if form == 0:
            return ("not", self.tree("any", depth))
        if form == 1:
            return (rng.choice(("and", "or")), self.tree("bool", depth), self.tree("bool", depth))
        if form == 2:
            return ("is null", self.path(depth), rng.random() < 0.5)
        if form == 3:
            return ("has", [self.has_path() for _ in range(rng.choice((1, 1, 2)))])
        if form == 4:
            return self.each(rng.choice(("any", "all")), depth)
        if form == 5:
            item, container = rng.choice((("any", "list"), ("text", "text"), ("text", "map"), ("int", "ints"),
                                          ("text", "texts"), ("bytes", "bytes"), ("small", "bytes")))
            return ("binary", rng.choice(("in", "not in")), self.tree(item, depth),
                    self.tree(container, depth))
        kind = rng.choice(("number", "text", "list", "int", "any"))
        right = self.tree(kind if rng.random() < 0.9 else "any", depth)
        op = rng.choice(COMPARISONS)
        if op.startswith("is") and right == ("literal", None):
            op = "=="
        return ("binary", op, self.tree(kind, depth), right)

    def has_path(self):
        made = self.field(self.rng.choice(list(FIELDS) + list(NO_FIELDS)))
        for _ in range(self.rng.choice((0, 1, 2))):
            made = ("member", made, self.rng.choice(KEYS[:4])) if self.rng.random() < 0.6 else \
                ("index", made, ("literal", self.rng.choice(SMALL)))
        return made


# ---- text -----------------------------------------------------------------------------------------

IF, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, FALLBACK, POSTFIX = range(11)
LEVELS = {"if": IF, "or": OR, "and": AND, "not": NOT, "is null": COMPARISON, "negative": SIGN,
          "positive": SIGN, "fallback": FALLBACK}
BINARY_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "**": POWER}


def level(tree):
    head = tree[0]
    if head == "binary":
        return BINARY_LEVELS.get(tree[1], COMPARISON)
    if head == "literal" and type(tree[1]) in (int, float) and as_literal(tree[1]).startswith("-"):
        return SIGN
    return LEVELS.get(head, POSTFIX)


def as_literal(v):
    if type(v) is str:
        return json.dumps(v, ensure_ascii=False).replace("\u00a0", "\\u00a0")
    if v is None or type(v) is bool:
        return json.dumps(v)
    if type(v) is float:
        return re.sub(r"^(-?\d+)e", r"\1.0e", repr(v))
    return str(v)


def key_text(key):
    return key if re.fullmatch(r"\w+", key) else as_literal(key)


def at(least, tree):
    """With parentheses where the tree binds more loosely than its place wants."""
    made = write(tree)
    return made if level(tree) >= least else "(%s)" % made


def container(tree):
    made = at(POSTFIX, tree)
    return "(%s)" % made if re.fullmatch(r"[0-9.].*", made) else made


def write_binary(op, left, right):
    own = BINARY_LEVELS.get(op, COMPARISON)
    if own == COMPARISON:
        return "%s %s %s" % (at(SUM, left), op, at(SUM, right))
    if own == POWER:
        return "%s ** %s" % (at(FALLBACK, left), at(SIGN, right))
    return "%s %s %s" % (at(own, left), op, at(own + 1, right))


def write_fallback(left, right):
    if right[0] == "negative" and level(right[1]) >= FALLBACK and write(right[1])[0] not in "0123456789":
        return "%s ?? -%s" % (at(POSTFIX, left), write(right[1]))
    return "%s ?? %s" % (at(POSTFIX, left), at(FALLBACK, right))


def write(tree):
    head = tree[0]
    if head == "literal":
        return as_literal(tree[1])
    if head in ("field", "duration"):
        return tree[1]
    if head in ("value", "it", "position"):
        return {"value": "$value", "it": "$it", "position": "$index"}[head]
    if head == "member":
        return "%s.%s" % (container(tree[1]), tree[2]) if re.fullmatch(r"\w+", tree[2]) else \
            "%s[%s]" % (container(tree[1]), as_literal(tree[2]))
    if head == "index":
        return "%s[%s]" % (container(tree[1]), write(tree[2]))
    if head == "slice":
        return "%s[%s:%s]" % (container(tree[1]), *("" if one is None else write(one) for one in tree[2:]))
    if head == "list":
        return "[%s]" % ", ".join(map(write, tree[1]))
    if head == "map":
        return "{%s}" % ", ".join("%s: %s" % (key_text(key), write(item)) for key, item in tree[1])
    if head in ("and", "or"):
        own = LEVELS[head]
        return "%s %s %s" % (at(own, tree[1]), head, at(own + 1, tree[2]))
    if head == "not":
        return "not " + at(NOT, tree[1])
    if head in ("negative", "positive"):
        return ("-" if head == "negative" else "+") + at(SIGN, tree[1])
    if head == "if":
        return "if %s then %s else %s" % tuple(map(write, tree[1:]))
    if head == "is null":
        return "%s is %snull" % (at(POSTFIX, tree[1]), "not " if tree[2] else "")
    if head == "fallback":
        return write_fallback(tree[1], tree[2])
    if head == "has":
        return "has(%s)" % ", ".join(map(write, tree[1]))
    if head == "try":
        return "try(%s, %s)" % (write(tree[1]), write(tree[2]))
    if head == "each":
        return "%s(%s, %s)" % (tree[1], write(tree[2]), write(tree[3]))
    if head == "call":
        return "%s(%s)" % (tree[1], ", ".join(map(write, tree[2])))
    return write_binary(tree[1], tree[2], tree[3])


def parts(tree):
    """The tree and every tree in it."""
    if isinstance(tree, tuple) and tree and isinstance(tree[0], str) and len(tree) >= 1 and not (
            len(tree) == 2 and tree[0] in KEYS and isinstance(tree[1], tuple)):
        yield tree
    if isinstance(tree, (tuple, list)):
        for one in tree:
            yield from parts(one)
