#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run does with each error that brokers answer: it tries again, goes back to the last commit, or ends with a
status and a sentence; nothing is lost.

    faults.py WEIR [WORD...]     such as build/release/bin/weir; only cases that have one of the words in their names

The brokers are librdkafka's mock cluster, which answers what it is told to. It has no aborted transactions: what
was aborted stays to be read, so where an epoch is done again records may be there twice.
"""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, *[".."] * 2), os.path.join(HERE, "..", "..", "servers", "kafka")]
from at_once import CasesAtOnce  # noqa: E402
from cases import contains, equals  # noqa: E402
from replica import Replica as ReplicaOf  # noqa: E402

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
BOTH = ("at-least-once", "exactly-once")
MORE = 12  # records that are put in while something is wrong
cases = CasesAtOnce()


def Replica(guarantee="at-least-once", **more):
    return ReplicaOf(BUILD, guarantee, **more)


def meet(replica, request, *errors):
    """Records are copied though this is answered, and all of it was."""
    def has_met():
        met = replica.has_met(request)
        if not met:
            replica.put(1)  # the transaction under way may have asked before
        return met

    replica.push(request, *errors)
    replica.put(MORE)
    replica.wait(has_met, lambda: "%s is not answered by %s" % (request, errors))
    replica.catch_up()


def end_well(replica, may_repeat=False):
    replica.committed()
    equals(replica.end(), 0)
    replica.check(may_repeat)
    return replica.text()


def goes_on(replica, times, request, *errors):
    """One after the other, and each so many times."""
    replica.catch_up()
    for error in errors:
        meet(replica, request, *[error] * times)


def tries_again(guarantee, times, request, *errors):
    """Nothing is done again."""
    with Replica(guarantee) as replica:
        goes_on(replica, times, request, *errors)
        text = end_well(replica)
        assert "done again" not in text, text


def ends(guarantee, request, error, status, *words):
    """With a sentence; the next run has lost nothing."""
    with Replica(guarantee) as replica:
        replica.catch_up()
        if request in ("Produce", "Fetch"):  # the probe's are not to be denied
            replica.push(request, error)
            replica.put(MORE)
        else:
            replica.deny(request, error)
            replica.put(MORE)
        equals(replica.feed_to_the_end(), status)
        text = replica.text()
        for word in words:
            contains(text, word)
        replica.pardon(request)
        replica.start()
        replica.copy(MORE)
        end_well(replica, may_repeat=True)


def goes_back(guarantee, request, error, *words):
    """To the last commit, in the same run."""
    with Replica(guarantee) as replica:
        replica.catch_up()
        meet(replica, request, error)
        text = end_well(replica, may_repeat=True)
        contains(text, "dropped and done again")
        for word in words:
            contains(text, word)


# ---- producing --------------------------------------------------------------------------------------

PASSING = ("NOT_LEADER_FOR_PARTITION", "REQUEST_TIMED_OUT", "BROKER_NOT_AVAILABLE", "LEADER_NOT_AVAILABLE",
           "NOT_ENOUGH_REPLICAS", "UNKNOWN_TOPIC_OR_PART", "KAFKA_STORAGE_ERROR", "_TRANSPORT")
for one in BOTH:
    cases.case(tries_again, one, 2, "Produce", *PASSING)
    cases.case(ends, one, "Produce", "TOPIC_AUTHORIZATION_FAILED", 1, "could not deliver a message of ",
               "to topic 'out' partition ", "Topic authorization failed", "needs the right to do so")
    cases.case(goes_back, one, "Produce", "OUT_OF_ORDER_SEQUENCE_NUMBER", "the producer is made anew")
    cases.case(goes_back, one, "Produce", "UNKNOWN", "could not deliver a message of ")
    # Refused once, and taken when they come in smaller parts.
    cases.case(goes_back, one, "Produce", "INVALID_RECORD", "could not deliver a message of ")
cases.case(goes_back, "exactly-once", "Produce", "INVALID_PRODUCER_EPOCH", "the producer is made anew")
cases.case(goes_back, "at-least-once", "Produce", "INVALID_PRODUCER_EPOCH", "an old epoch")

# ---- fetching ---------------------------------------------------------------------------------------

# Out of range at one answer, and in it by what the broker tells then.
cases.case(tries_again, "at-least-once", 2, "Fetch", "NOT_LEADER_FOR_PARTITION", "REQUEST_TIMED_OUT",
           "BROKER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PART", "KAFKA_STORAGE_ERROR", "UNKNOWN", "_TRANSPORT")
cases.case(tries_again, "exactly-once", 1, "Fetch", "OFFSET_OUT_OF_RANGE", "_TRANSPORT")
cases.case(ends, "at-least-once", "Fetch", "TOPIC_AUTHORIZATION_FAILED", 1, "could not read topic 'in' partition ",
           "Topic authorization failed")

# ---- committing positions ---------------------------------------------------------------------------

cases.case(tries_again, "at-least-once", 2, "OffsetCommit", "REBALANCE_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE",
           "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "REQUEST_TIMED_OUT", "_TRANSPORT")
for error in ("ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"):
    cases.case(goes_back, "at-least-once", "OffsetCommit", error)
cases.case(ends, "at-least-once", "OffsetCommit", "GROUP_AUTHORIZATION_FAILED", 1,
           "could not commit the positions of the group 'copy'", "needs the right to do so")
cases.case(ends, "at-least-once", "OffsetCommit", "OFFSET_METADATA_TOO_LARGE", 1,
           "could not commit the positions of the group 'copy'")

# ---- being a member ---------------------------------------------------------------------------------

cases.case(tries_again, "at-least-once", 2, "Heartbeat", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "_TRANSPORT")


def comes_back_into_the_group(guarantee, error):
    with Replica(guarantee) as replica:
        replica.catch_up()
        meet(replica, "Heartbeat", error)
        replica.copy(MORE)
        end_well(replica, may_repeat=True)


for one in BOTH:
    for error in ("ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS"):
        cases.case(comes_back_into_the_group, one, error)

# ---- transactions -----------------------------------------------------------------------------------

PASSING = ("CONCURRENT_TRANSACTIONS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS",
           "_TRANSPORT")
for request in ("AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn"):
    cases.case(tries_again, "exactly-once", 2, request, *PASSING)
    cases.case(goes_back, "exactly-once", request, "INVALID_PRODUCER_EPOCH", "the producer is made anew")
    cases.case(goes_back, "exactly-once", request, "PRODUCER_FENCED")
    cases.case(goes_back, "exactly-once", request, "INVALID_TXN_STATE", "the producer is made anew")
for error in ("ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS", "FENCED_INSTANCE_ID"):
    cases.case(goes_back, "exactly-once", "TxnOffsetCommit", error)
for request in ("AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn"):
    cases.case(ends, "exactly-once", request, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", 1, "Transactional Id authorization failed", "needs the right to do so")
cases.case(ends, "exactly-once", "TxnOffsetCommit", "GROUP_AUTHORIZATION_FAILED", 1, "Group authorization failed")
cases.case(ends, "exactly-once", "AddPartitionsToTxn", "TOPIC_AUTHORIZATION_FAILED", 1, "Topic authorization failed")

# ---- brokers ----------------------------------------------------------------------------------------


def is_moved(guarantee, *orders):
    """Leaders and coordinators, back and forth."""
    with Replica(guarantee) as replica:
        replica.catch_up()
        for order in orders:
            replica.mock.do(order)
            replica.copy(MORE)
        end_well(replica)


def is_away(guarantee, *brokers):
    """For longer than the first tries of the library."""
    with Replica(guarantee) as replica:
        replica.catch_up()
        replica.put(MORE)
        for broker in brokers:
            replica.mock.do("down %d" % broker)
        time.sleep(1.5)
        for broker in brokers:
            replica.mock.do("up %d" % broker)
        replica.copy(MORE)
        end_well(replica)


def is_slow(guarantee):
    with Replica(guarantee) as replica:
        replica.catch_up()
        replica.mock.do("rtt 1 40")
        replica.mock.do("rtt 2 40")
        replica.copy(MORE)
        end_well(replica)


def is_led_by_nobody(guarantee, topic, leader):
    with Replica(guarantee) as replica:
        replica.catch_up()
        replica.put(MORE)
        replica.mock.do("leader %s 0 -1" % topic)
        time.sleep(1.5)
        replica.mock.do("leader %s 0 %d" % (topic, leader))
        replica.copy(MORE)
        end_well(replica)


for one in BOTH:
    cases.case(is_moved, one, *("leader %s %d %d" % (topic, partition, broker) for broker in (2, 1)
                                for topic in ("in", "out") for partition in (0, 3)))
    cases.case(is_moved, one, "coordinator group copy 2", "coordinator group copy 1")
    cases.case(is_away, one, 1)
    cases.case(is_away, one, 2)
    cases.case(is_away, one, 1, 2)
    cases.case(is_slow, one)
    cases.case(is_led_by_nobody, one, "in", 2)
    cases.case(is_led_by_nobody, one, "out", 1)

cases.finish(sys.argv[2:])
