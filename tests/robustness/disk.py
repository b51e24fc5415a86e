#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A bad disk. The embedded log: bytes that change are told with the file, and a full one is waited out. The
sink `file`: a full one is waited out too.

usage: disk.py WEIR

The full disk is a small file system in memory, which only root can mount; without that its cases are
skipped.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from cases import Cases, Skipped, contains, equals

weir = os.path.abspath(sys.argv[1])
cases = Cases()
chosen = random.Random(7)


def call(folder, *words, given="", status=None, timeout=60):
    done = subprocess.run([weir, *words], cwd=folder, input=given, capture_output=True, text=True,
                          timeout=timeout)
    assert status is None or done.returncode == status, (done.returncode, done.stderr)
    assert "Sanitizer" not in done.stderr, done.stderr
    return done


# ---- damage ----------------------------------------------------------------------------------------


def lines(first, end):
    return "".join('{"n":%d,"pad":"%s"}\n' % (n, "x" * (n % 40)) for n in range(first, end))


def make_log(folder):
    """Two topics, several journals, and tables: those of a large one that was trimmed and rewritten."""
    call(folder, "topic", "put", "a", "--create", "1", given=lines(0, 30), status=0)
    big = "".join('"%s"\n' % chosen.randbytes(300).hex() for _ in range(3000))
    call(folder, "topic", "put", "big", "--create", "1", given=big, status=0)
    call(folder, "topic", "trim", "big", "--before", "100", status=0)
    call(folder, "topic", "put", "a", given=lines(30, 60), status=0)
    call(folder, "topic", "put", "b", "--create", "1", given=lines(0, 10), status=0)


TOPICS = {"a": "a", "b": "b", "big": "big"}


def contents(folder):
    """What is in the topics, or the first complaint."""
    texts = {}
    for name in TOPICS:
        done = call(folder, "topic", "cat", name, "--json")
        if done.returncode != 0:
            equals(done.returncode, 1)
            return done.stderr
        texts[name] = done.stdout
    return texts


# What is not the log's contents.
HARMLESS = ("lock", "committed", "IDENTITY", "LOCK")


def is_harmless(path):
    return path.name in HARMLESS or path.name.startswith("OPTIONS")


def flip(original, path, place, folder):
    shutil.copytree(original, folder)
    target = folder / path
    data = bytearray(target.read_bytes())
    data[place] ^= 1 << chosen.randrange(8)
    target.write_bytes(data)


def check_flip(original, wanted, path, place):
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home) / "copy"
        flip(original, path, place, folder)
        for command in (None, ("topic", "put", "b")):
            if command is not None:
                done = call(folder, *command, given="1\n")
                if done.returncode != 0:
                    equals(done.returncode, 1)
                    contains(done.stderr, path.name)
                    continue
            found = contents(folder)
            where = "%s at %d: " % (path, place)
            if isinstance(found, str):
                assert path.name in found or "topic '" in found, where + found
            else:
                for name, text in wanted.items():
                    assert found[name].startswith(text), where + "wrong data in " + name


@cases.case
def a_changed_byte_in_any_file_is_told_or_changes_nothing():
    with tempfile.TemporaryDirectory() as home:
        original = pathlib.Path(home) / "log"
        original.mkdir()
        make_log(original)
        wanted = contents(original)
        assert isinstance(wanted, dict), wanted
        files = [path for path in sorted(original.rglob("*")) if path.is_file()]
        names = " ".join(path.name for path in files)
        for kind in (".sst", ".log", "MANIFEST", "CURRENT", "format", "committed"):
            contains(names, kind)
        for path in files:
            size = path.stat().st_size
            for place in chosen.sample(range(size), min(size, 2 if is_harmless(path) else 8)):
                check_flip(original, wanted, path.relative_to(original), place)


def last_write(journal):
    """Where the last record of a journal begins: checksum, length, type and bytes, in blocks of 32 KiB."""
    at, last = 0, 0
    while at < len(journal):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        last = at
        at += 7 + int.from_bytes(journal[at + 4:at + 6], "little")
    return last


