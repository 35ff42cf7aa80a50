"""What skew measures: how long read-modify-writes wait within the client, and how hot the hot keys are.

    python -m tests.proofs.skew MONGOD CORPUS [--jar JAR]        (two minutes on two cores)

Read-modify-writes of zipfian keys. Waiting is what of their mean latency lies outside their read and their update. How
often a key was taken is the sum of its document's versions, which every write adds one to; the 0.1 % that overlapping
writes hide make no difference here.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pymongo import MongoClient

from tests.proofs.clients import begin, end
from workloads.bench.__main__ import own_mongod

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

THREADS = (4, 16, 32, 64, 256)
CLIENTS = (1, 2, 4)
RECORDS = 20_000
OPERATIONS = 40_000
SECONDS = 8
_MARKER = re.compile(r"#([1-9][0-9]*) ")


class Runs:
    """Loads and run phases against one mongod; `folder` takes the clients' files."""

    def __init__(self, jar: Path, uri_file: Path, corpus: Path, folder: Path) -> None:
        """Load the records."""
        self._jar, self._folder = jar, folder
        self._uri = uri_file.read_text(encoding="utf-8")
        self._common = {
            "workload": "pressgauge.TextWorkload",
            "mongodb.uri.file": uri_file,
            "mongodb.database": "skew",
            "pressgauge.corpus": corpus,
            "pressgauge.seed": 1,
            "recordcount": RECORDS,
            "readproportion": 0,
            "updateproportion": 0,
            "readmodifywriteproportion": 1,
            "requestdistribution": "zipfian",
            "measurementtype": "hdrhistogram",
            "exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter",
        }
        self.load()

    def load(self) -> None:
        """Store the records anew."""
        with MongoClient[dict[str, Any]](self._uri) as client:
            client.drop_database("skew")
        end(self._begin("site.ycsb.Client", ["-load"], {"mongodb.batchsize": 100}))

    def waiting(self, threads: int) -> tuple[float, float, int, int]:
        """The share of waiting, the mean in ms, writes, and how many of them are unsettled."""
        name = f"t{threads}"
        out, account = self._folder / f"{name}.summary.json", self._folder / f"{name}.client.json"
        bounds = {"operationcount": 10**9, "pressgauge.measureseconds": SECONDS, "threadcount": threads}
        files = {"pressgauge.phase": name, "exportfile": out, "pressgauge.clientfile": account}
        end(self._begin("site.ycsb.Client", ["-t", "-threads", str(threads)], bounds | files))
        series, told = json.loads(out.read_text()), json.loads(account.read_text())
        means = {one["metric"]: one["value"] for one in series if one["measurement"] == "AverageLatency(us)"}
        assert all(one["attempted"] == one["ok"] for one in told["operations"].values()), told["operations"]
        whole = means["READ-MODIFY-WRITE"]
        share = 1 - (means["READ"] + means["UPDATE"]) / whole
        return share, whole / 1000, told["versions_written"], told.get("versions_unsettled", 0)

    def verified(self) -> dict[str, Any]:
        """What recomputing all documents found."""
        out = self._folder / "verify.json"
        end(self._begin("pressgauge.Verify", [], {"verify.out": out}))
        found: dict[str, Any] = json.loads(out.read_text())
        return found

    def hot(self, clients: int) -> list[float]:
        """Each key's share of the operations of so many clients together, the most frequent first."""
        self.load()
        part = {"operationcount": OPERATIONS // clients, "pressgauge.clientcount": clients}
        running = [
            self._begin("site.ycsb.Client", ["-t", "-threads", "4"], part | {"pressgauge.clientindex": index})
            for index in range(clients)
        ]
        for one in running:
            end(one)
        with MongoClient[dict[str, Any]](self._uri) as client:
            taken = sorted((_versions(document) for document in client.skew.usertable.find()), reverse=True)
        return [one / sum(taken) for one in taken]

    def _begin(self, main: str, arguments: list[str], more: dict[str, Any]) -> subprocess.Popen[str]:
        return begin(self._jar, main, arguments, self._common | more)


def _versions(document: dict[str, Any]) -> int:
    found = (_MARKER.match(value) for name, value in document.items() if name != "_id")
    return sum(int(match[1]) for match in found if match)


def lines(runs: Runs) -> Iterator[str]:
    """Both tables."""
    yield "| threads | outside read and update | mean | writes | unsettled |"
    yield "|---:|---:|---:|---:|---:|"
    written = unsettled = 0
    for threads in THREADS:
        share, mean_ms, more, beneath = runs.waiting(threads)
        written, unsettled = written + more, unsettled + beneath
        yield f"| {threads} | {share:.1%} | {mean_ms:.1f} ms | {more:,} | {beneath:,} |"
    found = runs.verified()
    yield f"stored versions: {found['version_sum']:,} of {written:,}, at most {unsettled:,} unsettled; "
    yield f"{found['altered']} documents altered, {found['missing']} missing"
    yield "| clients | hottest key | second | ten hottest | hundred hottest |"
    yield "|---:|---:|---:|---:|---:|"
    for clients in CLIENTS:
        shares = runs.hot(clients)
        cells = (shares[0], shares[1], sum(shares[:10]), sum(shares[:100]))
        yield f"| {clients} | {' | '.join(f'{share:.2%}' for share in cells)} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mongod", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--jar", type=Path, default=Path("workloads/java/target/pressgauge-ycsb.jar"))
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, own_mongod(asked.mongod, 0) as uri_file:
        for line in lines(Runs(asked.jar, uri_file, asked.corpus, Path(folder))):
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
