# SPDX-License-Identifier: MIT
"""What the tests of topics share: the cluster, the list of cases, and folders with pipelines for the cluster."""
import contextlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from cases import SECONDS, Cases, equals, tell  # noqa: E402
from kafka_cases import WEIR  # noqa: E402

cases = Cases()
numbers = itertools.count(1)


class Broker:
    """The cluster of all cases, and a client of it that is not weir; set by run.py."""
    kafka = probe = None

    @classmethod
    def use(cls, kafka, probe):
        cls.kafka, cls.probe = kafka, probe


def name(stem):
    """One that no other case uses."""
    return "%s%d" % (stem, next(numbers))


class Folder:
    """An empty folder, perhaps with a pipeline file for the broker."""

    def __init__(self, pipeline=None, topics="", streams="", more=""):
        self.handle = tempfile.TemporaryDirectory(prefix="weir-topics-")
        self.path = pathlib.Path(self.handle.name)
        self.pipeline = pipeline
        if pipeline is not None:
            self.write("pipeline.yaml", "pipeline: %s\nlog: kafka://%s\n%stopics: %s\nstreams: %s\n"
                       % (pipeline, Broker.kafka.bootstrap, more, topics, streams))

    def write(self, file, text):
        (self.path / file).write_text(text)

    def call(self, *words, status=0, given=""):
        done = subprocess.run([WEIR, *words], cwd=self.path, input=given, text=True, capture_output=True,
                              timeout=180, check=False)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done

    def out(self, *words, **more):
        return self.call(*words, **more).stdout

    def fault(self, *words, status=1, **more):
        return self.call(*words, status=status, **more).stderr

    @contextlib.contextmanager
    def running(self, *words):
        """A run beside the case, which is told to stop at its end."""
        with subprocess.Popen([WEIR, "run", *words], cwd=self.path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            try:
                yield run
            finally:
                tell(run)
                status = run.wait(SECONDS)
        equals(status, 0)

    def topic(self, *words):
        return self.out("topic", *words, "--log", "kafka://" + Broker.kafka.bootstrap)

    def topic_fault(self, *words, **more):
        return self.fault("topic", *words, "--log", "kafka://" + Broker.kafka.bootstrap, **more)


def produce(topic, *values):
    Broker.probe.produce([{"topic": topic, "partition": 0, "key": "k", "value": json.dumps(value)}
                          for value in values])


def sorted_values(topic):
    return sorted(json.loads(record["value"])["v"] for record in Broker.probe.consume(topic))


def dry(folder, *words):
    return json.loads(folder.out("run", "--dry-run", "--json", *words))
