#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what other tests stand on: clusters of Kafka, the probe, the mock cluster, the cache.

Usage: tests/servers/run.py BUILD         such as build/release
"""
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KAFKA = os.path.join(HERE, "kafka")
sys.path[:0] = [os.path.join(HERE, ".."), KAFKA]
from cases import Cases, Skipped, contains, equals, run, skip_all  # noqa: E402
import cache  # noqa: E402
import cluster  # noqa: E402
import scram  # noqa: E402
import settings  # noqa: E402
import wire  # noqa: E402
from cluster import Cluster  # noqa: E402
from mock import Mock  # noqa: E402
from probe import Probe, ProbeError  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
cases = Cases()


def probe_of(kafka, listener="PLAINTEXT", **changes):
    """A probe at a listener; changes are properties with _ for the dot, None takes one away."""
    properties = dict(kafka.client(listener), **{name.replace("_", "."): value for name, value in changes.items()})
    return Probe(BUILD, {name: value for name, value in properties.items() if value is not None})


def refused(probe, why):
    try:
        probe.topics()
    except ProbeError as error:
        contains(str(error), why)
    else:
        raise AssertionError("was let in")


def wait_until(is_so, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "not so after %d s" % seconds
        time.sleep(0.05)


def values(records):
    return sorted(record["value"] for record in records)


# ---- one node with every listener ------------------------------------------------------------------

@cases.case
def records_come_back_as_they_were_sent():
    probe = probe_of(ONE)
    sent = [{"topic": "records", "partition": i % 3, "key": "key %d" % i, "value": "value %d" % i,
             "timestamp": 1700000000000 + i, "headers": [["n", str(i)], ["n", None], ["bytes", {"hex": "00ff"}]]}
            for i in range(1000)]
    probe.create("records", 3)
    delivered = probe.produce(sent)
    equals(len(delivered), 1000)
    got = probe.consume("records")
    equals(sorted(got, key=lambda record: record["timestamp"]),
           [dict(record, offset=i // 3) for i, record in enumerate(sent)])
    equals(probe.watermarks("records"), [(0, 334), (0, 333), (0, 333)])


@cases.case
def what_is_null_empty_or_no_text_comes_back_too():
    probe = probe_of(ONE)
    probe.create("odd", 1)
    odd = [None, "", {"hex": "fffe"}, "zero \0", "\u65e5\u672c"]
    probe.produce([{"topic": "odd", "key": one, "value": one} for one in odd])
    equals([(record["key"], record["value"]) for record in probe.consume("odd")], [(one, one) for one in odd])


@cases.case
def a_transaction_is_seen_by_its_isolation_level():
    probe = probe_of(ONE)
    probe.create("isolated", 1)
    producer = probe.producer(transactional="isolated")
    for line in ('{"topic": "isolated", "value": "kept"}', '{"do": "commit"}',
                 '{"topic": "isolated", "value": "aborted"}', '{"do": "flush"}', '{"do": "abort"}',
                 '{"topic": "isolated", "value": "open"}', '{"do": "flush"}'):
        producer.stdin.write(line + "\n")
    for line in iter(producer.stdout.readline, ""):
        if '"offset":4' in line:
            break
    equals(values(probe.consume("isolated")), ["kept"])
    equals(values(probe.consume("isolated", uncommitted=True)), ["aborted", "kept", "open"])
    equals(probe.watermarks("isolated", committed=True), [(0, 4)])
    equals(probe.watermarks("isolated"), [(0, 5)])
    producer.stdin.write('{"do": "commit"}\n')
    producer.communicate(timeout=60)
    equals(values(probe.consume("isolated")), ["kept", "open"])


@cases.case
def a_second_producer_of_a_name_fences_the_first():
    probe = probe_of(ONE)
    probe.create("fenced", 1)
    first = probe.producer(transactional="fenced")
    first.stdin.write('{"topic": "fenced", "value": "zombie"}\n{"do": "flush"}\n')
    first.stdout.readline()
    probe.produce([{"topic": "fenced", "value": "heir"}, {"do": "commit"}], transactional="fenced")
    first.communicate('{"do": "commit"}\n', timeout=60)
    equals(first.returncode, 1)
    equals(values(probe.consume("fenced")), ["heir"])


@cases.case
def a_group_has_what_it_committed():
    probe = probe_of(ONE)
    probe.create("committed", 2)
    probe.produce([{"topic": "committed", "partition": 1, "value": str(i)} for i in range(3)])
    probe.commit("readers", "committed", 1, 2)
    equals(probe.offsets("readers"), {("committed", 1): 2})
    equals(probe.groups("readers")["readers"]["members"], [])
    contains(str(list(probe.groups())), "readers")
    equals(values(probe.consume("committed", partition=1, start=2)), ["2"])
    equals(ONE.coordinator("readers"), 1)


@cases.case
def topics_have_the_settings_they_are_given():
    probe = probe_of(ONE)
    probe.create("compacted", 1, settings={"cleanup.policy": "compact"})
    equals(probe.config("compacted")["cleanup.policy"], "compact")
    equals(len(probe.topics()["compacted"]), 1)
    probe.delete("compacted")
    wait_until(lambda: "compacted" not in probe.topics())
    try:
        probe.consume("compacted")
    except ProbeError as error:
        contains(str(error), "there is no topic 'compacted'")
    else:
        raise AssertionError("it is still there")


@cases.case
def each_listener_lets_in_whom_it_should():
    for listener in ("PLAINTEXT", "SSL", "SSL_MUTUAL", "SASL_PLAINTEXT", "SASL_SSL"):
        contains(str(probe_of(ONE, listener).topics()), "records")
    contains(str(Probe(BUILD, ONE.client("SASL_SSL", "OAUTHBEARER")).topics()), "records")


@cases.case
def tls_refuses_certificates_that_are_wrong():
    refused(probe_of(ONE, "SSL", ssl_ca_location=ONE.certificates.stranger_ca), "certificate verify failed")
    refused(probe_of(ONE, "SSL_STRANGER"), "certificate verify failed")
    refused(probe_of(ONE, "SSL_EXPIRED"), "certificate verify failed")
    refused(probe_of(ONE, "SSL_MUTUAL", ssl_certificate_location=None, ssl_key_location=None), "bad certificate")
    refused(probe_of(ONE, "SSL_MUTUAL", ssl_certificate_location=ONE.certificates.stranger_client,
                     ssl_key_location=ONE.certificates.stranger_client_key), "SSL routines")


@cases.case
def nothing_else_is_wrong_with_those_certificates():
    assert probe_of(ONE, "SSL_STRANGER", ssl_ca_location=ONE.certificates.stranger_ca).topics()
    assert probe_of(ONE, "SSL_EXPIRED", enable_ssl_certificate_verification="false").topics()


@cases.case
def sasl_refuses_a_wrong_password_and_an_unknown_user():
    for listener in ("SASL_PLAINTEXT", "SASL_SSL"):
        refused(probe_of(ONE, listener, sasl_password="guess"), "Authentication failed")
        refused(probe_of(ONE, listener, sasl_username="bob"), "Authentication failed")


@cases.case
def scram_knows_its_user():
    for listener, ca in (("SASL_PLAINTEXT", None), ("SASL_SSL", ONE.ca)):
        for mechanism in settings.SCRAM:
            scram.log_in(ONE.address(listener), mechanism, ONE.user, ONE.password, ca)
            try:
                scram.log_in(ONE.address(listener), mechanism, ONE.user, "guess", ca)
            except scram.Refused as why:
                contains(str(why), "invalid credentials")
            else:
                raise AssertionError("a wrong password was taken")


@cases.case
def a_paused_node_answers_when_it_goes_on():
    ONE.pause(1)
    try:
        wire.metadata(ONE.nodes[1].address(), timeout=1)
    except OSError:
        pass
    else:
        raise AssertionError("a paused node answered")
    ONE.resume(1)
    contains(str(probe_of(ONE).topics()), "records")


@cases.case
def records_outlive_a_stop_and_a_kill():
    probe = probe_of(ONE)
    for end in (ONE.stop, ONE.kill):
        before = ONE.bootstrap
        end(1)
        ONE.start(1)
        equals(ONE.bootstrap, before)
        equals(len(probe.consume("records", count=1000)), 1000)


@cases.case
def quix_streams_reads_what_the_probe_wrote():
    done = run([quix_python(), "-W", "ignore", "-c", QUIX_READS, ONE.address("SASL_SSL"), ONE.ca, ONE.user,
                ONE.password], timeout=120)
    equals((done.returncode, done.stdout), (0, "1000 records\n"))


QUIX_READS = """
import sys
from quixstreams import Application
from quixstreams.kafka import ConnectionConfig
brokers, ca, user, password = sys.argv[1:]
connection = ConnectionConfig(bootstrap_servers=brokers, security_protocol="sasl_ssl", ssl_ca_location=ca,
                              sasl_mechanism="SCRAM-SHA-512", sasl_username=user, sasl_password=password)
