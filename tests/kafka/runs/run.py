#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs on a real broker from their start to their end: how they stop, what moves positions, how partitions
come and go, what transactions keep together, what is lost under them or refused. Many cases at a time, since most
of the time is waiting.

    run.py WEIR [NAME...]
"""
import sys

from fixture import SETTINGS, Broker
from cases import Cases
from kafka_cases import on_cluster
import epochs
import lost_offsets
import members
import memory
import progress
import refusals
import sources
import stalls
import stops

AT_ONCE = 8
cases = Cases()
for module in (members, sources, memory, lost_offsets, refusals, epochs, progress, stalls, stops):
    for case in module.CASES:
        cases.case(case)

with on_cluster(settings=SETTINGS) as (kafka, probe):
    Broker.use(kafka, probe)
    cases.finish(AT_ONCE, names=sys.argv[2:])
