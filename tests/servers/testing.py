# SPDX-License-Identifier: MIT
"""What the tests of the servers share, and the folders from which they import."""
import os
import sys
import time

SERVERS = os.path.dirname(os.path.abspath(__file__))
KAFKA = os.path.join(SERVERS, "kafka")
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
sys.path[:0] = [os.path.dirname(SERVERS), KAFKA]


def must_fail(action, error, why):
    """An action that has to raise an error whose message has a part."""
    try:
        action()
    except error as raised:
        assert why in str(raised), "raised %r, and not for %r" % (str(raised), why)
    else:
        raise AssertionError("it did not fail")


def wait_until(is_so, seconds=120):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "not so after %d s" % seconds
        time.sleep(0.05)


def values(records):
    return sorted(record["value"] for record in records)