application = Application(broker_address=connection, consumer_group="quix", auto_offset_reset="earliest",
                          loglevel=None)
count = 0
with application.get_consumer() as consumer:
    consumer.subscribe(["records"])
    while count < 1000 and (message := consumer.poll(60)) is not None:
        assert message.error() is None, message.error()
        count += 1
print(count, "records")
"""


def quix_python():
    done = run([os.path.join(HERE, "quixstreams", "venv")], timeout=600)
    if done.returncode == cache.SKIP_STATUS:
        raise Skipped(done.stderr.strip())
    return done.stdout.strip()


@cases.case
def a_user_may_be_forbidden_everything():
    with Cluster(listeners=["SASL_SSL"], settings=settings.FORBIDDING) as kafka:
        probe_of(kafka).create("secret", 1)
        contains(str(probe_of(kafka).topics()), "secret")
        equals(probe_of(kafka, "SASL_SSL").topics(), {})
        try:
            probe_of(kafka, "SASL_SSL").create("another", 1)
        except ProbeError as error:
            contains(str(error), "Authorization failed")
        else:
            raise AssertionError("it was allowed")


# ---- three nodes -----------------------------------------------------------------------------------

@cases.case
def a_cluster_of_three_goes_on_without_one():
    with Cluster(nodes=3) as three:
        probe = probe_of(three)
        probe.create("kept", 3)
        probe.produce([{"topic": "kept", "value": "before"}])
        three.move_leader("kept", 0, 2)
        equals(three.leader("kept", 0), 2)
        three.kill(2)
        probe.produce([{"topic": "kept", "partition": i, "value": "after"} for i in range(3)])
        equals(values(probe.consume("kept")), ["after", "after", "after", "before"])
        assert three.leader("kept", 0) != 2
        three.start(2)
        wait_until(lambda: 2 in three.metadata().topics["kept"][0].in_sync)
        three.move_leader("kept", 0, 2)
        equals(len(probe.consume("kept")), 4)


# ---- whatever ends the test ------------------------------------------------------------------------

STARTS_A_CLUSTER = """
import sys, time
sys.path[:0] = [%r]
from cluster import Cluster
with Cluster() as kafka:
    print(kafka.nodes[1].process.pid, kafka.folder, flush=True)
    time.sleep(600)
