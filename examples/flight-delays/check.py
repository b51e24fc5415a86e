#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes anew what the example must have written, and compares.

    check.py --weir PROGRAM --input FILE --data FOLDER

Shares nothing with weir: JSON, dates and rounding are Python's. Prints each difference; status 0 when
topics and files hold exactly what they should.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def departure_text(time):
    return (f"{DAYS[time.weekday()]} {time.day:02} {MONTHS[time.month - 1]} {time.year} "
            f"{time.hour:02}:{time.minute:02}")


def late_flight(flight):
    """The flight with its computed columns, and its time."""
    time = datetime.datetime.fromtimestamp(flight["ts"] / 1000, datetime.timezone.utc)
    made = dict(flight)
    made["departure"] = departure_text(time)
    made["route"] = f'{flight["origin"]}-{flight["destination"]}'
    made["hours_late"] = round(flight["delay"] / 60, 2)
    made["late_per_100_miles"] = round(flight["delay"] * 100 / flight["distance"], 1)
    return made, time


def expected_outputs(path):
    """Messages (key, timestamp, value) of both topics, and the lines of the files."""
    short, long, files = [], [], []
    with open(path, encoding="utf-8") as file:
        flights = [json.loads(line) for line in file if line.strip()]
    for flight in flights:
        if flight["delay"] <= 15:
            continue
        made, time = late_flight(flight)
        if made["delay"] <= 60:
            value = {name: made[name] for name in ("departure", "route", "delay")}
            short.append((made["origin"], made["ts"], value))
        elif made["delay"] <= 180:
            value = {name: made[name] for name in ("departure", "route", "delay", "hours_late")}
            long.append((made["route"], made["ts"], value))
        else:
            made["weekday"] = time.isoweekday()
            made["day"] = time.strftime("%Y-%m-%d")
            files.append(made)
    return {"short_delays": short, "long_delays": long}, files


def as_line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def topic_messages(weir, data, topic):
    """Of partition 0, the only one, with offsets that leave no gap."""
    done = subprocess.run(
        [weir, "topic", "cat", topic, "--json", "-f", os.path.join(HERE, "pipeline.yaml"), "--log",
         f"local:{data}/log"], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"weir topic cat {topic}: status {done.returncode}\n{done.stderr}")
    messages = []
    for number, line in enumerate(done.stdout.splitlines()):
        record = json.loads(line)
        if record["offset"] != number or record["partition"] != 0:
            sys.exit(f"{topic}: record {number} has partition {record['partition']}, "
                     f"offset {record['offset']}")
        messages.append((record["key"], record["timestamp"], record["value"]))
    return messages


def file_lines(data):
    """Of all published files in the order of their names, which is that of the records."""
    folder = os.path.join(data, "files")
    lines = []
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(base, name)
            if not name.endswith(".jsonl"):
                sys.exit(f"{path}: no published file")
            with open(path, encoding="utf-8") as file:
                lines += file.read().splitlines()
    return lines


def differences(name, expected, actual):
    found = 0
    for i in range(max(len(expected), len(actual))):
        want = expected[i] if i < len(expected) else "nothing"
        got = actual[i] if i < len(actual) else "nothing"
        if want != got:
            found += 1
            if found == 1:
                print(f"{name}: record {i} of {len(expected)} ({len(actual)} there)\n"
                      f"  expected {want}\n  found    {got}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir", required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--data", required=True)
    args = parser.parse_args()
    topics, files = expected_outputs(args.input)
    found = 0
    for topic, expected in topics.items():
        expected = [(key, ts, as_line(value)) for key, ts, value in expected]
        actual = [(key, ts, as_line(value))
                  for key, ts, value in topic_messages(args.weir, args.data, topic)]
        found += differences(topic, expected, actual)
    found += differences("files", [as_line(value) for value in files], file_lines(args.data))
    counts = [f"{len(messages)} in {topic}" for topic, messages in topics.items()]
    print(f"{', '.join(counts)}, {len(files)} in files; {found} differences")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
