# SPDX-License-Identifier: MIT
"""Apache Kafka as tests run it: the jars in the cache, and the command line of its programs.

Beside the jars lies an archive of the classes that a broker loads, one for each Java: it cuts the start
of a node from 5 s to below 2 s. Java takes it only for the same jars at the same place, so it is made
where they lie.
"""
import glob
import hashlib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import cache  # noqa: E402

POM = os.path.join(HERE, "pom.xml")
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
BROKER = "kafka.Kafka"
STORAGE_TOOL = "kafka.tools.StorageTool"
OLDEST_JAVA = 17
# The last that lets librdkafka 2.0.2 of Debian 12 in by SCRAM: that sends its nonce twice, which later
# brokers refuse (CVE-2024-56128).
LAST_WITH_OLD_SCRAM = "3.7.1"


def usual_version():
    with open(POM, encoding="utf-8") as file:
        return re.search("<kafka.version>([^<]+)<", file.read()).group(1)


def fetch_jars(folder, version):
    cache.run(["mvn", "-q", "-B", "-f", POM, COPY, "-DincludeScope=runtime", "-Dkafka.version=" + version,
               "-DoutputDirectory=" + os.path.join(folder, "jars")],
              "fetch Apache Kafka %s by Maven" % version)


def java_identity():
    """What `java -version` says, checked to be new enough."""
    said = subprocess_output(["java", "-version"])
    number = re.search(r'version "(\d+)', said)
    if not number or int(number.group(1)) < OLDEST_JAVA:
        raise cache.Unavailable("could not run Apache Kafka: it wants Java %d, and here is %s"
                                % (OLDEST_JAVA, said.split("\n")[0] or "none"))
    return said


def subprocess_output(command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=180, check=False).stdout
    except FileNotFoundError:
        return ""


class Distribution:
    """Kafka in a folder of the cache."""

    def __init__(self, folder, archive_option=None):
        self.folder = folder
        jars = sorted(glob.glob(os.path.join(folder, "jars", "*.jar")))
        self.class_path = ":".join(jars)
        identity = (java_identity() + self.class_path).encode()
        self.archive = os.path.join(folder, hashlib.sha256(identity).hexdigest()[:16] + ".jsa")
        self.archive_option = archive_option or "-XX:SharedArchiveFile=" + self.archive

    def archiving(self, path):
        """The same, whose programs write an archive of what they load when they end."""
        return Distribution(self.folder, "-XX:ArchiveClassesAtExit=" + path)

    def command(self, program, *arguments):
        """A program of the distribution, with a small heap and a quick start."""
        return ["java", "-Xms64m", "-Xmx192m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                self.archive_option, "-Xshare:auto", "-Xlog:disable",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Dorg.slf4j.simpleLogger.showDateTime=true",
                "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                "-cp", self.class_path, program, *arguments]

    def has_archive(self):
        return os.path.exists(self.archive)


def installed(version=None):
    """The distribution, fetched where it is not there; without the archive of classes."""
    java_identity()
    version = version or usual_version()
    return Distribution(cache.entry("kafka-" + version, lambda folder: fetch_jars(folder, version)))