@cases.case
def the_newest_journal_is_told_although_its_damage_looks_like_a_crash():
    with tempfile.TemporaryDirectory() as home:
        original = pathlib.Path(home) / "log"
        original.mkdir()
        make_log(original)
        newest = max((original / "weir-data/log").glob("*.log"))
        place = last_write(newest.read_bytes())
        for number, command in enumerate((("topic", "cat", "a"), ("topic", "put", "b"))):
            folder = pathlib.Path(home) / str(number)
            shutil.copytree(original, folder)
            damaged = bytearray(newest.read_bytes())
            damaged[place + 5] ^= 0x40
            (folder / newest.relative_to(original)).write_bytes(damaged)
            done = call(folder, *command, given="1\n", status=1)
            contains(done.stderr, "file 'log/%s' at offset %d: what was written there is not whole" %
                     (newest.name, place))


@cases.case
def a_missing_file_is_told():
    with tempfile.TemporaryDirectory() as home:
        original = pathlib.Path(home) / "log"
        original.mkdir()
        make_log(original)
        for path in sorted((original / "weir-data/log").iterdir()):
            if path.suffix != ".sst" and path.name != "CURRENT" and "MANIFEST" not in path.name:
                continue
            folder = pathlib.Path(home) / ("without-" + path.name)
            shutil.copytree(original, folder)
            (folder / path.relative_to(original)).unlink()
            done = call(folder, "topic", "put", "b", given="1\n", status=1)
            named = "CURRENT" if "MANIFEST" in path.name else path.name
            assert named in done.stderr or "a file in 'log' is missing" in done.stderr, done.stderr


# ---- a full disk -----------------------------------------------------------------------------------

PIPELINE = """
pipeline: p
checkpoint: {interval: 100ms}
topics: {numbers: {}, out: {value: text}}
streams:
  feed:
    from: {generator: {count: %d, fields: {n: n, pad: "'%s'"}}}
    to: {topic: numbers}
  work:
    from: {topic: numbers}
    steps: [set: {$value: text(n)}]
    to: {topic: out}
"""


class SmallDisk:
    """A file system of some MiB with the log on it."""

    def __init__(self, mebibytes):
        self.size = mebibytes
        self.handle = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.handle.name) / "disk"

    def __enter__(self):
        self.path.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dm" % self.size, "tmpfs",
                               self.path], capture_output=True, text=True)
        if done.returncode != 0:
            self.handle.cleanup()
            raise Skipped("cannot mount a small file system: " + done.stderr.strip())
        return self

    def __exit__(self, *ignored):
        subprocess.run(["umount", "-l", self.path], check=True)
        self.handle.cleanup()

    def fill(self, spare=0):
        """Leaves so many bytes."""
        with open(self.path / "ballast", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                file.truncate(max(file.tell() - spare, 0))

    def free(self):
        (self.path / "ballast").unlink()


def numbers_out(folder):
    done = call(folder, "topic", "cat", "out", "--raw", "--log", "local:disk/log", status=0)
    return done.stdout.split()


def start(folder, count):
    (folder / "pipeline.yaml").write_text(PIPELINE % (count, "x" * 100))
    return subprocess.Popen([weir, "run", "--log", "local:disk/log", "--until-end"], cwd=folder,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, WEIR_BATCH_SIZE="100", WEIR_TEST_SLEEP_US="2000"))


def read_until(process, words, seconds=60):
    """Standard error up to a line that has the words."""
    text = ""
    deadline = time.monotonic() + seconds
    while words not in text:
        assert time.monotonic() < deadline, text
        line = process.stderr.readline()
        assert line != "", "ended without %r: %s" % (words, text)
        text += line
    return text


COUNT = 30000
SPARE = 2 << 20  # room for the beginning


