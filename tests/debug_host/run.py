#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The debug host: plugins that break one rule each are named with the rule, a good one is not.

    run.py WEIR [--record]

plugins/ is one plugin with a factory of each kind. Each row of a table `deeds` there is one case;
expected.txt holds the whole sentence for it ("KIND DEED: SENTENCE"). --record writes that file anew.
"""
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from cases import Cases, run

weir = os.path.abspath(sys.argv[1])
cases = Cases()
home = tempfile.TemporaryDirectory()
plugin = os.path.join(home.name, "bad.so")
EXPECTED = HERE / "expected.txt"
KINDS = ("operator", "source", "sink", "serializer", "function")

# Under AddressSanitizer the headers ask the host for every piece of memory.
sanitized = ["-fsanitize=address"] if b"__asan_init" in pathlib.Path(weir).read_bytes() else []
sources = sorted(str(path) for path in (HERE / "plugins").glob("*.c"))
built = run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-std=gnu11", "-O1", "-fvisibility=hidden",
             *sanitized, "-I", str(HERE.parents[1] / "sdk/include"), "-o", plugin, *sources])
assert built.returncode == 0, built.stderr

# What breaks a rule of memory ends the process at once, with the threads that it has.
TSAN = "report_thread_leaks=0"

PIPELINE = """
pipeline: p
plugins: [%(plugin)s]
topics:
  in: {value: json}
  numbers: {value: json}
  out: {partitions: 2, value: %(serializer)s}
  end: {value: json}
streams:
  feed:
    from: {file: in.jsonl}
    to: {topic: in}
  made:
    from: {bad: {%(source)s}}
    to: {topic: numbers}
  work:
    from: {topic: in}
    steps:
      - bad: {%(operator)s}
      - set: {m: 'bad("%(function)s", n)'}
      - set: {$value: text}
    to: {topic: out}
  rest:
    from: {topic: out}
    to: [{topic: end}, {bad: {%(sink)s}}]
"""
def deeds(kind):
    text = (HERE / "plugins" / (kind + ".c")).read_text()
    table = text[text.index("} deeds[] = {"):]
    return re.findall(r'\{ "(\w+)"', table[:table.index("};")])


def start(kind, deed, **environment):
    parts = {other: "do: well" for other in KINDS}
    parts.update(serializer="{bad: {do: well}}", function="well", plugin=plugin)
    parts[kind] = {"serializer": "{bad: {do: %s}}", "function": "%s"}.get(kind, "do: %s") % deed
    if kind == "operator":
        parts[kind] += ", expression: n, texts: [a, b], map: {k: v}, inner: {name: y}, any: [t], target: a.b"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "pipeline.yaml").write_text(PIPELINE % parts)
        pathlib.Path(folder, "in.jsonl").write_text(
            "".join('{"n":%d,"text":"t%d"}\n' % (i, i) for i in range(6)))
        return run([weir, "run", "--until-end"], cwd=folder,
                   env=dict(os.environ, WEIR_BATCH_SIZE="1", TSAN_OPTIONS=TSAN, **environment))


def sentences(text):
    """What the log says of errors, without the time."""
    return [re.sub(r"^(\S+Z )?(weir: )?error:? ", "", line) for line in text.splitlines()
            if re.match(r"(\S+Z )?(weir: )?error:? ", line)]


def outcome(kind, deed, **environment):
    done = start(kind, deed, WEIR_CHECK_ABI="1:7", **environment)
    found = sentences(done.stderr)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "Sanitizer" not in done.stderr, done.stderr
    assert len(found) == 1, done.stderr
    return found[0]


def outcome_of_refusal(kind, deed):
    """Requests are refused one after the other, until it is one of the plugin's own."""
    for k in range(1, 100):
        found = outcome(kind, deed, WEIR_CHECK_ABI_FAIL=str(k))
        if "org.example.bad" in found:
            return found
    raise AssertionError("nothing was found")


def find(kind, deed):
    return (outcome_of_refusal if deed == "ignore_refusal" else outcome)(kind, deed)


def expected():
    lines = EXPECTED.read_text().splitlines() if EXPECTED.exists() else []
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))


def add(kind, deed):
    def case():
        wanted = expected()["%s %s" % (kind, deed)]
        found = find(kind, deed)
        assert found == wanted, "\n  expected %s\n  found    %s" % (wanted, found)
    case.__name__ = "%s_that_does_%s" % (kind, deed)
    cases.case(case)


def record():
    with open(EXPECTED, "w", encoding="utf-8") as file:
        for kind in KINDS:
            for deed in deeds(kind):
                if deed != "well":
                    try:
                        file.write("%s %s: %s\n" % (kind, deed, find(kind, deed)))
                    except AssertionError as error:
                        print(kind, deed, error)


@cases.case
def a_good_plugin_passes():
    for setting in ("1", "1:2", "1:3"):
        done = start("operator", "well", WEIR_CHECK_ABI=setting)
        assert done.returncode == 0, done.stderr


@cases.case
def nothing_is_said_while_it_is_off():
    done = start("operator", "fail_twice", WEIR_CHECK_ABI="")
    assert "weir/host.h" not in done.stderr, done.stderr


if "--record" in sys.argv:
    record()
    sys.exit()
for each_kind in KINDS:
    for each_deed in deeds(each_kind):
        if each_deed != "well":
            add(each_kind, each_deed)
cases.finish()
