#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same work by Quix Streams and by weir on one broker: the same input topic, the same records with the
same keys, headers and times in the same partitions; those of one key in the same order, where one partition of
the input gives it; and topics in between of the same names.

    differential.py WEIR
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [TESTS, os.path.join(TESTS, "servers"), os.path.join(TESTS, "servers", "kafka")]
import cache  # noqa: E402
from cases import SECONDS, skip_all  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe  # noqa: E402

RECORDS = 120
HEAD = """
pipeline: weir-%s
log: kafka://%s
topics:
  in: {key: text, value: json}
  in2: {key: text, value: json}
  holes: {key: text, value: json}
  %s: {key: %s, value: json, partitions: %d}
streams:
"""
# What weir does for each case of reference/app.py.
STREAMS = {
    "pass": "  s: {from: {topic: in}, to: {topic: OUT}}",
    "filter": "  s: {from: {topic: in}, steps: [filter: n % 3 == 0], to: {topic: OUT}}",
    "set": """  s:
    from: {topic: in}
    steps:
      - set: {double: n * 2, label: 'item + "!"'}
    to: {topic: OUT}""",
    "expand": "  s: {from: {topic: in}, steps: [flat_map: parts], to: {topic: OUT}}",
    "key": "  s: {from: {topic: in}, to: {topic: OUT, key: item}}",
    "group_by": "  s: {from: {topic: in}, steps: [group_by: item], to: {topic: OUT}}",
    "group_by_kinds": """  a: {from: {topic: in}, steps: [group_by: {key: k, name: kind}], to: {topic: OUT}}
  b: {from: {topic: in}, steps: [group_by: {key: "[item, n % 3]", name: both}], to: {topic: OUT}}""",
    "concat": """  a: {from: {topic: in}}
  b: {from: {topic: in2}}
  s: {from: [a, b], steps: [group_by: item], to: {topic: OUT}}""",
    "tombstones": "  s: {from: {topic: holes}, to: {topic: OUT}}",
    "tombstones_filter": "  s: {from: {topic: holes}, steps: [filter: (n ?? 0) % 3 == 0], to: {topic: OUT}}",
    "tombstones_key": """  s: {from: {topic: holes}, to: {topic: OUT, key: 'item ?? "gone"'}}""",
    "tombstones_group_by":
        """  s: {from: {topic: holes}, steps: [group_by: {key: 'item ?? "gone"', name: item}], to: {topic: OUT}}""",
}
# Keys of every kind; Python writes the second text with an escape, and the third as it is.
KINDS = ('"a"', r'"\u00e9"', '"\u00e9"', "1", "1.50", "true", "[1, 2]", '{"b": 1, "a": null}')
# Records of one new key come from several partitions of the input, whose order is nobody's promise.
UNORDERED = ("key", "group_by", "group_by_kinds", "concat", "tombstones_key", "tombstones_group_by")


QUIET_TURNS = 15  # in which the reference writes no more


