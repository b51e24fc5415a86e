# SPDX-License-Identifier: MIT
"""What is fetched ahead stays within the budget, whatever the number of partitions and however well their messages
are compressed: a sink that takes nothing, and far more to read than there may be in memory."""
import fcntl
import json
import os
import struct
import subprocess
import termios
import time

from cases import is_sanitized
from fixture import Broker, Pipeline, until
from kafka_cases import BUILD, WEIR
from probe import Probe

BUDGET_MIB = 64
# The program, its libraries and plugins, as the guide says, and a little for each partition.
BESIDES_MIB = 40
RECORD_BYTES, COMPRESSION = 100 << 10, 20
TOTAL_BYTES = 256 << 20
SETTLED_SECONDS = 2


def put(pipeline, partitions, codec):
    """Messages of which each is its own size by the factor COMPRESSION smaller when it is compressed; next to each
    other there are no two of the same."""
    pool = [os.urandom(RECORD_BYTES // COMPRESSION).hex() * (COMPRESSION // 2) for _ in range(64)]
    lines = [json.dumps(json.dumps({"pad": pad})) for pad in pool]
    probe = Probe(BUILD, {**Broker.kafka.client(), "compression.type": codec, "batch.size": 200000, "linger.ms": 50})
    probe.run("produce", timeout=900, text="".join(
        '{"topic":"%s","partition":%d,"value":%s}\n' % (pipeline.input, n % partitions, lines[n // partitions % 64])
        for n in range(TOTAL_BYTES // RECORD_BYTES)))


def waiting(pipe):
    """How many bytes are in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"))[0]


def peak_mib(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) // 1024


def settled_peak(process):
    """The peak, when it has not grown for a while after the sink has got its first record."""
    until(lambda: waiting(process.stdout) > 0, "a record has come to the sink")
    peak, since = 0, time.monotonic()
    while time.monotonic() - since < SETTLED_SECONDS:
        now = peak_mib(process.pid)
        if now > peak:
            peak, since = now, time.monotonic()
        time.sleep(0.1)
    return peak


def stays_within(partitions, codec):
    pipeline = Pipeline(partitions, top="memory: %dMiB" % BUDGET_MIB, to="print")
    put(pipeline, partitions, codec)
    with subprocess.Popen([WEIR, "run"], cwd=pipeline.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        try:
            peak = settled_peak(process)
        finally:
            process.kill()
    assert peak < BUDGET_MIB + BESIDES_MIB, "%d MiB with %d partitions, %s" % (peak, partitions, codec)


def what_is_fetched_ahead_of_one_partition_stays_within_the_budget():
    stays_within(1, "none")


def what_is_fetched_ahead_of_64_partitions_stays_within_the_budget():
    stays_within(64, "none")


def what_is_fetched_ahead_may_be_compressed():
    stays_within(64, "zstd")


# Sanitizers take memory of their own.
CASES = [] if is_sanitized(WEIR) else [
    what_is_fetched_ahead_of_one_partition_stays_within_the_budget,
    what_is_fetched_ahead_of_64_partitions_stays_within_the_budget, what_is_fetched_ahead_may_be_compressed]
