# SPDX-License-Identifier: MIT
"""The few requests of Kafka's protocol that tests put to a broker themselves.

They tell whether a broker is ready, who leads and coordinates, move leaders, and give and take rights;
everything that concerns records is asked through the probe.
"""
import collections
import socket
import struct

METADATA, FIND_COORDINATOR, DESCRIBE_ACLS, CREATE_ACLS, DELETE_ACLS, ELECT_LEADERS, REASSIGN = 3, 10, 29, 30, 31, 43, 45
UNREGISTER_BROKER = 64

Metadata = collections.namedtuple("Metadata", "brokers controller topics")
Partition = collections.namedtuple("Partition", "leader replicas in_sync")


class Reader:
    """Reads an answer from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value, = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return value

    def text(self):
        length = self.take("h")
        if length < 0:
            return None
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def list(self, read):
        return [read(self) for _ in range(self.take("i"))]

    def numbers(self):
        return self.list(lambda reader: reader.take("i"))


def text(value):
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def receive(connection, length):
    data = b""
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise ConnectionError("the broker closed the connection")
        data += part
    return data


def exchange(connection, key, version, body, is_flexible=False):
    """Puts a request and reads the answer, up to where its body begins."""
    head = struct.pack(">hhi", key, version, 1) + text("tests") + (b"\0" if is_flexible else b"")
    connection.sendall(struct.pack(">i", len(head + body)) + head + body)
    length, = struct.unpack(">i", receive(connection, 4))
    reader = Reader(receive(connection, length))
    reader.take("i")  # our number of the request
    if is_flexible:
        reader.take("b")
    return reader


def ask(address, key, version, body, is_flexible=False, timeout=60):
    """The same over a connection of its own. An OSError tells that there was no answer."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=timeout) as connection:
        return exchange(connection, key, version, body, is_flexible)


def read_broker(reader):
    number, host, port, _ = reader.take("i"), reader.text(), reader.take("i"), reader.text()
    return number, "%s:%d" % (host, port)


def read_partition(reader):
    _, number, leader = reader.take("h"), reader.take("i"), reader.take("i")
    return number, Partition(leader, reader.numbers(), reader.numbers())


def read_topic(reader):
    _, name, _ = reader.take("h"), reader.text(), reader.take("b")
    return name, dict(reader.list(read_partition))


def metadata(address, timeout=60):
    reader = ask(address, METADATA, 1, struct.pack(">i", -1), timeout=timeout)
    brokers, controller = dict(reader.list(read_broker)), reader.take("i")
    return Metadata(brokers, controller, dict(reader.list(read_topic)))


def coordinator(address, group):
    """The number of the broker that coordinates a consumer group; -1 where none does yet."""
    reader = ask(address, FIND_COORDINATOR, 0, text(group))
    return -1 if reader.take("h") else reader.take("i")


def compact(items):
    return bytes([len(items) + 1]) + b"".join(items)


def set_replicas(address, topic, partition, replicas):
    """Gives a partition its replicas, the preferred leader first."""
    numbers = compact([struct.pack(">i", number) for number in replicas])
    entry = struct.pack(">i", partition) + numbers + b"\0"
    name = topic.encode()
    body = struct.pack(">i", 10000) + compact(
        [bytes([len(name) + 1]) + name + compact([entry]) + b"\0"]) + b"\0"
    reader = ask(address, REASSIGN, 0, body, is_flexible=True)
    reader.take("i")  # throttled for
    return reader.take("h")


def elect_preferred(address, topic, partition):
    """Makes the first replica of a partition its leader."""
    entry = text(topic) + struct.pack(">ii", 1, partition)
    return ask(address, ELECT_LEADERS, 1, struct.pack(">bi", 0, 1) + entry + struct.pack(">i", 10000))


def unregister(address, node):
    """Makes the cluster give a broker up."""
    reader = ask(address, UNREGISTER_BROKER, 0, struct.pack(">i", node) + b"\0", is_flexible=True)
    reader.take("i")  # throttled for
    return reader.take("h")


# ---- rights ------------------------------------------------------------------------------------------

RESOURCES = {"topic": 2, "group": 3, "cluster": 4, "transactional id": 5}
OPERATIONS = {"Read": 3, "Write": 4, "Create": 5, "Delete": 6, "Describe": 8, "DescribeConfigs": 10}
LITERAL, PREFIXED, ALLOW = 3, 4, 3


def right(user, operation, resource, name):
    """One that is given; a name that ends in * is the beginning of others."""
    pattern = PREFIXED if name.endswith("*") else LITERAL
    return (struct.pack(">b", RESOURCES[resource]) + text(name.rstrip("*")) + struct.pack(">b", pattern)
            + text("User:" + user) + text("*") + struct.pack(">bb", OPERATIONS[operation], ALLOW))


def give_rights(address, user, rights):
    """rights: (operation, resource, name)"""
    body = struct.pack(">i", len(rights)) + b"".join(right(user, *one) for one in rights)
    reader = ask(address, CREATE_ACLS, 1, body)
    reader.take("i")  # throttled for
    return reader.list(lambda answer: (answer.take("h"), answer.text()))


def take_rights(address, user, rights):
    body = struct.pack(">i", len(rights)) + b"".join(right(user, *one) for one in rights)
    reader = ask(address, DELETE_ACLS, 1, body)
    reader.take("i")
    return reader.take("i")  # a result for each


def count_rights(address, user):
    """How many a broker knows of."""
    any_of = struct.pack(">b", 1)
    body = any_of + struct.pack(">h", -1) + any_of + text("User:" + user) + struct.pack(">h", -1) + any_of + any_of
    reader = ask(address, DESCRIBE_ACLS, 1, body)
    reader.take("i"), reader.take("h"), reader.text()

    def read_entry(entry):
        entry.text(), entry.text(), entry.take("b"), entry.take("b")
        return 1

    def read_resource(resource):
        resource.take("b"), resource.text(), resource.take("b")
        return sum(resource.list(read_entry))
    return sum(reader.list(read_resource))
