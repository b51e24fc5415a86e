# SPDX-License-Identifier: MIT
"""Ends what a test has started, and removes its folder, however the test itself ends.

Usage: watchdog.py FOLDER

Its input tells what runs: "+PID" and "-PID", a line each. At the end of the input, which comes also
when the test is killed, it kills what is still there. Signals to the group of the test do not end it.
"""
import os
import shutil
import signal
import sys
import time


def is_there(pid):
    """Also a zombie is gone: its parent has not fetched its status, but it runs no more."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    deadline = time.monotonic() + 60
    while any(is_there(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    pids = set()
    for line in sys.stdin:
        pid = int(line[1:])
        if line[0] == "+":
            pids.add(pid)
        else:
            pids.discard(pid)
    kill(pids)
    shutil.rmtree(sys.argv[1], ignore_errors=True)


main()
