# SPDX-License-Identifier: MIT
"""The processes of a pipeline that is disturbed, and who starts them again, as an orchestrator would."""
import os
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cases import tell  # noqa: E402

TURN_SECONDS = 0.2


class Replica:
    """One process at a time. is_wanted: it is started again where it ends."""

    def __init__(self, number, command, environment, folder):
        self.number, self.command, self.folder = number, command, os.path.join(folder, f"replica{number}")
        self.environment = dict(os.environ, **environment)
        os.makedirs(self.folder, exist_ok=True)
        self.log = os.path.join(self.folder, "log")
        self.process, self.is_wanted = None, False

    def start(self):
        self.is_wanted = True
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=self.environment, cwd=self.folder)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-15:])


class Replicas(threading.Thread):
    """All of them; its thread starts again those that have ended. own_ends: (number, status) of those that
    nobody had told to."""

    def __init__(self, command, environment, folder, count):
        super().__init__(daemon=True)
        self.make = lambda number: Replica(number, command, environment, folder)
        self.all = {number: self.make(number) for number in range(1, count + 1)}
        self.own_ends, self.lock, self.is_finished = [], threading.Lock(), threading.Event()
        for replica in self.all.values():
            replica.start()

    def run(self):
        while not self.is_finished.wait(TURN_SECONDS):
            with self.lock:
                for replica in self.all.values():
                    if replica.is_wanted and not replica.is_running():
                        if replica.process.returncode != -signal.SIGKILL:
                            self.own_ends.append((replica.number, replica.process.returncode))
                        replica.start()

    def running(self):
        return [replica for replica in self.all.values() if replica.is_running()]

    def add(self):
        with self.lock:
            number = max(self.all) + 1
            self.all[number] = self.make(number)
            self.all[number].start()
            return number

    def stop(self, replica, seconds):
        """Tells it to end, for good. Its status; None where it did not end in time and was killed."""
        with self.lock:
            replica.is_wanted = False
        tell(replica.process)  # which may have just been started
        try:
            return replica.process.wait(seconds)
        except subprocess.TimeoutExpired:
            replica.process.kill()
            replica.process.wait()
            return None

    def restart(self, replica):
        with self.lock:
            replica.start()

    def finish(self, seconds):
        """Stops all of them: {number: status} of those that did not end with 0."""
        self.is_finished.set()
        self.join()
        ends = {replica.number: self.stop(replica, seconds) for replica in self.running()}
        return {number: status for number, status in ends.items() if status != 0}

    def kill(self):
        """The end of a run that has failed."""
        self.is_finished.set()
        for replica in self.running():
            replica.process.kill()
            replica.process.wait()


def wait_until(condition, seconds):
    """Whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(TURN_SECONDS)
    return True
