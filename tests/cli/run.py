#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run` as a user meets it: stopping, going on, failing, being alone on a log.

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

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import SECONDS, Cases, contains, equals, run, tell, until

weir = os.path.abspath(sys.argv[1])
cases = Cases()

PIPELINE = """
pipeline: p
{top}
topics:
  numbers: {{value: json}}
  out: {{value: json}}
streams:
  feed:
    from: {{file: {{path: in.jsonl, follow: {follow}}}}}
    to: {{topic: numbers}}
  work:
    from: {{topic: numbers}}
    steps: {steps}
    to: {to}
"""


class Folder:
    """A folder with a pipeline and its input; weir runs in it."""

    def __init__(self, records=10, steps="[{filter: 'true'}]", to="{topic: out}", top="",
                 follow="false"):
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name)
        self.write("in.jsonl", "".join('{"n":%d}\n' % i for i in range(records)))
        self.write("pipeline.yaml", PIPELINE.format(steps=steps, to=to, top=top, follow=follow))

    def write(self, name, text):
        (self.path / name).write_text(text)

    def append(self, text):
        with open(self.path / "in.jsonl", "a") as file:
            file.write(text)

    def weir(self, *arguments, status=0, env=None):
        done = run([weir, *arguments], cwd=self.path, env=dict(os.environ, **(env or {})))
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done

    def start(self, *arguments, env=None, **more):
        return subprocess.Popen([weir, "run", *arguments], cwd=self.path, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=dict(os.environ, **(env or {})), **more)

    def topic(self, name="out"):
        lines = self.weir("topic", "cat", name, "--json").stdout.splitlines()
        return [json.loads(line)["value"]["n"] for line in lines]

    def summary(self, *arguments, **more):
        lines = self.weir("run", "--json", *arguments, **more).stderr.splitlines()
        return json.loads(lines[-1])

    def wait_for(self, count, name="out"):
        """Until so many records are committed; they are read while the pipeline runs."""
        def have_come():
            done = run([weir, "topic", "cat", name, "--json"], cwd=self.path)
            return done.returncode == 0 and len(done.stdout.splitlines()) >= count

        until(have_come, "%d records did not come" % count)


@cases.case
def until_end_runs_everything_once_and_goes_on_where_it_stopped():
    folder = Folder(records=5)
    first = folder.summary("--until-end")
    equals((first["records_in"], first["records_out"], first["failed"]), (5, 5, 0))
    second = folder.summary("--until-end")
    equals((second["records_in"], second["records_out"]), (0, 0))
    contains(second["sources"][0]["description"], "nothing new")
    folder.append('{"n":5}\n{"n":6}\n')
    equals(folder.summary("--until-end")["records_in"], 2)
    equals(folder.topic(), list(range(7)))


@cases.case
def the_summary_tells_each_end_and_where_the_results_lie():
    folder = Folder(records=10, steps="[{filter: n % 2 == 0}]", to="[{topic: out}, {file: files}]")
    text = folder.weir("run", "--until-end").stderr
    contains(text, "p: 10 records in, 10 out, 0 failed")
    contains(text, "topic 'out'")
    contains(text, "weir-data")
    contains(text, "out to file: files")
    contains(text, "10 in, 5 dropped, 0 failed, 5 out")


@cases.case
def count_stops_behind_the_very_record():
    folder = Folder(records=100)
    equals(folder.summary("--count", "7")["records_out"], 7)
    equals(folder.topic(), list(range(7)))
    folder.summary("--until-end")
    equals(folder.topic(), list(range(100)))


@cases.case
def timeout_stops_when_no_record_comes():
    folder = Folder(records=3, follow="true")
    started = time.monotonic()
    folder.weir("run", "--timeout", "300ms")  # it would follow the file for ever
    assert time.monotonic() - started >= 0.3
    folder.weir("run", "--until-end")  # on a busy machine they may come later than that
    equals(folder.topic(), [0, 1, 2])


