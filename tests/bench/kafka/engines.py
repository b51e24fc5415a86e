# SPDX-License-Identifier: MIT
"""Who competes: how each engine is started for a job, and what it lacks where it cannot be."""
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "tests", "servers"))
import cache  # noqa: E402

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"


class Job:
    """One run of one engine. folder is its own and empty, group was never used."""

    def __init__(self, benchmark, brokers, source, target, group, folder):
        self.benchmark, self.brokers, self.source, self.target = benchmark, brokers, source, target
        self.group, self.folder = group, folder


class Raw:
    """An engine: prepare() gives None, or why it cannot compete; command() what to run, and the environment."""
    name, title = "raw", "raw C, librdkafka"

    def __init__(self, build):
        self.program = os.path.join(build, "bin", "bench_kafka_loop")

    def prepare(self, _benchmarks):
        return None

    def command(self, job):
        # A program by hand has no operators that do nothing: it is the limit with them, too.
        return [self.program, job.brokers, job.group, job.source, job.target, job.benchmark.work], {}


class Weir:
    name, title = "weir", "weir"

    def __init__(self, build):
        self.program = os.path.join(build, "bin", "weir")
        self.plugins = os.path.join(build, "lib", "weir", "bench")

    def file(self, benchmark):
        return os.path.join(HERE, benchmark.name + ".yaml")

    def environment(self, brokers, source, target, group):
        return {"BROKERS": brokers, "IN": source, "OUT": target, "GROUP": group,
                "WEIR_PLUGIN_PATH": self.plugins}

    def prepare(self, benchmarks):
        files = [self.file(benchmark) for benchmark in benchmarks]
        done = subprocess.run([self.program, "check", *files], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False,
                              env=dict(os.environ, **self.environment("127.0.0.1:9", "in", "out", "check")))
        if done.returncode != 0:
            raise SystemExit("bench: the pipeline files are not right:\n" + done.stdout + done.stderr)
        return None

    def command(self, job):
        return ([self.program, "run", self.file(job.benchmark)],
                self.environment(job.brokers, job.source, job.target, job.group))


class Streams:
    name, title = "streams", "Kafka Streams 4.4.0"
    folder = os.path.join(HERE, "streams")

    def __init__(self, build):
        self.classes = os.path.join(build, "bench_kafka")
        self.jars = None

    def prepare(self, _benchmarks):
        try:
            self.jars = cache.entry("kafka-streams-4.4.0", self.fetch)
        except cache.Unavailable as why:
            return str(why)
        done = subprocess.run(["javac", "-d", self.classes, "-cp", self.class_path(),
                               os.path.join(self.folder, "Bench.java")],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise SystemExit("bench: could not compile Bench.java:\n" + done.stderr)
        return None

    def fetch(self, folder):
        cache.run(["mvn", "-q", "-B", "-f", os.path.join(self.folder, "pom.xml"), COPY,
                   "-DincludeScope=runtime", "-DoutputDirectory=" + os.path.join(folder, "jars")],
                  "fetch Kafka Streams by Maven")

    def class_path(self):
        return ":".join([self.classes, *sorted(glob.glob(os.path.join(self.jars, "jars", "*.jar")))])

    def command(self, job):
        return (["java", "-Xmx256m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                 "-cp", self.class_path(), "Bench", job.brokers, job.group, job.source, job.target,
                 job.benchmark.work, str(job.benchmark.steps), job.folder], {})


class Reference:
    name, title = "reference", "quixstreams 3.28.1"

    def prepare(self, _benchmarks):
        return None  # this program runs with its Python

    def command(self, job):
        return ([sys.executable, os.path.join(HERE, "reference.py"), job.brokers, job.group, job.source,
                 job.target, job.benchmark.work, str(job.benchmark.steps), job.folder], {})


def engines(build):
    """All, in the order of the table."""
    return [Raw(build), Weir(build), Streams(build), Reference()]
