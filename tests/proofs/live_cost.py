"""What a sample of a collection under load costs its server, and the clients that are at work meanwhile.

    python -m tests.proofs.live_cost MONGOD CORPUS [--rate 1000] [--samples 6]       (four minutes on two cores)

A mongod with a cache of 256 MiB holds 400,000 documents, 470 MB. YCSB's client reads and updates any of them at a
steady rate, while `harness sample` runs now and then as a user who can only read. What a sample cost is what happened
while it ran, less what the times before and after it let expect. The sampler has the same cores as the server here,
which adds to what the clients feel; a sampler elsewhere would not.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from pymongo import MongoClient

from harness.spec.load import ROOT
from workloads.bench.__main__ import own_mongod
from workloads.histogram import Histogram
from workloads.interval_log import read_interval_log
from workloads.jvm import JVM_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = 400_000
WARM_S, APART_S = 20, 10
_MIB = 2**20
_OPTIONS = ("--wiredTigerCacheSizeGB", "0.25", "--wiredTigerCollectionBlockCompressor", "zstd", "--auth")
_ROLES: dict[str, list[str | dict[str, str]]] = {
    "owner": ["root"],
    "worker": [{"role": "readWrite", "db": "shop"}],
    "reader": [{"role": "read", "db": "shop"}],
}
_PASSWORD = "only-for-this-proof"
_JAR = ROOT / "workloads/java/target/pressgauge-ycsb.jar"
Client = MongoClient[dict[str, Any]]


class Moment(NamedTuple):
    """The server's counters at a moment."""

    at_s: float
    cpu_s: float
    read_bytes: float
    """Into its cache."""


class Window(NamedTuple):
    """What the server did between two moments, and what its clients saw."""

    seconds: float
    cpu_s: float
    read_bytes: float
    per_s: float
    p99_ms: float


class Server:
    """A mongod with users, its owner's connection, and the load's client."""

    def __init__(self, uri: str, folder: Path, corpus: Path, rate: int) -> None:
        """Make the users, and store the documents."""
        self._folder, self._rate, bare = folder, rate, uri.removeprefix("mongodb://")
        with Client(uri) as first:
            first.admin.command("createUser", "owner", pwd=_PASSWORD, roles=_ROLES["owner"])
        self.uri_files = {user: folder / user for user in _ROLES}
        for user, file in self.uri_files.items():
            file.touch(mode=0o600)
            file.write_text(f"mongodb://{user}:{_PASSWORD}@{bare}&authSource=admin", encoding="utf-8")
        self._owner = Client(self.uri_files["owner"].read_text(encoding="utf-8"))
        for user in _ROLES.keys() - {"owner"}:
            self._owner.admin.command("createUser", user, pwd=_PASSWORD, roles=_ROLES[user])
        self._pid = int(self._status()["pid"])
        self._properties = {
            "workload": "pressgauge.TextWorkload",
            "mongodb.uri.file": self.uri_files["worker"],
            "mongodb.database": "shop",
            "pressgauge.corpus": corpus,
            "pressgauge.seed": 1,
            "recordcount": RECORDS,
        }
        self._ended(self._client(["-load", "-threads", "4"], {"mongodb.batchsize": 100}))

    @contextmanager
    def under_load(self) -> Iterator[None]:
        """Reads and updates at the rate, half of each."""
        bounds = {
            "operationcount": 10**9,
            "readproportion": 0.5,
            "updateproportion": 0.5,
            "requestdistribution": "uniform",
            "pressgauge.pace": self._rate,
            "measurementtype": "hdrhistogram",
            "measurement.interval": "both",
            "hdrhistogram.fileoutput": "true",
            "hdrhistogram.output.path": self._folder / "load.",
            "exportfile": self._folder / "load.json",
            "exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter",
            "status.interval": 1,
        }
        running = self._client(["-t", "-threads", "8", "-s"], bounds)
        try:
            yield
            assert running.poll() is None, "the load's client ended before it was asked to"
        finally:
            running.terminate()  # its histograms are on disk, second by second
            running.communicate()

    def moment(self) -> Moment:
        """The counters as they are now."""
        fields = Path(f"/proc/{self._pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        cpu_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return Moment(time.time(), cpu_s, self._status()["wiredTiger"]["cache"]["bytes read into cache"])

    def between(self, start: Moment, end: Moment) -> Window:
        """What happened between two moments; latencies count from when an operation was due."""
        logs = [read_interval_log(self._folder / f"load.Intended-{one}.hdr") for one in ("READ", "UPDATE")]
        inside = [log.within(start.at_s, end.at_s).intervals for log in logs]
        seconds = end.at_s - start.at_s
        rates = [sum(i.count for i in each) / (each[-1].end_s - each[0].start_s) for each in inside]
        every = Histogram.merged(one.histogram for each in inside for one in each)
        read_bytes = end.read_bytes - start.read_bytes
        return Window(seconds, end.cpu_s - start.cpu_s, read_bytes, sum(rates), every.percentile_us(99) / 1000)

    def _status(self) -> dict[str, Any]:
        return dict(self._owner.admin.command("serverStatus"))

    def _client(self, arguments: list[str], more: dict[str, Any]) -> subprocess.Popen[str]:
        given = [part for name, value in (self._properties | more).items() for part in ("-p", f"{name}={value}")]
        binding = ["site.ycsb.Client", *arguments, "-db", "pressgauge.MongoBinding"]
        command = ["java", *JVM_OPTIONS, "-cp", str(_JAR), *binding, *given]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)

    @staticmethod
    def _ended(client: subprocess.Popen[str]) -> None:
        client.communicate()
        assert client.returncode == 0, "the documents could not be loaded"


