#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A sink that is slow, away or stuck beside one that is well: the others go on, the log says who is waited
for, and the run ends when it is told to.

usage: sinks.py WEIR
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import SECONDS, Cases, build_plugin, contains, equals, run, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()
home = tempfile.TemporaryDirectory()
plugin = os.path.join(home.name, "rude.so")
build_plugin(HERE / "plugins/rude.c", plugin, weir=weir)

# Two flows that meet nowhere: `work` feeds the sink that misbehaves, `side` the one that does not.
PIPELINE = """
pipeline: p
plugins: [%(plugin)s]
threads: 1
%(top)s
topics:
  numbers: {value: text}
  others: {value: text}
  out: {value: text}
streams:
  feed: {from: {rude: {records: %(records)d}}, to: {topic: numbers}}
  more: {from: {rude: {records: %(records)d}}, to: {topic: others}}
  work:
    from: {topic: numbers}
    to: [{rude: {%(sink)s}%(siblings)s}, {topic: out}]
  side:
    from: {topic: others}
    to: {rude: {}}
"""


class Folder:
    def __init__(self, sink, records=60, top="", siblings=""):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        self.write(sink, records, top, siblings)

    def write(self, sink, records=60, top="", siblings=""):
        (self.path / "pipeline.yaml").write_text(PIPELINE % {
            "plugin": plugin, "sink": sink, "records": records, "top": top, "siblings": siblings})

    def start(self, *arguments, **environment):
        self.errors = open(self.path / "errors.txt", "w+")
        return subprocess.Popen([weir, "run", *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=self.errors,
                                env=dict(os.environ, WEIR_BATCH_SIZE="1", **environment))

    def said(self):
        return (self.path / "errors.txt").read_text()

    def until(self, condition, process):
        """Waits for something that must come to pass while the run goes on."""
        def has_come():
            assert process.poll() is None, self.said()
            return condition()

        until(has_come, self.said)

    def side(self):
        """What has come to the sink that is well."""
        path = self.path / "out.txt"
        return path.read_text().split() if path.exists() else []

    def topic(self):
        done = run([weir, "topic", "cat", "out", "--json"], cwd=self.path)
        return [json.loads(line)["value"] for line in done.stdout.splitlines()]


def stop(folder, process, status):
    """It may take half a second here and somewhat more, and without the file's word for it 30 s."""
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=25)
    assert process.returncode == status, folder.said()
    assert "Sanitizer" not in folder.said(), folder.said()


NUMBERS = [str(i) for i in range(60)]


def is_full_once_and_over(folder, label):
    """The queue of a sink, as the log tells, which may tell of slow calls too."""
    lines = [line.split(label)[1] for line in folder.said().splitlines()
             if label + "its queue is full" in line or label + "it takes records again" in line]
    assert len(lines) == 2 and lines[0].startswith("its queue") and lines[1].startswith("it takes"), folder.said()


@cases.case
def who_never_returns_is_named_and_stops_nobody_else():
    folder = Folder("do: hang write", top="shutdown_timeout: 500ms\ncheckpoint: {interval: 1500ms}")
    process = folder.start(WEIR_TEST_PATIENCE_MS="300")
    folder.until(lambda: folder.side() == NUMBERS, process)
    folder.until(lambda: "streams.work.to[0] (rude): write has not come back for" in folder.said(),
                 process)
    folder.until(lambda: "its queue is full" in folder.said(), process)
    stop(folder, process, status=1)
    contains(folder.said(), "streams.work.to[0] (rude)")


@cases.case
def a_full_queue_is_told_once_and_when_it_is_over():
    folder = Folder("do: sleep write, n: 150", top="checkpoint: {interval: 1h}")
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 0)
    is_full_once_and_over(folder, "streams.work.to[0] (rude): ")
    # Both sinks write to one file; each number is there from both.
    equals(sorted(folder.side()), sorted(NUMBERS * 2))
    equals(folder.topic(), NUMBERS)


@cases.case
def what_is_rejected_is_dropped_and_the_rest_arrives():
    folder = Folder("do: reject write", siblings=", on_error: skip")
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 0)
    contains(folder.said(), "nobody wants it")
    contains(folder.said(), "60 failed")
    equals(folder.topic(), NUMBERS)
    # Told to stop, it stops as any other.
    folder = Folder("do: reject write", siblings=", on_error: skip")
    process = folder.start()
    folder.until(lambda: folder.side().count("59") == 2, process)  # at both sinks
    stop(folder, process, status=0)
    folder.start("--until-end").wait(SECONDS)
    equals(folder.topic(), NUMBERS)


