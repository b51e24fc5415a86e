#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the golden pipelines: each in a folder of its own, at several batch sizes and numbers of
workers, and in two runs.

    run.py WEIR [NAME...]

A case is a folder with pipeline.yaml, input.jsonl or input.csv, and expected.jsonl. After `run --until-end`
every topic that the pipeline declares, but those named input*, must hold exactly the expected record
lines, byte for byte, offsets left out, and null for the time at which a dead letter was made.
${WEIR_TEST_PLUGINS} in a pipeline is the folder of the plugins that only these tests have. Lines of one
topic and partition are compared in their order.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# The debug host splits batches at random by itself.
BATCH_SIZES = (1024,) if os.environ.get("WEIR_CHECK_ABI") else (1, 2, 7, 1024)
THREADS = (1, 2, 4)


def declared_topics(pipeline):
    """Names under the top-level key `topics`, two blanks in; a full reader of YAML is not needed."""
    topics, is_inside = [], False
    for line in open(pipeline, encoding="utf-8"):
        if re.match(r"\S", line):
            is_inside = line.startswith("topics:")
        found = re.match(r"  ([A-Za-z0-9_.-]+):", line)
        if is_inside and found and not found[1].startswith("input"):
            topics.append(found[1])
    return topics


def by_partition(lines):
    """(topic, partition) to its lines without offsets."""
    groups = {}
    for line in lines:
        head = re.match(r'\{"topic":"([^"]*)","partition":(\d+),', line)
        assert head, f"no record line: {line}"
        line = re.sub(r'^(\{"topic":"[^"]*","partition":\d+,)"offset":\d+,', r"\1", line)
        line = re.sub(r'(,"value":\{"time":)"[^"]*"(,"error":\{"class":)', r"\1null\2", line)
        groups.setdefault((head[1], int(head[2])), []).append(line)
    return groups


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def first_difference(expected, actual):
    for key in sorted(set(expected) | set(actual)):
        want, got = expected.get(key, []), actual.get(key, [])
        for i in range(max(len(want), len(got))):
            a = want[i] if i < len(want) else "nothing"
            b = got[i] if i < len(got) else "nothing"
            if a != b:
                return (f"topic {key[0]}, partition {key[1]}, record {i} "
                        f"({len(want)} expected, {len(got)} there)\n"
                        f"    expected {a}\n    found    {b}")
    return None


def call(command, folder, environment):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=60)
    if done.returncode != 0:
        text = "\n    ".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        return None, f"{' '.join(command[1:])}: status {done.returncode}\n    {text}"
    return done.stdout.splitlines(), None


def compare(weir, case, folder, environment):
    """The topics with what is expected: None, or what is wrong."""
    found = []
    for topic in declared_topics(os.path.join(folder, "pipeline.yaml")):
        lines, fault = call([weir, "topic", "cat", topic, "--json"], folder, environment)
        if fault:
            return fault
        found += lines
    expected = by_partition(read_lines(os.path.join(case, "expected.jsonl")))
    return first_difference(expected, by_partition(found))


def has_partitions(case):
    """There is more than one task, so that workers run beside each other."""
    with open(os.path.join(case, "pipeline.yaml"), encoding="utf-8") as file:
        return re.search(r"\bpartitions: [2-9]", file.read()) is not None


def plugins_of(weir):
    """The folder of the plugins that only these tests have."""
    return os.path.join(os.path.dirname(os.path.dirname(weir)), "tests", "pipelines", "plugins")


def run_case(weir, case):
    for batch_size in BATCH_SIZES:
        for threads in THREADS if has_partitions(case) else THREADS[:1]:
            fault = run_in_folder(weir, case, batch_size, parts=1, threads=threads)
            if fault:
                return f"batches of {batch_size}, {threads} workers: {fault}"
    fault = run_in_folder(weir, case, 7, parts=2)
    return f"in two runs: {fault}" if fault else None


def run_in_folder(weir, case, batch_size, parts, threads=0):
    """Feeds the input in so many parts, with a run after each. threads 0: as many as there are cores."""
    name = "input.csv" if os.path.exists(os.path.join(case, "input.csv")) else "input.jsonl"
    lines = read_lines(os.path.join(case, name))
    with tempfile.TemporaryDirectory(prefix="weir-golden-") as folder:
        shutil.copy(os.path.join(case, "pipeline.yaml"), folder)
        environment = dict(os.environ, WEIR_BATCH_SIZE=str(batch_size),
                           WEIR_TEST_PLUGINS=plugins_of(weir))
        try:
            for part in range(parts):
                some = lines[part * len(lines) // parts : (part + 1) * len(lines) // parts]
                with open(os.path.join(folder, name), "a", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in some)
                _, fault = call([weir, "run", "--until-end", "--threads", str(threads)], folder, environment)
                if fault:
                    return fault
            return compare(weir, case, folder, environment)
        except subprocess.TimeoutExpired as error:
            return f"{error.cmd[1]}: no end after {error.timeout} s"


def all_cases():
    return sorted(name for name in os.listdir(HERE)
                  if os.path.exists(os.path.join(HERE, name, "pipeline.yaml")))


def main():
    if len(sys.argv) < 2:
        sys.exit("run.py WEIR [NAME...]")
    weir = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or all_cases()
    passed = failed = 0
    for name in names:
        fault = run_case(weir, os.path.join(HERE, name))
        if fault:
            failed += 1
            print(f"FAIL {name}: {fault}", file=sys.stderr)
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
