# SPDX-License-Identifier: MIT
"""A run on a mock cluster: it copies numbers from the topic `in` to `out`.

    with Replica(build, "at-least-once") as replica:
        replica.push("Produce", "NOT_LEADER_FOR_PARTITION")
        replica.copy(50)                 # what is put in now comes out
        assert replica.has_met("Produce")  # and the answer above was one of those that it got
        assert replica.end() == 0
        replica.check()                  # nothing is lost, nothing is there twice
"""
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

from mock import Mock
from probe import Probe

PARTITIONS = 4
BROKERS = 2
TOPICS = (("in", PARTITIONS, 2), ("out", PARTITIONS, 1), ("positions__copy", 1, 1))
START = 40  # numbers that are there before it starts
WAIT_SECONDS = 120
TURN_SECONDS = 0.2

PIPELINE = """
pipeline: copy
log: kafka://%s
guarantee: %s
checkpoint: {interval: 200ms}
shutdown_timeout: 60s
kafka:
  session.timeout.ms: 30000
  heartbeat.interval.ms: 300
  retry.backoff.ms: 50
  topic.metadata.refresh.interval.ms: 1000
%stopics: {in: {key: text, value: json}, out: {key: text, value: json}}
streams: {s: {from: {topic: in}, to: {topic: out}}}
"""


def broker_of(request):
    """Who gets it from the run."""
    return 2 if request == "Fetch" else 1


class Replica:
    """settings: further lines under `kafka`. before: orders to the mock cluster before the run starts.

    Broker 2 leads `in`, broker 1 everything else; so what one of them refuses of some kind of request concerns
    the run and not the probe, which produces to `in` and consumes `out`."""

    def __init__(self, build, guarantee, settings=(), before=()):
        self.build, self.guarantee, self.before = build, guarantee, before
        self.settings = "".join("  %s\n" % line for line in settings)
        self.count, self.process = 0, None
        self.folder = tempfile.TemporaryDirectory(prefix="weir-mocked-")

    def __enter__(self):
        self.mock = Mock(self.build, BROKERS)
        self.probe = Probe(self.build, self.mock.client())
        for topic, partitions, leader in TOPICS:
            self.mock.do("topic %s %d %d" % (topic, partitions, BROKERS))
            for partition in range(partitions):
                self.mock.do("leader %s %d %d" % (topic, partition, leader))
        self.mock.do("coordinator group copy 1")
        self.mock.do("coordinator transaction copy.%s.0 1" % socket.gethostname())
        self.put(START)
        for order in self.before:
            self.mock.do(order)
        self.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.mock.__exit__()
        self.folder.cleanup()

    def start(self):
        with open(os.path.join(self.folder.name, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(PIPELINE % (self.mock.bootstrap, self.guarantee, self.settings))
        environment = dict(os.environ, WEIR_PLUGIN_PATH=os.path.join(self.build, "lib", "weir", "plugins"))
        with open(os.path.join(self.folder.name, "log"), "wb") as log:
            self.process = subprocess.Popen([os.path.join(self.build, "tests", "kafka", "mocked", "weir"), "run"],
                                            cwd=self.folder.name, env=environment, stdout=log, stderr=log)

    def text(self):
        """What it has said so far."""
        with open(os.path.join(self.folder.name, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    # ---- what it meets ------------------------------------------------------------------------------

    def push(self, request, *errors):
        """The next of these requests are answered so."""
        self.mock.do("broker-errors %d %s %s" % (broker_of(request), request, " ".join(errors)))

    def has_met(self, request):
        """All that was pushed has been answered."""
        try:
            self.mock.do("none-left %d %s" % (broker_of(request), request))
        except ValueError:
            return False
        return True

    def deny(self, request, error):
        """All of these requests are answered so, until pardon."""
        self.mock.do("errors %s %s" % (request, " ".join([error] * 60)))

    def pardon(self, request):
        self.mock.do("clear " + request)

    # ---- what it does -------------------------------------------------------------------------------

    def put(self, count):
        self.probe.produce([{"topic": "in", "key": str(number), "value": json.dumps({"n": number})}
                            for number in range(self.count, self.count + count)])
        self.count += count

    def numbers(self):
        """Without the message by which a run asks for its rights: Kafka refuses it, the mock cluster does not."""
        return [json.loads(record["value"])["n"] for record in self.probe.consume("out")
                if record["key"] != "weir asks for the right to write"]

    def wait(self, condition, what):
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert self.process.poll() is None, "it has ended: " + self.text()
            assert time.monotonic() < deadline, what()
            time.sleep(TURN_SECONDS)

    def catch_up(self):
        """All that was put in has come out."""
        self.wait(lambda: len(set(self.numbers())) == self.count,
                  lambda: "%d of %d have come" % (len(set(self.numbers())), self.count))

    def copy(self, count):
        self.put(count)
        self.catch_up()

    def committed(self):
        """All that was put in is committed as read; what was in transactions the mock cluster does not tell."""
        self.wait(lambda: self.guarantee == "exactly-once" or self.positions() == self.count,
                  lambda: "%d of %d are committed" % (self.positions(), self.count))

    def positions(self):
        return sum(max(offset, 0) for offset in self.probe.offsets("copy", "in", PARTITIONS).values())

    def end(self):
        """The status of a run that is told to stop."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait_for_end()

    def wait_for_end(self):
        """The status of one that ends by itself."""
        return self.process.wait(WAIT_SECONDS)

    def feed_to_the_end(self):
        """The same; the transaction under way may not meet what ends the next one."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self.process.poll() is None and time.monotonic() < deadline:
            self.put(1)
            time.sleep(TURN_SECONDS)
        return self.process.poll()

    def check(self, may_repeat=False):
        """may_repeat: also because the mock cluster gives readers what was aborted."""
        numbers = self.numbers()
        assert set(numbers) == set(range(self.count)), "lost: %s" % sorted(set(range(self.count)) - set(numbers))
        assert may_repeat or len(numbers) == self.count, "%d instead of %d" % (len(numbers), self.count)
