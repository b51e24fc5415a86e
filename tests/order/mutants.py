#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks the planner in four ways and shows that random graphs (run.py) tell each.

    mutants.py WEIR

Each mutant is built from a copy of the source in build/mutants, and must fail within LIMIT graphs by
writing other records; a mutant that does not start has not been told by its results and counts as not
found. Plugins and tools are those of WEIR's build.
"""
import os
import shutil
import subprocess
import sys

import run

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, "build", "mutants")
LIMIT = 500

# Name, and for each file what is replaced by what.
MUTANTS = [
    ("branches of a branch point in reverse", [
        ("core/graph/plan.c",
         "edge.output = rank;",
         "edge.output = producer->consumer_count - 1 - rank;")]),
    ("inputs that one stream feeds in reverse", [
        ("core/graph/plan.c",
         "                    count_reads(stream, number, input->stream, input->output);\n"
         "    *ret_edge",
         "                    count_reads(stream, stream->input_count, input->stream, input->output) -"
         " 1 -\n"
         "                    count_reads(stream, number, input->stream, input->output);\n"
         "    *ret_edge")]),
    ("numbers of outer branch points forgotten", [
        ("core/engine/tasks/order.c",
         "outer[i] = in.entries[i].ordinal;",
         "outer[i] = 0;")]),
    ("ends on one topic not merged", [
        ("core/graph/plan.c",
         "    struct plan_edge edge = writers->edges[0];\n"
         "    uint16_t *ports",
         "    for (uint32_t i = 0; writers->count > 1 && i < writers->count; i++) {\n"
         "        struct topic_writers *one = arena_alloc(b->arena, sizeof *one);\n"
         "        *one = (struct topic_writers){ .topic = writers->topic, .edges = writers->edges + i,"
         " .ends = writers->ends + i, .count = 1 };\n"
         "        if (!build_writer(b, one)) {\n            return false;\n        }\n    }\n"
         "    if (writers->count > 1) {\n        return true;\n    }\n"
         "    struct plan_edge edge = writers->edges[0];\n"
         "    uint16_t *ports"),
        ("core/graph/plan.c",
         "size_t limit = 3 * pipeline->topic_count + 1;",
         "size_t limit = 3 * pipeline->topic_count + 1000;")]),
]


def copy_source():
    source = os.path.join(BUILD, "source")
    shutil.rmtree(source, ignore_errors=True)
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(source, name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(source, name))
    return source


def patch(source, changes):
    """Puts the changes in; returns the texts that they replaced, by path."""
    before = {}
    for name, old, new in changes:
        path = os.path.join(source, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        before.setdefault(path, text)
        assert text.count(old) == 1, f"{name} has no longer what a mutant replaces: {old}"
        write(path, text.replace(old, new))
    return before


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build(source):
    binary = os.path.join(BUILD, "build")
    for command in (["cmake", "-S", source, "-B", binary, "-G", "Ninja",
                     "-DCMAKE_BUILD_TYPE=Debug"],
                    ["cmake", "--build", binary, "--target", "weir", "-j2"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return os.path.join(binary, "bin", "weir")


def found_within(program):
    """Number of graphs until one wrote other records; None within LIMIT, or a text of another fault."""
    graphs = 0
    for some, faults in run.check_all(program, LIMIT, 1, 2):
        graphs += len(some)
        if faults:
            fault = next(iter(faults.values()))
            return graphs if "expected" in fault else fault
    return None


def main():
    if len(sys.argv) != 2:
        sys.exit("mutants.py WEIR")
    tools = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
    os.environ["WEIR_PLUGIN_PATH"] = os.path.join(tools, "lib", "weir", "plugins")
    source, failed = copy_source(), 0
    for name, changes in MUTANTS:
        before = patch(source, changes)
        graphs = found_within(run.Program(build(source), tools))
        for path, text in before.items():
            write(path, text)
        if isinstance(graphs, int):
            print(f"ok {name}: found within {graphs} graphs")
        else:
            failed += 1
            print(f"FAILED {name}: {graphs or f'not found in {LIMIT} graphs'}")
    print(f"{len(MUTANTS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
