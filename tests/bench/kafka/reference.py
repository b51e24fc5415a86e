# SPDX-License-Identifier: MIT
"""The benchmarks' work as a program of the reference: reference.py BROKERS GROUP IN OUT bytes|json STEPS FOLDER"""
import sys

from quixstreams import Application


def main():
    brokers, group, source, target, work, steps, folder = sys.argv[1:]
    app = Application(broker_address=brokers, consumer_group=group, auto_offset_reset="earliest",
                      commit_interval=5.0, loglevel="WARNING", state_dir=folder, auto_create_topics=False,
                      producer_extra_config={"compression.type": "lz4"})
    form = "json" if work == "json" else "bytes"
    records = app.dataframe(app.topic(source, key_deserializer="bytes", value_deserializer=form))
    for _ in range(int(steps)):
        records = records.apply(lambda value: value)
    if work == "json":
        records = records[records["temperature"] >= 0]
        records["fahrenheit"] = records["temperature"] * 9 / 5 + 32
        records["load"] = records["humidity"] * 2.5
        records = records[["device", "ts", "temperature", "fahrenheit", "load"]]
    records.to_topic(app.topic(target, key_serializer="bytes", value_serializer=form))
    app.run()


if __name__ == "__main__":
    main()
