# SPDX-License-Identifier: MIT
"""Where what tests fetch is kept between runs: one folder that checkouts, users' runs and CI share.

Each entry is made once. Two processes that want the same one at the same time do not meet: the second
waits for the first, and what a process that died had begun is never taken for an entry.
"""
import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile

SKIP_STATUS = 77  # what `fetch` and `venv` end with where something cannot be had


class Unavailable(Exception):
    """What is wanted cannot be had on this machine; one sentence says what and why."""


def root():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("WEIR_CACHE") or os.path.join(base, "weir")


@contextlib.contextmanager
def locked(path):
    """Holds the lock of an entry; the system lets go of it when the process ends."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def entry(name, make):
    """The path of an entry, made by make(PATH OF A NEW FOLDER) where it is not there."""
    path = os.path.join(root(), name)
    if os.path.isdir(path):
        return path
    with locked(path):
        if os.path.isdir(path):
            return path
        work = tempfile.mkdtemp(prefix=os.path.basename(path) + ".", dir=os.path.dirname(path))
        try:
            make(work)
            os.chmod(work, 0o755)
            os.rename(work, path)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return path


def run(command, what, timeout=600):
    """Runs a command that fetches; raises Unavailable with its last words where it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)
    except FileNotFoundError:
        raise Unavailable("could not %s: '%s' is not installed; run ./bootstrap"
                          % (what, command[0])) from None
    except subprocess.TimeoutExpired:
        raise Unavailable("could not %s: no end after %d s" % (what, timeout)) from None
    if done.returncode != 0:
        raise Unavailable("could not %s: %s" % (what, last_words(done.stdout)))
    return done.stdout


def last_words(text):
    """The line of a tool's output that says why it failed."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line.upper()]
    return (errors or lines or ["it said nothing"])[0][:400]