@cases.case
def what_takes_longer_than_the_timeout_is_no_silence():
    folder = Folder(records=0)
    folder.write("two.jsonl", '{"n":0}\n{"n":1}\n')
    folder.weir("topic", "put", "numbers", "two.jsonl", "--create", "1")
    folder.weir("run", "--timeout", "1500ms", env={"WEIR_BATCH_SIZE": "1", "WEIR_TEST_SLEEP_US": "2000000"})
    # Nothing, where a busy machine has not begun by then; but never one of the two.
    assert folder.topic() in ([], [0, 1]), folder.topic()


def stopped_by(signal_number):
    folder = Folder(records=1000, follow="true", top="checkpoint: {interval: 50ms}")
    process = folder.start(env={"WEIR_BATCH_SIZE": "10", "WEIR_TEST_SLEEP_US": "2000"})
    folder.wait_for(20)
    process.send_signal(signal_number)
    _, errors = process.communicate(timeout=SECONDS)
    equals(process.returncode, 0)
    contains(errors, "records in")
    folder.weir("run", "--until-end")
    equals(folder.topic(), list(range(1000)))


@cases.case
def sigterm_makes_a_checkpoint_and_stops_with_status_0():
    stopped_by(signal.SIGTERM)


@cases.case
def sigint_makes_a_checkpoint_and_stops_with_status_0():
    stopped_by(signal.SIGINT)


@cases.case
def a_closed_terminal_makes_a_checkpoint_and_stops_with_status_0():
    stopped_by(signal.SIGHUP)


@cases.case
def nohup_keeps_a_run_going():
    folder = Folder(records=3, follow="true", top="checkpoint: {interval: 50ms}")
    process = folder.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    folder.wait_for(3)
    process.send_signal(signal.SIGHUP)
    folder.append('{"n":3}\n')
    folder.wait_for(4)
    process.terminate()
    process.communicate(timeout=SECONDS)
    equals(process.returncode, 0)


def in_a_long_batch(shutdown_timeout):
    """A run whose first batch takes ten minutes: a stop has to wait for it."""
    folder = Folder(records=1000, follow="true", to="{print: {format: json}}",
                    top="shutdown_timeout: %s" % shutdown_timeout)
    process = folder.start(env={"WEIR_BATCH_SIZE": "10", "WEIR_TEST_SLEEP_US": "600000000"})
    process.stdout.readline()
    return folder, process


@cases.case
def a_second_signal_ends_at_once():
    folder, process = in_a_long_batch(shutdown_timeout="10m")
    tell(process, signal.SIGTERM)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=SECONDS)
    equals(process.returncode, -signal.SIGTERM)


@cases.case
def a_stop_that_takes_longer_than_shutdown_timeout_is_given_up():
    folder, process = in_a_long_batch(shutdown_timeout="500ms")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=SECONDS)
    equals(process.returncode, 1)
    contains(errors, "shutdown_timeout")


@cases.case
def readers_see_committed_records_while_the_pipeline_runs():
    folder = Folder(records=3, follow="true", top="checkpoint: {interval: 50ms}")
    process = folder.start()
    folder.wait_for(3)
    folder.append('{"n":3}\n')
    folder.wait_for(4)
    process.terminate()
    process.communicate(timeout=SECONDS)
    equals(folder.topic(), [0, 1, 2, 3])


@cases.case
def a_second_writer_is_refused_with_the_pid_of_the_first():
    folder = Folder(records=3, follow="true", top="checkpoint: {interval: 50ms}")
    process = folder.start()
    folder.wait_for(3)
    contains(folder.weir("run", "--until-end", status=1).stderr, str(process.pid))
    process.terminate()
    process.communicate(timeout=SECONDS)
    folder.weir("run", "--until-end")


@cases.case
def a_failing_record_stops_the_run_and_keeps_nothing_of_the_epoch():
    folder = Folder(records=5, steps="[{set: {m: 10 / (n - 3)}}]")
    errors = folder.weir("run", "--until-end", status=1).stderr
    contains(errors, "numbers[0]@3 streams.work.steps[0] (set)")
    equals(folder.topic(), [])


