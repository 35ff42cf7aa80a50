"""The processes of the bench: the load generator under YCSB's client, and the bare loop."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pymongo import MongoClient

from workloads.errors import BenchError

if TYPE_CHECKING:
    from pathlib import Path

Operation = Literal["insert", "insert_batched", "rmw"]

THREADS = 4
BATCH = 100
_DATABASE = "pressgauge"
_TIMEOUT_S = 240
_RECORDS = 40_000
"""What read-modify-writes choose from, and what the bare loop inserts over and over."""


@dataclass(frozen=True)
class Work:
    """How much of an operation is done in a round, and how much of that is warm-up."""

    operations: int
    warmup: int


@dataclass
class Clients:
    """The clients of one run; `folder` takes their files."""

    jar: Path
    uri_file: Path
    corpus: Path
    folder: Path
    jvm_options: tuple[str, ...]
    runs: int = 0

    def drop(self) -> None:
        """Begin anew, with no collection."""
        with MongoClient[dict[str, Any]](self.uri_file.read_text(encoding="utf-8")) as client:
            client.drop_database(_DATABASE)

    def duet(self, operation: Operation, work: Work) -> tuple[dict[str, Any], dict[str, Any]]:
        """The accounts of the load generator under YCSB's client, and of the bare loop."""
        self.runs += 1
        common = self._properties(operation, work)
        mine, floor = (self.folder / f"{operation}.{self.runs}.{name}.json" for name in ("client", "floor"))
        clients = [
            self._ours(operation, common | {"pressgauge.clientfile": mine, "table": "ours"}),
            self._start(
                "pressgauge.Floor",
                common
                | {"floor.operation": operation, "floor.out": floor, "table": "floor"}
                | {"threadcount": THREADS, "recordcount": _RECORDS},
            ),
        ]
        self._finish(clients)
        account = json.loads(mine.read_text(encoding="utf-8"))
        failed = {name: one for name, one in account["operations"].items() if one["attempted"] != one["ok"]}
        if failed:
            raise BenchError(f"{operation}: operations failed: {failed}")
        return account, json.loads(floor.read_text(encoding="utf-8"))

    def load(self) -> None:
        """Give both the records that read-modify-writes need."""
        work = Work(_RECORDS, 0)
        for table in ("ours", "floor"):
            self._finish([self._ours("insert_batched", self._properties("insert_batched", work) | {"table": table})])

    def text(self) -> dict[str, float]:
        """Bytes of values a second, on one core."""
        properties = {"pressgauge.corpus": self.corpus, "pressgauge.seed": "1"}
        client = self._start("pressgauge.TextBench", properties)
        result: dict[str, float] = json.loads(self._finish([client])[0])
        return result

    def _ours(self, operation: Operation, properties: dict[str, Any]) -> subprocess.Popen[str]:
        measuring = {
            "workload": "pressgauge.TextWorkload",
            "measurementtype": "hdrhistogram",
            "hdrhistogram.fileoutput": "true",
            "hdrhistogram.output.path": f"{self.folder}/{operation}.{self.runs}.",
            "exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter",
            "exportfile": self.folder / f"{operation}.{self.runs}.summary.json",
            "status.interval": 1,
        }
        mode = "-t" if operation == "rmw" else "-load"
        arguments = [mode, "-db", "pressgauge.MongoBinding", "-s", "-threads", str(THREADS)]
        return self._start("site.ycsb.Client", properties | measuring, arguments)

    def _properties(self, operation: Operation, work: Work) -> dict[str, Any]:
        return {
            "pressgauge.corpus": self.corpus,
            "pressgauge.seed": "1",
            "pressgauge.phase": f"bench{self.runs}",
            "mongodb.uri.file": self.uri_file,
            "mongodb.database": _DATABASE,
            "mongodb.batchsize": BATCH if operation == "insert_batched" else 1,
            "recordcount": _RECORDS if operation == "rmw" else work.operations,
            "operationcount": work.operations,
            "readproportion": 0,
            "updateproportion": 0,
            "readmodifywriteproportion": 1,
            "requestdistribution": "uniform",
        }

    def _start(
        self, main: str, properties: dict[str, Any], arguments: list[str] | None = None
    ) -> subprocess.Popen[str]:
        given = [part for name, value in properties.items() for part in ("-p", f"{name}={value}")]
        command = ["java", *self.jvm_options, "-cp", str(self.jar), main, *(arguments or ()), *given]
        try:
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except FileNotFoundError as error:
            raise BenchError("no java on the PATH; run make setup") from error

    @staticmethod
    def _finish(clients: list[subprocess.Popen[str]]) -> list[str]:
        """What clients said on stdout when all have ended well; none is left behind."""
        with ThreadPoolExecutor(len(clients)) as waiting, ExitStack() as ending:
            for client in clients:
                ending.callback(client.kill)
            said = [waiting.submit(client.communicate, timeout=_TIMEOUT_S) for client in clients]
            try:
                outputs = [each.result() for each in said]
            except subprocess.TimeoutExpired as error:
                raise BenchError(f"a client took longer than {_TIMEOUT_S} s") from error
        for client, (_, errors) in zip(clients, outputs, strict=True):
            if client.returncode != 0:
                raise BenchError(f"a client ended with exit code {client.returncode}:\n{errors[-1000:]}")
        return [output for output, _ in outputs]
