#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every request for memory that a plugin makes is refused once, whatever its kind.

    refusals.py WEIR

A run of each pipeline is repeated with WEIR_CHECK_ABI_FAIL=k, for k from 1 on until a run needs no more. Each
time the run ends with status 1 and one error that says that memory has run out, no rule is broken, and the
next run, undisturbed, leaves the outputs of one that was never disturbed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases

weir = os.path.abspath(sys.argv[1])
cases = Cases()
MOST, PARALLEL = 2000, 2
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # nothing here is about disks

HEAD = "pipeline: p\nlog: local:log\ncheckpoint: {interval: 1h}\n"
LINES = ['{"a": %d, "b": "text %d", "c": [1.5, {"d": "ü%d"}], "t": "2026-01-0%dT00:00:00Z"}' % (i, i, i, i)
         for i in range(1, 4)]
CSV = ["a,b", '1,"x, ""y"""', "2,é"]
RECORDS = ['{"key": "k%d", "value": {"a": %d}, "headers": [["h", "v"]], "timestamp": %d}' % (i, i, i)
           for i in range(3)]
FILES = {"in.jsonl": LINES, "in.csv": CSV, "in.records": RECORDS}

FEED = "streams:\n  feed: {from: {%s}, to: {topic: in}}\n"
LINES_IN = "topics: {in: {}}\n" + FEED % "file: in.jsonl"
SERIALIZERS = """
topics: {in: {}, t: {key: text, value: text}, n: {key: integer, value: double}, y: {key: json, value: bytes}}
""" + FEED % "file: in.jsonl" + """
  x: {from: {topic: in}, steps: [{set: {$value: b}}], to: {topic: t, key: $value}}
  z: {from: {topic: in}, steps: [{set: {$value: a * 1.5}}], to: {topic: n, key: int($value)}}
  w: {from: {topic: in}, steps: [{set: {$value: bytes(b)}}], to: {topic: y, key: $offset}}
  p: {from: {topic: t}}
  q: {from: {topic: n}}
  r: {from: {topic: y}, steps: [{set: {$value: $offset}}]}
  all: {from: [p, q, r], to: {file: out}}
"""
FUNCTIONS = "topics: {in: {}, out: {}}\n" + FEED % "file: in.jsonl" + """
  x:
    from: {topic: in}
    steps:
      - set:
          u: upper(b)
          r: replace(b, "text", "word")
          s: split(b, " ")
          m: format_time(a, "%d %b")
          h: sha256(b)
          k: sort([a, 3, 2])
          j: join(split(b, " "), "-")
          f: round(a * 1.2345, 2)
    to: {topic: out}
"""


def into(end):
    return LINES_IN + "  out: {from: {topic: in}, to: {%s}}\n" % end


# Of each: the file, and the topics that are compared; files of `out` are too.
PIPELINES = {
    "source file": (LINES_IN, ("in",)),
    "source file, CSV": ("topics: {in: {}}\n" + FEED % "file: {path: in.csv, format: csv, types: infer}",
                         ("in",)),
    "source file, records": ("topics: {in: {key: text}}\n" + FEED % "file: {path: in.records, content: record}",
                             ("in",)),
    "source generator": ("topics: {in: {}}\n" + FEED % "generator: {count: 3, value: {n: $offset}}", ()),
    "sink file": (into("file: out"), ("in",)),
    "sink file, CSV": (into("file: {path: out, format: csv, columns: [a, b, c]}"), ("in",)),
    "sink print": (into("print: {columns: [a, b]}"), ("in",)),
    "serializers": (SERIALIZERS, ("in", "t", "y", "n")),
    "functions": (FUNCTIONS, ("in", "out")),
}


def run(folder, refused=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_CHECK_ABI")}
    if refused is not None:
        environment.update(WEIR_CHECK_ABI="1:7", WEIR_CHECK_ABI_FAIL=str(refused))
    done = subprocess.run([weir, "run", "--until-end", "--json"], cwd=folder, env=environment,
                          capture_output=True, timeout=120)
    return done.returncode, done.stderr.decode()


def make(folder, text):
    folder.mkdir()
    (folder / "pipeline.yaml").write_text(HEAD + text)
    for name, lines in FILES.items():
        (folder / name).write_text("".join(line + "\n" for line in lines))


def outputs(folder, topics):
    found = {}
    for topic in topics:
        done = subprocess.run([weir, "topic", "cat", topic, "--raw"], cwd=folder, capture_output=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr
        found[topic] = done.stdout
    for path in sorted(folder.glob("out/**/*.*")):
        found[path.relative_to(folder)] = path.read_bytes()
    return found


def fault_of(folder, text, topics, expected, k):
    """None: nothing was refused any more; else what is wrong, or an empty text."""
    make(folder, text)
    status, said = run(folder, k)
    if status == 0:
        return None if outputs(folder, topics) == expected else "the outputs are others: " + said
    errors = [event for event in map(json.loads, said.splitlines()) if event.get("level") == "error"]
    told = errors[0].get("message", "") if len(errors) == 1 else ""
    if status != 1 or "memory" not in told or "weir/" in told:
        return "status %d: %s" % (status, said)
    status, said = run(folder)
    if status != 0 or outputs(folder, topics) != expected:
        return "the next run ends with status %d, or leaves other outputs: %s" % (status, said)
    return ""


def check(text, topics):
    with tempfile.TemporaryDirectory(dir=MEMORY) as top, ThreadPoolExecutor(PARALLEL) as pool:
        top = pathlib.Path(top)
        make(top / "good", text)
        status, said = run(top / "good", 1 << 40)
        assert status == 0, said
        expected = outputs(top / "good", topics)
        for k in range(1, MOST, PARALLEL):
            faults = list(pool.map(lambda each: fault_of(top / str(each), text, topics, expected, each),
                                   range(k, k + PARALLEL)))
            assert not any(faults), [fault for fault in faults if fault]
            if None in faults:
                break
        assert None in faults, "it never ends well"
        print("%d requests" % (k + faults.index(None) - 1))
        assert k + faults.index(None) > 1, "nothing asks for memory"


for name, (text, topics) in PIPELINES.items():
    def one(text=text, topics=topics):
        check(text, topics)
    one.__name__ = name
    cases.case(one)
cases.finish()
