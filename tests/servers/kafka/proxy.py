# SPDX-License-Identifier: MIT
"""A stand-in in front of the one broker of a cluster, through which every client's requests and answers go: what is
slow or lost on the way can be chosen by the kind of request.

    with Proxy() as proxy, Cluster(settings=proxy.settings()) as kafka:
        proxy.forward(kafka.bootstrap)
        proxy.lose("EndTxn")                 # the broker has done it, and nobody hears
        weir(..., env={"BROKERS": proxy.bootstrap})

It reads no more of the protocol than the head of each request: what kind it is of, and its number, which the answer
bears too.
"""
import collections
import socket
import struct
import threading
import time

import wire

REQUESTS = {"Produce": 0, "Fetch": 1, "Metadata": 3, "OffsetCommit": 8, "OffsetFetch": 9, "FindCoordinator": 10,
            "JoinGroup": 11, "Heartbeat": 12, "LeaveGroup": 13, "SyncGroup": 14, "InitProducerId": 22,
            "AddPartitionsToTxn": 24, "AddOffsetsToTxn": 25, "EndTxn": 26, "TxnOffsetCommit": 28}
NAMES = {key: name for name, key in REQUESTS.items()}

# What becomes of an answer: it is there, and then `act` is called, `seconds` go by, and it is passed on or lost.
Order = collections.namedtuple("Order", "act seconds is_lost")


def frame(connection):
    size = wire.receive(connection, 4)
    return size + wire.receive(connection, struct.unpack(">i", size)[0])


class Proxy:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.bootstrap = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.address = None
        self.lock = threading.Lock()
        self.connections = set()
        self.orders = collections.defaultdict(collections.deque)  # by name of the request
        self.is_open = True

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.is_open = False
        self.listener.close()
        self.hang_up()

    def settings(self):
        """Of a cluster with one node: clients are told to come here."""
        return {"advertised.listeners": "PLAINTEXT://" + self.bootstrap}

    def forward(self, address):
        host, port = address.rsplit(":", 1)
        self.address = host, int(port)

    # ---- what it is told ----------------------------------------------------------------------------

    def lose(self, request, times=1, act=lambda: None, seconds=0):
        """The next answers to these requests never come; the connection ends instead."""
        self.give(request, times, Order(act, seconds, True))

    def delay(self, request, seconds, times=1):
        """The next answers come so much later, and with them all that is behind them on their connection."""
        self.give(request, times, Order(lambda: None, seconds, False))

    def give(self, request, times, order):
        assert request in REQUESTS, request
        with self.lock:
            self.orders[request].extend([order] * times)

    def is_done(self):
        """All that was told has happened."""
        with self.lock:
            return not any(self.orders.values())

    def hang_up(self):
        """Ends all connections."""
        with self.lock:
            for connection in self.connections:
                end(connection)

    # ---- what it does -------------------------------------------------------------------------------

    def accept(self):
        while self.is_open:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        kinds = {}
        try:
            broker = socket.create_connection(self.address)
        except (OSError, TypeError):
            client.close()
            return
        for connection in (client, broker):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self.connections |= {client, broker}
        threading.Thread(target=self.pass_on, args=(client, broker, lambda data: self.note(kinds, data)),
                         daemon=True).start()
        self.pass_on(broker, client, lambda data: self.carry_out(kinds, data))

    def pass_on(self, source, target, look):
        try:
            while True:
                data = frame(source)
                if not look(data):
                    break
                target.sendall(data)
        except OSError:
            pass
        end(source)
        end(target)

    def note(self, kinds, request):
        key, _, number = struct.unpack_from(">hhi", request, 4)
        kinds[number] = NAMES.get(key)
        return True

    def carry_out(self, kinds, answer):
        """False: it is lost."""
        name = kinds.pop(struct.unpack_from(">i", answer, 4)[0], None)
        with self.lock:
            order = self.orders[name].popleft() if self.orders[name] else None
        if order is None:
            return True
        order.act()
        time.sleep(order.seconds)
        return not order.is_lost


def end(connection):
    """Whoever reads from it learns of it; the descriptor goes with the last reference."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
