#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Topics on a real broker by the commands of weir and by its runs, judged by a client that is not weir.

    run.py WEIR [NAME...]
"""
import sys

from fixture import Broker, cases
from kafka_cases import on_cluster
# Their cases are in the list from then on.
import commands  # noqa: F401
import replays  # noqa: F401
import starts  # noqa: F401
import renames  # noqa: F401
import dry_runs  # noqa: F401

with on_cluster() as (kafka, probe):
    Broker.use(kafka, probe)
    cases.finish(names=sys.argv[2:])
