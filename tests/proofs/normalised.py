"""Clients of normalised documents under kill -9: no reference leads nowhere, and no acknowledged write is lost.

    python -m tests.proofs.normalised MONGOD [--kills N] [--seed N] [--jar JAR]        (three minutes on two cores)

Loads and read-modify-writes of several client processes at once, which know few of the hashes, are killed at random
moments; after each kill every document is recomputed. What the server did is known from the server: of a load, that
nothing is missing but what was on its way; of read-modify-writes, that the versions stored add up to its updates.
Before that, two ways to read a document with its values are compared.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pymongo import MongoClient

from datasets.documents import key_name
from tests.proofs.clients import begin, end
from workloads.bench.__main__ import own_mongod

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

DATABASE, ENDLESS = "normalised", 2**31 - 1
MANY = 500_000
"""Records of a load that is killed before it ends."""
LOADED, LOAD_THREADS, BATCH = 3_000, 4, 10
CLIENTS = 3
LINES, KNOWN = 300, 100
"""Values of a version, and how many hashes each client remembers of those and of later versions."""
MOST = {"load": 5_000, "read-modify-write": 1_000}
"""Documents and updates, one of which is followed by a kill."""
_LOADS = 0.4
_POLL_S = 0.01


@dataclass(frozen=True)
class Found:
    """What lay in the database after a kill."""

    documents: int
    written: int
    """Updates that the server did since the load."""
    verified: dict[str, Any]
    lost: int
    """Documents of a load that are missing though later ones are there, beyond what was on its way."""

    @property
    def faults(self) -> dict[str, int]:
        """All that may not be; each should be 0."""
        dictionary = self.verified["dictionary"]
        return {
            "dangling": dictionary["dangling"],
            "altered": self.verified["altered"],
            "surplus documents": self.verified["surplus"],
            "lost documents": self.lost,
            "lost versions": abs(self.written - self.verified["version_sum"]),
        }


class Clients:
    """Clients of one mongod; `folder` takes their files."""

    def __init__(self, jar: Path, uri_file: Path, folder: Path) -> None:
        """Write the corpus that all documents are made of."""
        self._jar, self._folder = jar, folder
        corpus = folder / "corpus.txt"
        corpus.write_text("".join(f"line {number} of what is said here\n" for number in range(LINES)), encoding="utf-8")
        self.server = MongoClient[dict[str, Any]](uri_file.read_text(encoding="utf-8"))
        self._beside = len(self._others())
        self._updates = 0
        self._common: dict[str, object] = {
            "workload": "pressgauge.TextWorkload",
            "mongodb.uri.file": uri_file,
            "mongodb.database": DATABASE,
            "pressgauge.corpus": corpus,
            "pressgauge.seed": 1,
            "pressgauge.model": "normalised",
            "pressgauge.knownhashes": KNOWN,
            "measurementtype": "hdrhistogram",
        }

    def load(self, bits: int, records: int) -> subprocess.Popen[str]:
        """Begin to store records anew, with references of so many bits."""
        self.server.drop_database(DATABASE)
        self._common |= {"pressgauge.hashbits": bits, "recordcount": records}
        arguments = ["-load", "-threads", str(LOAD_THREADS)]
        return begin(self._jar, "site.ycsb.Client", arguments, self._common | {"mongodb.batchsize": BATCH})

    def loaded(self, bits: int) -> None:
        """Store the records that read-modify-writes find."""
        end(self.load(bits, LOADED))
        self._updates = self._updated()

    def write(self, phase: str, operations: int = ENDLESS) -> list[subprocess.Popen[str]]:
        """Begin read-modify-writes of several clients; each writes records of its own, one at a time."""
        mix = {"readproportion": 0, "updateproportion": 0, "readmodifywriteproportion": 1, "operationcount": operations}
        mine = self._common | mix | {"pressgauge.phase": phase, "pressgauge.clientcount": CLIENTS}
        return [
            begin(self._jar, "site.ycsb.Client", ["-t"], mine | {"pressgauge.clientindex": index})
            for index in range(CLIENTS)
        ]

    def entries(self) -> int:
        """How many values the dictionary has."""
        return self.server[DATABASE]["dictionary"].estimated_document_count()

    def documents(self) -> int:
        """How many documents there are."""
        return self.server[DATABASE]["usertable"].estimated_document_count()

    def written(self) -> int:
        """Documents that the server has updated since the load."""
        return self._updated() - self._updates

    def _updated(self) -> int:
        status = self.server.admin.command("serverStatus")
        return int(status["metrics"]["document"]["updated"])

    def _others(self) -> list[Any]:
        """Connections of clients, whose operations the server ends even when nobody waits for the answer."""
        sessions = self.server.admin.aggregate([{"$currentOp": {"idleConnections": True}}])
        return [one for one in sessions if "pressgauge" in str(one.get("appName", ""))]

    def kill(self, running: list[subprocess.Popen[str]]) -> None:
        """Kill clients, all that there are, and wait until the server has done what they asked."""
        for one in running:
            one.kill()
        for one in running:
            one.communicate()
        self.settle()

    def settle(self) -> None:
        """Wait until no client has a connection."""
        while len(self._others()) > self._beside:
            time.sleep(_POLL_S)

    def found(self, *, loading: bool) -> Found:
        """What lies in the database, every document recomputed."""
        out = self._folder / "verify.json"
        end(begin(self._jar, "pressgauge.Verify", [], self._common | {"verify.out": out}))
        lost = self._lost() if loading else 0
        written = 0 if loading else self.written()
        verified = json.loads(out.read_text(encoding="utf-8"))
        return Found(self.documents(), written, verified, lost if loading else verified["missing"])

    def _lost(self) -> int:
        """Records go out in their order: below the last one no more are missing than were on their way."""
        there = {one["_id"] for one in self.server[DATABASE]["usertable"].find({}, {"_id": 1})}
        record = missing = 0
        while there:
            name = key_name(record)
            missing += name not in there
            there.discard(name)
            record += 1
        return max(0, missing - LOAD_THREADS * BATCH)


def kills(clients: Clients, count: int, draw: random.Random) -> Iterator[tuple[str, int, Found]]:
    """Kill so many times at random moments, half of them with references of 64 bits; what each left."""
    for bits, share in ((64, count - count // 2), (128, count // 2)):
        loads = round(_LOADS * share)
        for _ in range(loads):
            running = clients.load(bits, MANY)
            stored = draw.randint(1, MOST["load"])
            until(lambda: clients.documents() >= stored)  # noqa: B023 (it is over before the next round)
            clients.kill([running])
            yield "load", bits, clients.found(loading=True)
        clients.loaded(bits)
        for number in range(share - loads):
            written = clients.written() + draw.randint(1, MOST["read-modify-write"])
            several = clients.write(f"{bits}-{number}")
            until(lambda: clients.written() >= written)  # noqa: B023 (likewise)
            clients.kill(several)
            yield "read-modify-write", bits, clients.found(loading=False)


def until(cause: Callable[[], bool]) -> None:
    """Wait for a cause."""
    while not cause():
        time.sleep(_POLL_S)


def ways_to_read(clients: Clients, bits: int) -> Iterator[str]:
    """What a read of a document with all its values takes by two queries, and by one with a join."""
    clients.loaded(bits)
    database = clients.server[DATABASE]
    process = Path(f"/proc/{clients.server.admin.command('serverStatus')['pid']}/stat")
    fields = [f"field{number}" for number in range(10)]

    def queries(key: str) -> int:
        found = database["usertable"].find_one({"_id": key}) or {}
        references = [found[field] for field in fields]
        return len(list(database["dictionary"].find({"_id": {"$in": references}})))

    def join(key: str) -> int:
        stages: list[dict[str, Any]] = [
            {"$match": {"_id": key}},
            {"$project": {"references": [f"${field}" for field in fields]}},
            {"$lookup": {"from": "dictionary", "localField": "references", "foreignField": "_id", "as": "values"}},
        ]
        return sum(len(one["values"]) for one in database["usertable"].aggregate(stages))

    for name, way in (("$in", queries), ("$lookup", join)) * 2:
        cpu, began = _ticks(process), time.perf_counter()
        values = sum(way(key_name(record)) for record in range(LOADED))
        seconds, cpu = time.perf_counter() - began, _ticks(process) - cpu
        told = f"{seconds / LOADED * 1e6:.0f} µs a read, {cpu * 1e4 / LOADED:.0f} µs of mongod's CPU"
        yield f"{name} with {bits} bits: {told}, {values:,} values"


def _ticks(process: Path) -> int:
    """CPU time of a process, in ticks of 1/100 s."""
    user, system = process.read_text(encoding="ascii").rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def lines(clients: Clients, count: int, seed: int) -> Iterator[str]:
    """A row a kill."""
    yield f"{count} kills, seed {seed}, {LINES} values a version, {KNOWN} hashes known at most"
    yield (
        "| killed | bits | documents | updates | entries | of them surplus | "
        + " | ".join(("dangling", "altered", "surplus documents", "lost documents", "lost versions"))
        + " |"
    )
    yield "|---|" + "---:|" * 10
    for what, bits, found in kills(clients, count, random.Random(seed)):
        dictionary, faults = found.verified["dictionary"], found.faults
        cells = (bits, found.documents, found.written, dictionary["entries"], dictionary["surplus"], *faults.values())
        yield f"| {what} | " + " | ".join(f"{cell:,}" for cell in cells) + " |"
        assert not any(faults.values()), (faults, found.verified["examples"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mongod", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jar", type=Path, default=Path("workloads/java/target/pressgauge-ycsb.jar"))
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, own_mongod(asked.mongod, 0) as uri_file:
        clients = Clients(asked.jar, uri_file, Path(folder))
        for line in chain(
            ways_to_read(clients, 64), ways_to_read(clients, 128), lines(clients, asked.kills, asked.seed)
        ):
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
