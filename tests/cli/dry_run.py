#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --dry-run` on the embedded log: what it tells, and that nothing changes; for the log on Kafka see
tests/kafka/topics.

Usage: tests/cli/dry_run.py WEIR
"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Cases, contains, equals, run  # noqa: E402

weir = os.path.abspath(sys.argv[1])
cases = Cases()

PIPELINE = """pipeline: p
log: local:data
topics: {in: {partitions: 2}, out: {partitions: 3, key: json}}
streams:
  s:
    from: {topic: in}
    steps: [{group_by: {key: v}}]
    to: {topic: out}
"""


class Folder:
    def __init__(self, pipeline=PIPELINE):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        (self.path / "pipeline.yaml").write_text(pipeline)

    def call(self, *words, status=0):
        done = run([weir, *words], cwd=self.path)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done

    def put(self, *values):
        (self.path / "lines").write_text("".join('{"v":%d}\n' % value for value in values))
        self.call("topic", "put", "in", "lines", "--create", "2")
        (self.path / "lines").unlink()

    def dry(self):
        return json.loads(self.call("run", "--dry-run", "--json").stdout)

    def shown(self):
        """All that there is, but for the time of the last look."""
        return {str(path.relative_to(self.path)): path.read_bytes() for path in sorted(self.path.rglob("*"))
                if path.is_file()}


@cases.case
def a_log_that_is_not_there_is_not_made():
    folder = Folder()
    told = folder.dry()
    equals(os.listdir(folder.path), ["pipeline.yaml"])
    equals((told["log_exists"], told["group"]), (False, None))
    equals({row["topic"]: (row["partitions"], row["exists"]) for row in told["topics"]
            if "__" not in row["topic"]}, {"in": (2, False), "out": (3, False)})
    contains(folder.call("run", "--dry-run").stdout, "which would be created")


@cases.case
def what_is_there_is_told_and_stays():
    folder = Folder()
    folder.put(1, 2, 3)
    folder.call("run", "--until-end")
    folder.put(4, 5)
    before = folder.shown()
    told = folder.dry()
    equals(folder.shown(), before)
    rows = {row["topic"]: row for row in told["topics"]}
    equals((rows["in"]["exists"], rows["out"]["exists"]), (True, True))
    equals(sum(read["to_read"] for read in rows["in"]["reads"]), 2)
    folder.call("run", "--until-end")
    equals(sum(read["to_read"] for row in folder.dry()["topics"] for read in row["reads"]), 0)


@cases.case
def what_would_end_the_start_is_told():
    folder = Folder()
    folder.put(1)
    (folder.path / "pipeline.yaml").write_text(PIPELINE.replace("in: {partitions: 2}", "in: {partitions: 7}"))
    done = folder.call("run", "--dry-run", status=1)
    contains(done.stderr, "pipeline.yaml:3:10: error: topic 'in' has 2 partitions, the file says 7")
    contains(done.stderr, "1 fault on 'local:data'")
    contains(done.stdout, "nothing was changed")


@cases.case
def all_faults_are_told_at_once():
    folder = Folder()
    folder.put(1)
    (folder.path / "lines").write_text("1\n")
    folder.call("topic", "put", "out", "lines", "--create", "2")
    (folder.path / "pipeline.yaml").write_text(PIPELINE.replace("in: {partitions: 2}", "in: {partitions: 7}"))
    told = folder.call("run", "--dry-run", "--json", status=1)
    equals([(fault["line"], fault["column"], fault["message"].split(";")[0])
            for fault in json.loads(told.stdout)["faults"]],
           [(3, 10, "topic 'in' has 2 partitions, the file says 7"),
            (3, 31, "topic 'out' has 2 partitions, the file says 3")])
    equals(told.stderr, "")


@cases.case
def fresh_and_dry_do_not_go_together():
    contains(Folder().call("run", "--dry-run", "--fresh", status=2).stderr, "cannot be given together")


cases.finish()
