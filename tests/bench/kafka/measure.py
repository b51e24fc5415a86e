# SPDX-License-Identifier: MIT
"""One run of one engine: its processor time a record while it works, and that its results are right.

What the engine has done is seen from outside, by the end of the topic of results. So every engine is
measured in the same way, and none is asked for figures.
"""
import os
import signal
import subprocess
import time

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

PARTITIONS = 4
POLL_SECONDS = 0.02
PATIENCE_SECONDS = 120  # without progress
END_SECONDS = 90
# Steady state: from this share of the results to that one.
STEADY = (0.3, 0.95)


class Void(Exception):
    """The run counts for nothing; the message says why."""


class Figures:
    """us: processor time of the engine a record of the input, in microseconds; broker_us: that of the
    broker; rate: records a second; rss_mb: the peak of the memory. Where the run was too short for a steady
    state, the first three are None."""

    def __init__(self, us, broker_us, rate, rss_mb):
        self.us, self.broker_us, self.rate, self.rss_mb = us, broker_us, rate, rss_mb


def cpu_seconds(pid):
    """Processor time of all threads of a process: its clock, which Linux lets everybody read, counts
    nanoseconds where /proc/PID/stat has hundredths of a second."""
    return time.clock_gettime((~pid << 3) | 2)


def peak_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise Void("the process has ended")


class Topics:
    """Topics of a broker, as the benchmarks need them."""

    def __init__(self, brokers):
        client = {"bootstrap.servers": brokers, "log_level": 2}
        self.admin = AdminClient(client)
        self.consumer = Consumer({**client, "group.id": "ends"})

    def create(self, name):
        """Returns when every partition has a leader."""
        self.admin.create_topics([NewTopic(name, PARTITIONS, 1)])[name].result(120)
        deadline = time.monotonic() + 120
        while not self.is_led(name):
            if time.monotonic() > deadline:
                raise TimeoutError(f"nobody leads the partitions of {name}")
            time.sleep(POLL_SECONDS)

    def is_led(self, name):
        partitions = self.consumer.list_topics(name, timeout=120).topics[name].partitions
        return len(partitions) == PARTITIONS and all(one.leader >= 0 for one in partitions.values())

    def delete(self, name):
        self.admin.delete_topics([name])[name].result(120)

    def records(self, name):
        """How many there are. A broker that is busy may not know yet that it leads, or no longer: asked again."""
        deadline = time.monotonic() + 120
        while True:
            try:
                return self.ends(name)
            except KafkaException:
                if time.monotonic() > deadline:
                    raise
                time.sleep(POLL_SECONDS)

    def ends(self, name):
        return sum(self.consumer.get_watermark_offsets(TopicPartition(name, partition), timeout=120, cached=False)[1]
                   for partition in range(PARTITIONS))


class Sample:
    def __init__(self, done, pid, broker_pid):
        self.done, self.time = done, time.monotonic()
        self.cpu, self.broker_cpu = cpu_seconds(pid), cpu_seconds(broker_pid)


def follow(process, broker_pid, records, total):
    """Samples until all results are there. records(): how many there are."""
    samples = []
    changed = time.monotonic()
    while True:
        if process.poll() is not None:
            raise Void(f"the engine ended with status {process.returncode}")
        sample = Sample(records(), process.pid, broker_pid)
        if not samples or sample.done > samples[-1].done:
            samples.append(sample)
            changed = sample.time
        if sample.done >= total:
            return samples
        if sample.time - changed > PATIENCE_SECONDS:
            raise Void(f"the engine stands still at {sample.done} of {total} results")
        time.sleep(POLL_SECONDS)


def figures(samples, total, inputs, rss_mb):
    """inputs: the records that total results came of."""
    steady = [s for s in samples if STEADY[0] * total <= s.done <= STEADY[1] * total]
    if len(steady) < 2:
        return Figures(None, None, None, rss_mb)
    first, last = steady[0], steady[-1]
    records = (last.done - first.done) * inputs / total
    return Figures((last.cpu - first.cpu) / records * 1e6, (last.broker_cpu - first.broker_cpu) / records * 1e6,
                   records / (last.time - first.time), rss_mb)


def end(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run(command, environment, core, broker_pid, records, total, inputs, log):
    """Figures of an engine from its start to its last result; what it says goes to the file log."""
    with open(log, "wb") as file:
        process = subprocess.Popen(["taskset", "-c", str(core), *command], stdin=subprocess.DEVNULL, stdout=file,
                                   stderr=file, env=dict(os.environ, **environment))
    try:
        samples = follow(process, broker_pid, records, total)
        return figures(samples, total, inputs, peak_mb(process.pid))
    finally:
        end(process)
