# SPDX-License-Identifier: MIT
"""librdkafka's stand-in for a cluster, for tests that need no more: mock.c tells what it cannot do.

    with Mock("build/release", brokers=3) as kafka:
        kafka.do("topic orders 4 3")
        kafka.do("errors Produce NOT_LEADER_FOR_PARTITION NOT_LEADER_FOR_PARTITION")
"""
import os
import subprocess


class Mock:
    def __init__(self, build, brokers=1):
        self.process = subprocess.Popen([os.path.join(build, "tests", "servers", "kafka", "mock"), str(brokers)],
                                        text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        word, _, self.bootstrap = self.process.stdout.readline().strip().partition(" ")
        if word != "bootstrap":
            raise RuntimeError("the mock cluster did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(120)
        finally:
            self.process.kill()
            self.process.stdout.close()

    def do(self, order):
        """Gives an order, as listed in mock.c; raises where it is refused."""
        self.process.stdin.write(order + "\n")
        said = self.process.stdout.readline().strip()
        if said != "ok":
            raise ValueError("%s: %s" % (order, said or "the mock cluster has ended"))

    def client(self):
        """librdkafka's properties for its clients. It lets a fetch wait though data comes."""
        return {"bootstrap.servers": self.bootstrap, "fetch.wait.max.ms": "5"}
