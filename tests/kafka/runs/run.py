#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs on a real broker from their start to their end: how they stop, what moves positions, how partitions
come and go, what transactions keep together, what is lost under them or refused. Many cases at a time, since most
of the time is waiting.

    run.py WEIR [NAME...]
"""
import sys

from fixture import SETTINGS, Broker
from cases import Cases, skip_all
from cluster import Cluster
import cache
import epochs
import lost_offsets
import members
import memory
import progress
import refusals
import stalls
import stops

AT_ONCE = 8


def main():
    cases = Cases()
    for module in (members, memory, lost_offsets, refusals, epochs, progress, stalls, stops):
        for case in module.CASES:
            if len(sys.argv) == 2 or case.__name__ in sys.argv[2:]:
                cases.case(case)
    try:
        with Cluster(settings=SETTINGS) as kafka:
            Broker.use(kafka)
            cases.finish(AT_ONCE)
    except cache.Unavailable as why:
        skip_all(why)


main()
