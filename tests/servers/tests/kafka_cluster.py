#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the clusters of Kafka that tests start, and the probe by which they judge.

Usage: tests/servers/tests/kafka_cluster.py WEIR          such as build/release/bin/weir
"""
import os
import signal
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from testing import BUILD, KAFKA, SERVERS, must_fail, values, wait_until  # noqa: E402
from cases import Cases, Skipped, contains, equals, run, skip_all  # noqa: E402
import cache  # noqa: E402
import cluster  # noqa: E402
import scram  # noqa: E402
import settings  # noqa: E402
import wire  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe, ProbeError  # noqa: E402

cases = Cases()


def probe_of(kafka, listener="PLAINTEXT", **changes):
    """A probe at a listener; changes are properties with _ for the dot, None takes one away."""
    properties = dict(kafka.client(listener), **{name.replace("_", "."): value for name, value in changes.items()})
    return Probe(BUILD, {name: value for name, value in properties.items() if value is not None})


def refused(probe, why):
    must_fail(probe.topics, ProbeError, why)


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
    producer.communicate(timeout=120)
    equals(values(probe.consume("isolated")), ["kept", "open"])


@cases.case
def a_second_producer_of_a_name_fences_the_first():
    probe = probe_of(ONE)
    probe.create("fenced", 1)
    first = probe.producer(transactional="fenced")
    first.stdin.write('{"topic": "fenced", "value": "zombie"}\n{"do": "flush"}\n')
    first.stdout.readline()
    probe.produce([{"topic": "fenced", "value": "heir"}, {"do": "commit"}], transactional="fenced")
    first.communicate('{"do": "commit"}\n', timeout=120)
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
    must_fail(lambda: probe.consume("compacted"), ProbeError, "there is no topic 'compacted'")


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
    refused(probe_of(ONE, "SSL_MUTUAL", ssl_certificate_location=None, ssl_key_location=None), "certificate")
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
            must_fail(lambda: scram.log_in(ONE.address(listener), mechanism, ONE.user, "guess", ca),
                      scram.Refused, "invalid credentials")


@cases.case
def a_paused_node_answers_when_it_goes_on():
    ONE.pause(1)
    must_fail(lambda: wire.metadata(ONE.nodes[1].address(), timeout=1), OSError, "timed out")
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
                ONE.password], timeout=300)
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
    done = run([os.path.join(SERVERS, "quixstreams", "venv")], timeout=600)
    if done.returncode == cache.SKIP_STATUS:
        raise Skipped(done.stderr.strip())
    return done.stdout.strip()


@cases.case
def a_user_may_be_forbidden_everything():
    with Cluster(listeners=["SASL_SSL"], settings=settings.FORBIDDING) as kafka:
        probe_of(kafka).create("secret", 1)
        contains(str(probe_of(kafka).topics()), "secret")
        equals(probe_of(kafka, "SASL_SSL").topics(), {})
        must_fail(lambda: probe_of(kafka, "SASL_SSL").create("another", 1), ProbeError,
                  "Authorization failed")


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
        wait_until(lambda: three.leader("kept", 0) != 2)
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
                "sh", "-c", shows, os.path.join(BUILD, "tests", "servers", "kafka", "probe")], timeout=300)
    equals(done.returncode, 3)
    contains(done.stdout, "at 127.0.0.1:")
    contains(done.stdout, "sasl.username=" + Cluster.user)


try:
    cluster.fetched()
except cache.Unavailable as why:
    skip_all(why)
with Cluster(listeners=settings.LISTENERS) as ONE:
    cases.finish()
