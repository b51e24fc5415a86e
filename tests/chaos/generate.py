# SPDX-License-Identifier: MIT
"""Writes records at a set rate into the topics, and as lines into the file that a source reads."""
import json
import threading
import time

from confluent_kafka import Producer

import records

TURN_SECONDS = 0.05


class Generator(threading.Thread):
    """Runs until finish(). rate: records a second, of all sources together."""

    def __init__(self, brokers, path, rate):
        super().__init__(daemon=True)
        self.producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True, "partitioner": "murmur2",
                                  "linger.ms": 5, "delivery.timeout.ms": 120000, "log_level": 2})
        self.file = open(path, "ab")  # pylint: disable=consider-using-with
        self.rate, self.number, self.failures = rate, 0, []
        self.is_stopped = threading.Event()

    def delivered(self, error, _message):
        if error is not None:
            self.failures.append(str(error))

    def write(self, number):
        """One record into each source."""
        for topic in records.TOPICS:
            value = records.record(topic, number)
            self.producer.produce(topic, key=value["key"], value=records.encode(value), on_delivery=self.delivered)
        self.file.write(records.encode(records.record(records.FILE, number)) + b"\n")

    def run(self):
        start = time.monotonic()
        while not self.is_stopped.wait(TURN_SECONDS):
            due = int((time.monotonic() - start) * self.rate / len(records.SOURCES))
            while self.number < due:
                self.write(self.number)
                self.number += 1
            self.file.flush()
            self.producer.poll(0)

    def stop(self):
        """Writes no more; also where it has not been started, or is stopped already."""
        self.is_stopped.set()
        if self.is_alive():
            self.join()
        self.file.close()

    def finish(self):
        """Returns when everything is delivered: the number of records of each source."""
        self.stop()
        if self.producer.flush(120) > 0 or self.failures:
            raise RuntimeError("could not put the records in: %s" % json.dumps(self.failures[:1]))
        return self.number

    def count(self):
        return self.number * len(records.SOURCES)
