# SPDX-License-Identifier: MIT
"""That the benchmarks measure, and that wrong results make a run void: smoke.py BUILD

Runs with the Python of the reference, on a broker of its own.
"""
import os
import sys
import tempfile

from confluent_kafka import Producer

from benchmarks import BENCHMARKS
from engines import ROOT, Raw, Weir, cache
from main import INPUT, SETTINGS, Bench
from measure import Void
import report

sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "servers", "kafka")]
from cases import Cases, equals  # noqa: E402
from cluster import Cluster  # noqa: E402

RECORDS = 100_000
cases = Cases()


class Dying(Raw):
    name = "dying"

    def command(self, job):
        return ["false"], {}


def void(action):
    """The reason why a run is void."""
    try:
        action()
    except Void as why:
        return str(why)
    raise AssertionError("the run counts")


def sums_of(bench, topic, values, form):
    bench.topics.create(topic)
    producer = Producer({"bootstrap.servers": bench.kafka.bootstrap, "log_level": 2})
    for value in values:
        producer.produce(topic, value=value, key="k", partition=2)
    producer.flush(30)
    return bench.sums(topic, form)


def add_cases(bench):
    raw = Raw(bench.build)

    def measures(engine):
        equals(engine.prepare(BENCHMARKS), None)
        for benchmark in BENCHMARKS:
            expected = bench.sums(INPUT, benchmark.expected)
            equals(sum(int(count) for _, count, _ in expected), RECORDS if benchmark.work == "bytes" else RECORDS * 0.9)
            figures = bench.run(engine, benchmark, expected)
            assert figures.rss_mb > 1, figures.rss_mb
            assert figures.us is None or 0.01 < figures.us < 1000, figures.us
            table = report.table(benchmark, [engine], {(benchmark.name, engine.name): {1: figures}})
            assert f"| {engine.title} | " in table, table

    @cases.case
    def the_raw_loop_is_measured_and_its_results_are_right():
        measures(raw)

    @cases.case
    def weir_is_measured_and_its_results_are_right():
        measures(Weir(bench.build))

    @cases.case
    def a_run_whose_results_differ_is_void():
        expected = bench.sums(INPUT, "bytes")
        expected[1][2] = "0" * 16
        equals(void(lambda: bench.run(raw, BENCHMARKS[0], expected)), "the results are wrong")

    @cases.case
    def an_engine_that_ends_makes_the_run_void():
        expected = bench.sums(INPUT, "bytes")
        equals(void(lambda: bench.run(Dying(bench.build), BENCHMARKS[0], expected)).strip(),
               "the engine ended with status 1")

    @cases.case
    def the_order_within_a_partition_counts():
        equals([line[:2] for line in sums_of(bench, "ab", ["a", "b"], "bytes")], [["2", "2"]])
        assert bench.sums("ab", "bytes") != sums_of(bench, "ba", ["b", "a"], "bytes")

    @cases.case
    def numbers_are_compared_by_value_and_members_are_counted():
        result = '{"device":"d","ts":1,"temperature":%s,"fahrenheit":2.5,"load":3}'
        one = sums_of(bench, "spelled", [result % "12.30"], "json")
        equals(one, sums_of(bench, "spelled-otherwise", [result % "1.23e1"], "json"))
        assert one != sums_of(bench, "other", [result % "12.31"], "json")
        assert "members of a result" in void(lambda: sums_of(bench, "more", [result % '12.3,"x":1'], "json"))


def main():
    try:
        kafka = Cluster(settings=SETTINGS)
    except cache.Unavailable as why:
        print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
        return
    with kafka, tempfile.TemporaryDirectory(prefix="weir-bench-") as folder:
        add_cases(Bench(kafka, os.path.abspath(sys.argv[1]), RECORDS, folder))
        cases.finish()


if __name__ == "__main__":
    main()
