# SPDX-License-Identifier: MIT
"""Measures weir beside others on one Kafka broker. tests/bench/kafka/run says how to call it."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import measure
import report
from benchmarks import BENCHMARKS
from engines import ROOT, Job, engines

sys.path.insert(0, os.path.join(ROOT, "tests", "servers", "kafka"))
from cluster import Cluster  # noqa: E402

BROKER_CORE, ENGINE_CORE = 0, 1
SETTINGS = {"offsets.topic.num.partitions": 1}
INPUT = "records"


def options():
    names = [b.name for b in BENCHMARKS] + [e.name for e in engines("")]
    parser = argparse.ArgumentParser(prog="tests/bench/kafka/run", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured, in turn (5)")
    parser.add_argument("--records", type=int, default=2_000_000, help="records in the input (2000000)")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME",
                        help="benchmarks and engines: " + ", ".join(names))
    return parser.parse_args()


def choose(all_of_them, names):
    """Those that are named; all where none is."""
    return [one for one in all_of_them if one.name in names] or all_of_them


class Bench:
    def __init__(self, kafka, build, records, folder):
        self.kafka, self.build, self.count, self.folder = kafka, build, records, folder
        self.topics = measure.Topics(kafka.bootstrap)
        self.number = 0
        self.topics.create(INPUT)
        self.topic_tool("fill", INPUT, str(self.count))

    def topic_tool(self, *arguments):
        done = subprocess.run([os.path.join(self.build, "bin", "bench_kafka_topic"), self.kafka.bootstrap, *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=600, check=False)
        if done.returncode != 0:
            raise measure.Void(done.stderr.strip())
        return done.stdout

    def sums(self, topic, form):
        """Of each partition in turn: its number, its records, a checksum."""
        return [line.split() for line in self.topic_tool("sums", topic, form).splitlines()]

    def run(self, engine, benchmark, expected):
        """Figures, or Void where the results are not those that are expected."""
        self.number += 1
        name = f"bench-{self.number}-{engine.name}"
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        self.topics.create(name)
        try:
            job = Job(benchmark, self.kafka.bootstrap, INPUT, name, name, folder)
            figures = self.measure(engine, job, sum(int(count) for _, count, _ in expected))
            if self.sums(name, benchmark.results) != expected:
                raise measure.Void("the results are wrong")
            return figures
        finally:
            self.topics.delete(name)
            shutil.rmtree(folder, ignore_errors=True)

    def measure(self, engine, job, total):
        command, environment = engine.command(job)
        log = os.path.join(job.folder, "log")
        try:
            return measure.run(command, environment, ENGINE_CORE, self.kafka.nodes[1].process.pid,
                               lambda: self.topics.records(job.target), total, self.count, log)
        except measure.Void as why:
            with open(log, encoding="utf-8", errors="replace") as file:
                raise measure.Void(f"{why}\n{file.read()[-2000:]}") from None


def say(text):
    print(text, file=sys.stderr, flush=True)


def chosen_engines(args, benchmarks):
    """Those that can compete; who cannot is named."""
    able = []
    for engine in choose(engines(args.build), args.only):
        missing = engine.prepare(benchmarks)
        if missing:
            say(f"SKIPPED {engine.title}: {missing}")
        else:
            able.append(engine)
    return able


def measure_all(bench, args, benchmarks, able):
    """({(benchmark, engine): {round: Figures}}, number of void runs)"""
    results, voids = {}, 0
    expected = {benchmark.name: bench.sums(INPUT, benchmark.expected) for benchmark in benchmarks}
    for number in range(1, args.rounds + 1):
        for benchmark in benchmarks:
            first = number % len(able)  # nobody is always the one after the slowest
            for engine in able[first:] + able[:first]:
                try:
                    figures = bench.run(engine, benchmark, expected[benchmark.name])
                except measure.Void as why:
                    voids += 1
                    say(f"VOID round {number}, {benchmark.name}, {engine.name}: {why}")
                    continue
                results.setdefault((benchmark.name, engine.name), {})[number] = figures
                cost = "too short to measure" if figures.us is None else f"{figures.us:.2f} us a record"
                say(f"round {number}, {benchmark.name}, {engine.name}: {cost}")
    return results, voids


def main():
    args = options()
    os.sched_setaffinity(0, {BROKER_CORE})  # of the broker too, which inherits it
    benchmarks = choose(BENCHMARKS, args.only)
    able = chosen_engines(args, benchmarks)
    if not able:
        sys.exit("bench: nobody is left to measure")
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as folder, Cluster(settings=SETTINGS) as kafka:
        bench = Bench(kafka, args.build, args.records, folder)
        results, voids = measure_all(bench, args, benchmarks, able)
    print(f"{args.records:,} records of 194 bytes in {measure.PARTITIONS} partitions, {args.rounds} rounds in turn: "
          "median (least to most)\n")
    for benchmark in benchmarks:
        print(report.table(benchmark, able, results))
    sys.exit(1 if voids else 0)


if __name__ == "__main__":
    main()
