# SPDX-License-Identifier: MIT
"""Whether results come, as the ends of the topics tell."""
import threading
import time
from collections import namedtuple

from confluent_kafka import Consumer, KafkaException, TopicPartition

import records

OUTPUT_TOPICS = ("feed", "copies", "grouped", "letters")
FLOWING = "copies"  # what is there has gone the whole way
STANDSTILL_SECONDS = 60  # without a new result, though some are missing: they will not come

Sample = namedtuple("Sample", "at total flowed")


class Flow(threading.Thread):
    """How many results there were at each time, as the ends of the topics tell."""

    def __init__(self, brokers):
        super().__init__(daemon=True)
        settings = {"bootstrap.servers": brokers, "group.id": "flow", "log_level": 2}
        self.consumer = Consumer(settings)  # which sees what is committed
        self.looker = Consumer({**settings, "isolation.level": "read_uncommitted"})
        self.samples, self.is_finished = [], threading.Event()

    def ends(self):
        """{topic: how many records it has}"""
        return {topic: sum(self.consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=5,
                                                               cached=False)[1]
                           for partition in range(records.PARTITIONS)) for topic in OUTPUT_TOPICS}

    def has_open(self):
        """A process that was killed may have left a transaction open, which holds back what is behind it for a while."""
        try:
            names = [name for name in self.looker.list_topics(timeout=5).topics if not name.startswith("__")]
            parts = [TopicPartition(name, partition) for name in names if name in OUTPUT_TOPICS or "repartition" in name
                     for partition in range(records.PARTITIONS)]
            return any(self.consumer.get_watermark_offsets(part, timeout=5, cached=False)[1]
                       < self.looker.get_watermark_offsets(part, timeout=5, cached=False)[1] for part in parts)
        except KafkaException:
            return True

    def run(self):
        while not self.is_finished.wait(0.25):
            try:
                ends = self.ends()
                self.samples.append(Sample(time.monotonic(), sum(ends.values()), ends[FLOWING]))
            except KafkaException:
                self.look_again()

    def look_again(self):
        """A broker is away, which is what this is about: others lead its partitions by now."""
        try:
            self.consumer.list_topics(timeout=5)
        except KafkaException:
            pass  # the next turn tries again

    def since(self, moment):
        """The first and the last sample from then on; None where there is none."""
        samples = [sample for sample in self.samples if sample.at >= moment]
        return [samples[0], samples[-1]] if samples else None

    def flowed_since(self, moment):
        """Records went the whole way: what is written into the first topic alone does not count."""
        seen = self.since(moment)
        return seen is not None and seen[1].flowed > seen[0].flowed

    def grew_since(self, moment):
        seen = self.since(moment)
        return seen is not None and seen[1].total > seen[0].total

    def is_done(self, results, seconds):
        """All results are there and nothing came for so long; or nothing came for much longer."""
        is_complete = bool(self.samples) and self.samples[-1].total >= results
        return self.is_quiet(seconds if is_complete else STANDSTILL_SECONDS)

    def is_quiet(self, seconds):
        """Seen as unchanged for so long."""
        now = time.monotonic()
        return (bool(self.samples) and self.samples[0].at < now - seconds and now - self.samples[-1].at < 2
                and not self.grew_since(now - seconds))

    def finish(self):
        """Also of one that has not been started, or is finished already."""
        self.is_finished.set()
        if self.is_alive():
            self.join()
