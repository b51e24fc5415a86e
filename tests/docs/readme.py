#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The README says what is true: its pipeline passes `weir check`, its operator is the example's.

usage: readme.py WEIR
"""
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from cases import Cases, contains, equals, run  # noqa: E402

weir = os.path.abspath(sys.argv[1])
readme = (ROOT / "README.md").read_text()
cases = Cases()


def block(language):
    found = re.findall(r"```%s\n(.*?)```" % language, readme, re.DOTALL)
    equals(len(found), 1)
    return found[0]


@cases.case
def the_operator_is_that_of_the_example():
    equals(block("c"), (ROOT / "examples/plugins/kilometres/kilometres.c").read_text())


@cases.case
def the_pipeline_passes_check_and_runs():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "pipeline.yaml").write_text(block("yaml"))
        (path / "flights.jsonl").write_text('{"ts":978310020000,"delay":66}\n'
                                            '{"ts":978310020000,"delay":5}\n')
        checked = run([weir, "check", "--strict"], cwd=folder)
        equals((checked.returncode, checked.stderr), (0, ""))
        ran = run([weir, "run", "--until-end"], cwd=folder)
        equals(ran.returncode, 0)
        contains(ran.stdout, "1.1")
        shown = run([weir, "topic", "cat", "late", "--json"], cwd=folder)
        equals(len(shown.stdout.splitlines()), 1)


@cases.case
def every_file_that_it_links_is_there():
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (ROOT / target).exists(), target


@cases.case
def both_commands_are_there():
    for command in ("examples/run", "tests/run"):
        contains(readme, command)
        assert os.access(ROOT / command, os.X_OK), command


cases.finish()