""" % KAFKA


@cases.case
def nodes_end_with_a_test_that_is_killed():
    test = subprocess.Popen([sys.executable, "-c", STARTS_A_CLUSTER], stdout=subprocess.PIPE, text=True)
    pid, folder = test.stdout.readline().split()
    assert os.path.isdir(folder) and os.path.exists("/proc/" + pid)
    test.send_signal(signal.SIGKILL)
    test.communicate()
    wait_until(lambda: not os.path.exists("/proc/" + pid) and not os.path.exists(folder))


@cases.case
def the_command_runs_a_cluster_for_another():
    shows = 'echo "at $WEIR_TEST_KAFKA"; echo "$WEIR_TEST_KAFKA_SASL_SSL"; "$0" list && exit 3'
    done = run([os.path.join(KAFKA, "run"), "--listener", "SASL_SSL", "--set", "num.partitions=7", "--for",
                "sh", "-c", shows, os.path.join(BUILD, "tests", "servers", "kafka", "probe")], timeout=120)
    equals(done.returncode, 3)
    contains(done.stdout, "at 127.0.0.1:")
    contains(done.stdout, "sasl.username=" + Cluster.user)


# ---- the mock cluster ------------------------------------------------------------------------------

@cases.case
def the_mock_cluster_takes_records_and_fails_on_demand():
    with Mock(BUILD, brokers=3) as kafka:
        probe = Probe(BUILD, kafka.client())
        kafka.do("topic mocked 4 3")
        sent = [str(i) for i in range(100)]
        probe.produce([{"topic": "mocked", "partition": i % 4, "value": one} for i, one in enumerate(sent)])
        equals(values(probe.consume("mocked")), sorted(sent))
        kafka.do("errors Produce NOT_LEADER_FOR_PARTITION _TRANSPORT")
        kafka.do("leader mocked 0 2")
        kafka.do("down 1")
        probe.produce([{"topic": "mocked", "partition": 0, "value": "again"}])
        kafka.do("up 1")
        equals(probe.watermarks("mocked")[0], (0, 26))
        kafka.do("errors Produce MSG_SIZE_TOO_LARGE")
        try:
            probe.produce([{"topic": "mocked", "value": "large"}])
        except ProbeError as error:
            contains(str(error), "Message size too large")
        else:
            raise AssertionError("the error was not given")


STARTS_A_MOCK = """
import sys, time
sys.path[:0] = [%r]
from mock import Mock
with Mock(%r) as kafka:
    print(kafka.process.pid, flush=True)
    time.sleep(600)
