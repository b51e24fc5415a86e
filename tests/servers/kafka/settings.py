# SPDX-License-Identifier: MIT
"""The settings file of a node: small, quick to start, quick to see that another node is gone.

Every node has the listener PLAINTEXT. The others are named after what a client meets there:

    SSL            a certificate that the cluster's authority has signed
    SSL_MUTUAL     the same, and the client must show one too
    SSL_EXPIRED    a certificate that has run out
    SSL_STRANGER   a certificate of an authority that nobody knows
    SASL_PLAINTEXT, SASL_SSL   user and password, by PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; or
                   OAUTHBEARER with tokens that nobody has signed
"""
LISTENERS = ("PLAINTEXT", "SSL", "SSL_MUTUAL", "SSL_EXPIRED", "SSL_STRANGER", "SASL_PLAINTEXT", "SASL_SSL")
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
CERTIFICATE_OF = {"SSL_EXPIRED": "expired", "SSL_STRANGER": "stranger"}
MODULES = "org.apache.kafka.common.security."

# Settings of a cluster that lets in whom it knows, and lets him do nothing; who comes without a name, by
# PLAINTEXT, may do everything.
FORBIDDING = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
              "super.users": "User:ANONYMOUS"}


def protocol(listener):
    """The security protocol of a listener, as clients name it."""
    return "SSL" if listener.startswith("SSL") else listener


def replicas(nodes):
    return min(3, nodes)


def basic(nodes):
    """What does not depend on the node."""
    copies, in_sync = replicas(nodes), min(2, nodes)
    return {
        "process.roles": "broker,controller",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "auto.create.topics.enable": "false",
        "num.partitions": 4,
        "default.replication.factor": copies,
        "min.insync.replicas": in_sync,
        "offsets.topic.num.partitions": 4,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.num.partitions": 4,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.num.partitions": 4,
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": in_sync,
        "group.initial.rebalance.delay.ms": 0,
        "log.cleaner.dedupe.buffer.size": 32 << 20,
        # How soon a killed or paused node counts as gone (9 s unless set), and how long a busy machine may
        # keep one from saying that it is there. One node alone, started again, waits until its former self
        # has gone.
        "broker.heartbeat.interval.ms": 300,
        "broker.session.timeout.ms": 3000,
    }


def tls(listener, certificates):
    prefix = "listener.name.%s.ssl." % listener.lower()
    return {
        prefix + "keystore.type": "PEM",
        prefix + "keystore.location": certificates.key_store(CERTIFICATE_OF.get(listener, "server")),
        prefix + "truststore.type": "PEM",
        prefix + "truststore.location": certificates.ca,
        prefix + "client.auth": "required" if listener == "SSL_MUTUAL" else "none",
    }


def sasl(listener, users):
    prefix = "listener.name.%s." % listener.lower()
    plain = MODULES + "plain.PlainLoginModule required " + " ".join(
        'user_%s="%s"' % pair for pair in users.items()) + ";"
    settings = {prefix + "sasl.enabled.mechanisms": ",".join(("PLAIN", "OAUTHBEARER") + SCRAM),
                prefix + "plain.sasl.jaas.config": plain,
                prefix + "oauthbearer.sasl.jaas.config":
                    MODULES + "oauthbearer.OAuthBearerLoginModule required;",
                prefix + "oauthbearer.sasl.server.callback.handler.class":
                    MODULES + "oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler"}
    for mechanism in SCRAM:
        settings[prefix + mechanism.lower() + ".sasl.jaas.config"] = \
            MODULES + "scram.ScramLoginModule required;"
    return settings


def security(listeners, certificates, users):
    settings = {}
    for listener in listeners:
        if "SSL" in listener:
            settings.update(tls(listener, certificates))
        if "SASL" in listener:
            settings.update(sasl(listener, users))
    return settings


def endpoints(ports):
    """The listeners of one node, whose ports are by name; CONTROLLER is one of them."""
    urls = {name: "%s://127.0.0.1:%d" % (name, port) for name, port in ports.items()}
    return {
        "listeners": ",".join(urls.values()),
        "advertised.listeners": ",".join(urls[name] for name in urls if name != "CONTROLLER"),
        "listener.security.protocol.map": ",".join(
            "%s:%s" % (name, "PLAINTEXT" if name == "CONTROLLER" else protocol(name)) for name in urls),
    }


def write(path, settings):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("%s=%s\n" % pair for pair in settings.items())