@cases.case
def a_sink_that_is_away_is_tried_again_and_stops_nobody_else():
    for what in ("write", "flush", "publish"):
        folder = Folder("do: away %s, n: 3" % what, records=20, top="checkpoint: {interval: 100ms}")
        process = folder.start("--until-end")
        equals(process.wait(SECONDS), 0)
        told = r"streams\.work\.to\[0\] \(rude\): %s: the peer is away; tried again in [0-9.]+ s; wake it\n" % what
        assert re.search(told, folder.said()), folder.said()
        contains(folder.said(), "%s has succeeded, after" % what)
        # Each number once from each of the sinks: what has failed was not written.
        equals(sorted(folder.side()), sorted(NUMBERS[:20] * 2))
        equals(folder.topic(), NUMBERS[:20])


@cases.case
def others_go_on_while_a_sink_is_away():
    folder = Folder("do: away write, n: 1000000", top="checkpoint: {interval: 100ms}\n"
                    "shutdown_timeout: 500ms")
    process = folder.start()
    folder.until(lambda: folder.side() == NUMBERS, process)
    folder.until(lambda: "the peer is away" in folder.said(), process)
    stop(folder, process, status=1)
    contains(folder.said(), "no checkpoint within shutdown_timeout: streams.work.to[0] (rude): "
             "write: the peer is away; wake it")
    (folder.path / "out.txt").unlink()
    folder.write("do: well")
    equals(folder.start("--until-end").wait(SECONDS), 0)
    equals(folder.topic(), NUMBERS)


# The same two flows; what comes to the sink that is well lies in files, which a checkpoint shows.
FILES = """
pipeline: p
plugins: [%s]
threads: 1
checkpoint: {interval: 50ms}
topics:
  numbers: {value: text}
  others: {value: text}
streams:
  feed: {from: {rude: {records: %d}}, to: {topic: numbers}}
  more: {from: {rude: {records: %d, %s}}, to: {topic: others}}
  work: {from: {topic: numbers}, to: {rude: {do: absent %s}}}
  side: {from: {topic: others}, to: {file: {path: files, roll_size: 40}}}
"""
MANY, FEW = 400, 20


def absent(what, more="do: well"):
    folder = Folder("do: well")
    (folder.path / "pipeline.yaml").write_text(FILES % (plugin, MANY, MANY, more, what))
    (folder.path / "absent").touch()
    return folder


def shown(folder):
    files = sorted((folder.path / "files").rglob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def written(folder):
    """How many lines there are in files, published or not."""
    lines = {}
    for path in sorted((folder.path / "files").rglob("*.jsonl*")):
        published = path.with_suffix("") if path.suffix == ".part" else path
        for name in (path, published):  # a part may be published after it was listed
            with contextlib.suppress(FileNotFoundError):
                lines[published] = name.read_text().count("\n")
                break
    return sum(lines.values())


def until_absent(folder, process, what):
    folder.until(lambda: "streams.work.to (rude): %s: the peer is away" % what in folder.said(),
                 process)
    # The other flow runs to its end meanwhile, however much was done when it began. Its last file waits in
    # memory, the others are on the disk.
    folder.until(lambda: written(folder) > MANY - 20, process)
    assert "has succeeded" not in folder.said(), folder.said()


ALL = sorted(str(i) for i in range(MANY))


@cases.case
def others_go_on_while_a_sink_cannot_flush_or_publish():
    for what in ("flush", "publish"):
        # From the first record on; until then no more than some records of the other flow are there.
        folder = absent(what + ", n: 1", "do: rest, n: %d" % FEW)
        (folder.path / "rest").touch()
        process = folder.start("--until-end")
        folder.until(lambda: "streams.work.to (rude): %s: the peer is away" % what in folder.said(), process)
        (folder.path / "rest").unlink()
        until_absent(folder, process, what)
        # Nothing is committed without the one, and without the publish of the last commit nothing anew.
        assert len(shown(folder)) <= FEW, len(shown(folder))
        (folder.path / "absent").unlink()
        equals(process.wait(SECONDS), 0)
        contains(folder.said(), "%s has succeeded, after" % what)
        equals(sorted(shown(folder)), ALL)
        equals(sorted(folder.side()), ALL)


@cases.case
def what_dies_while_a_sink_cannot_flush_or_publish_loses_nothing():
    for what in ("flush", "publish"):
        folder = absent(what)
        process = folder.start("--until-end")
        until_absent(folder, process, what)
        process.kill()
        process.wait()
        (folder.path / "absent").unlink()
        equals(folder.start("--until-end").wait(SECONDS), 0)
        equals(sorted(shown(folder)), ALL)
        equals(sorted(set(folder.side())), ALL)  # it is at least once


@cases.case
def a_stop_waits_for_a_flush_or_publish_as_long_as_it_may():
    for what in ("flush", "publish"):
        folder = absent(what)
        process = folder.start()
        until_absent(folder, process, what)
        process.send_signal(signal.SIGTERM)
        (folder.path / "absent").unlink()
        equals(process.wait(SECONDS), 0)
        equals(folder.start("--until-end").wait(SECONDS), 0)
        equals(sorted(shown(folder)), ALL)
        equals(sorted(folder.side()), ALL)


@cases.case
def a_sink_that_stays_away_ends_the_run_with_its_reason():
    folder = Folder("do: away write, n: 1000000", records=5, siblings=", retry_timeout: 700ms")
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 1)
    contains(folder.said(), "streams.work.to[0] (rude): write: the peer is away; given up after")
    # Both sinks were open and had been written to: the epoch is given up.
    assert (folder.path / "discarded.txt").exists()


