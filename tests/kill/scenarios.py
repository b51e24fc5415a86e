# SPDX-License-Identifier: MIT
"""The pipelines that are stopped half-way."""
import os

from letters import LettersScenario
from trial import HERE, ROOT, Scenario


def example_text():
    """The example with a checkpoint every 500 records."""
    path = os.path.join(ROOT, "examples", "flight-delays", "pipeline.yaml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # The source sets the time, so that no byte of a message depends on when it was read.
    timed = text.replace("    event_time: ts\n", "", 1)
    timed = timed.replace("      key: origin\n", "      key: origin\n      event_time: ts\n", 1)
    assert timed.count("event_time: ts") == 1 and timed != text, "the example has changed"
    return timed + "\ncheckpoint: {interval: 1h, records: 500}\n"


def partitions_text():
    with open(os.path.join(HERE, "partitions.yaml"), encoding="utf-8") as file:
        return file.read()


TOPICS = ("flights", "joined", "items", "short", "long")
SCENARIOS = {
    "example": Scenario(example_text(), ("flights", "short_delays", "long_delays"),
                        "short_delays", 10000),
    "partitions": Scenario(partitions_text(), TOPICS, "joined", 35000),
    "partitions-seats": Scenario(partitions_text(), TOPICS, "joined", 35000, by_partition=True),
    "letters-topic": LettersScenario("topic"),
    "letters-file": LettersScenario("file"),
    "letters-seats": LettersScenario("file", by_partition=True),
}
