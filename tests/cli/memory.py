#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`memory`: a run over large records stays within the budget, whatever the number of partitions, and
gives the same results.

usage: memory.py WEIR
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import Cases, contains, equals, run

weir = os.path.abspath(sys.argv[1])
cases = Cases()

RECORDS, BYTES = 1000, 60_000
BUDGET_MIB = 64
# The program, its libraries and plugins, and what the allocator does not give back.
BESIDES_MIB = 80

PIPELINE = """
pipeline: p
{top}
topics:
  in: {{key: text, value: json, partitions: {partitions}}}
  out: {{key: text, value: json, partitions: {partitions}}}
streams:
  feed: {{from: {{file: {{path: {path}}}, key: k}}, to: {{topic: in}}}}
  work:
    from: {{topic: in}}
    steps: [set: {{m: n + 1}}]
    to: [{{topic: out}}, {{file: files}}]
"""

handle = tempfile.TemporaryDirectory()
source = pathlib.Path(handle.name) / "in.jsonl"
with open(source, "w") as file:
    for i in range(RECORDS):
        pad = hashlib.sha256(b"%d" % i).hexdigest() * (BYTES // 64)
        file.write(json.dumps({"n": i, "k": "k%d" % (i % 97), "pad": pad}) + "\n")


def measure(partitions, top):
    """Peak of resident memory in MiB, and a sum over the sink's lines."""
    with tempfile.TemporaryDirectory() as folder:
        text = PIPELINE.format(partitions=partitions, top=top, path=source)
        (pathlib.Path(folder) / "pipeline.yaml").write_text(text)
        child = subprocess.Popen([weir, "run", "--until-end"], cwd=folder, stderr=subprocess.PIPE)
        errors = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        equals((status, errors if status else ""), (0, ""))
        contains(errors, "%d records in, %d out, 0 failed" % (RECORDS, 2 * RECORDS))
        lines = [hashlib.md5(line).digest() for path in pathlib.Path(folder, "files").rglob("*.jsonl")
                 for line in path.open("rb")]
        return usage.ru_maxrss // 1024, (len(lines), hashlib.md5(b"".join(sorted(lines))).hexdigest())


# Sanitizers take memory of their own.
if b"__asan_init" not in open(weir, "rb").read() and b"__tsan_init" not in open(weir, "rb").read():
    @cases.case
    def the_budget_is_kept_whatever_the_number_of_partitions():
        free, wanted = measure(1, "")
        assert free > BUDGET_MIB + BESIDES_MIB, "the records are too small to tell: %d MiB" % free
        for partitions in (1, 16):
            used, got = measure(partitions, "memory: %dMiB" % BUDGET_MIB)
            assert used < BUDGET_MIB + BESIDES_MIB, "%d MiB with %d partitions" % (used, partitions)
            equals(got, wanted)


@cases.case
def explain_shows_the_split():
    with tempfile.TemporaryDirectory() as folder:
        text = PIPELINE.format(partitions=1, top="memory: 64MiB", path=source)
        (pathlib.Path(folder) / "pipeline.yaml").write_text(text)
        contains(run([weir, "explain"], cwd=folder).stdout, "memory      64MiB, split over\n              24MiB     uncommitted messages: a checkpoint at 8MiB")
        memory = json.loads(run([weir, "explain", "--json"], cwd=folder).stdout)["memory"]
        total = memory.pop("bytes")
        equals(total, 64 << 20)
        equals(sum(memory.values()) + 2 * memory["uncommitted"], total)


cases.finish()