""" % (KAFKA, BUILD)


@cases.case
def the_mock_cluster_ends_with_a_test_that_is_killed():
    test = subprocess.Popen([sys.executable, "-c", STARTS_A_MOCK], stdout=subprocess.PIPE, text=True)
    pid = test.stdout.readline().strip()
    assert os.path.exists("/proc/" + pid)
    test.send_signal(signal.SIGKILL)
    test.communicate()
    wait_until(lambda: not os.path.exists("/proc/" + pid))


@cases.case
def the_mock_cluster_refuses_orders_it_does_not_know():
    with Mock(BUILD) as kafka:
        for order, why in (("dance", "no such order"), ("topic t", "a number is wanted"),
                           ("errors Produce OOPS", "no such error"), ("errors Walk NO_ERROR", "no such request"),
                           ("down 7", "Broker not available")):
            try:
                kafka.do(order)
            except ValueError as error:
                contains(str(error), why)
            else:
                raise AssertionError("%r was taken" % order)


# ---- the cache -------------------------------------------------------------------------------------

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
               % cluster.distribution.version())
        equals([name for name in os.listdir(environment["WEIR_CACHE"]) if not name.endswith(".lock")], [])


@cases.case
def an_old_java_is_told():
    with empty_cache(java="echo 'openjdk version \"11.0.2\"'\n") as environment:
        done = run([os.path.join(KAFKA, "fetch")], env=environment)
        equals(done.returncode, cache.SKIP_STATUS)
        contains(done.stderr, 'it wants Java 17, and here is openjdk version "11.0.2"')


@cases.case
def these_tests_are_skipped_aloud_or_fail():
    for required, status, last in (("0", 0, "0 passed, 0 failed, 1 skipped"), ("1", 1, "0 passed, 1 failed")):
        with empty_cache(mvn=NO_REGISTRY) as environment:
            done = run([sys.executable, os.path.abspath(__file__), BUILD],
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
""" % HERE


@cases.case
def processes_that_want_the_same_make_it_once():
    with empty_cache() as environment:
        each = [subprocess.Popen([sys.executable, "-c", MAKES_AN_ENTRY], env=environment, text=True,
                                 stdout=subprocess.PIPE) for _ in range(3)]
        said = "".join(process.communicate(timeout=60)[0] for process in each)
    equals(sorted(said.splitlines()), ["['whole']"] * 3 + ["made"])


try:
    cluster.fetched()
except cache.Unavailable as why:
    skip_all(why)
with Cluster(listeners=settings.LISTENERS) as ONE:
    cases.finish()
