#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the mock cluster of Kafka, as a program and from Python.

Usage: tests/servers/tests/kafka_mock.py WEIR          such as build/release/bin/weir
"""
import os
import signal
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]
from testing import BUILD, KAFKA, must_fail, values, wait_until  # noqa: E402
from cases import Cases, equals  # noqa: E402
from mock import Mock  # noqa: E402
from probe import Probe, ProbeError  # noqa: E402

cases = Cases()


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
        must_fail(lambda: probe.produce([{"topic": "mocked", "value": "large"}]), ProbeError,
                  "Message size too large")


@cases.case
def the_mock_cluster_tells_whether_its_errors_were_met():
    with Mock(BUILD, brokers=2) as kafka:
        probe = Probe(BUILD, kafka.client())
        kafka.do("topic mocked 1 1")
        kafka.do("leader mocked 0 2")
        kafka.do("none-left 2 Produce")
        kafka.do("broker-errors 2 Produce NOT_LEADER_FOR_PARTITION REQUEST_TIMED_OUT")
        must_fail(lambda: kafka.do("none-left 2 Produce"), ValueError, "errors are left")
        probe.produce([{"topic": "mocked", "value": "1"}])
        kafka.do("none-left 2 Produce")
        must_fail(lambda: kafka.do("broker-errors 7 Produce NO_ERROR"), ValueError, "Unknown broker")


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
            must_fail(lambda: kafka.do(order), ValueError, why)


cases.finish()