@cases.case
def a_start_that_fails_is_tried_again_where_the_file_says_so():
    folder = Folder("do: away open, n: 2", records=5, siblings=", on_start_failure: retry")
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 0)
    contains(folder.said(), "streams.work.to[0] (rude): open: the peer is away; tried again in")
    contains(folder.said(), "open has succeeded, after")
    equals(folder.topic(), NUMBERS[:5])
    folder = Folder("do: away open, n: 2", records=5)
    equals(folder.start("--until-end").wait(SECONDS), 1)
    contains(folder.said(), "streams.work.to[0] (rude): the peer is away")


@cases.case
def a_source_that_cannot_start_yet_holds_nobody_back():
    folder = Folder("do: well", records=5)
    path = folder.path / "pipeline.yaml"
    source = "more: {from: {rude: {records: 5}}, to"
    away = "more: {from: {rude: {records: 5, do: away open, n: %d}, on_start_failure: retry}, to"
    text = path.read_text()
    assert source in text
    path.write_text(text.replace(source, away % 2))
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 0)
    contains(folder.said(), "streams.more.from (rude): open: the peer is away; tried again in")
    equals(sorted(folder.side()), sorted(NUMBERS[:5] * 2))
    # One that never comes: the others are committed, and a stop is a stop.
    folder = Folder("do: well", records=5, top="checkpoint: {interval: 50ms}")
    path = folder.path / "pipeline.yaml"
    path.write_text(path.read_text().replace(source, away % 1000000))
    process = folder.start()
    folder.until(lambda: folder.topic() == NUMBERS[:5], process)
    stop(folder, process, status=0)


@cases.case
def a_stop_while_a_sink_opens_loses_nothing():
    for sink, siblings in (("do: wait open", ""),
                           ("do: away open, n: 1000000", ", on_start_failure: retry")):
        folder = Folder(sink, records=5, siblings=siblings)
        (folder.path / "wait").touch()
        process = folder.start("--until-end", WEIR_TEST_PATIENCE_MS="100")
        folder.until(lambda: "streams.work.to[0] (rude)" in folder.said(), process)
        process.send_signal(signal.SIGTERM)
        (folder.path / "wait").unlink()
        equals(process.wait(SECONDS), 0)
        folder.write("do: well", records=5)
        equals(folder.start("--until-end").wait(SECONDS), 0)
        equals(folder.topic(), NUMBERS[:5])


