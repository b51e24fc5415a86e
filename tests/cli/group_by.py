#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`group_by`: whatever happens in between, each record comes to the partition of its new key once.

usage: group_by.py WEIR
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "order"))
from cases import Cases, contains, equals, run, until
from model import json_text, partition_of

weir = os.path.abspath(sys.argv[1])
cases = Cases()
PARTITIONS = 4

PIPELINE = """
pipeline: p
checkpoint: {{interval: 20ms}}
topics:
  in: {{key: text, value: json, partitions: {partitions}}}
  out: {{key: json, value: json, partitions: {partitions}}}
streams:
  feed:
    from: {{file: {{path: in.jsonl, content: record}}}}
    to: {{topic: in}}
  s:
    from: {{topic: in}}
    steps:
      - {step}
      - set: {{at: $partition}}
{more}    to: {{topic: out}}
"""
TWICE = "      - group_by: {key: n % 5, name: rest}\n      - set: {at: $partition}\n"


class Folder:
    def __init__(self, count):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        self.count = 0
        self.append(count)

    def append(self, count):
        with open(self.path / "in.jsonl", "a") as file:
            for n in range(self.count, self.count + count):
                file.write('{"timestamp":%d,"key":"k%d","value":{"item":"i%d","n":%d}}\n'
                           % (n, n % 7, n % 3, n))
        self.count += count

    def pipeline(self, step="group_by: item", more="", partitions=PARTITIONS):
        text = PIPELINE.format(step=step, more=more, partitions=partitions)
        (self.path / "pipeline.yaml").write_text(text)

    def run(self, *words, status=0):
        done = run([weir, "run", *(words or ["--until-end"])], cwd=self.path)
        equals((done.returncode, done.stdout), (status, ""))
        return done.stderr

    def topic(self, name="out"):
        done = run([weir, "topic", "cat", name, "--json"], cwd=self.path)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def topics(self):
        found = json.loads(run([weir, "topic", "list", "--all", "--json"], cwd=self.path).stdout)
        return {topic["topic"]: topic["partitions"] for topic in found["topics"]}

    def kill_after(self, count):
        """Starts a slow run and kills it once at least so many records are committed."""
        environment = dict(os.environ, WEIR_BATCH_SIZE="5", WEIR_TEST_SLEEP_US="10000")
        child = subprocess.Popen([weir, "run"], cwd=self.path, stdin=subprocess.DEVNULL,
                                 env=environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        until(lambda: len(self.topic()) >= count, lambda: "%d have come" % len(self.topic()))
        child.send_signal(signal.SIGKILL)
        child.wait()


def expect_all(folder, key, partitions=PARTITIONS):
    """Every record once, at the partition of its key, those that take one way in the order of the input."""
    found = folder.topic()
    equals(sorted(record["value"]["n"] for record in found), list(range(folder.count)))
    ways = {}
    for record in found:
        equals(record["key"], key(record["value"]))
        equals(record["value"]["at"],
               partition_of(json_text(record["key"]).encode(), partitions))
        n = record["value"]["n"]
        ways.setdefault((n % 7, n % 3, n % 5), []).append(n)  # all keys that it has had
    for numbers in ways.values():
        equals(numbers, sorted(numbers))


@cases.case
def a_run_until_the_end_drains_what_it_fills_itself():
    folder = Folder(500)
    folder.pipeline(more=TWICE)
    contains(folder.run(), "500 records in, 500 out")
    expect_all(folder, lambda value: value["n"] % 5)
    equals(folder.topics(), {"in": 4, "out": 4, "repartition__p--in--item": 4,
                             "repartition__p--repartition.in.item--rest": 4})


@cases.case
def what_waits_in_between_is_gone_on_with():
    folder = Folder(300)
    folder.pipeline()
    folder.run("--count", "7")
    assert 7 <= len(folder.topic()) < 300
    folder.append(50)
    folder.run()
    expect_all(folder, lambda value: value["item"])


@cases.case
def a_kill_loses_nothing_and_brings_nothing_twice():
    folder = Folder(0)
    folder.pipeline(more=TWICE)
    kills = 0
    for _ in range(30):
        folder.append(200)
        folder.kill_after(len(folder.topic()) + 1)
        kills += len(folder.topic()) < folder.count  # on a busy machine one may come too late to prove anything
        if kills == 3:
            break
    equals(kills, 3)
    folder.run()
    expect_all(folder, lambda value: value["n"] % 5)


@cases.case
def a_step_goes_on_under_another_name():
    folder = Folder(300)
    folder.pipeline(more=TWICE)
    folder.run("--count", "5")
    folder.pipeline(step="{group_by: {key: item, name: thing}, was: item}", more=TWICE)
    contains(folder.run(), "goes on with what is in topic 'repartition__p--in--item'")
    folder.append(10)
    folder.pipeline(step="group_by: {key: item, name: thing}", more=TWICE)
    folder.run()
    expect_all(folder, lambda value: value["n"] % 5)
    equals(sorted(folder.topics()), ["in", "out", "repartition__p--in--item",
                                     "repartition__p--repartition.in.item--rest"])


def joined(folder, was=None):
    """Another topic comes to the steps too, so the topics behind them have other names than before."""
    folder.pipeline(step="{group_by: item, was: %s}" % was if was else "group_by: item", more=TWICE)
    text = (folder.path / "pipeline.yaml").read_text()
    text = text.replace("  out:", "  extra: {key: text, value: json, partitions: 4}\n  out:")
    text = text.replace("  s:\n    from: {topic: in}\n",
                        "  a: {from: {topic: in}}\n  b: {from: {topic: extra}}\n  s:\n    from: [a, b]\n")
    (folder.path / "pipeline.yaml").write_text(text)


def lags(folder):
    """Records of the topics between the steps of before that are not read."""
    found = {}
    for name in ("repartition__p--in--item", "repartition__p--repartition.in.item--rest"):
        told = json.loads(run([weir, "topic", "describe", name, "--json"], cwd=folder.path).stdout)
        found[name] = sum(row["lag"] for row in told["pipelines"])
    return {name: count for name, count in found.items() if count > 0}


def told_as_unread(said):
    return {name: int(count) for name, count in
            re.findall(r"warning topic '(\S+)' holds (\d+) records? that pipeline 'p' has not read", said)}


def stopped_in_between(count=300):
    """A pipeline that was stopped with records behind the first step. Returns its folder, and how many wait where."""
    for _ in range(20):
        folder = Folder(count)
        folder.pipeline(more=TWICE)
        folder.run("--count", "9")
        left = lags(folder)
        if "repartition__p--in--item" in left:
            return folder, left
    raise AssertionError("no run has left anything behind the step")


@cases.case
def what_no_step_reads_any_more_is_told():
    folder, left = stopped_in_between()
    joined(folder)
    for words in (("--dry-run",), ("--until-end",), ("--until-end",)):
        said = run([weir, "run", *words], cwd=folder.path).stderr
        equals(told_as_unread(said), left)
        for name in left:
            contains(said, "'was: %s' at the step that takes its place goes on with them, 'weir topic delete %s "
                     "--internal' drops them" % (name, name))
    equals(len(folder.topic()), 300 - sum(left.values()))
    for name in left:
        equals(run([weir, "topic", "delete", name, "--internal"], cwd=folder.path).returncode, 0)
    equals(told_as_unread(folder.run()), {})


@cases.case
def a_step_goes_on_when_another_topic_comes_in():
    folder, _ = stopped_in_between()
    joined(folder, was="repartition__p--in--item")
    said = folder.run()
    contains(said, "goes on with what is in topic 'repartition__p--in--item'")
    contains(said, "goes on with what is in topic 'repartition__p--repartition.in.item--rest'")
    equals(told_as_unread(said), {})
    folder.append(10)
    joined(folder)
    folder.run()
    expect_all(folder, lambda value: value["n"] % 5)


@cases.case
def a_step_goes_on_after_a_start_without_the_old_name():
    folder, left = stopped_in_between()
    joined(folder)
    equals(told_as_unread(folder.run("--count", "1")), left)  # and leaves some in topics of its own
    joined(folder, was="repartition__p--in--item")
    contains(folder.run(), "a start goes on with it once what is in topic 'repartition__p--extra--in--item' is read")
    said = folder.run()
    contains(said, "goes on with what is in topic 'repartition__p--in--item'")
    equals(told_as_unread(said), {})
    equals(sorted(record["value"]["n"] for record in folder.topic()), list(range(300)))


@cases.case
def an_unknown_old_name_is_told():
    folder = Folder(3)
    folder.pipeline(step="{group_by: {key: item, name: thing}, was: itme}")
    contains(folder.run(), "there is no topic 'repartition__p--in--itme' to go on with")


@cases.case
def a_fresh_start_makes_the_topic_anew():
    folder = Folder(100)
    folder.pipeline()
    folder.run()
    for topic in ("in", "out"):
        equals(run([weir, "topic", "delete", topic], cwd=folder.path).returncode, 0)
    folder.pipeline(partitions=2)
    folder.run("--until-end", "--fresh")
    equals(folder.topics(), {"in": 2, "out": 2, "repartition__p--in--item": 2})
    expect_all(folder, lambda value: value["item"], partitions=2)


@cases.case
def one_partition_needs_no_topic():
    folder = Folder(20)
    folder.pipeline(more=TWICE, partitions=1)
    folder.run()
    equals(folder.topics(), {"in": 1, "out": 1})
    expect_all(folder, lambda value: value["n"] % 5, partitions=1)


cases.finish()
