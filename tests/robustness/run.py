#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run makes of plugins, files and folders that misbehave: it goes on, or says why not.

usage: run.py WEIR
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, build_plugin, contains, equals, is_sanitized, run, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()
home = tempfile.TemporaryDirectory()
plugin = os.path.join(home.name, "rude.so")
build_plugin(HERE / "plugins/rude.c", plugin, weir=weir)

# A stop may take half a second here and somewhat more, and without the file's word for it 30 s.
STOP_SECONDS = 25

PIPELINE = """
pipeline: p
plugins: [%(plugin)s]
%(top)s
topics:
  numbers: {value: %(serializer)s}
  out: {value: text}
streams:
  feed:
    from: {rude: {%(source)s}}
    to: {topic: numbers}
  work:
    from: {topic: numbers}
    steps: [{rude: {%(step)s}%(on_error)s}]
    to: [{rude: {%(sink)s}}, {topic: out}]
"""


class Folder:
    def __init__(self, source="do: well", step="do: well", sink="do: well", serializer="text",
                 top="", on_error=""):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        self.write(source=source, step=step, sink=sink, serializer=serializer, top=top,
                   on_error=on_error)

    def write(self, **parts):
        text = PIPELINE % dict(dict(source="", step="", sink="", serializer="text", top="",
                                    on_error="", plugin=plugin), **parts)
        (self.path / "pipeline.yaml").write_text(text)

    def run(self, *arguments, status=0):
        done = run([weir, "run", "--until-end", *arguments], cwd=self.path)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        assert "Sanitizer" not in done.stderr, done.stderr
        return done.stderr

    def start(self, *arguments, **environment):
        with open(self.path / "errors.txt", "w", encoding="utf-8") as errors:
            return subprocess.Popen([weir, "run", *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=errors, env=dict(os.environ, **environment))

    def said(self):
        return (self.path / "errors.txt").read_text()

    def until(self, condition, process):
        """Waits for something that must come to pass while the run goes on."""
        def has_come():
            assert process.poll() is None, self.said()
            return condition()

        until(has_come, self.said)

    def stop(self, process, status):
        """What it has said, when it has ended as it was told to."""
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError("SIGTERM did not end it: " + self.said()) from None
        assert process.returncode == status, (process.returncode, self.said())
        return self.said()

    def side(self):
        """What has come to the sink."""
        path = self.path / "out.txt"
        return path.read_text().split() if path.exists() else []

    def topic(self):
        done = run([weir, "topic", "cat", "out", "--json"], cwd=self.path)
        return [json.loads(line)["value"] for line in done.stdout.splitlines()]

    def goes_on_well(self, count=10):
        """The next start, with well-behaved plugins, gives every record once."""
        self.write()
        self.run()
        equals(self.topic(), [str(i) for i in range(count)])


def fails(parts, *texts, recovers=True):
    folder = Folder(**parts)
    text = folder.run(status=1)
    for part in texts:
        contains(text, part)
    if recovers:
        folder.goes_on_well()


@cases.case
def well_behaved_plugins_give_every_record_once():
    Folder().goes_on_well()


@cases.case
def a_source_that_fails_is_named_with_what_failed():
    for what in ("open", "poll", "position", "close", "describe"):
        fails({"source": "do: fail " + what}, "streams.feed.from (rude)", what + " failed")
        fails({"source": "do: say " + what}, "streams.feed.from (rude)",
              "the peer is away; wake it")
    fails({"source": "do: fail create"}, "streams.feed.from (rude)")


@cases.case
def a_sink_that_fails_is_named_with_what_failed():
    for what in ("open", "write", "flush", "publish", "close"):
        fails({"sink": "do: fail " + what}, "streams.work.to[0] (rude)", what + " failed")
        fails({"sink": "do: say " + what}, "streams.work.to[0] (rude)",
              "the peer is away; wake it")
    fails({"sink": "do: fail create"}, "streams.work.to[0] (rude)")


@cases.case
def an_operator_that_fails_is_named():
    fails({"step": "do: fail process"}, "streams.work.steps[0] (rude)", "process failed")
    fails({"step": "do: say process"}, "the peer is away; wake it")
    fails({"step": "do: fail create"}, "streams.work.steps[0] (rude)")


@cases.case
def a_status_that_the_call_does_not_know_is_a_defect_of_the_plugin():
    fails({"step": "do: status process, n: 3"}, "steps[0] (rude)", "process returned status 3")
    fails({"step": "do: status process, n: -77"}, "steps[0] (rude)", "status -77")
    fails({"sink": "do: status write, n: 1"}, "to[0] (rude)", "write returned status 1")
    fails({"sink": "do: status flush, n: 3"}, "to[0] (rude)", "flush returned status 3")
    fails({"sink": "do: status publish, n: 2"}, "to[0] (rude)", "publish returned status 2")
    fails({"source": "do: status poll, n: 3"}, "feed.from (rude)", "poll returned status 3")
    fails({"source": "do: status position, n: 1"}, "feed.from (rude)",
          "position returned status 1")
    fails({"serializer": "{rude: {do: status encode, n: 1}}"}, "topics.numbers.value (rude)",
          "encode returned status 1")
    fails({"serializer": "{rude: {do: status decode, n: 1}}"}, "topics.numbers.value (rude)",
          "decode returned status 1")


@cases.case
def a_record_that_is_not_in_the_batch_cannot_fail():
    bad = "failed a record that is not in its batch"
    for n in (10, 4294967295, 4294967296, 9223372036854775807):
        fails({"step": "do: index process, n: %d" % n}, bad)
        fails({"sink": "do: index write, n: %d" % n}, bad)
        fails({"serializer": "{rude: {do: index encode, n: %d}}" % n}, "numbers.value (rude)", bad)
        fails({"serializer": "{rude: {do: index decode, n: %d}}" % n}, "numbers.value (rude)", bad)


@cases.case
def ends_that_lie_are_a_defect_of_the_serializer():
    for act in ("end beyond", "end decreasing", "leave ends unset"):
        fails({"serializer": "{rude: {do: %s}}" % act}, "topics.numbers.value (rude)",
              "this is a defect of the plugin")


@cases.case
def decoded_values_that_were_not_set_are_null():
    folder = Folder(serializer="{rude: {do: leave decoded values unset}}")
    folder.run()
    equals(folder.topic(), [None] * 10)


@cases.case
def a_record_that_fails_twice_counts_once():
    folder = Folder(step="do: fail each twice", on_error=", on_error: skip")
    text = folder.run()
    contains(text, "10 failed")
    equals(folder.topic(), [])


@cases.case
def odd_values_end_in_records_or_in_a_clear_error():
    for act in ("give bad text", "give unknown tag", "give nan", "give bytes"):
        folder = Folder(step="do: " + act)
        done = run([weir, "run", "--until-end"], cwd=folder.path)
        assert done.returncode in (0, 1) and "Sanitizer" not in done.stderr, (act, done.stderr)
        if done.returncode == 0:
            equals(len(folder.topic()), 10)
        else:
            contains(done.stderr, "streams.work")


@cases.case
def a_million_records_from_one_are_a_million():
    folder = Folder(source="records: 1", step="do: emit many, n: 1000000")
    contains(folder.run(), "2000000 out")


@cases.case
def memory_that_cannot_be_had_is_an_error():
    fails({"step": "do: take huge memory, n: 9000000000000000000"}, "steps[0] (rude)",
          "out of memory")


@cases.case
def huge_records_pass():
    folder = Folder(source="records: 5, do: give huge records, n: 20000000")
    folder.run()
    equals([len(v) for v in folder.topic()], [20000000] * 5)


@cases.case
def a_source_without_records_ends_the_run():
    folder = Folder(source="records: 0")
    contains(folder.run(), "0 records in")
    folder.goes_on_well()


def ticks(process):
    """Of the processor that it has used."""
    with open("/proc/%d/stat" % process.pid, encoding="utf-8") as file:
        return sum(int(n) for n in file.read().rsplit(")")[1].split()[11:13])


@cases.case
def a_source_that_returns_at_once_does_not_burn_the_processor():
    folder = Folder(source="do: never end")
    process = folder.start()
    folder.until(lambda: len(folder.side()) == 10, process)
    before = ticks(process)
    time.sleep(2)
    used = ticks(process) - before
    folder.stop(process, status=0)
    assert used < 100, "%d ticks of 200" % used


def never_returns(parts, label, call, status=1):
    folder = Folder(top="shutdown_timeout: 500ms", **parts)
    process = folder.start(WEIR_TEST_PATIENCE_MS="100")
    folder.until(lambda: "%s: %s has not come back for " % (label, call) in folder.said(), process)
    contains(folder.stop(process, status), label)
    folder.goes_on_well()


@cases.case
def an_operator_that_never_returns_is_named_and_left():
    never_returns({"step": "do: hang process"}, "streams.work.steps[0] (rude)", "process")


@cases.case
def a_source_that_never_returns_is_named_and_left():
    never_returns({"source": "do: hang open"}, "streams.feed.from (rude)", "open")
    never_returns({"source": "do: hang poll"}, "streams.feed.from (rude)", "poll")


@cases.case
def a_sink_that_never_returns_is_named_and_left():
    # While it opens nothing has been done yet, and nothing is lost.
    never_returns({"sink": "do: hang open"}, "streams.work.to[0] (rude)", "open", status=0)
    for what in ("write", "flush", "publish"):
        never_returns({"sink": "do: hang " + what}, "streams.work.to[0] (rude)", what)


@cases.case
def a_serializer_that_never_returns_is_named_and_left():
    never_returns({"serializer": "{rude: {do: hang encode}}"}, "topics.numbers.value (rude)", "encode")
    never_returns({"serializer": "{rude: {do: hang decode}}"}, "topics.numbers.value (rude)", "decode")


@cases.case
def a_sink_with_a_full_queue_that_never_returns_is_named_and_left():
    # One batch is being written and sixteen wait, or one more than the queue holds.
    for batches in (17, 18, 40):
        folder = Folder(source="records: %d" % batches, sink="do: hang write",
                        top="shutdown_timeout: 500ms\ncheckpoint: {interval: 200ms}")
        process = folder.start(WEIR_BATCH_SIZE="1", WEIR_TEST_PATIENCE_MS="100")
        full = "its queue is full" if batches > 17 else "write has not come back for "
        folder.until(lambda: full in folder.said(), process)
        contains(folder.stop(process, status=1), "streams.work.to[0] (rude)")


@cases.case
def a_crash_names_the_plugin_and_loses_nothing():
    if is_sanitized(weir):
        return  # the sanitizer speaks itself
    for parts, label in (({"step": "do: crash process"}, "streams.work.steps[0] (rude)"),
                         ({"source": "do: crash poll"}, "streams.feed.from (rude)"),
                         ({"sink": "do: crash write"}, "streams.work.to[0] (rude)"),
                         ({"serializer": "{rude: {do: crash decode}}"},
                          "topics.numbers.value (rude)")):
        folder = Folder(**parts)
        text = folder.run(status=-signal.SIGABRT)
        contains(text, "crashed (SIGABRT) in %s; this is a defect of the plugin" % label)
        folder.goes_on_well()


@cases.case
def a_slow_sink_makes_others_wait_and_loses_nothing():
    folder = Folder(source="records: 60", sink="do: sleep write, n: 20",
                    top="checkpoint: {interval: 100ms}")
    done = run([weir, "run", "--until-end"], cwd=folder.path,
               env=dict(os.environ, WEIR_BATCH_SIZE="1"))
    equals(done.returncode, 0)
    wanted = [str(i) for i in range(60)]
    equals(folder.topic(), wanted)
    equals((folder.path / "out.txt").read_text().split(), wanted)


def journal(folder):
    """The file in which the log keeps what was committed last."""
    return max((folder.path / "weir-data/log").glob("*.log"), key=lambda path: path.stat().st_size)


@cases.case
def a_damaged_log_is_told_and_nothing_is_dropped_in_silence():
    for part in (0.2, 0.5, 0.9):
        folder = Folder()
        folder.run()
        path = journal(folder)
        data = bytearray(path.read_bytes())
        data[int(len(data) * part)] ^= 0xff
        path.write_bytes(data)
        contains(folder.run(status=1),
                 "the log in 'weir-data' is damaged: file 'log/%s' at offset " % path.name)


@cases.case
def a_log_that_is_removed_while_in_use_is_told():
    for what in ("weir-data", "weir-data/lock"):
        folder = Folder(source="do: never end", top="checkpoint: {interval: 50ms}")
        process = folder.start()
        folder.until(lambda: len(folder.topic()) == 10, process)
        assert run(["rm", "-r", what], cwd=folder.path).returncode == 0
        contains(folder.stop(process, status=1), "the log in 'weir-data' was removed, or its file 'lock'")


@cases.case
def a_write_that_a_crash_has_cut_off_is_no_damage():
    folder = Folder()
    folder.run()
    path = journal(folder)
    data = path.read_bytes()
    path.write_bytes(data + data[:60])  # the beginning of a record
    folder.run()
    equals(folder.topic(), [str(i) for i in range(10)])


@cases.case
def a_commit_that_is_missing_at_the_end_is_told():
    folder = Folder()
    folder.run()
    path = journal(folder)
    path.write_bytes(path.read_bytes()[:-5])
    for text in (folder.run(status=1), run([weir, "topic", "list"], cwd=folder.path).stderr):
        contains(text, "the log in 'weir-data' is damaged: file 'log/%s' at offset " % path.name)
        contains(text, ": what was written there is not whole; its file 'committed' tells of ")
        contains(text, "to go on without the last 1 changes remove its file 'committed'")
    (folder.path / "weir-data/committed").unlink()
    folder.goes_on_well()


cases.finish()
