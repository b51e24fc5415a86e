# SPDX-License-Identifier: MIT
"""What the test programs in Python share: named cases, and the one line that counts them.

    cases = Cases()

    @cases.case
    def help_names_every_command():
        assert "run" in weir("help").stdout

    cases.finish()      # runs them, prints "N passed, N failed", exits
"""
from concurrent.futures import ThreadPoolExecutor
import os
import signal
import subprocess
import sys
import time
import traceback

# What anything may take on a busy machine, where a process may stand still at any place; who waits longer waits
# in vain.
SECONDS = 120


class Skipped(Exception):
    """What a case needs is not here; the message says what. Where WEIR_REQUIRE_SERVERS=1 it has failed."""


def is_required():
    return os.environ.get("WEIR_REQUIRE_SERVERS") == "1"


def skip_all(why):
    """Ends a program none of whose cases can run here."""
    print("%s: %s" % ("FAILED" if is_required() else "SKIPPED", why))
    print("0 passed, 1 failed" if is_required() else "0 passed, 0 failed, 1 skipped")
    sys.exit(1 if is_required() else 0)


class Cases:
    def __init__(self):
        self.list = []

    def case(self, function):
        self.list.append(function)
        return function

    def finish(self, at_once=1, names=()):
        """Runs them in their order, so many at a time. names: of some of them, where not all are to run."""
        if names:
            self.choose(names)
        if at_once == 1:
            results = [self.run(function) for function in self.list]
        else:
            with ThreadPoolExecutor(at_once) as pool:
                results = list(pool.map(self.run, self.list))
        failed, skipped = results.count("failed"), results.count("skipped")
        print("%d passed, %d failed%s" % (len(self.list) - failed - skipped, failed,
                                          ", %d skipped" % skipped if skipped else ""))
        sys.exit(1 if failed else 0)

    def choose(self, names):
        unknown = set(names) - {function.__name__ for function in self.list}
        if unknown:
            sys.exit("no such case: %s" % ", ".join(sorted(unknown)))
        self.list = [function for function in self.list if function.__name__ in names]

    @staticmethod
    def run(function):
        name = function.__name__.replace("_", " ")
        try:
            function()
            print("ok " + name)
            return "passed"
        except Skipped as reason:
            print("%s %s: %s" % ("FAILED" if is_required() else "SKIPPED", name, reason))
            return "failed" if is_required() else "skipped"
        except Exception:
            print("FAILED %s\n%s" % (name, traceback.format_exc()), end="")
            return "failed"


def until(is_so, what="it did not come to pass"):
    """Waits for what has to come to pass. what: said where it does not; a function is called for it then."""
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(0.02)


def is_signal_in(process, set_of_signals, number):
    """Of one of the sets that Linux tells, such as SigCgt: those for which a process has handlers."""
    try:
        with open("/proc/%d/status" % process.pid, encoding="ascii", errors="replace") as file:
            mask = next((line.split()[1] for line in file if line.startswith(set_of_signals + ":")), "0")
    except OSError:  # it has ended
        mask = "0"
    return bool(int(mask, 16) >> (number - 1) & 1)


def tell(process, number=signal.SIGTERM):
    """Sends a signal to a process that is far enough to hear it, and returns when it has."""
    until(lambda: is_signal_in(process, "SigCgt", number) or process.poll() is not None,
          "it does not listen to signals")
    process.send_signal(number)
    until(lambda: not is_signal_in(process, "ShdPnd", number), "it does not hear signals")


def run(command, env=None, timeout=SECONDS, **more):
    """The finished process; stdout and stderr as text."""
    return subprocess.run(command, env=env, timeout=timeout, stdin=subprocess.DEVNULL,
                          stdout=more.pop("stdout", subprocess.PIPE),
                          stderr=more.pop("stderr", subprocess.PIPE), text=True, **more)


def is_sanitized(program):
    """It was built with AddressSanitizer."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def build_plugin(source, path, *words, after=(), weir=None):
    """Compiles a plugin of a test. weir: the program that will load it; where that is sanitized so is the
    plugin, since the host then marks the memory that it has not lent, and the headers ask for each piece. words stand
    before the source, after behind it, as libraries do."""
    sdk = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sdk", "include")
    sanitized = ["-fsanitize=address"] if weir is not None and is_sanitized(weir) else []
    built = run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-std=gnu11", *sanitized, "-I", sdk, *words,
                 "-o", str(path), str(source), *after])
    assert built.returncode == 0, built.stderr


def contains(text, part):
    assert part in text, "not found: %r\n--- in:\n%s---" % (part, text)


def equals(got, wanted):
    assert got == wanted, "got %r, wanted %r" % (got, wanted)
