#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`was`: sources and sinks go on under new names, with nothing read or written twice and nothing lost.

usage: renames.py WEIR
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import Cases, contains, equals, run, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()

# The source has steps behind it, so it fills a topic of its own.
PIPELINE = """
pipeline: {name}
checkpoint: {{interval: 100ms}}
topics: {{out: {{value: json}}}}
streams:
  {stream}:
    from: {{file: {{path: in.jsonl, follow: {follow}}}{source}}}
    steps: [filter: 'true']
    to:
      - {{topic: out}}
      - {{file: files{sink}}}
"""


class Folder:
    def __init__(self, count):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        self.count = 0
        self.append(count)

    def append(self, count):
        with open(self.path / "in.jsonl", "a") as file:
            file.writelines('{"n":%d}\n' % n for n in range(self.count, self.count + count))
        self.count += count

    def pipeline(self, stream="old", source="", sink="", follow="false", more="", name="p"):
        text = PIPELINE.format(name=name, stream=stream, source=source, sink=sink, follow=follow)
        (self.path / "pipeline.yaml").write_text(text + more)

    def run(self, *words, status=0):
        done = run([weir, "run", *(words or ["--until-end"])], cwd=self.path)
        equals((done.returncode, done.stdout), (status, ""))
        return done.stderr

    def topic(self, name="out"):
        done = run([weir, "topic", "cat", name, "--json"], cwd=self.path)
        return [json.loads(line)["value"]["n"] for line in done.stdout.splitlines()]

    def topics(self):
        found = json.loads(run([weir, "topic", "list", "--all", "--json"], cwd=self.path).stdout)
        return sorted(topic["topic"] for topic in found["topics"])

    def files(self):
        """What the sink has published."""
        found = []
        for path in sorted(self.path.glob("files/**/*.jsonl")):
            found += [json.loads(line)["n"] for line in path.read_text().splitlines()]
        return sorted(found)

    def kill_after(self, count):
        """Starts a run and kills it once so many records are committed."""
        child = subprocess.Popen([weir, "run"], cwd=self.path, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: len(self.topic()) >= count, lambda: "%d have come" % len(self.topic()))
        child.send_signal(signal.SIGKILL)
        child.wait()
        equals(len(self.topic()), count)


@cases.case
def a_stream_goes_on_under_another_name():
    folder = Folder(10)
    folder.pipeline()
    folder.run("--count", "6")  # three records at two ends; the others wait in the source's topic
    folder.append(5)
    folder.pipeline(stream="new", source=", was: old", sink=", was: old.file")
    contains(folder.run(), "goes on where the source of stream 'old' was")
    equals((folder.topic(), folder.files()), (list(range(15)), list(range(15))))
    folder.append(2)
    assert "goes on where" not in folder.run()  # 'was' may stay and has nothing to do
    folder.pipeline(stream="new")
    folder.append(2)
    folder.run()
    equals((folder.topic(), folder.files()), (list(range(19)), list(range(19))))
    equals(folder.topics(), ["out", "source__p--old"])


@cases.case
def the_second_change_of_a_name_goes_on_too():
    folder = Folder(4)
    folder.pipeline()
    folder.run()
    for before, after in (("old", "new"), ("new", "newest"), ("newest", "old")):
        folder.append(3)
        folder.pipeline(stream=after, source=", was: " + before)
        folder.run()
    equals(folder.topic(), list(range(13)))
    equals(folder.topics(), ["out", "source__p--old"])


@cases.case
def without_was_a_renamed_source_begins_anew():
    folder = Folder(4)
    folder.pipeline()
    folder.run()
    folder.pipeline(stream="new")
    folder.run()
    equals(folder.topic(), 2 * list(range(4)))
    equals(folder.topics(), ["out", "source__p--new", "source__p--old"])


@cases.case
def what_a_source_has_left_is_told_with_the_name_of_its_stream():
    folder = Folder(10)
    folder.pipeline(name="p--q")  # in names of topics the same signs stand before the stream
    folder.run("--count", "6")
    folder.pipeline(name="p--q", stream="new")
    said = folder.run()
    contains(said, "topic 'source__p--q--old' holds 7 records")
    contains(said, "'was: old' at the source that takes its place goes on with them")


@cases.case
def an_open_file_of_a_renamed_sink_is_gone_on_with():
    folder = Folder(6)
    folder.pipeline(follow="true")
    folder.kill_after(6)
    equals(folder.files(), [])  # it is still open
    folder.append(3)
    folder.pipeline(sink=", id: kept, was: file")
    folder.run()
    equals(folder.files(), list(range(9)))


@cases.case
def a_start_that_does_not_come_to_a_checkpoint_changes_no_name():
    folder = Folder(4)
    folder.pipeline()
    folder.run()
    os.rename(folder.path / "in.jsonl", folder.path / "away")
    folder.pipeline(stream="new", source=", was: old")
    contains(folder.run("--until-end", status=1), "in.jsonl")
    os.rename(folder.path / "away", folder.path / "in.jsonl")
    folder.append(3)
    folder.pipeline()
    folder.run()
    equals(folder.topic(), list(range(7)))


@cases.case
def an_unknown_old_name_is_told():
    folder = Folder(4)
    folder.pipeline(stream="new", source=", was: odl")
    contains(folder.run(), "nothing is kept of a source in stream 'odl', so this one begins anew")


@cases.case
def a_new_stream_cannot_have_the_name_that_a_topic_still_bears():
    folder = Folder(4)
    folder.pipeline()
    folder.run()
    folder.pipeline(stream="new", source=", was: old")
    folder.run()
    more = "  old: {from: {file: in.jsonl}, steps: [filter: 'true'], to: {topic: out}}\n"
    folder.pipeline(stream="new", more=more)
    contains(folder.run("--until-end", status=1),
             "topics 'source__p--new' and 'source__p--old' would both be 'source__p--old' in the log")
    equals(folder.topic(), list(range(4)))


@cases.case
def a_fresh_start_forgets_under_all_names():
    folder = Folder(4)
    folder.pipeline()
    folder.run()
    folder.pipeline(stream="new", source=", was: old", sink=", was: old.file")
    folder.run("--fresh", "--until-end")
    folder.run()
    equals((folder.topic(), folder.files()), (list(range(4)), list(range(4))))


cases.finish()
