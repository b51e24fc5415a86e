# SPDX-License-Identifier: MIT
"""What the test programs on a real Kafka share: the program under test, the folders of the servers to import from,
and a cluster to run cases on.

    with on_cluster(nodes=2) as (kafka, probe):
        cases.finish(names=sys.argv[2:])
"""
import contextlib
import os
import sys

TESTS = os.path.dirname(os.path.abspath(__file__))
WEIR = os.path.abspath(sys.argv[1])
BUILD = os.path.dirname(os.path.dirname(WEIR))

sys.path[:0] = [os.path.join(TESTS, "servers"), os.path.join(TESTS, "servers", "kafka")]
import cache  # noqa: E402
from cases import skip_all  # noqa: E402
from cluster import Cluster  # noqa: E402
from probe import Probe  # noqa: E402


@contextlib.contextmanager
def skipping():
    """What cannot run without a Kafka is skipped where none can be had."""
    try:
        yield
    except cache.Unavailable as why:
        skip_all("no Kafka: %s" % why)


@contextlib.contextmanager
def on_cluster(**more):
    """A cluster, and a client of it that is not weir."""
    with skipping(), Cluster(**more) as kafka:
        yield kafka, Probe(BUILD, kafka.client())
