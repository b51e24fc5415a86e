#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `weir graph` and `weir explain` on the files of this folder and on graphs made at random.

    run.py WEIR             compares
    run.py WEIR --update    writes what it says now into the golden files and into the picture of
                            docs/: look at them before you commit them

NAME.yaml stands beside NAME.text, NAME.dot, NAME.mermaid and NAME.explain. Pictures in SVG are not
compared byte for byte but looked at: well-formed, closed in themselves, every node there, no box over
another, no way through a box.
"""
import difflib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FORMATS = ("text", "dot", "mermaid")
RANDOM_GRAPHS = 30
SVG = "{http://www.w3.org/2000/svg}"
# The command that makes it stands beside it, in docs/graph.md.
DOCS_PICTURE = "docs/flight-delays.svg"
DOCS_PIPELINE = "examples/flight-delays/pipeline.yaml"


def weir(*words, folder=HERE):
    env = {name: value for name, value in os.environ.items() if name not in ("FLIGHTS", "OUT")}
    env["WEIR_TEST_PLUGINS"] = os.path.join(os.path.dirname(os.path.dirname(WEIR)), "tests", "pipelines",
                                            "plugins")
    done = subprocess.run([WEIR, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode("utf-8")


# ---- golden files -----------------------------------------------------------------------------------


def compare(path, got):
    if "--update" in sys.argv[1:]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(got)
    wanted = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    difference = "".join(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True),
                                              "expected", "got"))
    assert got == wanted, "differs:\n" + difference


# ---- pictures ---------------------------------------------------------------------------------------


def graph_of(name, folder):
    """Nodes and edges as the program tells them."""
    return json.loads(weir("graph", name, "--json", folder=folder))


class Box:
    def __init__(self, rect):
        self.left, self.top = float(rect.get("x")), float(rect.get("y"))
        self.right = self.left + float(rect.get("width"))
        self.bottom = self.top + float(rect.get("height"))

    def meets(self, other):
        return (self.left < other.right and other.left < self.right
                and self.top < other.bottom and other.top < self.bottom)

    def holds(self, x, y):
        return self.left < x < self.right and self.top < y < self.bottom


def points_of(path):
    """Points along a way: M x y, H x, C of level curves."""
    points, x, y = [], 0.0, 0.0
    for letter, numbers in re.findall(r"([MHC])([-\d ]+)", path):
        n = [float(word) for word in numbers.split()]
        ends = {"M": lambda: [(n[0], n[1])], "H": lambda: [(n[0], y)],
                "C": lambda: [(n[0], n[1]), (n[2], n[3]), (n[4], n[5])]}[letter]()
        for k in range(1, 21):
            t = k / 20
            if letter == "C":
                p = [(x, y), *ends]
                weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3]
                points.append(tuple(sum(w * q[i] for w, q in zip(weights, p)) for i in (0, 1)))
            elif letter == "H":
                points.append((x + t * (ends[0][0] - x), y))
        x, y = ends[-1]
    return points


def check_picture(name, folder):
    text = weir("graph", name, "--format", "svg", folder=folder)
    root = xml.fromstring(text)
    for word in ("<script", "href", "url(", "@import", "<image", "<foreignObject", "onload"):
        assert word not in text, word
    assert text.count("http") == 1, "a reference beside the namespace"
    graph = graph_of(name, folder)
    rects = [rect for rect in root.iter(SVG + "rect") if rect.get("class") != "page"]
    assert len(rects) == len(graph["nodes"]), "%d boxes" % len(rects)
    boxes = [Box(rect) for rect in rects]
    page = root.find(SVG + "rect")
    for i, box in enumerate(boxes):
        assert box.left >= 0 and box.top >= 0 and box.right < float(page.get("width")), i
        for other in boxes[:i]:
            assert not box.meets(other), "boxes overlap"
    shown = ["".join(part.itertext()) for part in root.iter(SVG + "text")
             if part.get("class") == "name"]
    wanted = [node["name"] + ("" if node["kind"] == "stream" else node["kind"])
              for node in graph["nodes"]]
    assert sorted(shown) == sorted(wanted), (shown, wanted)
    ways = [part.get("d") for part in root.iter(SVG + "path") if part.get("class") == "way"]
    assert len(ways) == len(graph["edges"]), "%d ways" % len(ways)
    for way in ways:
        for x, y in points_of(way):
            assert not any(box.holds(x, y) for box in boxes), "a way runs through a box: " + way


def random_pipeline(seed):
    """Streams that read topics or one to three streams before them; some write topics."""
    dice = random.Random(seed)
    count = dice.randint(1, 30)
    lines = ["pipeline: random-%d" % seed, "plugins: ['${WEIR_TEST_PLUGINS}/tag.so']", "topics:"]
    lines += ["  %s: {value: json}" % name for name in ("in_0", "in_1", "out_0", "out_1", "out_2")]
    lines += ["streams:", "  feed: {from: {file: in.jsonl}, to: {topic: in_0}}"]
    for i in range(count):
        if i < 2 or dice.random() < 0.1:
            source = "{topic: in_%d}" % dice.randint(0, 1)
        else:
            parents = dice.sample(range(i), min(i, dice.choice((1, 1, 1, 2, 3))))
            source = "[%s]" % ", ".join("s%d" % p for p in parents)
        lines.append("  s%d:\n    from: %s" % (i, source))
        steps = ["filter: %s" % ("a" * dice.randint(1, 60))
                 for _ in range(dice.randint(0, 12 if dice.random() < 0.1 else 3))]
        if i > 0 and dice.random() < 0.3:
            more = dice.sample(range(i), min(i, dice.choice((1, 2))))
            steps.append("tag: {right: s%d, more: [%s]}"
                         % (dice.randrange(i), ", ".join("s%d" % p for p in more)))
        lines += ["    steps:"] if steps else []
        lines += ["      - %s" % step for step in steps]
        ends = dice.sample(["{topic: out_%d}" % t for t in range(3)] + ["print"],
                           dice.choice((0, 0, 1, 2)))
        lines += ["    to: [%s]" % ", ".join(ends)] if ends else []
    return "\n".join(lines) + "\n"


# ---- other forms ------------------------------------------------------------------------------------


def check_markup(name, folder):
    """Every node is declared once, every edge leads between declared ones."""
    graph = graph_of(name, folder)
    count, edges = len(graph["nodes"]), len(graph["edges"])
    dot = weir("graph", name, "--format", "dot", folder=folder)
    assert len(re.findall(r"^  n\d+ \[", dot, re.MULTILINE)) == count
    assert len(re.findall(r"^  n\d+ -> n\d+( \[label=.*\])?;$", dot, re.MULTILINE)) == edges
    assert len(re.findall(r'(?<!\\)(?:\\\\)*"', dot)) % 2 == 0, "an open quote"
    mermaid = weir("graph", name, "--format", "mermaid", folder=folder)
    assert len(re.findall(r"^  n\d+[\[(]", mermaid, re.MULTILINE)) == count
    assert len(re.findall(r"^  n\d+ -->(\|.*\|)? n\d+$", mermaid, re.MULTILINE)) == edges
    for line in mermaid.splitlines():
        assert line.count('"') in (0, 2), line
    text = weir("graph", name, folder=folder)
    for node in graph["nodes"]:
        if node["kind"] == "stream":
            named = re.findall(r"^[│├└─ ]*%s(?:, by output [^(]*?)?(?:, as [a-z]+)?$" % re.escape(node["name"]), text, re.MULTILINE)
            assert len(named) == 1, "%s stands %d times in full" % (node["name"], len(named))


def check_explain(name, folder):
    told = json.loads(weir("explain", name, "--json", folder=folder))
    graph = graph_of(name, folder)
    streams = {stream["name"] for stream in told["streams"]}
    assert {node["stream"] for node in graph["nodes"] if "stream" in node} == streams
    nodes = told["nodes"]
    for node in nodes:
        assert all(edge["node"] < node["number"] for edge in node["inputs"]), "not in order"
    for route in told["routes"]:
        assert nodes[route["nodes"][0]]["kind"] == "input"
        assert route["nodes"] == sorted(route["nodes"])
    walked = {number for route in told["routes"] for number in route["nodes"]}
    assert walked == set(range(len(nodes))), "a node that no batch comes to"
    sinks = [end for end in told["ends"] + [told["dead_letters"] or {}] if "sink" in end]
    assert len(sinks) == told["sink_lanes"] == sum(n["kind"] == "sink" for n in graph["nodes"])
    assert told["source_lanes"] == sum(n["kind"] == "source" for n in graph["nodes"])
    text = weir("explain", name, folder=folder)
    assert all(stream in text for stream in streams)


def cases(folder):
    for name in sorted(name for name in os.listdir(HERE) if name.endswith(".yaml")):
        base = name[:-len(".yaml")]
        for form in FORMATS:
            yield base + "." + form, lambda name=name, base=base, form=form: compare(
                os.path.join(HERE, base + "." + form), weir("graph", name, "--format", form))
        yield base + ".explain", lambda name=name, base=base: compare(
            os.path.join(HERE, base + ".explain"), weir("explain", name))
        yield base + " as a picture", lambda name=name: check_picture(name, HERE)
        yield base + " as markup", lambda name=name: check_markup(name, HERE)
        yield base + " explained", lambda name=name: check_explain(name, HERE)
    for seed in range(RANDOM_GRAPHS):
        name = "random-%d.yaml" % seed
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(random_pipeline(seed))
        for check in (check_picture, check_markup, check_explain):
            yield "%s: %s" % (name, check.__name__), lambda n=name, c=check: c(n, folder)
    yield DOCS_PICTURE, lambda: compare(
        os.path.join(ROOT, DOCS_PICTURE),
        weir("graph", DOCS_PIPELINE, "--format", "svg", folder=ROOT))


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, check in cases(folder):
            try:
                check()
                passed += 1
            except (AssertionError, xml.ParseError, ValueError) as fault:
                failed += 1
                print("FAILED %s: %s: %s" % (title, type(fault).__name__, fault))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 1:
        sys.exit(__doc__)
    WEIR = os.path.abspath(words[0])
    main()
