#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir graph` and `weir explain` as commands: flags, faults, what they leave alone. What they draw and
tell is compared in tests/graph.

usage: graph.py WEIR
"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import Cases, contains, equals, run

weir = os.path.abspath(sys.argv[1])
cases = Cases()

PIPELINE = """
pipeline: p
log: local:data
topics: {numbers: {value: json, partitions: 3}, out: {value: json}}
checkpoint: {interval: 250ms, records: 10}
streams:
  feed: {from: {file: in.jsonl}, to: {topic: numbers}}
  work: {from: {topic: numbers}, steps: [filter: n > 1], to: [{topic: out}, print, file: out]}
"""


def ask(*words, text=PIPELINE, status=0):
    """Runs in a folder with only the file, which must be the only one afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "pipeline.yaml").write_text(text)
        done = run([weir, *words], cwd=folder)
        equals(os.listdir(folder), ["pipeline.yaml"])
    equals(done.returncode, status)
    return done


@cases.case
def without_a_file_pipeline_yaml_is_drawn_as_text():
    equals(ask("graph").stdout, ask("graph", "pipeline.yaml", "--format", "text").stdout)
    contains(ask("graph").stdout, "source file in.jsonl (feed)\n└─ topic numbers\n   └─ work\n")


@cases.case
def every_format_is_another():
    contains(ask("graph", "--format", "svg").stdout, "<svg ")
    contains(ask("graph", "--format", "dot").stdout, "digraph \"p\" {")
    contains(ask("graph", "--format", "mermaid").stdout, "graph LR\n")
    equals(len(json.loads(ask("graph", "--json").stdout)["edges"]), 5)


@cases.case
def an_unknown_format_is_refused():
    contains(ask("graph", "--format", "png", status=2).stderr, "cannot draw as 'png'")
    contains(ask("graph", "--format", "png", status=2).stderr, "write text, svg, dot or mermaid")
    contains(ask("graph", "--format", "dot", "--json", status=2).stderr, "--json")


@cases.case
def faults_of_the_file_go_to_standard_error():
    for command in ("graph", "explain"):
        done = ask(command, text=PIPELINE.replace("filter", "filtr"), status=1)
        contains(done.stderr, "did you mean 'filter'?")
        equals(done.stdout, "")
        contains(ask(command, "none.yaml", status=1).stderr, "none.yaml")


@cases.case
def explain_tells_tasks_checkpoints_and_promises():
    told = json.loads(ask("explain", "--json").stdout)
    equals(told["tasks"], 3)
    equals(told["tasks_exact"], True)
    equals(told["threads"], None)
    equals(told["checkpoint"], {"interval_ms": 250, "records": 10})
    equals([end["promise"] for end in told["ends"]],
           ["exactly-once", "at-least-once", "transactional"])
    text = ask("explain").stdout
    contains(text, "checkpoint  every 250ms, or after 10 records; ")
    contains(text, "tasks       3\n")
    contains(text, "lanes       1 of sources, 2 of sinks")


cases.finish()
