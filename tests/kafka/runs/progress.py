# SPDX-License-Identifier: MIT
"""What a replica does where what the group's progress names is not there: it may have been told old progress."""
import json
import pathlib

from cases import contains, equals
from fixture import QUICK, Pipeline

GONE = "is gone, of which the checkpoint knows"


class Files(Pipeline):
    """To a topic and to files as well."""

    def __init__(self, partitions=1, patience="100s", **more):
        """patience: for how long the brokers are asked again."""
        super().__init__(partitions, **dict(more, kafka=QUICK + ", request_timeout: " + patience))
        self.partitions = partitions
        self.write(to="[{topic: %s}, {file: {path: files}}]" % self.output)
        self.files = pathlib.Path(self.folder, "files")
        self.hidden = pathlib.Path(self.folder, "hidden")

    def published(self):
        return sorted(json.loads(line)["n"] for path in self.files.rglob("*.jsonl")
                      for line in path.read_text(encoding="utf-8").splitlines())

    def leave_a_file_open(self):
        """By a replica that is killed behind its checkpoint of five records."""
        self.put(0, 5)
        with self.start() as first:
            for partition in range(self.partitions):
                self.reaches(5, partition)
            first.kill()
        assert list(self.files.rglob("*.part")), "no file is open"

    def hide(self):
        (self.files / self.input).rename(self.hidden)

    def show(self):
        self.hidden.rename(self.files / self.input)


def check(pipeline):
    equals(pipeline.published(), list(range(10)))
    equals(sorted(set(pipeline.out())), list(range(10)))
    assert pipeline.values["guarantee"] == "at-least-once" or len(pipeline.out()) == 10, pipeline.out()


def old_progress_is_asked_for_again(guarantee):
    """Here what it names comes back, where otherwise another answer would come."""
    pipeline = Files(guarantee=guarantee)
    pipeline.leave_a_file_open()
    pipeline.put(5, 10)
    pipeline.hide()
    with pipeline.start() as second:
        second.says("bytes; what the brokers have told may be outdated, they are asked again for 100.0 s")
        equals(pipeline.position(), 5)
        pipeline.show()
        second.says("what has come is begun, after")
        pipeline.reaches(10)
        said = second.stop()
        equals((said.count(GONE), said.count("reads from now on")), (1, 1))
    check(pipeline)


def old_progress_is_asked_for_again_at_least_once():
    old_progress_is_asked_for_again("at-least-once")


def old_progress_is_asked_for_again_exactly_once():
    old_progress_is_asked_for_again("exactly-once")


def what_is_lost_ends_the_run_with_its_name():
    pipeline = Files(patience="4s")
    pipeline.leave_a_file_open()
    pipeline.put(5, 10)
    pipeline.hide()
    with pipeline.start() as second:
        said = second.ends(1)
        contains(said, "error streams.s.to[1] (file) %s[0]: file 'files/" % pipeline.input)
        equals(said.count(GONE), 2)
        contains(said, "restore it from a copy, or give up what was not published and start with --fresh")
    equals(pipeline.position(), 5)
    pipeline.show()
    with pipeline.start() as third:
        pipeline.reaches(10)
        third.stop()
    check(pipeline)


def a_stop_while_it_is_asked_again_is_a_stop():
    pipeline = Files()
    pipeline.leave_a_file_open()
    pipeline.hide()
    with pipeline.start() as second:
        second.says(GONE)
        second.stop(0)
    equals(pipeline.position(), 5)


def another_replica_comes_meanwhile():
    pipeline = Files(partitions=2)
    pipeline.put(5, 10, 1)
    pipeline.leave_a_file_open()
    pipeline.hide()
    with pipeline.start() as second:
        second.says(GONE)
        with pipeline.start() as third:
            pipeline.show()
            pipeline.shared(1, 1)
            third.stop()
        pipeline.shared(2)
        second.stop()
    check(pipeline)


CASES = [old_progress_is_asked_for_again_at_least_once, old_progress_is_asked_for_again_exactly_once,
         what_is_lost_ends_the_run_with_its_name, a_stop_while_it_is_asked_again_is_a_stop,
         another_replica_comes_meanwhile]
