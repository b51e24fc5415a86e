# SPDX-License-Identifier: MIT
"""A pipeline on the broker that these tests share, the processes that run it, and what a client that is not
weir sees of them."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from cases import SECONDS, equals, run, until  # noqa: E402
from kafka_cases import WEIR  # noqa: E402
from probe import ProbeError  # noqa: E402

NEVER = "59s"  # between checkpoints: as long as transactions may last

# Silent members may be gone soon, and new groups wait for further members as they do elsewhere. No node comes
# and goes here, so a busy machine need not make the only one seem gone.
SETTINGS = {"broker.session.timeout.ms": 20000,
            "group.min.session.timeout.ms": 500, "group.initial.rebalance.delay.ms": 1000,
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": 200}

# A pipeline whose processes are known to be gone soon.
QUICK = "session.timeout.ms: 1500, heartbeat.interval.ms: 300"

PIPELINE = """
pipeline: %(name)s
log: kafka://%(bootstrap)s
guarantee: %(guarantee)s
checkpoint: %(checkpoint)s
shutdown_timeout: %(shutdown)s
kafka: {%(kafka)s}
%(top)s
topics: {%(input)s: {value: json}, %(output)s: {value: json}}
streams:
  s:
    from: {topic: %(input)s}
    steps: %(steps)s
    to: %(to)s
"""

# Two inputs that one stream reads.
MEETING = """
pipeline: %(name)s
log: kafka://%(bootstrap)s
topics: {a: {name: %(input)s, value: json}, b: {name: %(b)s, value: json}, %(output)s: {value: json}}
streams:
  a: {from: {topic: a}}
  b: {from: {topic: b}}
  s: {from: [a, b], to: {topic: %(output)s}}
"""


class Broker:
    """The cluster of all cases; set by run.py."""
    kafka = probe = None

    @classmethod
    def use(cls, kafka, probe):
        cls.kafka, cls.probe = kafka, probe
        cls.probe.create("first", 1)
        cls.probe.commit("first", "first", 0, 0)  # from now on there are coordinators of groups


def under_each_guarantee(*functions):
    """Cases: each of the functions with each guarantee."""
    def case_of(function, guarantee):
        def case():
            function(guarantee)
        case.__name__ = "%s_%s" % (function.__name__, guarantee.replace("-", "_"))
        return case

    return [case_of(function, guarantee) for function in functions for guarantee in ("at-least-once", "exactly-once")]


class Process:
    """`weir run` at work."""

    def __init__(self, folder, *arguments, env=None):
        self.path = tempfile.mktemp(prefix="said-", dir=folder)
        with open(self.path, "w", encoding="utf-8") as errors:
            self.popen = subprocess.Popen([WEIR, "run", *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.DEVNULL, stderr=errors,
                                          env=dict(os.environ, **(env or {})))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            print("%s said: %s" % (" ".join(self.popen.args[1:]), self.said()))
        self.kill()

    def said(self):
        return pathlib.Path(self.path).read_text(encoding="utf-8")

    def says(self, text):
        """Waits until it does, while it runs or as its last word."""
        until(lambda: text in self.said() or self.popen.poll() is not None, lambda: "%r in %s" % (text, self.said()))
        assert text in self.said(), "%r is not in: %s" % (text, self.said())

    def ends(self, status, seconds=SECONDS):
        """By itself, with this status or one of these."""
        got = self.popen.wait(seconds)
        assert got == status or isinstance(status, tuple) and got in status, (got, self.said())
        return self.said()

    def stop(self, status=0, sign=signal.SIGTERM, seconds=SECONDS):
        self.popen.send_signal(sign)
        return self.ends(status, seconds)

    def kill(self):
        self.popen.kill()
        self.popen.wait()


class Pipeline:
    """From a topic of its own, with so many partitions, to another with such settings."""
    made = 0
    lock = threading.Lock()

    def __init__(self, partitions=1, create=True, settings=None, **more):
        with Pipeline.lock:
            Pipeline.made += 1
            number = Pipeline.made
        self.values = {"name": "p%d" % number, "input": "in%d" % number, "output": "out%d" % number,
                       "bootstrap": Broker.kafka.bootstrap, "guarantee": "at-least-once",
                       "checkpoint": "{interval: 200ms}", "shutdown": "5s", "kafka": "", "top": "", "steps": "[]"}
        self.values["to"] = "{topic: %s}" % self.values["output"]
        self.values.update(more)
        self.name, self.input, self.output = (self.values[key] for key in ("name", "input", "output"))
        self.handle = tempfile.TemporaryDirectory(prefix="weir-runs-")
        self.folder = self.handle.name
        self.write()
        if create:
            Broker.probe.create(self.input, partitions)
            Broker.probe.create(self.output, partitions, settings=settings)

    def write(self, file="pipeline.yaml", text=PIPELINE, **more):
        self.values.update(more)
        pathlib.Path(self.folder, file).write_text(text % self.values, encoding="utf-8")

    def run(self, *arguments, status=0):
        """To its end; what it has said."""
        done = run([WEIR, "run", *arguments], cwd=self.folder, timeout=180)
        assert done.returncode == status, (done.returncode, done.stderr)
        return done.stderr

    def start(self, *arguments, **more):
        return Process(self.folder, *arguments, **more)

    def put(self, first, end, partition=0):
        Broker.probe.produce([{"topic": self.input, "partition": partition, "value": json.dumps({"n": n})}
                              for n in range(first, end)])

    def written(self, **more):
        """What readers of committed messages see in the output."""
        return [json.loads(record["value"])["n"] for record in Broker.probe.consume(self.output, **more)]

    def out(self, **more):
        """The same in the order of numbers."""
        return sorted(self.written(**more))

    def has(self, numbers, **more):
        """Waits until each of the numbers is in the output."""
        wanted = set(numbers)
        until(lambda: wanted <= set(self.out(**more)), lambda: "%s of %s" % (self.out(**more), sorted(wanted)))

    def holds(self, numbers):
        """These and no others, each once. What ends a transaction is answered a moment before readers see it."""
        self.has(numbers)
        equals(self.out(), sorted(numbers))

    def position(self, partition=0):
        """Where the group goes on; None: nowhere."""
        return Broker.probe.offsets(self.name).get((self.input, partition))

    def reaches(self, position, partition=0):
        until(lambda: self.position(partition) == position,
              lambda: "position %s instead of %s" % (self.position(partition), position))

    def group(self):
        """The members, as the broker describes them; none while they come to terms."""
        try:
            group = Broker.probe.groups(self.name)[self.name]
        except ProbeError:  # its coordinator is not ready yet
            return []
        return group["members"] if group["state"] == "Stable" else []

    def members(self):
        """Partitions of the input that each member has, as the broker says; the members in no order."""
        return [sorted(number for topic, number in member["partitions"] if topic == self.input)
                for member in self.group()]

    def shared(self, *wanted):
        """Waits until the members have these numbers of partitions."""
        until(lambda: sorted(map(len, self.members())) == sorted(wanted), lambda: "members %s" % self.members())
