#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the golden pipelines: each in a folder of its own, at several batch sizes and numbers of
workers, and in two runs; and once more on the log in memory.

    run.py WEIR [NAME...]

A case is a folder with pipeline.yaml, input.jsonl or input.csv, and expected.jsonl. After `run --until-end`
every topic that the pipeline declares, but those named input*, must hold exactly the expected record
lines, byte for byte, offsets left out, and null for the time at which a dead letter was made.
${WEIR_TEST_PLUGINS} in a pipeline is the folder of the plugins that only these tests have. Lines of one
topic and partition are compared in their order.

Nothing is left of a log in memory after the run. There the pipeline gets one more stream for each topic
that is compared, which writes what the topic holds into files; but for the topic of the dead letters,
which a pipeline cannot read itself.
"""
import glob
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
MEMORY_THREADS = 4


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


def dead_letter_topic(pipeline):
    found = re.search(r"^dead_letters: \{topic: ([A-Za-z0-9_.-]+)\}", read_text(pipeline), re.MULTILINE)
    return found and found[1]


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


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_lines(path):
    return read_text(path).splitlines()


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


def read_topics(weir, folder, environment):
    """The record lines of all topics that are compared, and None or what is wrong."""
    found = []
    for topic in declared_topics(os.path.join(folder, "pipeline.yaml")):
        lines, fault = call([weir, "topic", "cat", topic, "--json"], folder, environment)
        if fault:
            return [], fault
        found += lines
    return found, None


def add_readers(pipeline):
    """A stream for each topic that can be read, which writes its records to files beside the pipeline."""
    topics = [topic for topic in declared_topics(pipeline) if topic != dead_letter_topic(pipeline)]
    readers = "".join(f"  read_back_{i}: {{from: {{topic: {topic}}}, "
                      f"to: {{file: {{path: read-back-{i}, content: record}}}}}}\n"
                      for i, topic in enumerate(topics))
    text, count = re.subn(r"^streams:\n", lambda found: found[0] + readers, read_text(pipeline),
                          flags=re.MULTILINE)
    assert count == 1, f"{pipeline}: not one line 'streams:'"
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(text)


def read_files(folder):
    """The record lines that the added streams wrote; a file's name is its first offset, in full width."""
    files = sorted(glob.glob(os.path.join(folder, "read-back-*", "*", "*", "*.jsonl")))
    return [line for path in files for line in read_lines(path)]


def has_partitions(case):
    """There is more than one task, so that workers run beside each other."""
    return re.search(r"\bpartitions: [2-9]", read_text(os.path.join(case, "pipeline.yaml"))) is not None


def plugins_of(weir):
    """The folder of the plugins that only these tests have."""
    return os.path.join(os.path.dirname(os.path.dirname(weir)), "tests", "pipelines", "plugins")


def run_case(weir, case):
    partitioned = has_partitions(case)
    for batch_size in BATCH_SIZES:
        for threads in THREADS if partitioned else THREADS[:1]:
            fault = run_in_folder(weir, case, batch_size, parts=1, threads=threads)
            if fault:
                return f"batches of {batch_size}, {threads} workers: {fault}"
    for batch_size in BATCH_SIZES:
        threads = MEMORY_THREADS if partitioned else 1
        fault = run_in_folder(weir, case, batch_size, parts=1, threads=threads, log="memory")
        if fault:
            return f"log in memory, batches of {batch_size}, {threads} workers: {fault}"
    fault = run_in_folder(weir, case, 7, parts=2)
    return f"in two runs: {fault}" if fault else None


def run_in_folder(weir, case, batch_size, parts, threads=0, log=None):
    """Feeds the input in so many parts, with a run after each; None, or what is wrong.

    threads 0: as many as there are cores. log: instead of the pipeline's.
    """
    name = "input.csv" if os.path.exists(os.path.join(case, "input.csv")) else "input.jsonl"
    lines = read_lines(os.path.join(case, name))
    command = [weir, "run", "--until-end", "--threads", str(threads)] + (["--log", log] if log else [])
    with tempfile.TemporaryDirectory(prefix="weir-golden-") as folder:
        pipeline = shutil.copy(os.path.join(case, "pipeline.yaml"), folder)
        if log == "memory":
            add_readers(pipeline)
        environment = dict(os.environ, WEIR_BATCH_SIZE=str(batch_size),
                           WEIR_TEST_PLUGINS=plugins_of(weir))
        try:
            for part in range(parts):
                some = lines[part * len(lines) // parts : (part + 1) * len(lines) // parts]
                with open(os.path.join(folder, name), "a", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in some)
                _, fault = call(command, folder, environment)
                if fault:
                    return fault
            if log == "memory":
                found, fault = read_files(folder), None
            else:
                found, fault = read_topics(weir, folder, environment)
        except subprocess.TimeoutExpired as error:
            return f"{error.cmd[1]}: no end after {error.timeout} s"
    expected = by_partition(read_lines(os.path.join(case, "expected.jsonl")))
    if log == "memory":
        letters = dead_letter_topic(os.path.join(case, "pipeline.yaml"))
        expected = {key: lines for key, lines in expected.items() if key[0] != letters}
    return fault or first_difference(expected, by_partition(found))


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
