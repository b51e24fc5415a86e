#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows the chapters of docs/guide line by line.

    guide.py WEIR

Each chapter begins in an empty folder. Its fenced blocks are, in their order:

    ```yaml file=NAME    written to the file NAME (any language)
    ```sh                run by sh in that folder, with weir in the path
    ```text              what the block before it prints, on both outputs; without it nothing may appear

In what is printed `...` stands for any text within a line, alone on a line for any lines. The SDK is that of
the source, laid out as if it were installed.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from cases import Cases, contains, equals  # noqa: E402

GUIDE = ROOT / "docs" / "guide"
FENCE = re.compile(r"^```(\w+)(?: file=([\w.-]+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
weir = pathlib.Path(sys.argv[1]).absolute()
chapters = sorted(GUIDE.glob("[0-9]-*.md"))
cases = Cases()


def blocks_of(page):
    """(line, language, file or None, text) of each fenced block; a fence of another form is an error."""
    text = page.read_text()
    found = [(text[:match.start()].count("\n") + 1, *match.groups()) for match in FENCE.finditer(text)]
    equals(len(re.findall(r"^ {0,3}```", text, re.MULTILINE)), 2 * len(found))
    return found


def steps_of(page):
    """The blocks, with each shell block's expected output: (line, file or None, text, wanted)."""
    steps = []
    for line, language, file, text in blocks_of(page):
        if file is not None:
            steps.append((line, file, text, None))
        elif language == "sh":
            steps.append((line, None, text, ""))
        else:
            equals(language, "text")
            assert steps and steps[-1][3] == "", "%s:%d: follows no shell block" % (page.name, line)
            steps[-1] = (*steps[-1][:3], text)
    return steps


def is_as_wanted(got, wanted):
    pattern = "".join("(?:.*\n)*" if line == "...\n" else re.escape(line).replace(r"\.\.\.", ".*")
                      for line in wanted.splitlines(keepends=True))
    return re.fullmatch(pattern, got) is not None


def lay_out_sdk():
    """A prefix with the SDK, which lasts as long as the handle."""
    handle = tempfile.TemporaryDirectory()
    prefix = pathlib.Path(handle.name)
    for folder in ("lib/pkgconfig", "lib/cmake/weir-sdk"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "include").symlink_to(ROOT / "sdk/include")
    (prefix / "lib/cmake/weir-sdk/weir-plugin.map").symlink_to(ROOT / "sdk/cmake/weir-plugin.map")
    (prefix / "lib/pkgconfig/weir-sdk.pc").write_text((weir.parents[1] / "sdk/weir-sdk.pc").read_text())
    return handle


sdk = lay_out_sdk()


def print_of(command, folder):
    env = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    env.update(PATH="%s:%s" % (weir.parent, env["PATH"]), LC_ALL="C.UTF-8",
               PKG_CONFIG_PATH=os.path.join(sdk.name, "lib/pkgconfig"))
    return subprocess.run(["sh", "-c", command], cwd=folder, env=env, timeout=120, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout


def follow(page):
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        for line, file, text, wanted in steps_of(page):
            if file is not None:
                (pathlib.Path(folder) / file).write_text(text)
                continue
            got = print_of(text, folder)
            if not is_as_wanted(got, wanted):
                different += 1
                print("docs/guide/%s:%d: prints something else" % (page.name, line))
                print("".join(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True),
                                                   "the page", "weir")))
    equals(different, 0)


def chapter_case(page):
    def chapter():
        follow(page)
    chapter.__name__ = "chapter_" + page.stem
    cases.case(chapter)


@cases.case
def the_comparison_tells_a_difference():
    assert is_as_wanted("a 1\nb\n", "a ...\nb\n")
    assert is_as_wanted("a\nx\ny\nb\n", "a\n...\nb\n")
    for got, wanted in (("a\n", ""), ("", "a\n"), ("a.b\n", "a-b\n"), ("a\nx\n", "a\n"), ("a\nb\n", "a...\n")):
        assert not is_as_wanted(got, wanted), (got, wanted)


@cases.case
def the_index_names_every_chapter():
    equals(len(chapters), 7)
    for page in chapters:
        contains((GUIDE / "README.md").read_text(), "](%s)" % page.name)


@cases.case
def every_file_that_is_linked_is_there():
    for page in GUIDE.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text()):
            assert (GUIDE / target).exists(), "%s: %s" % (page.name, target)


for chapter in chapters:
    chapter_case(chapter)
cases.finish()
