#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lets every allocation and every I/O call of a run fail once, and kills it at every I/O call; shows that
nothing is lost.

    run.py WEIR [allocation|io|room|kill K]

A run over 50 records, two partitions, a topic, a file and print is repeated once for each k: the k-th
allocation fails, the k-th I/O call says EIO, the k-th says ENOSPC; for some k every one from the k-th
on fails; and the process is killed in the place of the k-th I/O call. Each time

- the program ends by itself, with status 0, or with status 1 and an error that it tells (unless killed);
- what it had taken from the heap is given back;
- the next run, undisturbed, ends with status 0, and topics and files are then, byte for byte, those of
  a run that nobody disturbed.

Where the disk of the sink `file` is full from its k-th call that takes room on, and has room again two
calls later, one run is enough: it waits, says so, and ends with status 0 and everything in its place.

With a kind and a number, that one trial is shown.
"""
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RECORDS = 50
SECONDS = 180  # that a run may take on a busy machine
STRIDE = 9  # of the trials in which everything fails from the k-th on
PARALLEL = max(1, os.cpu_count() or 1)
FULL = 2  # calls that a full disk refuses
FILES = "files"  # the folder of the sink


class Trial:
    """One data folder and the runs on it."""

    def __init__(self, weir, folder):
        self.weir, self.folder = weir, folder
        self.library = os.path.join(os.path.dirname(os.path.dirname(weir)), "tests", "faults",
                                    "inject.so")
        shutil.copy(os.path.join(HERE, "pipeline.yaml"), folder)
        with open(os.path.join(ROOT, "examples", "data", "flights.jsonl"), "rb") as flights, \
                open(os.path.join(folder, "input.jsonl"), "wb") as file:
            file.writelines(flights.readline() for _ in range(RECORDS))

    def run(self, **inject):
        """Status, what was said, what the injecting library counted (nothing where it could not)."""
        report = os.path.join(self.folder, "report")
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        if inject:
            environment.update(LD_PRELOAD=self.library, INJECT_REPORT=report)
            environment.update({f"INJECT_{name.upper()}": str(value)
                                for name, value in inject.items()})
        done = subprocess.run([self.weir, "run", "--until-end"], cwd=self.folder, env=environment,
                              capture_output=True, timeout=SECONDS, check=False)
        counts = {}
        if inject and os.path.exists(report):
            with open(report, encoding="ascii") as file:
                counts = {name: int(value) for name, value in map(str.split, file)}
            os.remove(report)
        return done.returncode, done.stderr.decode("utf-8", "replace"), counts

    def outputs(self):
        """Topics as text, files by path; unfinished files too."""
        found = {}
        for topic in ("flights", "late"):
            done = subprocess.run([self.weir, "topic", "cat", topic, "--json"], cwd=self.folder,
                                  capture_output=True, timeout=SECONDS, check=False)
            found["topic " + topic] = done.stdout if done.returncode == 0 else done.stderr
        files = os.path.join(self.folder, "files")
        for base, _, names in os.walk(files):
            for name in names:
                path = os.path.join(base, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, files)] = file.read()
        return found


def fault_of(trial, expected, inject):
    """None, or what is wrong."""
    status, said, counts = trial.run(**inject)
    # Threads share the calls in another way each time, so the last k may not come.
    is_killed = inject["kind"] == "kill" and not (status == 0 and counts["io"] < inject["at"])
    if status != -signal.SIGKILL if is_killed else status not in (0, 1):
        return f"ended with status {status}\n{said}"
    if status == 1 and "error" not in said and "failed" not in said:
        return f"ended with status 1 without a word of why\n{said}"
    if counts.get("leaked", 0) != 0:
        return f"did not give back {counts['leaked']} blocks\n{said}"
    again, said_again, _ = trial.run()
    if again != 0:
        return f"the next run ended with status {again}\n{said}\nthen\n{said_again}"
    return different(expected, trial, said, status)


def different(expected, trial, said, status):
    outputs = trial.outputs()
    for name in sorted(set(expected) | set(outputs)):
        if expected.get(name) != outputs.get(name):
            return (f"{name}: {len(expected.get(name, b''))} bytes expected, "
                    f"{len(outputs.get(name, b''))} there, after status {status}\n{said}")
    return None


def fault_of_full_disk(trial, expected, inject):
    status, said, counts = trial.run(**inject)
    if counts["room"] < inject["at"]:
        return None  # threads share the calls in another way each time
    if "error streams.late.to[1] (file): could not make folder 'files'" in said:
        # A run that cannot start says so at once.
        if status != 1 or trial.run()[0] != 0:
            return f"a start ended with status {status}\n{said}"
    elif status != 0 or said.count("No space left on device; tried again in") < 1 or \
            " has succeeded, after " not in said:
        return f"status {status}, and it was not waited for\n{said}"
    return different(expected, trial, said, status)


def undisturbed(weir):
    """Its outputs and how many allocations and I/O calls it made."""
    with tempfile.TemporaryDirectory(prefix="weir-faults-") as folder:
        trial = Trial(weir, folder)
        status, said, counts = trial.run(at=0, below=FILES)
        assert status == 0 and counts and counts["leaked"] == 0, (status, said, counts)
        return trial.outputs(), counts


def in_folder(weir, expected, inject):
    with tempfile.TemporaryDirectory(prefix="weir-faults-") as folder:
        try:
            judge = fault_of_full_disk if inject["kind"] == "room" else fault_of
            return judge(Trial(weir, folder), expected, inject)
        except subprocess.TimeoutExpired as late:
            return f"did not end within {late.timeout} s\n{(late.stderr or b'').decode()}"


def full_disk(k):
    return {"kind": "room", "at": k, "times": FULL, "below": FILES}


def injections(counts):
    for kind, count in (("allocation", counts["allocations"]), ("io", counts["io"])):
        for k in range(1, count + 1):
            yield {"kind": kind, "at": k}
            if kind == "io":
                yield {"kind": kind, "at": k, "errno": errno.ENOSPC}
                yield {"kind": "kill", "at": k}
            if k % STRIDE == 1:
                yield {"kind": kind, "at": k, "times": 0}
    for k in range(1, counts["room"] + 1):
        yield full_disk(k)


def name_of(inject):
    return " ".join(f"{name}={value}" for name, value in inject.items())


def all_trials(weir):
    from concurrent.futures import ThreadPoolExecutor
    expected, counts = undisturbed(weir)
    print(f"{counts['allocations']} allocations, {counts['io']} I/O calls, {counts['room']} that "
          "take room of the sink")
    trials = list(injections(counts))
    failed = 0
    with ThreadPoolExecutor(PARALLEL) as pool:
        results = pool.map(lambda inject: in_folder(weir, expected, inject), trials)
        for inject, fault in zip(trials, results):
            if fault:
                failed += 1
                print(f"FAILED {name_of(inject)}: {fault}")
    print(f"{len(trials) - failed} passed, {failed} failed")
    return failed


def one_trial(weir, kind, k):
    expected, _ = undisturbed(weir)
    with tempfile.TemporaryDirectory(prefix="weir-faults-") as folder:
        trial = Trial(weir, folder)
        inject = full_disk(k) if kind == "room" else {"kind": kind, "at": k}
        status, said, counts = trial.run(**inject)
        print(f"status {status}, {counts}\n{said}")
        print(in_folder(weir, expected, inject) or "right")


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit("run.py WEIR [allocation|io|room|kill K]")
    weir = os.path.abspath(sys.argv[1])
    if len(sys.argv) == 4:
        one_trial(weir, sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(1 if all_trials(weir) else 0)


if __name__ == "__main__":
    main()