def moments(server: Server, samples: int, folder: Path) -> Iterator[Moment]:
    """Those around each sample, and around the time before each and after the last."""
    yield server.moment()
    for number in range(samples):
        time.sleep(APART_S)
        yield server.moment()
        into = folder / f"sample-{number}"
        asked = ["--uri-file", str(server.uri_files["reader"]), "--collection", "shop.usertable", "--into", str(into)]
        subprocess.run(
            [sys.executable, "-m", "harness", "sample", *asked, "--seed", str(number)],
            cwd=ROOT, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        yield server.moment()
    time.sleep(APART_S)
    yield server.moment()


def lines(windows: list[Window], sample_bytes: int) -> Iterator[str]:
    """A row for each sample, and all of them in one sentence."""
    yield "| sample | mongod CPU | into its cache | operations per s: before and after, meanwhile | p99 |"
    yield "|---:|---:|---:|---:|---:|"
    costs: list[tuple[float, float, float, float]] = []
    for number, during in enumerate(windows[1::2]):
        around = windows[2 * number], windows[2 * number + 2]
        idle_s = sum(one.seconds for one in around)
        cpu_s = during.cpu_s - during.seconds * sum(one.cpu_s for one in around) / idle_s
        read = during.read_bytes - during.seconds * sum(one.read_bytes for one in around) / idle_s
        per_s, p99_ms = mean(one.per_s for one in around), mean(one.p99_ms for one in around)
        costs.append((cpu_s, read / _MIB, during.per_s / per_s - 1, during.p99_ms / p99_ms - 1))
        yield (
            f"| {during.seconds:.1f} s | {cpu_s:+.2f} s | {read / _MIB:+.1f} MiB | {per_s:,.0f}, {during.per_s:,.0f} | "
            f"{p99_ms:.1f}, {during.p99_ms:.1f} ms |"
        )
    middle = [median(column) for column in zip(*costs, strict=True)]
    yield (
        f"{len(costs)} samples of {sample_bytes / _MIB:.0f} MiB; medians: {middle[0]:.2f} s of mongod's CPU, "
        f"{middle[1]:.1f} MiB into its cache, operations per second {middle[2]:+.1%}, p99 {middle[3]:+.0%}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mongod", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rate", type=int, default=1000, help="operations a second")
    parser.add_argument("--samples", type=int, default=6)
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="pressgauge-live-") as name, own_mongod(asked.mongod, 0, _OPTIONS) as uri_file:
        folder = Path(name)
        server = Server(uri_file.read_text(encoding="utf-8"), folder, asked.corpus, asked.rate)
        with server.under_load():
            time.sleep(WARM_S)
            found = list(moments(server, asked.samples, folder))
        windows = [server.between(start, end) for start, end in pairwise(found)]
        taken = (folder / "sample-0/documents.bson").stat().st_size
        print(*lines(windows, taken), sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
