#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares graphs made at random with a model that runs them record by record.

    run.py WEIR [COUNT [SEED]]

The model (model.py) is the definition: a record is finished, depth first, before the next one. It knows
nothing of plans, batches and numbers of records. The program runs whole batches, on several threads, and
must write the same records in the same order, at every batch size and with every number of workers.

The graphs stand GRAPHS_PER_FILE in a file, each with an input of its own, since starting the program takes
longer than running a graph.
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from model import record_line
from random_graph import PLUGINS, Graph, TooLarge, input_records, second_records

RECORDS = 200
GRAPHS_PER_FILE = 10
BATCH_SIZES = (1, 2, 7, 1024)
THREADS = (1, 2, 4)
# The least that the middle one of all graphs has; else they would be too simple to tell anything.
LEAST = {"nodes": 8, "nested branch points": 2, "merges": 1}


def make_graph(seed, number):
    """The first graph from this seed on that is not too large, with its results."""
    rng = random.Random(seed)
    while True:
        graph = Graph(rng, number)
        try:
            graph.run(RECORDS)
            return graph
        except TooLarge:
            continue


def pipeline_text(graphs):
    lines = ["pipeline: order", "log: local:log", f"plugins: {PLUGINS}", "topics:"]
    lines += [line for graph in graphs for line in graph.topic_text()]
    lines += ["streams:"] + [line for graph in graphs for line in graph.stream_text]
    return "\n".join(lines) + "\n"


class Program:
    def __init__(self, weir, tools):
        self.weir = weir
        self.dump = os.path.join(tools, "tests", "order", "dump")
        self.plugins = os.path.join(tools, "tests", "pipelines", "plugins")

    def results(self, folder, batch_size, threads):
        """(topic, partition) to lines; or a text that says what went wrong."""
        log = os.path.join(folder, f"log-{batch_size}-{threads}")
        environment = dict(os.environ, WEIR_BATCH_SIZE=str(batch_size),
                           WEIR_TEST_PLUGINS=self.plugins)
        for command in ([self.weir, "run", "--until-end", "--threads", str(threads), "--log",
                         "local:" + log], [self.dump, log]):
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True,
                                  text=True, timeout=300, check=False)
            if done.returncode != 0:
                return f"status {done.returncode}\n{done.stderr}"
        found = {}
        for line in done.stdout.splitlines():
            topic, partition, _ = line.split("\t", 2)
            found.setdefault((topic, int(partition)), []).append(line)
        return found


def difference(expected, found):
    """Of one partition: None, or where they part."""
    for i in range(max(len(expected), len(found))):
        want = expected[i] if i < len(expected) else "nothing"
        got = found[i] if i < len(found) else "nothing"
        if want != got:
            return (f"record {i} ({len(expected)} expected, {len(found)} there)\n"
                    f"    expected {want}\n    found    {got}")
    return None


def graph_fault(graph, found):
    for topic in graph.topics.values():
        for partition in sorted({p for t, p in list(found) + list(graph.written) if t == topic}):
            key = (topic, partition)
            fault = difference(graph.written.get(key, []), found.get(key, []))
            if fault:
                return f"topic {topic}, partition {partition}, {fault}"
    return None


def check_file(program, graphs):
    """Number of a graph to what is wrong with it."""
    faults = {}
    with tempfile.TemporaryDirectory(prefix="weir-order-") as folder:
        with open(os.path.join(folder, "pipeline.yaml"), "w", encoding="utf-8") as file:
            file.write(pipeline_text(graphs))
        for name, records in (("input", input_records), ("second", second_records)):
            with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as file:
                for key, value, timestamp in records(RECORDS):
                    line = record_line("input", 0, timestamp, key, value)
                    file.write(line.replace('"topic":"input","partition":0,', "") + "\n")
        for batch_size in BATCH_SIZES:
            for threads in THREADS:
                found = program.results(folder, batch_size, threads)
                for graph in graphs:
                    fault = found if isinstance(found, str) else graph_fault(graph, found)
                    if fault and graph.number not in faults:
                        faults[graph.number] = (
                            f"batches of {batch_size}, {threads} workers: {fault}")
    return faults


def seeds_of_files(count, seed):
    for first in range(seed, seed + count, GRAPHS_PER_FILE):
        yield range(first, min(first + GRAPHS_PER_FILE, seed + count))


def check_all(program, count, seed, jobs):
    """Yields for each file its graphs and their faults."""
    def check(seeds):
        graphs = [make_graph(number, number) for number in seeds]
        return graphs, check_file(program, graphs)
    pool = ThreadPoolExecutor(jobs)
    try:
        yield from pool.map(check, seeds_of_files(count, seed))
    finally:  # whoever has seen enough does not wait for the rest
        pool.shutdown(cancel_futures=True)


def describe(graphs):
    """Prints the middle graph; how many of the demands on it fail."""
    medians = {"nodes": statistics.median(graph.node_count() for graph in graphs),
               "nested branch points":
                   statistics.median(graph.nested_branch_points() for graph in graphs),
               "merges": statistics.median(graph.merge_count() for graph in graphs)}
    print("the middle graph has " + ", ".join(f"{value:g} {name}"
                                              for name, value in medians.items()))
    return sum(medians[name] < least for name, least in LEAST.items())


def main():
    if len(sys.argv) < 2:
        sys.exit("run.py WEIR [COUNT [SEED]]")
    weir = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    program = Program(weir, os.path.dirname(os.path.dirname(weir)))
    every, failed = [], 0
    for graphs, faults in check_all(program, count, seed, os.cpu_count() or 1):
        every += graphs
        failed += len(faults)
        for number, fault in faults.items():
            graph = next(graph for graph in graphs if graph.number == number)
            print(f"FAILED graph {number}: {fault}\n" + pipeline_text([graph]))
    failed += describe(every)
    print(f"{len(every) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