@cases.case
def a_full_disk_is_waited_out_and_nothing_is_lost():
    with SmallDisk(24) as disk:
        folder = disk.path.parent
        disk.fill(spare=SPARE)
        process = start(folder, COUNT)
        text = read_until(process, "waits for room on the disk")
        contains(text, "No space left on device")
        assert process.poll() is None
        disk.free()
        read_until(process, "there is room on the disk again")
        _, rest = process.communicate(timeout=120)
        equals((process.returncode, "error" in rest), (0, False))
        equals(numbers_out(folder), [str(n) for n in range(COUNT)])


@cases.case
def a_run_that_is_stopped_on_a_full_disk_goes_on_at_the_next_start():
    with SmallDisk(24) as disk:
        folder = disk.path.parent
        disk.fill(spare=SPARE)
        process = start(folder, COUNT)
        read_until(process, "waits for room on the disk")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        disk.free()
        process = start(folder, COUNT)
        _, text = process.communicate(timeout=120)
        equals(process.returncode, 0)
        equals(numbers_out(folder), [str(n) for n in range(COUNT)])


@cases.case
def put_on_a_full_disk_says_what_was_put():
    with SmallDisk(4) as disk:
        folder = disk.path.parent
        call(folder, "topic", "put", "t", "--create", "1", "--log", "local:disk/log", given=lines(0, 9),
             status=0)
        disk.fill()
        done = call(folder, "topic", "put", "t", "--log", "local:disk/log", given=lines(9, 9999),
                    status=1)
        contains(done.stderr, "No space left on device")
        disk.free()
        done = call(folder, "topic", "cat", "t", "--log", "local:disk/log", status=0)
        equals(len(done.stdout.splitlines()), 9)


# ---- a full disk under a sink ----------------------------------------------------------------------

SINK = """
pipeline: p
shutdown_timeout: 2s
checkpoint: {interval: 1h}
topics: {numbers: {}}
streams:
  feed:
    from: {generator: {count: %d, fields: {n: n, pad: "'%s'"}}}
    to: {topic: numbers}
  work: {from: {topic: numbers}, to: {file: disk/files}}
"""


def start_sink(folder, count):
    (folder / "pipeline.yaml").write_text(SINK % (count, "x" * 100))
    return subprocess.Popen([weir, "run", "--until-end"], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def files_hold(disk, count):
    found = [path for path in (disk.path / "files").rglob("*") if path.is_file()]
    equals([path.name for path in found], ["%019d.jsonl" % 0])
    wanted = "".join('{"n":%d,"pad":"%s"}\n' % (n, "x" * 100) for n in range(count))
    assert found[0].read_text() == wanted, "the file is another"


def wait_out(count, spare, call):
    with SmallDisk(8) as disk:
        disk.fill(spare=spare)
        process = start_sink(disk.path.parent, count)
        text = read_until(process, "tried again in")
        contains(text, "streams.work.to (file): %s: could not write to " % call)
        contains(text, "No space left on device")
        disk.free()
        read_until(process, "streams.work.to (file): %s has succeeded, after" % call)
        _, rest = process.communicate(timeout=60)
        equals((process.returncode, "error" in rest), (0, False))
        files_hold(disk, count)


@cases.case
def a_disk_that_is_full_while_a_sink_writes_is_waited_out():
    wait_out(count=20000, spare=300000, call="write")


@cases.case
def a_disk_that_is_full_while_a_sink_flushes_is_waited_out():
    wait_out(count=100, spare=0, call="flush")


@cases.case
def a_run_that_is_stopped_while_its_sink_waits_for_room_loses_nothing():
    with SmallDisk(8) as disk:
        disk.fill()
        process = start_sink(disk.path.parent, 100)
        read_until(process, "tried again in")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        equals(process.returncode, 1)
        disk.free()
        process = start_sink(disk.path.parent, 100)
        _, text = process.communicate(timeout=60)
        equals((process.returncode, "error" in text), (0, False))
        files_hold(disk, 100)


cases.finish()