@cases.case
def a_publish_that_fails_is_done_by_the_next_start():
    folder = Folder("do: away publish, n: 1000000", records=5, siblings=", retry_timeout: 300ms",
                    top="checkpoint: {interval: 1h}")
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 1)
    contains(folder.said(), "publish: the peer is away; given up after")
    if "WEIR_CHECK_ABI" not in os.environ:  # its host discards before the first record
        assert not (folder.path / "discarded.txt").exists(), "the epoch was committed"
    equals(folder.topic(), NUMBERS[:5])
    folder.write("do: well", records=5)
    equals(folder.start("--until-end").wait(SECONDS), 0)
    equals(folder.topic(), NUMBERS[:5])


@cases.case
def published_files_may_be_taken_away():
    for seats in ("0", "1"):
        folder = Folder("do: well}}, {file: {path: files", records=5)
        equals(folder.start("--until-end", WEIR_TEST_SEATS=seats).wait(SECONDS), 0)
        for path in (folder.path / "files").rglob("*.jsonl"):
            path.unlink()
        equals(folder.start("--until-end", WEIR_TEST_SEATS=seats).wait(SECONDS), 0)
        contains(folder.said(), " of the files that the last checkpoint has published ")
        contains(folder.said(), " not there any more: 'files/numbers/0/")


@cases.case
def a_file_that_is_gone_ends_the_next_start_at_once():
    """Nobody else writes to this log, so what it tells of the file is right; with seats as on Kafka too. In a
    folder that was made anew nothing was published."""
    for seats in ("0", "1"):
        folder = Folder("do: well}}, {file: {path: files", records=5)
        equals(folder.start("--until-end", WEIR_TEST_SEATS=seats).wait(SECONDS), 0)
        os.rename(folder.path / "files", folder.path / "elsewhere")
        equals(folder.start("--until-end", WEIR_TEST_SEATS=seats).wait(SECONDS), 1)
        contains(folder.said(), "streams.work.to[1] (file)%s: file 'files/numbers/0/" % (" numbers[0]" if seats == "1" else ""))
        contains(folder.said(), " is gone, with and without .part, before it could be published; restore it")
        assert " again" not in folder.said(), folder.said()


# Every record becomes a letter, for a sink that misbehaves.
LETTERS = """
pipeline: p
plugins: [%s]
threads: 2
%s
on_error: dead_letter
dead_letters: {rude: {%s}}
topics:
  numbers: {value: text, partitions: 2}
streams:
  feed: {from: {rude: {records: 60}, key: text($value)}, to: {topic: numbers}}
  work: {from: {topic: numbers}, steps: [set: {nothing: 1}], to: {rude: {}}}
"""


def letters_folder(sink, top):
    folder = Folder("do: well")
    (folder.path / "pipeline.yaml").write_text(LETTERS % (plugin, top, sink))
    return folder


@cases.case
def a_full_queue_of_dead_letters_is_told_and_when_it_is_over():
    folder = letters_folder("do: sleep write, n: 100", "checkpoint: {interval: 1h}")
    process = folder.start("--until-end")
    equals(process.wait(SECONDS), 0)
    is_full_once_and_over(folder, " dead_letters (rude): ")
    contains(folder.said(), "60 failed")


@cases.case
def a_stop_does_not_wait_for_dead_letters_for_ever():
    folder = letters_folder("do: hang write", "shutdown_timeout: 500ms\ncheckpoint: {interval: 1h}")
    process = folder.start()
    folder.until(lambda: "dead_letters (rude): its queue is full" in folder.said(), process)
    stop(folder, process, status=1)
    contains(folder.said(), "no checkpoint within shutdown_timeout: dead_letters (rude) did not come to "
             "an end")
    folder.write("do: well")
    (folder.path / "pipeline.yaml").write_text(LETTERS % (plugin, "", "do: well"))
    equals(folder.start("--until-end").wait(SECONDS), 0)
    contains(folder.said(), "60 failed")


@cases.case
def a_file_ends_by_age_although_nothing_comes():
    folder = Folder("do: well")
    (folder.path / "pipeline.yaml").write_text("""
pipeline: p
plugins: [%s]
checkpoint: {interval: 1h}
topics: {numbers: {value: text}}
streams:
  feed: {from: {rude: {do: never end}}, to: {topic: numbers}}
  work: {from: {topic: numbers}, to: {file: {path: files, roll_age: 300ms}}}
""" % plugin)
    process = folder.start()
    folder.until(lambda: shown(folder) == [str(i) for i in range(10)], process)
    stop(folder, process, status=0)


cases.finish()
