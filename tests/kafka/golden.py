#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The golden pipelines on a real broker: the record lines of each partition are those of the other logs.

    golden.py WEIR [--all] [--seed N] [NAME...]

Each case runs in two parts, so that the second goes on from what the first has committed. Size of batches and
guarantee are chosen by the seed, some cases have more than one run; with --all, and of cases that are named, there
are all. Offsets are not compared, since transactions leave holes.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
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
# It computes with the time 0, which is 1 here.
WITHOUT = ("d06-times-in-branches",)


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


def guarantees_of(case):
    """Where a record holds its offset there may be no holes, as transactions leave them."""
    text = golden.read_text(os.path.join(case, "pipeline.yaml"))
    has_offsets = any(word in text for word in ("$offset", "dead_letters:", "partitioner:", "sample: {every"))
    return ("at-least-once",) if has_offsets else ("at-least-once", "exactly-once")


def compare(expected, found):
    """librdkafka takes the time 0 for none, so it is a millisecond later."""
    later = {key: [line.replace('"timestamp":0,', '"timestamp":1,', 1) for line in lines]
             for key, lines in expected.items()}
    return golden.first_difference(later, found)


def clear(probe):
    """The next case begins with an empty broker."""
    topics = [name for name in probe.topics() if not name.startswith(INTERNAL)]
    if topics:
        probe.delete(*topics)


def run_part(weir, folder, environment):
    """What it has said, and what is wrong."""
    done = subprocess.run([weir, "run", "--until-end", "--threads", "2", "--checkpoint", "300ms"], cwd=folder,
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    return done.stderr, "status %d" % done.returncode if done.returncode != 0 else None


def judge(weir, case, folder, environment):
    """A difference that a second reading does not show would be one of reading."""
    expected = golden.by_partition(golden.read_lines(os.path.join(case, "expected.jsonl")))
    faults = []
    while len(faults) < 2:
        found, fault = golden.read_topics(weir, folder, environment)
        fault = fault or compare(expected, golden.by_partition(found))
        if fault is None:
            break
        faults.append(fault)
    return None if not faults else faults[0] + "; read again: " + (faults[1] if len(faults) > 1 else "as it should be")


def run_case(weir, case, bootstrap, guarantee, size):
    name = "input.csv" if os.path.exists(os.path.join(case, "input.csv")) else "input.jsonl"
    lines = golden.read_lines(os.path.join(case, name))
    with tempfile.TemporaryDirectory(prefix="weir-golden-") as folder:
        rewrite(shutil.copy(os.path.join(case, "pipeline.yaml"), folder), bootstrap, guarantee)
        environment = dict(os.environ, WEIR_TEST_PLUGINS=golden.plugins_of(weir), WEIR_BATCH_SIZE=str(size))
        told = []
        for part in range(2):
            some = lines[part * len(lines) // 2 : (part + 1) * len(lines) // 2]
            with open(os.path.join(folder, name), "a", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in some)
            said, fault = run_part(weir, folder, environment)
            told.append("part %d said:\n%s" % (part + 1, said))
            if fault:
                break
        fault = fault or judge(weir, case, folder, environment)
    return fault and "\n".join([fault, *told])


def run_some(weir, runs):
    """Runs on a broker of their own: passed, failed."""
    passed = failed = 0
    # The cases' times are of 1970, which the broker would remove at once. Topics have one
    # partition where the file says nothing, as on the embedded log.
    with Cluster(settings={"log.retention.ms": -1, "num.partitions": 1}) as kafka:
        probe = Probe(os.path.dirname(os.path.dirname(weir)), kafka.client())
        for name, guarantee, size in runs:
            fault = run_case(weir, os.path.join(TESTS, "pipelines", name), kafka.bootstrap, guarantee, size)
            passed += not fault
            failed += bool(fault)
            if fault:
                print("FAIL %s (%s, batches of %d): %s" % (name, guarantee, size, fault), file=sys.stderr)
            clear(probe)
    return passed, failed


def run_all(weir, runs):
    """On several brokers at a time, since most of the time is waiting."""
    shares = [share for share in (runs[i::BROKERS] for i in range(BROKERS)) if share]
    with ThreadPoolExecutor(BROKERS) as pool:
        counts = list(pool.map(lambda share: run_some(weir, share), shares))
    return tuple(map(sum, zip(*counts)))


def every_run(names):
    return [(name, guarantee, size) for name in names for size in golden.BATCH_SIZES
            for guarantee in guarantees_of(os.path.join(TESTS, "pipelines", name))]


def chosen_runs(names, seed):
    """One of each case, and as many again: each guarantee, and each size where there are cases enough."""
    chance = random.Random(seed)
    first = [chance.choice(every_run([name])) for name in names]
    rest = [run for run in every_run(names) if run not in first]
    return first + chance.sample(rest, min(len(rest), len(first) // 4))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="at every size of batches, with both guarantees")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WEIR_GOLDEN_SEED") or time.time()),
                        help="of what is chosen where it is not all")
    return parser.parse_args()


def main():
    args = options()
    names = args.names or [name for name in golden.all_cases() if name not in WITHOUT]
    runs = every_run(names) if args.all or args.names else chosen_runs(names, args.seed)
    try:
        passed, failed = run_all(os.path.abspath(args.weir), runs)
    except cache.Unavailable as error:
        cases.skip_all(error)
    print("seed %d\n%d passed, %d failed" % (args.seed, passed, failed))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
