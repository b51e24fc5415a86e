#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `weir run --explain` costs: processor time and instructions of runs with and without it.

    explain.py BUILD

Time is a ratio, the median of pairs of runs. Instructions are valgrind's, of a run of more records less those
of a run of fewer, and without those that make the records. They repeat to half an instruction a record on any
machine, and show what time cannot.
"""
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PIPELINES = ("json.yaml", "noop10.yaml")
PAIRS, RECORDS = 15, 400000
FEW, MANY = 20000, 60000


class Bench:
    def __init__(self, build):
        self.program = os.path.join(build, "bin", "bench_explain")
        self.environment = dict(os.environ, WEIR_PLUGIN_PATH=os.path.join(build, "lib", "weir", "bench"))

    def run(self, pipeline, records, mode, tool=()):
        command = [*tool, self.program, os.path.join(HERE, pipeline), str(records), mode]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=600,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def seconds(self, pipeline, mode):
        return float(self.run(pipeline, RECORDS, mode))

    def instructions(self, pipeline, mode):
        """Of a record."""
        counts = []
        with tempfile.NamedTemporaryFile() as file:
            for records in (FEW, MANY):
                self.run(pipeline, records, mode,
                         ("valgrind", "--tool=callgrind", f"--callgrind-out-file={file.name}"))
                with open(file.name, encoding="utf-8") as text:
                    counts += [int(line.split()[1]) for line in text if line.startswith("totals:")]
        return (counts[1] - counts[0]) / (MANY - FEW)


def main():
    if len(sys.argv) != 2:
        sys.exit("explain.py BUILD")
    bench = Bench(os.path.abspath(sys.argv[1]))
    for pipeline in PIPELINES:
        ratios = [bench.seconds(pipeline, "timed") / bench.seconds(pipeline, "plain") for _ in range(PAIRS)]
        none, off, on = (bench.instructions(pipeline, mode) for mode in ("none", "plain", "timed"))
        print(f"explain {pipeline}: {statistics.median(ratios):.3f}x the time, {on - none:.2f} instructions a "
              f"record, {off - none:.2f} without")


if __name__ == "__main__":
    main()
