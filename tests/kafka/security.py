#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Encryption and users: what lets weir in at a real Kafka, and what is said where it is kept out.

Usage: tests/kafka/security.py WEIR
"""
import json
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", *way) for way in ((), ("servers",), ("servers", "kafka"))]
from cases import Cases, contains, equals, run, skip_all  # noqa: E402
import cache  # noqa: E402
import settings  # noqa: E402
from cluster import Cluster  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
LISTENERS = ["SSL", "SSL_MUTUAL", "SSL_EXPIRED", "SSL_STRANGER", "SASL_PLAINTEXT", "SASL_SSL"]
MOST_SECONDS = 10  # until somebody is told why
cases = Cases()


class Client:
    """A folder with a pipeline file for a listener.

    address: of another listener; changes: properties with _ for the dot, None takes one away."""

    def __init__(self, kafka, listener, address=None, **changes):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-security-")
        properties = kafka.client(listener)
        brokers = properties.pop("bootstrap.servers")
        properties.update((name.replace("_", "."), value) for name, value in changes.items())
        self.secret = properties.get("sasl.password")
        if self.secret is not None:
            with open(os.path.join(self.folder.name, "password"), "w", encoding="utf-8") as file:
                file.write(self.secret + "\n")
            properties["sasl.password"] = {"file": "password"}
        given = {name: value for name, value in properties.items() if value is not None}
        with open(os.path.join(self.folder.name, "p.yaml"), "w", encoding="utf-8") as file:
            file.write("pipeline: security\nlog: kafka://%s\nkafka: %s\n" % (address or brokers, json.dumps(given))
                       + "topics: {readings: {partitions: 1}}\n"
                         "streams: {all: {from: {topic: readings}, to: print}}\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def weir(self, *words, **more):
        """Runs a command with the file; whatever it says holds no secret."""
        ended = run([WEIR, *words], cwd=self.folder.name, **more)
        if self.secret is not None:
            assert self.secret not in ended.stdout + ended.stderr, "the password is shown"
        return ended


def let_in(client):
    equals(client.weir("check", "p.yaml").returncode, 0)
    put = client.weir("topic", "put", "readings", "values", "--create", "1", "-f", "p.yaml")
    equals((put.returncode, put.stderr), (0, ""))
    shown = client.weir("topic", "list", "-f", "p.yaml")
    equals((shown.returncode, shown.stderr), (0, ""))
    contains(shown.stdout, "readings")


LIST = ("topic", "list", "-f", "p.yaml")
RUN = ("run", "p.yaml")
DRY_RUN = ("run", "--dry-run", "p.yaml")


def kept_out(client, commands, *parts):
    """Commands that need the broker say the same, soon."""
    equals(client.weir("check", "p.yaml").returncode, 0)  # offline, so nothing is wrong yet
    for words in commands:
        begin = time.monotonic()
        ended = client.weir(*words)
        seconds = time.monotonic() - begin
        equals((ended.returncode, ended.stdout), (1, ""))
        for part in ("could not reach Kafka at 127.0.0.1:", *parts):
            contains(ended.stderr, part)
        assert seconds < MOST_SECONDS, "%s took %.1f s" % (" ".join(words), seconds)


# ---- let in ------------------------------------------------------------------------------------------

def is_let_in(kafka, listener):
    def check():
        with Client(kafka, listener) as client:
            with open(os.path.join(client.folder.name, "values"), "w", encoding="utf-8") as file:
                file.write('{"site": "A"}\n')
            let_in(client)
    check.__name__ = "%s lets in who has all that is wanted" % listener
    cases.case(check)


# ---- kept out: name, listener, changes, what is said --------------------------------------------------

KEPT_OUT = [
    ("a wrong password", "SASL_SSL", {"sasl_password": "no such password"},
     ["Invalid username or password", "check 'sasl.username' and 'sasl.password'"]),
    ("a wrong user", "SASL_PLAINTEXT", {"sasl_username": "mallory"},
     ["Invalid username or password", "check 'sasl.username'"]),
    ("an authority that nobody knows", "SSL_STRANGER", {},
     ["cannot be trusted: unable to get local issuer certificate", "write the authority"]),
    ("no authority", "SSL", {"ssl_ca_location": None},
     ["cannot be trusted: unable to get local issuer certificate", "'ssl.ca.location'"]),
    ("a certificate that has run out", "SSL_EXPIRED", {},
     ["cannot be trusted: certificate has expired", "the broker needs a new one"]),
    ("no certificate of its own", "SSL_MUTUAL", {"ssl_certificate_location": None, "ssl_key_location": None},
     ["the broker wants a certificate of the client", "write 'ssl.certificate.location'"]),
]

# Listener whose properties are used, listener whose port is taken.
WRONG_PORTS = [
    ("PLAINTEXT", "SSL", ["expects TLS", "write 'security.protocol: SSL'"]),
    ("PLAINTEXT", "SASL_PLAINTEXT", ["expects a user", "'sasl.username'"]),
    ("SSL", "SASL_SSL", ["expects a user", "'sasl.username'"]),
    ("SSL", "PLAINTEXT", ["speaks no TLS at this port", "'security.protocol'"]),
    ("SASL_PLAINTEXT", "PLAINTEXT", ["lets everybody in at this port", "'security.protocol'"]),
]


def is_kept_out(kafka, name, listener, changes, parts):
    def check():
        with Client(kafka, listener, **changes) as client:
            kept_out(client, (LIST, RUN, DRY_RUN), *parts)
    check.__name__ = name + " keeps out, and is told"
    cases.case(check)


def is_wrong_port(kafka, listener, port, parts):
    def check():
        with Client(kafka, listener, address=kafka.address(port)) as client:
            kept_out(client, (LIST,), *parts)
    check.__name__ = "%s at the port of %s is told" % (listener, port)
    cases.case(check)


def all_cases(kafka):
    for listener in ("SSL", "SSL_MUTUAL", "SASL_PLAINTEXT", "SASL_SSL"):
        is_let_in(kafka, listener)
    for row in KEPT_OUT:
        is_kept_out(kafka, *row)
    for row in WRONG_PORTS:
        is_wrong_port(kafka, *row)

    @cases.case
    def all_that_the_library_logs_holds_no_password():
        with Client(kafka, "SASL_SSL", debug="all") as client:
            shown = client.weir("topic", "list", "-f", "p.yaml")
            equals(shown.returncode, 0)
            contains(shown.stderr, "sasl_ssl:")


def is_told_what_is_forbidden(kafka):
    @cases.case
    def a_right_that_is_missing_is_told():
        with Client(kafka, "SASL_PLAINTEXT") as client:
            ended = client.weir(*RUN)
            equals((ended.returncode, ended.stdout), (1, ""))
            contains(ended.stderr, "user 'alice' lacks the right Read on topic 'readings'; an administrator gives "
                                   "it: kafka-acls --add --allow-principal User:alice --operation Read "
                                   "--topic readings")


try:
    with Cluster(listeners=LISTENERS) as cluster:
        all_cases(cluster)
        with Cluster(listeners=["SASL_PLAINTEXT"], settings=settings.FORBIDDING) as forbidding:
            is_told_what_is_forbidden(forbidding)
            cases.finish()
except cache.Unavailable as why:
    skip_all("no Kafka: %s" % why)