@cases.case
def skip_drops_the_record_counts_it_and_goes_on():
    folder = Folder(records=5, steps="[{set: {m: 10 / (n - 3)}, on_error: skip}]")
    done = folder.weir("run", "--until-end")
    equals(folder.topic(), [0, 1, 2, 4])
    contains(done.stderr, "1 failed")
    contains(done.stderr, "numbers[0]@3")


@cases.case
def what_an_end_cannot_write_is_not_counted_as_out():
    folder = Folder(records=5, to="{topic: out, key: n % 2 == 0, on_error: skip}")
    done = folder.summary("--until-end")
    end = done["ends"][0]
    equals((end["in"], end["failed"], end["out"]), (5, 5, 0))
    equals((done["records_out"], done["failed"]), (0, 5))


def choosing(expression, rest=""):
    """A pipeline whose end chooses between topic 'out' and topic 'other'."""
    folder = Folder(records=4, to="{topic: {expr: %s, among: [out, other]}%s}" % (expression, rest))
    text = (folder.path / "pipeline.yaml").read_text()
    folder.write("pipeline.yaml", text.replace("topics:", "topics:\n  other: {value: json}", 1))
    return folder


@cases.case
def an_end_that_chooses_its_topic_is_one_end_in_the_summary():
    folder = choosing("\"if n < 3 then ['out', 'other', n][n] else 'no'\"", ", on_error: skip")
    summary = folder.summary("--until-end")
    equals([(end["in"], end["failed"], end["out"], end["target"]) for end in summary["ends"]],
           [(4, 2, 2, "topics 'out', 'other'")])
    equals((folder.topic("out"), folder.topic("other")), ([0], [1]))
    equals(folder.summary("--fresh", "--until-end")["records_out"], 2)
    equals((folder.topic("out"), folder.topic("other")), ([0], [1]))


@cases.case
def what_names_no_topic_of_the_end_ends_the_run_and_keeps_nothing():
    folder = choosing("\"if n == 2 then 'oder' else 'out'\"")
    contains(folder.weir("run", "--until-end", status=1).stderr,
             'numbers[0]@2 streams.work.to (one of 2 topics): "oder" is no topic of this end; it has: '
             "out, other; let 'expr' give one of these names, or add the topic to 'among'")
    equals(folder.topic("out"), [])


@cases.case
def a_bad_line_of_the_source_is_told_with_its_place():
    folder = Folder(records=2)
    folder.append('{"n": oops}\n{"n":3}\n')
    contains(folder.weir("run", "--until-end", status=1).stderr, "'in.jsonl' line 3, byte 6")


@cases.case
def bad_lines_can_be_skipped_and_are_not_met_again():
    folder = Folder(records=2)
    folder.append('{"n": oops}\nnot json\n{"n":3}\n')
    text = (folder.path / "pipeline.yaml").read_text()
    folder.write("pipeline.yaml", text.replace("follow: false}}", "follow: false}, on_error: skip}"))
    summary = folder.summary("--until-end")
    equals((summary["records_in"], summary["sources"][0]["failed"]), (3, 2))
    equals(folder.summary("--until-end")["sources"][0]["failed"], 0)
    equals(folder.topic(), [0, 1, 3])


@cases.case
def an_undecodable_message_fails_or_is_skipped():
    for on_error, status in (("fail", 1), ("skip", 0)):
        folder = Folder(records=0, top="on_error: " + on_error)
        run([weir, "topic", "put", "numbers", "--raw", "--create", "1", "--log", "local:weir-data"],
            cwd=folder.path)
        put = subprocess.run([weir, "topic", "put", "numbers", "--raw", "--create", "1"],
                             cwd=folder.path, input="not json\n{\"n\":1}\n", text=True,
                             capture_output=True)
        equals((put.returncode, put.stderr), (0, ""))
        errors = folder.weir("run", "--until-end", status=status).stderr
        contains(errors, "numbers[0]@0 topics.numbers.value (json)")
        equals(folder.topic(), [] if status else [1])


