"""What the load generator costs beside a bare loop on the same driver, and how fast it makes text: `make bench`.

Both send the same documents, filters and updates from as many threads to one mongod at the same time (a duet), each to
collections of its own, so that whatever disturbs the machine disturbs both. CPU is that of a client's whole process,
compiler and collector included, while both are warm.
"""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pymongo import MongoClient

from core.machine import this_machine
from workloads.bench.clients import BATCH, THREADS, Clients, Operation, Work
from workloads.bench.figures import Cost, cost, summary
from workloads.jvm import JVM_OPTIONS

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["run_bench"]

FORMAT_VERSION = 1
WORK: dict[Operation, Work] = {
    "insert": Work(150_000, 80_000),
    "insert_batched": Work(500_000, 250_000),
    "rmw": Work(65_000, 40_000),
}


def run_bench(
    jar: Path,
    mongod_uri_file: Path,
    corpus: Path,
    out: Path,
    *,
    rounds: int = 3,
    budget_s: float = 200,
    jvm_options: tuple[str, ...] = JVM_OPTIONS,
) -> dict[str, Any]:
    """Measure text speed, insert, batched insert and read-modify-write; write the figures to `out`, and return them.

    Args:
        jar: the load generator's.
        mongod_uri_file: file of mode 0600 with the connection string of a mongod that serves nothing else; its
            database `pressgauge` is dropped.
        corpus: the corpus file.
        out: the JSON file; clients' own files go to the folder `bench` beside it.
        rounds: how often each is measured, at most.
        budget_s: no further round is begun that would probably end later.
        jvm_options: of every client.

    Raises:
        BenchError: a client failed.
    """
    began = time.monotonic()
    folder = out.parent / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    bench = Clients(jar.resolve(), mongod_uri_file.resolve(), corpus.resolve(), folder.resolve(), jvm_options)
    result = _heading(bench) | bench.text()
    costs: dict[Operation, list[Cost]] = {operation: [] for operation in WORK}
    account: dict[str, Any] = {}
    longest_s = 0.0
    for number in range(rounds):
        round_began = time.monotonic()
        if number and round_began - began + longest_s > budget_s:
            break
        for operation, work in WORK.items():
            bench.drop()
            if operation == "rmw":
                bench.load()
            account, floor = bench.duet(operation, work)
            costs[operation].append(cost(account["samples"], floor["samples"], work.warmup))
        longest_s = max(longest_s, time.monotonic() - round_began)
    result["versions"] |= {"driver": account["driver_version"], "java": account["jvm"]["version"]}
    result |= {operation: summary(measured) for operation, measured in costs.items()}
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result


def _heading(bench: Clients) -> dict[str, Any]:
    with MongoClient[dict[str, Any]](bench.uri_file.read_text(encoding="utf-8")) as client:
        mongod = client.server_info()["version"]
    return {
        "format_version": FORMAT_VERSION,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": this_machine().model_dump(),
        "versions": {"mongod": mongod},
        "jvm_options": list(bench.jvm_options),
        "threads": THREADS,
        "batch": BATCH,
    }
