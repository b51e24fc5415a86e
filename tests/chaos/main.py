# SPDX-License-Identifier: MIT
"""Disturbs replicas of a pipeline at random and says what became of every record.

    run --seed 1 --events 30 --guarantee exactly-once
    run --events 300 --portion 25

Starts three brokers and three replicas of chaos.yaml, writes records at a set rate, lets one event after the
other happen, waits until all is quiet, stops the replicas and audits. The same seed gives the same events;
when exactly they hit differs from run to run.

With --portion it does so again and again, each time with fresh brokers and the next seed, until all events have
happened. The table of all portions so far comes after each of them.
"""
import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

import events
import portion
import report

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def options(arguments=None):
    parser = argparse.ArgumentParser(prog="tests/chaos/run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first portion (1)")
    parser.add_argument("--events", type=int, default=21, help="how many (21)")
    parser.add_argument("--portion", type=positive, metavar="EVENTS", help="how many with one cluster (all)")
    parser.add_argument("--kinds", nargs="+", choices=list(events.KINDS), default=list(events.KINDS), metavar="KIND",
                        help="of events: " + ", ".join(events.KINDS))
    parser.add_argument("--guarantee", choices=("at-least-once", "exactly-once"), default="exactly-once")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=3, help="brokers (3)")
    parser.add_argument("--rate", type=float, default=600, help="records a second (600)")
    parser.add_argument("--distance", type=float, default=3, help="mean time between two events, in seconds (3)")
    parser.add_argument("--pause", type=float, default=12, help="how long a paused replica is silent, in seconds (12)")
    parser.add_argument("--records", type=int, default=3000, help="at least so many in each portion (3000)")
    parser.add_argument("--quiet", type=float, default=12, help="so long after the last result all is done (12)")
    parser.add_argument("--command", default=f"{ROOT}/build/release/bin/weir run {HERE}/chaos.yaml",
                        help="what runs a replica")
    parser.add_argument("--keep", metavar="FOLDER", help="keep logs, input and files there, of each portion by itself")
    return parser.parse_args(arguments)


def sizes(count, size):
    """Of the portions; one without events where there are none at all."""
    size = size or max(count, 1)
    whole, rest = divmod(count, size)
    return [size] * whole + ([rest] if rest or not whole else [])


def folder_of(args, number):
    if args.keep:
        path = os.path.join(args.keep, f"portion{number}")
        os.makedirs(path, exist_ok=True)
        return path
    return tempfile.mkdtemp(prefix="weir-chaos-")


def run_portion(args, number, count):
    """The report. What breaks a portion off is a fault of it, and the next one begins all the same."""
    made, start, folder = report.Report(args.seed + number - 1), time.monotonic(), folder_of(args, number)
    try:
        portion.run(args, made, count, folder)
    except Exception:
        made.faults.append("it broke off:\n" + traceback.format_exc())
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    made.seconds = time.monotonic() - start
    return made


def show(lines):
    print("\n".join(lines), flush=True)


def main(arguments=None):
    """The number of faults."""
    args = options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # so that no replica is left behind
    reports, portions = [], sizes(args.events, args.portion)
    for number, count in enumerate(portions, 1):
        reports.append(run_portion(args, number, count))
        show([f"---- portion {number} of {len(portions)}, {args.guarantee}", *report.portion_lines(reports[-1]), "",
              *report.summary_lines(reports)])
    faults = sum(len(one.faults) for one in reports)
    happened = sum(one.events() for one in reports)
    print(f"seed {args.seed}, {happened} of {args.events} events, {args.guarantee}: {faults} faults")
    return faults


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
