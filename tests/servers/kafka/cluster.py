# SPDX-License-Identifier: MIT
"""A real Kafka cluster for a test, on loopback, in a temporary folder, with ports of its own.

    with Cluster(nodes=3, listeners=["SASL_SSL"], settings={"log.retention.ms": 1000}) as kafka:
        weir(..., env={"BROKERS": kafka.bootstrap})
        kafka.kill(2)
        kafka.start(2)

Nodes have the numbers 1 to N; each is broker and controller. Every cluster has the listener PLAINTEXT;
settings.py tells the others. Where Kafka cannot be had, cache.Unavailable is raised. Whatever ends the
test, also a SIGKILL, ends the nodes and removes the folder.
"""
import base64
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import cache  # noqa: E402
import distribution  # noqa: E402
import settings as node_settings  # noqa: E402
import wire  # noqa: E402
from certificates import Certificates  # noqa: E402
from node import Node  # noqa: E402

START_SECONDS = 180  # a machine that builds at the same time is slow


class Watchdog:
    """The process that ends what runs when this one has ended."""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, "-I", "-S", os.path.join(HERE, "watchdog.py"), folder],
                                        stdin=subprocess.PIPE)

    def tell(self, sign, pid):
        self.process.stdin.write(b"%s%d\n" % (sign.encode(), pid))
        self.process.stdin.flush()

    def finish(self):
        self.process.stdin.close()
        self.process.wait(120)


