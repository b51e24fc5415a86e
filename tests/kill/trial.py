# SPDX-License-Identifier: MIT
"""A pipeline in a folder of its own: runs that are stopped half-way, and what they leave behind."""
import contextlib
import os
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FLIGHTS = os.path.join(ROOT, "examples", "data", "flights.jsonl")
BATCH = 100
SECONDS = 240  # that a run may take on a busy machine


class Scenario:
    """topics: all; probe: the one that tells how far a run has come. pause_us: after each batch of a slow
    run, so that it takes its time. by_partition: sinks have an instance for each partition, as where
    partitions move between processes."""

    def __init__(self, text, topics, probe, pause_us, by_partition=False):
        self.text, self.topics, self.probe, self.pause_us = text, topics, probe, pause_us
        self.by_partition = by_partition

    def prepare(self, trial):
        """Before the first run."""

    def faults(self, outputs):
        """What is wrong with outputs, told without those of another run."""
        count = len(outputs[0]["flights"].splitlines())
        return [] if count == 20000 and outputs[1] else [f"{count} flights, {len(outputs[1])} files"]

    def comparable(self, outputs):
        """What of them is the same after each run."""
        return outputs


class Trial:
    def __init__(self, weir, folder, scenario):
        self.weir, self.folder, self.scenario = weir, folder, scenario
        self.pipeline = os.path.join(folder, "pipeline.yaml")
        with open(self.pipeline, "w", encoding="utf-8") as file:
            file.write(scenario.text)
        self.by_partition = scenario.by_partition
        self.input = os.path.join(folder, "input.jsonl")
        scenario.prepare(self)

    def environment(self, is_slow=False):
        # A letter tells the path of its source, which must be the same in each folder.
        environment = dict(os.environ, FLIGHTS=FLIGHTS, INPUT=os.path.basename(self.input),
                           OUT=os.path.join(self.folder, "files"), WEIR_BATCH_SIZE=str(BATCH))
        environment["WEIR_TEST_SEATS"] = "1" if self.by_partition else "0"
        if is_slow:
            environment["WEIR_TEST_SLEEP_US"] = str(self.scenario.pause_us)
        return environment

    def start(self, is_slow, **environment):
        return subprocess.Popen(
            [self.weir, "run", os.path.basename(self.pipeline), "--until-end", "--log", f"local:{self.folder}/log"],
            cwd=self.folder, env=dict(self.environment(is_slow), **environment), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)

    def run_to_end(self, is_slow):
        """None, or what the program said when it failed."""
        process = self.start(is_slow)
        _, said = process.communicate(timeout=SECONDS)
        return None if process.returncode == 0 else f"status {process.returncode}\n{said}"

    def size(self):
        """Bytes of all files, unfinished ones too: how far the runs have come, on a machine of any speed."""
        total = 0
        for base, _, names in os.walk(os.path.join(self.folder, "files")):
            for name in names:
                with contextlib.suppress(FileNotFoundError):  # it was published meanwhile
                    total += os.stat(os.path.join(base, name)).st_size
        return total

    def stop_at(self, size, seconds, number):
        """Sends the signal of that number so long after the files have come to a size; SIGTERM, which nobody catches
        at first, when they have grown. False where the run had ended before, else True; or what the program said
        where it ended in another way than it should."""
        if number == signal.SIGTERM:
            size = max(size, self.size() + 1)
        process, deadline = self.start(is_slow=True), time.monotonic() + SECONDS
        while self.size() < size and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(seconds)
        if process.poll() is not None:
            process.communicate()
            return False
        process.send_signal(number)
        _, said = process.communicate(timeout=SECONDS)
        expected = -number if number == signal.SIGKILL else 0
        if process.returncode not in (expected, 0):
            return f"status {process.returncode} after signal {number}\n{said}"
        return process.returncode == expected

    def topic(self, name):
        done = subprocess.run(
            [self.weir, "topic", "cat", name, "--json", "-f", self.pipeline, "--log",
             f"local:{self.folder}/log"], env=self.environment(), capture_output=True, text=True,
            timeout=SECONDS, check=False)
        if done.returncode != 0:
            return f"status {done.returncode}\n{done.stderr}"
        return done.stdout

    def files(self):
        """Path below the folder to contents; unfinished files too."""
        found = {}
        top = os.path.join(self.folder, "files")
        for base, _, names in os.walk(top):
            for name in names:
                path = os.path.join(base, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, top)] = file.read()
        return found

    def outputs(self):
        return {name: self.topic(name) for name in self.scenario.topics}, self.files()


def joined(files):
    """The files of a folder as one: a clean stop ends a file, so how they are cut depends on it."""
    folders = {}
    for name in sorted(files):
        folder = os.path.dirname(name)
        folders[folder] = folders.get(folder, b"") + files[name]
    return folders


def differences(expected, actual, is_cut_free):
    """is_cut_free: files may be cut elsewhere."""
    faults = []
    for name in sorted(expected[0]):
        if expected[0][name] != actual[0][name]:
            faults.append(f"topic {name}: {len(expected[0][name].splitlines())} records expected, "
                          f"{len(actual[0][name].splitlines())} there")
    files = [joined(files) if is_cut_free else files for files in (expected[1], actual[1])]
    for name in sorted(set(files[0]) | set(files[1])):
        want, got = (some.get(name, b"") for some in files)
        if want != got:
            faults.append(f"file {name}: {len(want)} bytes expected, {len(got)} there")
    faults += [f"left behind: {name}" for name in actual[1] if name.endswith(".part")]
    return faults


def faults_of(scenario, outputs, actual, is_cut_free):
    """outputs: of an undisturbed run."""
    comparable = scenario.comparable
    return scenario.faults(actual) or differences(comparable(outputs), comparable(actual), is_cut_free)
