# SPDX-License-Identifier: MIT
"""A pipeline in Quix Streams, run until its input ends: app.py BOOTSTRAP CASE OUT"""
import logging
import sys

from quixstreams import Application

bootstrap, case, out = sys.argv[1:]
logging.disable(logging.CRITICAL)
app = Application(broker_address=bootstrap, consumer_group="quix-" + case, auto_offset_reset="earliest",
                  loglevel=None)
source = app.topic("holes" if case.startswith("tombstones") else "in", key_deserializer="str", value_deserializer="json")
result = app.topic(out, key_serializer="json" if case == "group_by_kinds" else "str", value_serializer="json")
stream = app.dataframe(source)

if case == "filter":
    stream = stream.filter(lambda value: value["n"] % 3 == 0)
elif case == "set":
    stream["double"] = stream["n"] * 2
    stream["label"] = stream["item"] + "!"
elif case == "expand":
    stream = stream.apply(lambda value: value["parts"], expand=True)
elif case == "key":
    stream.to_topic(result, key=lambda value: value["item"])
elif case == "group_by":
    stream = stream.group_by("item", key_serializer="str", key_deserializer="str")
elif case == "group_by_kinds":
    stream.group_by(lambda value: [value["item"], value["n"] % 3], name="both").to_topic(result)
    stream = stream.group_by(lambda value: value["k"], name="kind")
elif case == "concat":
    other = app.dataframe(app.topic("in2", key_deserializer="str", value_deserializer="json"))
    stream = stream.concat(other).group_by("item", key_serializer="str", key_deserializer="str")
elif case == "tombstones_filter":
    stream = stream.filter(lambda value: value is None or value["n"] % 3 == 0)
elif case == "tombstones_key":
    stream.to_topic(result, key=lambda value: "gone" if value is None else value["item"])
elif case == "tombstones_group_by":
    stream = stream.group_by(lambda value: "gone" if value is None else value["item"], name="item",
                             key_serializer="str", key_deserializer="str")
elif case not in ("pass", "tombstones"):
    sys.exit("no such case: " + case)

if case not in ("key", "tombstones_key"):
    stream.to_topic(result)
app.run(timeout=60)
