#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges pipeline files by the schema that `weir schema` writes, with a validator of others.

Usage: tests/schema/run.py WEIR

The shipped examples, the golden pipelines and the right files of tests/check must validate; those of
its wrong files whose mistake a schema can tell must not. The validator is the package `jsonschema`,
YAML is read by PyYAML with the scalars of YAML 1.2. Where they are not installed, pip puts them into a
virtual environment below build/; where it cannot, everything is skipped (with WEIR_REQUIRE_SERVERS=1:
has failed).
"""
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHECK = os.path.join(ROOT, "tests", "check")
PACKAGES = ["jsonschema", "PyYAML"]
sys.path.insert(0, os.path.join(HERE, ".."))
from cases import Cases, contains, equals, run, skip_all  # noqa: E402

# Of the wrong files those that a schema can tell.
TELLABLE = """
kafka-callback kafka-map kafka-name kafka-name-nothing-near kafka-name-option kafka-name-underscores
kafka-owned-brokers kafka-owned-commit kafka-owned-group kafka-owned-idempotence kafka-owned-reset
kafka-owned-transaction kafka-secret-misspelt kafka-value-list kafka-value-none kafka-value-option kafka-value-range
kafka-value-unit kafka-topic-config kafka-topic-config-nested kafka-topic-replication
kind-function-as-step kind-operator-as-end kind-sink-as-step kind-stream-as-end kind-topic-as-end
missing-among missing-any-stream missing-expr missing-from missing-option missing-option-source
missing-pipeline missing-streams name-choice-key name-nothing-near name-option name-plugin-option name-serializer
name-sibling name-sink name-source name-step name-stream-key name-top-level name-two-misspelt
shape-among-empty shape-computed-topic-read shape-dead-letters-computed shape-dead-letters-key
shape-dead-letters-key-of-a-sink shape-dead-letters-list shape-dead-letters-on-error
shape-key-of-a-read-topic shape-key-of-a-sink shape-list-of-topics shape-no-ends shape-option-beside
shape-sibling-inside shape-steps-map shape-two-plugins ten-mistakes type-fields-list type-list-of-two
type-missing type-unknown value-duration value-enum
value-enum-plugin value-none-plugin value-partitioner value-range value-range-plugin value-size
value-topic-name value-type-int value-type-map value-unit yaml-empty yaml-list yaml-windows-breaks
""".split()

# tests/check/every-TYPE.yaml gives one option a wrong value in each step. Numbers of those steps whose
# mistake no schema tells: what a variable holds, what an expression or a path says, the range of a
# number in another form or of what has a unit, days that are in no calendar.
UNTOLD = {
    "any": [0, 1], "bool": [2], "duration": [11, 14], "expression": [0, 1, 2, 3, 4, 5],
    "float": [12], "int": [2, 13, 14], "map": [7, 8, 9, 10, 11, 12], "secret": [0, 1],
    "size": [7, 8, 10], "stream": [3, 4, 5, 6, 9, 10],
    "target": [3, 4, 5, 6, 7, 8, 9], "text": [3, 4, 5], "time": [4, 5, 6],
}


def in_environment():
    """Starts this program again where the packages are; returns only if they cannot be had."""
    folder = os.path.join(ROOT, "build", "schema-venv")
    python = os.path.join(folder, "bin", "python")
    if os.environ.get("WEIR_SCHEMA_VENV"):
        return "the packages are installed and cannot be used"
    done = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True)
    if done.returncode == 0:
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES],
                              capture_output=True, text=True)
    if done.returncode != 0:
        return (done.stderr or done.stdout).strip()
    os.execve(python, [python, *sys.argv], dict(os.environ, WEIR_SCHEMA_VENV="1"))


try:
    import jsonschema
    import yaml
except ImportError:
    skip_all("no validator: " + in_environment())

WEIR = os.path.abspath(sys.argv[1])
PLUGINS = os.path.join(os.path.dirname(os.path.dirname(WEIR)), "tests", "check", "plugins")
ENVIRONMENT = dict(os.environ, WEIR_CHECK_PLUGINS=PLUGINS)


class Loader(yaml.SafeLoader):
    """YAML 1.2: `yes` is a text, and so is 2026-01-01."""
    yaml_implicit_resolvers = {}

    def construct_number(self, node):
        text = node.value
        return int(text, 0) if re.match(r"0[ox]", text) else json.loads(re.sub(r"^\+", "", text))


def resolver(tag, pattern, first):
    Loader.add_implicit_resolver(tag, re.compile(r"^(?:%s)$" % pattern), first)


resolver("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""])
resolver("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF"))
resolver("!number", r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+",
         list("-+0123456789"))
resolver("tag:yaml.org,2002:merge", r"<<", ["<"])
Loader.add_constructor("!number", Loader.construct_number)


def with_text_keys(value):
    """As editors see it: keys of JSON are texts."""
    if isinstance(value, dict):
        return {{True: "true", False: "false", None: "null"}.get(key, str(key)): with_text_keys(item)
                for key, item in value.items()}
    return [with_text_keys(item) for item in value] if isinstance(value, list) else value


def read(path):
    with open(path, encoding="utf-8") as file:
        # Inside of { } PyYAML takes a '?' for the sign of a key.
        text = re.sub(r"(\w+ \?\? [\w.]+)(?=[,}])", r"'\1'", file.read())
    return with_text_keys(yaml.load(text, Loader))


def schema_of(*words):
    ended = run([WEIR, "schema", *words], env=ENVIRONMENT)
    equals((ended.returncode, ended.stderr), (0, ""))
    return json.loads(ended.stdout)


def validator(*words):
    return jsonschema.Draft202012Validator(schema_of(*words))


def faults(judge, document):
    return ["%s: %s" % (fault.json_path, fault.message[:200]) for fault in judge.iter_errors(document)]


cases = Cases()
BUILT_IN = validator()


@cases.case
def the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(BUILT_IN.schema)
    equals(BUILT_IN.schema["$schema"], "https://json-schema.org/draft/2020-12/schema")


@cases.case
def everything_that_is_named_is_documented():
    def look(place, schema):
        if isinstance(schema, dict):
            for name, property_ in (schema.get("properties") or {}).items():
                if isinstance(property_, dict) and name != "file":
                    target = BUILT_IN.schema["$defs"].get(property_.get("$ref", "")[8:], {})
                    assert "description" in property_ or "description" in target, place + name
            for name, item in schema.items():
                look("%s%s." % (place, name), item)
        elif isinstance(schema, list):
            for item in schema:
                look(place, item)
    look("", BUILT_IN.schema)


def shipped():
    found = []
    for pattern in ("examples/**/pipeline.yaml", "tests/pipelines/*/pipeline.yaml",
                    "tests/check/right-*.yaml", "tests/check/unused-*.yaml"):
        found += sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))
    return found


def must_validate(path):
    def check():
        document = read(path)
        # A plugin of an example is built by its reader; without it only the rest can be judged.
        if any(not os.path.exists(os.path.join(os.path.dirname(path), str(plugin)))
               for plugin in document.get("plugins", [])):
            found = [fault for fault in faults(BUILT_IN, document)
                     if not re.match(r"\$\.streams\.\w+\.(from|steps|to)", fault)]
            equals(found, [])
            return
        equals(faults(validator(path) if "plugins" in document else BUILT_IN, document), [])
    check.__name__ = "validates_" + os.path.relpath(path, ROOT)
    cases.case(check)


def must_not_validate(name):
    def check():
        assert faults(BUILT_IN, read(os.path.join(CHECK, name + ".yaml"))), "it validates"
    check.__name__ = "tells_" + name
    cases.case(check)


def must_tell_steps(path):
    def check():
        document = read(path)
        steps = document["streams"]["all"]["steps"]
        assert len(steps) > 1
        judge = validator(path)
        name = os.path.basename(path)[len("every-"):-len(".yaml")]
        passing = []
        for number, step in enumerate(steps):
            document["streams"]["all"]["steps"] = [step]
            if not faults(judge, document):
                passing.append(number)
        equals(passing, UNTOLD.get(name, []))
    check.__name__ = "tells_the_steps_of_" + os.path.relpath(path, ROOT)
    cases.case(check)


for file in shipped():
    must_validate(file)
for word in TELLABLE:
    must_not_validate(word)
for file in sorted(glob.glob(os.path.join(CHECK, "every-*.yaml"))):
    must_tell_steps(file)


@cases.case
def a_file_brings_its_plugins_into_the_schema():
    path = os.path.join(CHECK, "every-any.yaml")
    assert "every_option" not in json.dumps(BUILT_IN.schema)
    name = "operator.org.example.every-option.every_option"
    contains(list(schema_of(path)["$defs"]), name)


@cases.case
def a_plugin_that_is_not_there_is_told():
    ended = run([WEIR, "schema", os.path.join(CHECK, "file-plugin.yaml")])
    equals((ended.returncode, ended.stdout), (1, ""))
    contains(ended.stderr, "no-such-plugin.so")


def right(steps="[]", source="{topic: a}", to="print", more=""):
    text = "pipeline: p\ntopics: [a]\n%sstreams: {s: {from: %s, steps: %s, to: %s}}" % (
        more, source, steps, to)
    return with_text_keys(yaml.load(text, Loader))


FORMS = [
    ("a_name_alone", right(to="print"), True),
    ("a_name_alone_with_a_required_option", right(steps="[filter]"), False),
    ("a_qualified_name", right(steps="[{org.weir.operator.filter.filter: a > 1}]"), True),
    ("a_quoted_number", right(more='threads: "4"\n'), True),
    ("a_variable_for_a_number", right(more='threads: "${THREADS:-4}"\n'), True),
    ("a_variable_for_an_enum", right(to='{print: {format: "${FORMAT}"}}'), True),
    ("a_variable_for_a_bool", right(source='{file: {path: x, follow: "${F}"}}'), True),
    ("a_duration_of_several_parts", right(more="shutdown_timeout: 1h30m\n"), True),
    ("a_duration_from_small_to_large", right(more="shutdown_timeout: 30m1h\n"), False),
    ("a_duration_of_zero", right(more="shutdown_timeout: 0\n"), True),
    ("an_expression_that_is_a_map", right(steps="[{set: {pos: {lat: a, lon: [b, 1, null]}}}]"), True),
    ("properties_of_librdkafka", right(more="kafka: {linger.ms: 5, acks: all, security.protocol: SASL_SSL, "
                                            "sasl.password: {file: x}, client.id: 7}\n"), True),
    ("options_beside_properties", right(more="kafka: {lost_offsets: latest, create_topics: false}\n"), True),
    ("a_property_with_a_list", right(more="kafka: {client.id: [a]}\n"), False),
    ("a_key_for_anchors", right(more="x-mine: {a: 1}\n"), True),
    ("a_body_behind_a_sink", right(to="{file: out}"), True),
    ("the_long_form_of_a_sink", right(to="{file: {path: out, roll_age: 1m}, id: o}"), True),
    ("an_end_without_a_name", right(to="{id: o}"), False),
    ("a_topic_and_a_sink_in_one_end", right(to="{topic: a, print: {}}"), False),
    ("a_topic_with_a_key", right(to="{topic: a, key: site, on_error: skip}"), True),
    ("a_source_with_siblings", right(source="{file: x.jsonl, key: a, partitions: 3}"), True),
    ("a_list_of_ends", right(to="[print, {topic: a}]"), True),
]


def form(name, document, is_right):
    def check():
        found = faults(BUILT_IN, document)
        assert (not found) == is_right, found or "it validates"
    check.__name__ = ("takes_" if is_right else "refuses_") + name
    cases.case(check)


for row in FORMS:
    form(*row)
cases.finish()
