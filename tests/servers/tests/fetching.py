#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests how servers are fetched: once, whole, and with one sentence where they cannot be had.

Usage: tests/servers/tests/fetching.py WEIR          such as build/release/bin/weir
"""
import contextlib
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from testing import KAFKA, SERVERS  # noqa: E402
from cases import Cases, contains, equals, run  # noqa: E402
import cache  # noqa: E402
import distribution  # noqa: E402

NEEDS_KAFKA = os.path.join(SERVERS, "tests", "kafka_cluster.py")
cases = Cases()


@contextlib.contextmanager
def empty_cache(**programs):
    """The environment of a process with an empty cache; programs go before those of the machine."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in programs.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(os.path.join(folder, name), 0o755)
        yield dict(os.environ, WEIR_CACHE=os.path.join(folder, "cache"),
                   PATH=folder + ":" + os.environ["PATH"])


NO_REGISTRY = 'echo "[ERROR] could not reach the registry"; exit 1\n'


@cases.case
def a_fetch_that_fails_says_so_in_one_sentence():
    with empty_cache(mvn=NO_REGISTRY) as environment:
        done = run([os.path.join(KAFKA, "fetch")], env=environment)
        equals((done.returncode, done.stdout), (cache.SKIP_STATUS, ""))
        equals(done.stderr, "could not fetch Apache Kafka %s by Maven: [ERROR] could not reach the registry\n"
               % distribution.usual_version())
        equals([name for name in os.listdir(environment["WEIR_CACHE"]) if not name.endswith(".lock")], [])


@cases.case
def an_old_java_is_told():
    with empty_cache(java="echo 'openjdk version \"11.0.2\"'\n") as environment:
        done = run([os.path.join(KAFKA, "fetch")], env=environment)
        equals(done.returncode, cache.SKIP_STATUS)
        contains(done.stderr, 'it wants Java 17, and here is openjdk version "11.0.2"')


@cases.case
def tests_without_their_server_are_skipped_aloud_or_fail():
    for required, status, last in (("0", 0, "0 passed, 0 failed, 1 skipped"), ("1", 1, "0 passed, 1 failed")):
        with empty_cache(mvn=NO_REGISTRY) as environment:
            done = run([sys.executable, NEEDS_KAFKA, sys.argv[1]],
                       env=dict(environment, WEIR_REQUIRE_SERVERS=required))
        equals((done.returncode, done.stdout.splitlines()[-1]), (status, last))
        contains(done.stdout, "could not reach the registry")


MAKES_AN_ENTRY = """
import os, sys, time
sys.path[:0] = [%r]
import cache
def make(folder):
    time.sleep(0.3)
    print("made", flush=True)
    open(os.path.join(folder, "whole"), "w").close()
print(os.listdir(cache.entry("entry", make)), flush=True)
""" % SERVERS


@cases.case
def processes_that_want_the_same_make_it_once():
    with empty_cache() as environment:
        each = [subprocess.Popen([sys.executable, "-c", MAKES_AN_ENTRY], env=environment, text=True,
                                 stdout=subprocess.PIPE) for _ in range(3)]
        said = "".join(process.communicate(timeout=120)[0] for process in each)
    equals(sorted(said.splitlines()), ["['whole']"] * 3 + ["made"])


cases.finish()
