#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""That tests/run tells what becomes of its suites: with suites made up, in a folder of their own.

Usage: tests/runner.py
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from cases import SECONDS, Cases, equals, run, until

HERE = pathlib.Path(__file__).parent
cases = Cases()

SUITES = """
suites=(slow quick build-a one-a build-b one-b many interrupts hangs silent bad skips)
suite_slow() { until [ -e "$logs/quick.ended" ]; do sleep 0.02; done; echo "3 passed, 0 failed"; }
suite_quick() { echo "2 passed, 0 failed"; touch "$logs/quick.ended"; }
suite_build() { [ "$1" != b ] && echo "1 passed, 0 failed"; }
suite_one() { echo "1 passed, 0 failed"; }
suite_many() { echo "2 passed, 0 failed"; echo "1 passed, 0 failed"; }
suite_hangs() { sleep 1000 & echo "$! $$" >"$logs/pids"; wait; }
suite_interrupts() {
    python3 -c "import signal; exit(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)" && echo "1 passed, 0 failed"
}
suite_silent() { :; }
suite_bad() { echo "1 passed, 1 failed"; return 1; }
suite_skips() { echo "SKIPPED it: no server"; echo "0 passed, 0 failed, 1 skipped"; }
"""


class Runner:
    def __init__(self):
        self.handle = tempfile.TemporaryDirectory(prefix="weir-runner-")
        self.path = pathlib.Path(self.handle.name)
        (self.path / "tests").mkdir()
        for name in ("run", "schedule.sh"):
            shutil.copy(HERE / name, self.path / "tests")
        (self.path / "tests" / "suites.sh").write_text(SUITES)
        (self.path / "bootstrap").write_text("#!/bin/sh\n")
        (self.path / "bootstrap").chmod(0o755)

    def environment(self, limit, required):
        return dict(os.environ, WEIR_SUITE_LIMIT=str(limit), WEIR_JOBS="2", WEIR_TAIL="1",
                    WEIR_REQUIRE_SERVERS="1" if required else "0")

    def run(self, *words, limit=60, required=False):
        """Status, and what it says of each suite without times and places; other lines are indented."""
        done = run([self.path / "tests" / "run", *words], env=self.environment(limit, required))
        equals(done.stderr, "")
        lines = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
        return done.returncode, [re.sub(r", \d+ s, computed \d+ s\)(: .*)?$", ")", line) for line in lines]


@cases.case
def suites_run_beside_each_other_and_are_told_in_their_order():
    equals(Runner().run("--only", "quick", "slow", "many"),
           (0, ["ok slow (3 passed)", "ok quick (2 passed)", "ok many (3 passed)", "8 passed, 0 failed"]))


@cases.case
def a_suite_brings_the_build_that_it_stands_on():
    equals(Runner().run("--only", "one-a"), (0, ["ok build-a (1 passed)", "ok one-a (1 passed)", "2 passed, 0 failed"]))


@cases.case
def what_was_not_built_has_failed():
    equals(Runner().run("--only", "one"), (1, [
        "ok build-a (1 passed)", "ok one-a (1 passed)", "FAILED build-b (1 failed, 0 passed)",
        "FAILED one-b (1 failed, 0 passed)", "2 passed, 2 failed"]))


@cases.case
def who_fails_says_nothing_or_hangs_has_failed():
    equals(Runner().run("--only", "hangs", limit=1), (1, ["FAILED hangs (1 failed, 0 passed)", "0 passed, 1 failed"]))
    equals(Runner().run("--only", "silent", "bad"), (1, [
        "FAILED silent (1 failed, 0 passed)", "FAILED bad (1 failed, 1 passed)", "1 passed, 2 failed"]))


@cases.case
def what_a_suite_starts_can_be_interrupted():
    equals(Runner().run("--only", "interrupts"), (0, ["ok interrupts (1 passed)", "1 passed, 0 failed"]))


@cases.case
def what_is_skipped_is_an_error_where_servers_are_required():
    told = ["ok skips (0 passed, 1 skipped)", "0 passed, 0 failed, 1 skipped"]
    equals(Runner().run("--only", "skips"), (0, told))
    equals(Runner().run("--only", "skips", required=True), (1, told))


@cases.case
def a_run_that_is_stopped_leaves_nothing_behind():
    runner = Runner()
    process = subprocess.Popen([runner.path / "tests" / "run", "--only", "hangs"], stdin=subprocess.DEVNULL,
                               env=runner.environment(60, False), stdout=subprocess.DEVNULL)
    pids = runner.path / "build" / "tests-logs" / "pids"
    until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    process.send_signal(signal.SIGTERM)
    equals(process.wait(SECONDS), 130)
    until(lambda: not any(is_alive(pid) for pid in pids.read_text().split()))


def is_alive(pid):
    try:
        return pathlib.Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


cases.finish()
