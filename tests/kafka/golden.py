#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The golden pipelines on a real broker: the record lines of each partition are those of the other logs.

    golden.py WEIR [NAME...]

Each case runs in two parts, so that the second goes on from what the first has committed; every second
case in transactions. Offsets are not compared, since transactions leave holes.
"""
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [TESTS, os.path.join(TESTS, "servers"), os.path.join(TESTS, "servers", "kafka"),
                os.path.join(TESTS, "pipelines")]
import cache  # noqa: E402
import cases  # noqa: E402
import run as golden  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe  # noqa: E402

INTERNAL = "__"
BROKERS = 3
# What they do depends on the time 0, for which librdkafka puts the time of producing.
WITHOUT = ("d06-times-in-branches", "d22-merge-of-three-topics", "inputs-two-topics")


def rewrite(pipeline, bootstrap, guarantee):
    """The same pipeline on the broker."""
    text = golden.read_text(pipeline)
    text = re.sub(r"^(log|guarantee):.*\n", "", text, flags=re.MULTILINE)
    text, count = re.subn(r"^pipeline: .*\n",
                          lambda found: "%slog: kafka://%s\nguarantee: %s\n" % (found[0], bootstrap, guarantee),
                          text, count=1, flags=re.MULTILINE)
    assert count == 1, "%s: no line 'pipeline:'" % pipeline
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(text)


def guarantee_of(case, number):
    """Where a record holds its offset there may be no holes."""
    text = golden.read_text(os.path.join(case, "pipeline.yaml"))
    has_offsets = any(word in text for word in ("$offset", "dead_letters:", "partitioner:"))
    return "at-least-once" if has_offsets or number % 2 == 0 else "exactly-once"


def compare(expected, found):
    """librdkafka takes the time 0 for none, and sets that of producing."""
    for key, lines in expected.items():
        for i, line in enumerate(lines):
            if '"timestamp":0,' in line and i < len(found.get(key, [])):
                found[key][i] = re.sub(r'"timestamp":\d+,', '"timestamp":0,', found[key][i], count=1)
    return golden.first_difference(expected, found)


def clear(probe):
    """The next case begins with an empty broker."""
    topics = [name for name in probe.topics() if not name.startswith(INTERNAL)]
    if topics:
        probe.delete(*topics)


def run_case(weir, case, bootstrap, guarantee):
    name = "input.csv" if os.path.exists(os.path.join(case, "input.csv")) else "input.jsonl"
    lines = golden.read_lines(os.path.join(case, name))
    with tempfile.TemporaryDirectory(prefix="weir-golden-") as folder:
        rewrite(shutil.copy(os.path.join(case, "pipeline.yaml"), folder), bootstrap, guarantee)
        environment = dict(os.environ, WEIR_TEST_PLUGINS=golden.plugins_of(weir))
        for part in range(2):
            some = lines[part * len(lines) // 2 : (part + 1) * len(lines) // 2]
            with open(os.path.join(folder, name), "a", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in some)
            _, fault = golden.call([weir, "run", "--until-end", "--threads", "2", "--checkpoint", "300ms"], folder, environment)
            if fault:
                return "part %d: %s" % (part + 1, fault)
        found, fault = golden.read_topics(weir, folder, environment)
    expected = golden.by_partition(golden.read_lines(os.path.join(case, "expected.jsonl")))
    return fault or compare(expected, golden.by_partition(found))


def run_some(weir, numbered):
    """Cases on a broker of their own: passed, failed."""
    passed = failed = 0
    # The cases' times are of 1970, which the broker would remove at once. Topics have one
    # partition where the file says nothing, as on the embedded log.
    with Cluster(settings={"log.retention.ms": -1, "num.partitions": 1}) as kafka:
        probe = Probe(os.path.dirname(os.path.dirname(weir)), kafka.client())
        for number, name in numbered:
            case = os.path.join(TESTS, "pipelines", name)
            guarantee = guarantee_of(case, number)
            fault = run_case(weir, case, kafka.bootstrap, guarantee)
            passed += not fault
            failed += bool(fault)
            if fault:
                print("FAIL %s (%s): %s" % (name, guarantee, fault), file=sys.stderr)
            clear(probe)
    return passed, failed


def run_all(weir, names):
    """On several brokers at a time, since most of the time is waiting."""
    numbered = list(enumerate(names))
    shares = [share for share in (numbered[i::BROKERS] for i in range(BROKERS)) if share]
    with ThreadPoolExecutor(BROKERS) as pool:
        counts = list(pool.map(lambda share: run_some(weir, share), shares))
    return tuple(map(sum, zip(*counts)))


def main():
    if len(sys.argv) < 2:
        sys.exit("golden.py WEIR [NAME...]")
    try:
        names = [name for name in golden.all_cases() if name not in WITHOUT]
        passed, failed = run_all(os.path.abspath(sys.argv[1]), sys.argv[2:] or names)
    except cache.Unavailable as error:
        cases.skip_all(error)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
