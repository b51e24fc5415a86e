# SPDX-License-Identifier: MIT
"""Streams and steps that go on under another name, and what nobody reads any more."""
import json

from cases import contains, equals
from fixture import Broker, Folder, cases, name, produce, sorted_values

RENAMED = """{{{stream}: {{from: {{file: lines{source}}}, steps: [filter: 'true', {{group_by: {{key: {key}{step}}}}}],
  to: [{{topic: {topic}-out}}, {{file: files{sink}}}]}}}}"""


def renamed(topic, folder, **names):
    given = {"stream": "old", "source": "", "sink": "", "step": "", "key": "v", "topic": topic, **names}
    folder.write("pipeline.yaml",
                 "pipeline: %s\nlog: kafka://%s\ntopics: {%s-out: {partitions: 1, key: json}}\nstreams: %s\n"
                 % (topic, Broker.kafka.bootstrap, topic, RENAMED.format(**given)))


def files_of(folder):
    return sorted(json.loads(line)["v"] for path in folder.path.glob("files/**/*.jsonl")
                  for line in path.read_text().splitlines())


@cases.case
def a_stream_goes_on_under_another_name():
    topic = name("renamed")
    folder = Folder()
    folder.write("lines", "".join('{"v": %d}\n' % v for v in range(10)))
    renamed(topic, folder)
    folder.call("run", "--count", "6")  # the others wait in the source's topic
    assert len(Broker.probe.consume(topic + "-out")) < 10
    folder.write("lines", "".join('{"v": %d}\n' % v for v in range(15)))
    renamed(topic, folder, stream="new", source=", was: old", sink=", was: old.file")
    contains(folder.call("run", "--until-end").stderr, "goes on where the source of stream 'old' was")
    equals((sorted_values(topic + "-out"), files_of(folder)), (list(range(15)), list(range(15))))
    for source in (", was: old", ""):  # 'was' may stay, and may go
        folder.write("lines", "".join('{"v": %d}\n' % v for v in range(17 if source else 19)))
        renamed(topic, folder, stream="new", source=source, sink=", was: old.file" if source else "")
        assert "goes on where" not in folder.call("run", "--until-end").stderr
    equals((sorted_values(topic + "-out"), files_of(folder)), (list(range(19)), list(range(19))))
    equals([one for one in Broker.probe.topics() if one.startswith("source__" + topic)], ["source__%s--old" % topic])


def regrouped(topic, folder, guarantee, step="group_by: item", more=False):
    """more: another topic comes to the step too."""
    folder.write("pipeline.yaml", """pipeline: {t}
log: kafka://{at}
guarantee: {guarantee}
topics: {{{t}: {{key: text}}, {t}-more: {{key: text}}, {t}-out: {{key: json}}}}
streams:
  a: {{from: {{topic: {t}}}}}
  b: {{from: {{topic: {t}-more}}}}
  s:
    from: {ways}
    steps:
      - {step}
    to: {{topic: {t}-out}}
""".format(t=topic, at=Broker.kafka.bootstrap, guarantee=guarantee, step=step, ways="[a, b]" if more else "a"))


def stopped_in_between(stem, guarantee):
    """A pipeline that was stopped with records behind its step. Returns its topic, its folder, and how many wait."""
    for _ in range(10):
        topic = name(stem)
        for one in (topic, topic + "-more", topic + "-out"):
            Broker.probe.create(one, 2)
        Broker.probe.produce([{"topic": topic, "partition": v % 2, "key": "k",
                               "value": json.dumps({"v": v, "item": v % 5})} for v in range(3000)])
        folder = Folder()
        regrouped(topic, folder, guarantee)
        folder.call("run", "--count", "1000")
        between = "repartition__%s--%s--item" % (topic, topic)
        positions = Broker.probe.offsets(topic)
        left = sum(1 for record in Broker.probe.consume(between)
                          if record["offset"] >= max(0, positions.get((between, record["partition"]), 0)))
        if left > 0:
            assert len(Broker.probe.consume(topic + "-out")) < 3000
            return topic, folder, between, left
    raise AssertionError("no run has left anything behind the step")


GUARANTEES = ("at-least-once", "exactly-once")


@cases.case
def a_step_goes_on_under_another_name():
    for guarantee in GUARANTEES:
        topic, folder, between, _ = stopped_in_between("stepped", guarantee)
        regrouped(topic, folder, guarantee, "{group_by: {key: item, name: thing}, was: item}")
        said = folder.call("run", "--until-end").stderr
        contains(said, "goes on with what is in topic '%s'" % between)
        equals(sorted_values(topic + "-out"), list(range(3000)))
        produce(topic, {"v": 3000, "item": 1})
        regrouped(topic, folder, guarantee, "group_by: {key: item, name: thing}")  # `was` has done its work
        assert "holds" not in folder.call("run", "--until-end").stderr
        equals(sorted_values(topic + "-out"), list(range(3001)))
        equals([one for one in Broker.probe.topics() if one.startswith("repartition__" + topic)], [between])


@cases.case
def what_no_step_reads_any_more_is_told_and_gone_on_with():
    for guarantee in GUARANTEES:
        topic, folder, between, left = stopped_in_between("stranded", guarantee)
        regrouped(topic, folder, guarantee, more=True)
        for words in (("--dry-run",), ("--until-end",)):
            contains(folder.call("run", *words).stderr,
                     "topic '%s' holds %d record%s that pipeline '%s' has not read, and nothing in it reads that "
                     "topic any more; 'was: %s' at the step that takes its place goes on with them, "
                     "'weir topic delete %s --internal' drops them"
                     % (between, left, "" if left == 1 else "s", topic, between, between))
        equals(len(sorted_values(topic + "-out")), 3000 - left)
        regrouped(topic, folder, guarantee, "{group_by: item, was: %s}" % between, more=True)
        said = folder.call("run", "--until-end").stderr
        contains(said, "goes on with what is in topic '%s'" % between)
        assert "holds" not in said, said
        equals(sorted_values(topic + "-out"), list(range(3000)))
