#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Encryption and users: what lets weir in at a real Kafka, and what is said where it is kept out.

Usage: tests/kafka/security.py WEIR
"""
import hashlib
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import Cases, build_plugin, contains, equals, run  # noqa: E402
from kafka_cases import WEIR, skipping  # noqa: E402
import settings  # noqa: E402
import distribution  # noqa: E402
from cluster import Cluster, fetched  # noqa: E402

LISTENERS = ["SSL", "SSL_MUTUAL", "SSL_EXPIRED", "SSL_STRANGER", "SASL_PLAINTEXT", "SASL_SSL"]
PATIENCE = {"request_timeout": "10m"}  # much longer than the tests have: who is kept out is told soon
cases = Cases()


class Client:
    """A folder with a pipeline file for a listener.

    address: of another listener; changes: properties with _ for the dot, None takes one away."""

    def __init__(self, kafka, listener, address=None, mechanism="PLAIN", topic=None, **changes):
        self.folder = tempfile.TemporaryDirectory(prefix="weir-security-")
        self.topic = topic or "readings.%s.%s" % (listener, mechanism)  # of its own, since several run at a time
        properties = kafka.client(listener, mechanism)
        brokers = properties.pop("bootstrap.servers")
        properties.update((name.replace("_", "."), value) for name, value in changes.items())
        self.secret = properties.get("sasl.password")
        if self.secret is not None:
            self.write("password", self.secret + "\n")
            properties["sasl.password"] = {"file": "password"}
        given = {**PATIENCE, **{name: value for name, value in properties.items() if value is not None}}
        self.text = ("pipeline: %s\nlog: kafka://%s\nkafka: %s\n"
                     "topics: {%s: {partitions: 1}}\nstreams: {all: {from: {topic: %s}, to: print}}\n"
                     % (self.topic, address or brokers, json.dumps(given), self.topic, self.topic))
        self.write("p.yaml", self.text)

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

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


def without_patience(text):
    """Brokers may be slow to answer."""
    return "".join(line for line in text.splitlines(True) if not line.endswith("no broker answers; trying on\n"))


def let_in(client):
    equals(client.weir("check", "p.yaml").returncode, 0)
    put = client.weir("topic", "put", client.topic, "values", "--create", "1", "-f", "p.yaml")
    equals((put.returncode, without_patience(put.stderr)), (0, ""))
    shown = client.weir("topic", "list", "--all", "-f", "p.yaml")
    equals((shown.returncode, without_patience(shown.stderr)), (0, ""))
    contains(shown.stdout, client.topic)
    ran = client.weir(*RUN, "--until-end")
    equals((ran.returncode, ran.stdout), (0, "site\nA\n"))


LIST = ("topic", "list", "-f", "p.yaml")
RUN = ("run", "p.yaml")
DRY_RUN = ("run", "--dry-run", "p.yaml")


def kept_out(client, commands, *parts):
    """Commands that need the broker say the same, soon."""
    equals(client.weir("check", "p.yaml").returncode, 0)  # offline, so nothing is wrong yet
    for words in commands:
        ended = client.weir(*words)
        equals((ended.returncode, ended.stdout), (1, ""))
        for part in ("could not reach Kafka at 127.0.0.1:", *parts):
            contains(ended.stderr, part)


# ---- let in ------------------------------------------------------------------------------------------

def is_let_in(kafka, listener, mechanism="PLAIN"):
    def check():
        with Client(kafka, listener, mechanism=mechanism) as client:
            client.write("values", '{"site": "A"}\n')
            let_in(client)
    check.__name__ = "%s lets in who has all that is wanted (%s)" % (listener, mechanism)
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


def is_kept_out(kafka, name, listener, changes, parts, mechanism="PLAIN"):
    def check():
        with Client(kafka, listener, mechanism=mechanism, **changes) as client:
            kept_out(client, (LIST, RUN, DRY_RUN), *parts)
    check.__name__ = "%s keeps out, and is told (%s)" % (name, mechanism)
    cases.case(check)


def is_wrong_port(kafka, listener, port, parts):
    def check():
        with Client(kafka, listener, address=kafka.address(port)) as client:
            kept_out(client, (LIST,), *parts)
    check.__name__ = "%s at the port of %s is told" % (listener, port)
    cases.case(check)


def own_openssl(folder):
    """A plugin with the whole of OpenSSL inside, of which it shows nothing."""
    path = os.path.join(folder, "own.so")
    build_plugin(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins", "own_openssl.c"), path,
                 weir=WEIR, after=("-Wl,-Bstatic", "-lssl", "-lcrypto", "-Wl,-Bdynamic",
                                   "-Wl,--exclude-libs,ALL,-z,nodelete"))
    return path


def is_undisturbed_by_another_openssl(kafka):
    @cases.case
    def a_plugin_with_an_openssl_of_its_own_disturbs_nobody():
        text = b"looking glass"
        with Client(kafka, "SSL", topic="digests") as client:
            client.write("values", json.dumps(text.decode()) + "\n")
            client.write("own.yaml", client.text.replace("to: print", "steps: [digest], to: print")
                         + "plugins: [%s]\n" % own_openssl(client.folder.name))
            equals(client.weir("plugin", "check", "own.so").returncode, 0)
            equals(client.weir("topic", "put", client.topic, "values", "--create", "1", "-f", "p.yaml").returncode, 0)
            ran = client.weir("run", "own.yaml", "--until-end")
            equals(ran.returncode, 0)
            contains(ran.stdout, hashlib.sha256(text).hexdigest()[:32])  # a long one is cut


def all_cases(kafka):
    for listener in ("SSL", "SSL_MUTUAL", "SASL_PLAINTEXT", "SASL_SSL"):
        is_let_in(kafka, listener)
    is_undisturbed_by_another_openssl(kafka)
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


def scram_cases(kafka):
    for mechanism in settings.SCRAM:
        for listener in ("SASL_PLAINTEXT", "SASL_SSL"):
            is_let_in(kafka, listener, mechanism)
        for name, change in (("a wrong password", {"sasl_password": "no such password"}),
                             ("a wrong user", {"sasl_username": "mallory"})):
            is_kept_out(kafka, name, "SASL_SSL", change,
                        ["invalid credentials", "check 'sasl.username' and 'sasl.password'"], mechanism)


def is_told_what_is_forbidden(kafka):
    @cases.case
    def a_right_that_is_missing_is_told():
        with Client(kafka, "SASL_PLAINTEXT") as client:
            ended = client.weir(*RUN)
            equals((ended.returncode, ended.stdout), (1, ""))
            contains(ended.stderr, "user 'alice' lacks the right Read on topic '%s'; an administrator gives it: "
                                   "kafka-acls --add --allow-principal User:alice --operation Read --topic %s"
                     % (client.topic, client.topic))


def all_clusters():
    sasl = ["SASL_PLAINTEXT", "SASL_SSL"]
    older = fetched(distribution.LAST_WITH_OLD_SCRAM)  # its tool takes no password with a blank
    with (Cluster(listeners=LISTENERS) as kafka,
          Cluster(listeners=sasl, password="looking-glass#1", kafka=older) as scram,
          Cluster(listeners=sasl, settings=settings.FORBIDDING) as forbidding):
        all_cases(kafka)
        scram_cases(scram)
        is_told_what_is_forbidden(forbidding)
        cases.finish(at_once=6)  # they wait


with skipping():
    all_clusters()