def python():
    done = subprocess.run([os.path.join(TESTS, "servers", "quixstreams", "venv")], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise cache.Unavailable("Quix Streams cannot be had")
    return done.stdout.strip()


def value_of(n):
    return ('{"n": %d, "item": "i%d", "parts": [{"p": %d}, {"p": %d}], "k": %s}'
            % (n, n % 5, n, -n, KINDS[n % len(KINDS)]))


def put(probe, topic, first):
    """In `holes` some records have no value: tombstones."""
    probe.produce([{"topic": topic, "key": "k%d" % (n % 7), "timestamp": 1000 + n,
                    "headers": [["from", "here"], ["n", str(n)]] if n % 2 else [],
                    "value": None if topic == "holes" and n % 4 == 1 else value_of(n)}
                   for n in range(first, first + RECORDS)])


def by_place(probe, topic, case, null=None):
    """Lines by partition and key: those of one key have come through one partition of the input. null: how a value
    that is none lies in the topic. Quix Streams writes the text null, so that a tombstone does not go through it; of
    weir it has to stay one."""
    found = {}
    for record in probe.consume(topic):
        value = record["value"]
        line = ["none" if value == null else json.loads(value or '"tombstone"'), record.get("headers") or [], record["timestamp"]]
        found.setdefault((record["partition"], record["key"]), []).append(json.dumps(line, sort_keys=True))
    return {place: sorted(lines) if case in UNORDERED else lines for place, lines in found.items()}


def run_reference(interpreter, probe, bootstrap, case, out, count):
    """Until nothing has come for a while behind as many results as weir has; and where so many do not come, until
    nothing has come for a minute."""
    command = [interpreter, os.path.join(HERE, "reference", "app.py"), bootstrap, case, out]
    with tempfile.TemporaryDirectory(prefix="weir-quix-") as folder, \
            open(os.path.join(folder, "said"), "w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=folder)
        ends = []
        while process.poll() is None:
            ends = ends[-QUIET_TURNS:] + [sum(high for _, high in probe.watermarks(out))]
            if min(ends) >= count and ends[0] == ends[-1] and len(ends) > QUIET_TURNS:
                process.terminate()
                process.wait(SECONDS)
            time.sleep(0.2)
        said.seek(0)
        return process.returncode, said.read()


def run_weir(weir, bootstrap, case, out, partitions):
    with tempfile.TemporaryDirectory(prefix="weir-differential-") as folder:
        with open(os.path.join(folder, "pipeline.yaml"), "w", encoding="utf-8") as file:
            key = "json" if case == "group_by_kinds" else "text"
            file.write(HEAD % (case, bootstrap, out, key, partitions) + STREAMS[case].replace("OUT", out) + "\n")
        done = subprocess.run([weir, "run", "--until-end", "--checkpoint", "300ms"], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        return done.returncode, done.stdout


def between(probe, group):
    """Topics that a group has made for itself, with their partitions, as if it were called P."""
    return sorted((topic.replace(group, "P"), len(parts)) for topic, parts in probe.topics().items()
                  if topic.startswith("repartition__%s--" % group))


def compare(weir, interpreter, kafka, probe, case, partitions):
    theirs, ours = "quix_" + case, "weir_" + case
    for topic in (theirs, ours):
        probe.create(topic, partitions)
    status, said = run_weir(weir, kafka.bootstrap, case, ours, partitions)
    if status == 0:
        count = len(probe.consume(ours))
        status, said = run_reference(interpreter, probe, kafka.bootstrap, case, theirs, count)
    if status != 0:
        return "status %d: %s" % (status, said[-800:])
    wanted, got = by_place(probe, theirs, case, null="null"), by_place(probe, ours, case)
    if not wanted:
        return "Quix Streams gave nothing"
    names = between(probe, "quix-" + case), between(probe, "weir-" + case)
    if names[0] != names[1]:
        return "topics in between:\n    theirs %s\n    ours   %s" % names
    for place in sorted(set(wanted) | set(got)):
        for a, b in zip(wanted.get(place, []) + ["nothing"], got.get(place, []) + ["nothing"]):
            if a != b:
                return "partition %d, key %s:\n    theirs %s\n    ours   %s" % (*place, a, b)
    return None


def run_with(weir, interpreter, partitions):
    """All cases with so many partitions, on a broker of their own."""
    faults = []
    with Cluster(settings={"log.retention.ms": -1}) as kafka:
        probe = Probe(os.path.dirname(os.path.dirname(weir)), kafka.client())
        for number, topic in enumerate(("in", "in2", "holes")):
            probe.create(topic, partitions)
            put(probe, topic, number * RECORDS)
        with ThreadPoolExecutor(2) as pool:
            done = pool.map(lambda case: (case, compare(weir, interpreter, kafka, probe, case, partitions)), STREAMS)
        faults += ["%s, %d partitions: %s" % (case, partitions, fault) for case, fault in done if fault]
    return faults


def main():
    weir = os.path.abspath(sys.argv[1])
    interpreter = python()
    faults = [fault for partitions in (1, 4) for fault in run_with(weir, interpreter, partitions)]
    for fault in faults:
        print("FAIL", fault, file=sys.stderr)
    count = 2 * len(STREAMS)
    print("%d passed, %d failed" % (count - len(faults), len(faults)))
    sys.exit(1 if faults else 0)


try:
    main()
except cache.Unavailable as why:
    skip_all(why)
