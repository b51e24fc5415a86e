# SPDX-License-Identifier: MIT
"""One node of a cluster of tests: a Java process that is started, stopped, killed and paused."""
import os
import signal
import socket
import subprocess
import time

import distribution
import wire


def reserve_port():
    """A free port, and the socket that keeps it ours: bound, so that the system gives it to nobody,
    and not listening, so that the broker may bind it as well, again after each start."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    return holder.getsockname()[1], holder


class Node:
    def __init__(self, number, folder, listeners, watchdog):
        self.number, self.folder, self.watchdog = number, folder, watchdog
        os.makedirs(folder)
        self.settings_path = os.path.join(folder, "node.properties")
        self.log_path = os.path.join(folder, "log")
        self.data = os.path.join(folder, "data")
        held = {name: reserve_port() for name in (*listeners, "CONTROLLER")}
        self.ports = {name: port for name, (port, _) in held.items()}
        self.holders = [holder for _, holder in held.values()]
        self.process = None
        self.is_paused = False

    def address(self, listener="PLAINTEXT"):
        return "127.0.0.1:%d" % self.ports[listener]

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def spawn(self, kafka):
        """Starts the process; it is not ready yet."""
        if self.is_running():
            raise RuntimeError("node %d is running" % self.number)
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                kafka.command(distribution.BROKER, self.settings_path),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        self.watchdog.tell("+", self.process.pid)

    def wait_until_ready(self, deadline):
        """Until the node answers and counts itself among the brokers."""
        while True:
            if not self.is_running():
                raise RuntimeError("node %d ended while it started:\n%s" % (self.number, self.log()[-3000:]))
            if self.answers():
                return
            if time.monotonic() > deadline:
                raise TimeoutError("node %d is not ready:\n%s" % (self.number, self.log()[-3000:]))
            time.sleep(0.05)

    def answers(self):
        try:
            return self.number in wire.metadata(self.address(), timeout=5).brokers
        except OSError:
            return False

    def end(self, number, timeout=120):
        """By a signal; one that is paused first goes on, or it would not see it."""
        if self.process is None:
            return
        self.process.send_signal(number)
        self.process.send_signal(signal.SIGCONT)
        self.is_paused = False
        self.process.wait(timeout)
        self.watchdog.tell("-", self.process.pid)
        self.process = None

    def pause(self):
        self.require_running()
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)  # all its threads are: one at work could still answer
        self.is_paused = True

    def resume(self):
        self.require_running()
        self.process.send_signal(signal.SIGCONT)
        self.is_paused = False

    def require_running(self):
        if not self.is_running():
            raise RuntimeError("node %d is not running" % self.number)

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def release(self):
        for holder in self.holders:
            holder.close()