def new_id():
    """22 characters, as Kafka names clusters and folders."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


def fetched(version=None):
    """Kafka, with its archive of classes; both are made where they are not there."""
    kafka = distribution.installed(version)
    if not kafka.has_archive():
        with cache.locked(kafka.archive):
            if not kafka.has_archive():
                make_archive(kafka)
    return kafka


def make_archive(kafka):
    """Lets a node run once; Java writes what it loaded when it ends."""
    work = "%s.%d" % (kafka.archive, os.getpid())
    try:
        with Cluster(kafka=kafka.archiving(work)) as cluster:
            cluster.stop(1)
        os.rename(work, kafka.archive)
    finally:
        if os.path.exists(work):
            os.unlink(work)


class Cluster:
    user = "alice"  # known to every SASL listener

    def __init__(self, nodes=1, listeners=(), settings=None, kafka=None, password="looking glass #1"):
        self.kafka = kafka or fetched()
        self.password = password
        self.listeners = list(dict.fromkeys(["PLAINTEXT", *listeners]))
        unknown = set(self.listeners) - set(node_settings.LISTENERS)
        if unknown:
            raise ValueError("no such listener: %s" % ", ".join(sorted(unknown)))
        self.folder = tempfile.mkdtemp(prefix="weir-kafka-")
        self.watchdog = Watchdog(self.folder)
        self.nodes = {number: Node(number, os.path.join(self.folder, "node%d" % number), self.listeners,
                                   self.watchdog) for number in range(1, nodes + 1)}
        self.certificates = None
        if any("SSL" in name for name in self.listeners):
            self.certificates = Certificates(os.path.join(self.folder, "certificates"))
        self.write_settings(settings or {})

    def __enter__(self):
        try:
            self.format()
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    # ---- where clients find it ----------------------------------------------------------------------

    @property
    def bootstrap(self):
        """host:port of every node, without encryption and user."""
        return self.address("PLAINTEXT")

    def address(self, listener):
        """host:port of every node, for a listener."""
        return ",".join(node.address(listener) for node in self.nodes.values())

    @property
    def ca(self):
        """Path of the certificate of the cluster's authority."""
        return self.certificates.ca

    def client(self, listener="PLAINTEXT", mechanism="PLAIN"):
        """librdkafka's properties that a client needs to be let in at a listener."""
        properties = {"bootstrap.servers": self.address(listener),
                      "security.protocol": node_settings.protocol(listener).lower()}
        if "SSL" in listener:
            properties["ssl.ca.location"] = self.ca
        if listener == "SSL_MUTUAL":
            properties["ssl.certificate.location"] = self.certificates.client
            properties["ssl.key.location"] = self.certificates.client_key
        if "SASL" in listener:
            properties["sasl.mechanism"] = mechanism
            properties.update(self.credentials(mechanism))
        return properties

    def credentials(self, mechanism):
        if mechanism == "OAUTHBEARER":
            return {"enable.sasl.oauthbearer.unsecure.jwt": "true",
                    "sasl.oauthbearer.config": "principal=" + self.user}
        return {"sasl.username": self.user, "sasl.password": self.password}

    # ---- nodes that come and go ---------------------------------------------------------------------

    def start(self, node=None, wait=True):
        """Starts a node, or all that do not run, and waits until clients can work with them.

        With wait=False it does not wait: a node of three alone is no quorum and would not be ready."""
        chosen = [self.nodes[node]] if node else [one for one in self.nodes.values() if not one.is_running()]
        for one in chosen:
            one.spawn(self.kafka)
        if wait:
            self.wait_until_ready([one.number for one in chosen])

    def wait_until_ready(self, numbers=None):
        deadline = time.monotonic() + START_SECONDS
        for number in numbers or self.nodes:
            self.nodes[number].wait_until_ready(deadline)

    def stop(self, node):
        """Tells a node to end and waits; it hands over what it leads."""
        self.nodes[node].end(signal.SIGTERM)

    def kill(self, node):
        """Ends a node at once, in the middle of whatever it does."""
        self.nodes[node].end(signal.SIGKILL)

    def pause(self, node):
        """Lets a node answer nothing while its connections stay open."""
        self.nodes[node].pause()

    def resume(self, node):
        self.nodes[node].resume()

    def log(self, node):
        """What a node has logged so far."""
        return self.nodes[node].log()

    def close(self):
        for node in self.nodes.values():
            node.end(signal.SIGKILL)
            node.release()
        self.watchdog.finish()

    # ---- who leads ----------------------------------------------------------------------------------

    def ask(self, question, *arguments):
        """The answer of the first node that gives one."""
        for node in self.nodes.values():
            if node.is_running() and not node.is_paused:
                try:
                    return question(node.address(), *arguments)
                except OSError:
                    continue
        raise RuntimeError("no node of the cluster answers")

    def metadata(self):
        """Brokers, controller and topics."""
        return self.ask(wire.metadata)

    def leader(self, topic, partition):
        """The number of the node that leads a partition; -1 while none does."""
        return self.metadata().topics[topic][partition].leader

    def coordinator(self, group):
        """The number of the node that coordinates a consumer group; -1 while none does."""
        return self.ask(wire.coordinator, group)

    def move_leader(self, topic, partition, node):
        """Makes one of a partition's replicas its leader, and waits until it is."""
        others = [one for one in self.metadata().topics[topic][partition].replicas if one != node]
        deadline = time.monotonic() + 120
        while self.leader(topic, partition) != node:
            if time.monotonic() > deadline:
                raise TimeoutError("node %d does not become leader of %s/%d" % (node, topic, partition))
            self.ask(wire.set_replicas, topic, partition, [node, *others])
            self.ask(wire.elect_preferred, topic, partition)
            time.sleep(0.05)

    def give_up(self, node):
        """Lets the others take over what a node has that was killed, however long its session would last."""
        deadline = time.monotonic() + 120
        while node in self.metadata().brokers:
            if time.monotonic() > deadline:
                raise TimeoutError("node %d is not given up" % node)
            self.ask(wire.unregister, node)
            time.sleep(0.05)

    # ---- what users may do --------------------------------------------------------------------------

    def give(self, *rights):
        """Lets the user do what is listed, as (operation, resource, name); waits until every node knows."""
        self.change_rights(wire.give_rights, rights, len(rights))

    def take(self, *rights):
        self.change_rights(wire.take_rights, rights, -len(rights))

    def change_rights(self, change, rights, difference):
        wanted = self.ask(wire.count_rights, self.user) + difference
        self.ask(change, self.user, rights)
        deadline = time.monotonic() + 120
        for node in self.nodes.values():
            while wire.count_rights(node.address(), self.user) != wanted:
                if time.monotonic() > deadline:
                    raise TimeoutError("node %d does not learn of rights" % node.number)
                time.sleep(0.02)

    # ---- before the first start ---------------------------------------------------------------------

    def write_settings(self, extra):
        voters = ",".join("%d@%s" % (number, node.address("CONTROLLER"))
                          for number, node in self.nodes.items())
        shared = node_settings.basic(len(self.nodes))
        shared.update(node_settings.security(self.listeners, self.certificates, {self.user: self.password}))
        for number, node in self.nodes.items():
            node_settings.write(node.settings_path, {
                **shared, **node_settings.endpoints(node.ports), "node.id": number,
                "controller.quorum.voters": voters, "log.dirs": node.data, **extra})

    def format(self):
        """Formats the first node's folder by Kafka's tool; the others are copies with other numbers."""
        first, *others = self.nodes.values()
        arguments = ["format", "--cluster-id=" + new_id(), "-c", first.settings_path]
        if any("SASL" in name for name in self.listeners):
            for mechanism in node_settings.SCRAM:
                arguments += ["--add-scram", "%s=[name=%s,password=%s]" % (mechanism, self.user, self.password)]
        done = subprocess.run(self.kafka.command(distribution.STORAGE_TOOL, *arguments),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=START_SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError("could not format the folder of a node:\n" + done.stdout)
        for node in others:
            shutil.copytree(first.data, node.data)
            path = os.path.join(node.data, "meta.properties")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text = re.sub(r"(?m)^node.id=.*$", "node.id=%d" % node.number, text)
            text = re.sub(r"(?m)^directory.id=.*$", "directory.id=" + new_id(), text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
