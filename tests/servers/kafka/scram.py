# SPDX-License-Identifier: MIT
"""Logs in at a SASL listener by SCRAM (RFC 5802), to see that the listener does its part.

librdkafka older than 2.6.1 cannot: it sends its nonce twice, which Kafka 4 refuses.
"""
import base64
import hashlib
import hmac
import os
import socket
import ssl
import struct

import wire

SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36


class Refused(Exception):
    """The broker's reason."""


def connect(address, ca):
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=60)
    if ca:
        return ssl.create_default_context(cafile=ca).wrap_socket(connection, server_hostname=host)
    return connection


def authenticate(connection, message):
    reader = wire.exchange(connection, SASL_AUTHENTICATE, 0, struct.pack(">i", len(message)) + message)
    error, reason = reader.take("h"), reader.text()
    if error:
        raise Refused(reason)
    length = reader.take("i")
    return reader.data[reader.at:reader.at + length]


def fields(message):
    return dict(field.split(b"=", 1) for field in message.split(b","))


def log_in(address, mechanism, user, password, ca=None):
    """Returns when the broker has let the user in and proved that it knows the password as well."""
    algorithm = "sha" + mechanism.rsplit("-", 1)[1]
    nonce = base64.b64encode(os.urandom(18))
    first = b"n=" + user.encode() + b",r=" + nonce

    def sign(key, text):
        return hmac.new(key, text, algorithm).digest()

    with connect(address, ca) as connection:
        wire.exchange(connection, SASL_HANDSHAKE, 1, wire.text(mechanism))
        challenge = authenticate(connection, b"n,," + first)
        given = fields(challenge)
        salted = hashlib.pbkdf2_hmac(algorithm, password.encode(), base64.b64decode(given[b"s"]),
                                     int(given[b"i"]))
        final = b"c=biws,r=" + given[b"r"]
        whole = b",".join((first, challenge, final))
        client_key = sign(salted, b"Client Key")
        signature = sign(hashlib.new(algorithm, client_key).digest(), whole)
        proof = bytes(a ^ b for a, b in zip(client_key, signature))
        verdict = authenticate(connection, final + b",p=" + base64.b64encode(proof))
        if base64.b64decode(fields(verdict)[b"v"]) != sign(sign(salted, b"Server Key"), whole):
            raise Refused("the broker does not know the password")