@cases.case
def a_closed_standard_output_ends_print_and_not_the_run():
    folder = Folder(records=20000, to="[{print: {format: json}}, {topic: out}]")
    process = folder.start("--until-end")
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    equals(process.wait(timeout=SECONDS), 0)
    contains(errors, "takes no more")
    equals(len(folder.topic()), 20000)


@cases.case
def a_run_whose_only_end_is_closed_ends_quietly():
    folder = Folder(records=20000, to="{print: {format: json}}", follow="true")
    process = folder.start(env={"WEIR_BATCH_SIZE": "100"})
    process.stdout.readline()
    process.stdout.close()
    equals(process.wait(timeout=SECONDS), 0)


@cases.case
def fresh_forgets_positions_and_results():
    folder = Folder(records=5, to="[{topic: out}, {file: files}]")
    folder.weir("run", "--until-end")
    (folder.path / "in.jsonl").write_text('{"n":7}\n')
    contains(folder.weir("run", "--until-end", status=1).stderr, "replaced")
    done = folder.weir("run", "--until-end", "--fresh")
    contains(done.stderr, "fresh start")
    equals(folder.topic(), [7])
    files = sorted((folder.path / "files").rglob("*.jsonl"))
    equals([f.read_text() for f in files], ['{"n":7}\n'])


@cases.case
def an_error_in_the_file_opens_and_creates_nothing():
    folder = Folder(records=1, steps="[{filtr: 'true'}]")
    contains(folder.weir("run", status=1).stderr, "did you mean 'filter'?")
    equals(sorted(p.name for p in folder.path.iterdir()), ["in.jsonl", "pipeline.yaml"])


@cases.case
def a_missing_input_file_is_told():
    folder = Folder(records=1)
    (folder.path / "in.jsonl").unlink()
    contains(folder.weir("run", "--until-end", status=1).stderr, "in.jsonl")


@cases.case
def other_partition_counts_than_the_log_has_are_refused():
    folder = Folder(records=1)
    folder.weir("run", "--until-end")
    text = (folder.path / "pipeline.yaml").read_text()
    folder.write("pipeline.yaml", text.replace("out: {value: json}", "out: {value: json, partitions: 3}"))
    contains(folder.weir("run", "--until-end", status=1).stderr, "has 1 partitions, the file says 3")


MEETING = """
pipeline: meeting
plugins: ["{plugins}/tag.so"]
topics:
  left: {{value: json{left}}}
  right: {{value: json{right}}}
  out: {{value: json}}
streams:
  left: {{from: {{topic: left}}, steps: [tag: right], to: {{topic: out}}}}
  right: {{from: {{topic: right}}}}
"""


@cases.case
def topics_that_meet_at_a_step_have_equal_partition_counts():
    plugins = pathlib.Path(weir).parents[1] / "tests" / "pipelines" / "plugins"
    folder = Folder(records=0)
    meeting = lambda left="", right="": folder.write(
        "meeting.yaml", MEETING.format(plugins=plugins, left=left, right=right))
    meeting(left=", partitions: 4")
    told = folder.weir("run", "meeting.yaml", "--until-end", status=1).stderr
    contains(told, "topic 'left' has 4 partitions and topic 'right' 1, and both come to "
                   "streams.left.steps[0] (tag), where equal keys are to meet")
    # Nothing was made, so the cure can be taken.
    meeting(left=", partitions: 4", right=", partitions: 4")
    folder.weir("run", "meeting.yaml", "--until-end")
    # What the log has counts where the file says nothing.
    meeting()
    folder.weir("run", "meeting.yaml", "--until-end")


@cases.case
def the_memory_log_leaves_nothing():
    folder = Folder(records=3)
    equals(folder.summary("--until-end", "--log", "memory")["records_out"], 3)
    assert not (folder.path / "weir-data").exists()


@cases.case
def json_makes_every_line_of_standard_error_json():
    folder = Folder(records=5, steps="[{set: {m: 10 / (n - 3)}, on_error: skip}]")
    for line in folder.weir("run", "--until-end", "--json").stderr.splitlines():
        json.loads(line)


cases.finish()
