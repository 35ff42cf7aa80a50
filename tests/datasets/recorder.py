"""Has a mongod record mixed traffic of several sessions, beside a dump of what it began with."""

from __future__ import annotations

import gzip
import random
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import bson
from pymongo import ASCENDING, MongoClient
from pymongo.errors import DuplicateKeyError

from tests.ansible.mongods import serving
from tests.datasets.dumps import dumped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pymongo.collection import Collection

OWN, KINDS = 40, 7
"""Documents that each session alone writes, and groups of those that all read."""
_BUFFER_BYTES, _LARGEST_BYTES = 2**24, 2**34


@dataclass(frozen=True)
class Recorded:
    """A recording, and the documents with which it began."""

    recording: Path
    dump: Path
    asked: int
    """Operations of all sessions, cursors' later batches and what pymongo asks itself not counted."""


def documents(sessions: int, length: int) -> list[dict[str, Any]]:
    """Documents of which each session has its own; what all look for never changes."""
    drawn = random.Random(7)
    words = ["lorem", "ipsum", "dolor", "sit", "amet", "consetetur", "sadipscing", "elitr", "sed", "diam"]
    return [
        {
            "_id": number,
            "kind": number % KINDS,
            "owner": number // OWN,
            "n": 0,
            "text": " ".join(drawn.choices(words, k=length // 6)),
        }
        for number in range(sessions * OWN)
    ]


@contextmanager
def recording_mongod(engine: Path, folder: Path, port: int) -> Iterator[MongoClient[dict[str, Any]]]:
    """A mongod that can record its traffic into `folder`/traffic."""
    (folder / "traffic").mkdir(parents=True)
    option = f"trafficRecordingDirectory={folder / 'traffic'}"
    with serving(engine, folder / "db", port, "--setParameter", option):
        client: MongoClient[dict[str, Any]] = MongoClient("127.0.0.1", port)
        with client:
            yield client


def record(
    client: MongoClient[dict[str, Any]],
    folder: Path,
    port: int,
    sessions: int,
    seconds: float,
    pause_s: float,
    length: int = 600,
) -> Recorded:
    """Record so many sessions for so long; each waits `pause_s` on average after an operation."""
    collection = client["shop"]["orders"]
    collection.insert_many(documents(sessions, length))
    collection.create_index([("kind", ASCENDING), ("_id", ASCENDING)])
    dump = dumped(folder / "dump" / "shop", "orders", (bson.encode(one) for one in collection.find().sort("_id")))
    dump.with_name("orders.metadata.json").write_text(
        '{"indexes": [{"v": 2, "key": {"kind": 1, "_id": 1}, "name": "kind_1__id_1"}]}'
    )
    sizes: dict[str, Any] = {"bufferSize": bson.Int64(_BUFFER_BYTES), "maxFileSize": bson.Int64(_LARGEST_BYTES)}
    client.admin.command("startRecordingTraffic", filename="orders.traffic", **sizes)
    asked: list[int] = []
    threads = [
        threading.Thread(target=lambda number=number: asked.append(_session(port, number, seconds, pause_s)))
        for number in range(sessions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.admin.command("stopRecordingTraffic")
    return Recorded(folder / "traffic" / "orders.traffic", dump, sum(asked))


def _session(port: int, number: int, seconds: float, pause_s: float) -> int:
    drawn, done, end = random.Random(number), 0, time.monotonic() + seconds
    with MongoClient[dict[str, Any]]("127.0.0.1", port) as client:
        one = _Session(client["shop"]["orders"], number, drawn)
        while time.monotonic() < end:
            one.operate()
            done += 1
            time.sleep(drawn.expovariate(1 / pause_s))
    return done


class _Session:
    def __init__(self, collection: Collection[dict[str, Any]], number: int, drawn: random.Random) -> None:
        self.orders, self.number, self.drawn = collection, number, drawn
        self.first = number * OWN
        self.added = 1_000_000 * (number + 1)

    def operate(self) -> None:
        operations = (
            (30, self.find), (10, self.scan), (8, self.by_kind), (14, self.update), (4, self.update_many),
            (10, self.insert), (4, self.insert_many), (2, self.insert_again), (6, self.delete),
            (4, self.find_and_modify), (2, self.upsert), (2, self.group), (2, self.count), (2, self.distinct),
        )  # fmt: skip
        weights, choices = zip(*operations, strict=True)
        self.drawn.choices(choices, weights)[0]()

    def own(self) -> int:
        return self.first + self.drawn.randrange(OWN)

    def find(self) -> None:
        self.orders.find_one({"_id": self.own()})

    def scan(self) -> None:
        list(self.orders.find({"_id": {"$gte": self.first, "$lt": self.first + OWN}}, batch_size=15))

    def by_kind(self) -> None:
        found = self.orders.find({"kind": self.drawn.randrange(KINDS + 1), "_id": {"$lt": 10**6}}, {"text": 0})
        list(found.sort("_id", -1).limit(5))

    def update(self) -> None:
        self.orders.update_one({"_id": self.own()}, {"$set": {"n": self.drawn.randrange(3)}})

    def update_many(self) -> None:
        self.orders.update_many({"_id": {"$gte": self.first, "$lt": self.first + 5}}, {"$inc": {"n": 1}})

    def insert(self) -> None:
        self.orders.insert_one(self.new())

    def insert_many(self) -> None:
        self.orders.insert_many([self.new() for _ in range(5)])

    def new(self) -> dict[str, Any]:
        self.added += 1
        return {"_id": self.added, "owner": self.number, "text": "new " * self.drawn.randrange(100)}

    def insert_again(self) -> None:
        try:
            self.orders.insert_one({"_id": self.first})
        except DuplicateKeyError:
            return

    def delete(self) -> None:
        self.orders.delete_one({"_id": self.drawn.randrange(1_000_000 * (self.number + 1), self.added + 2)})

    def find_and_modify(self) -> None:
        if self.drawn.random() < 0.5:
            self.orders.find_one_and_update({"_id": self.own()}, {"$inc": {"n": 1}})
        else:
            self.orders.find_one_and_delete({"_id": self.added - self.drawn.randrange(3)})

    def upsert(self) -> None:
        self.orders.update_one({"_id": self.added + self.drawn.randrange(-2, 1)}, {"$set": {"n": 1}}, upsert=True)

    def group(self) -> None:
        list(
            self.orders.aggregate([{"$match": {"_id": {"$lt": 10**6}}}, {"$group": {"_id": "$kind", "n": {"$sum": 1}}}])
        )

    def count(self) -> None:
        self.orders.count_documents({"owner": self.number, "_id": {"$lt": 10**6}})

    def distinct(self) -> None:
        self.orders.distinct("kind", {"_id": {"$lt": 10**6}})


def record_few(client: MongoClient[dict[str, Any]], folder: Path, port: int) -> tuple[bytes, bytes]:
    """One of each command by two connections, one of them compressed: the recording, and what the profiler kept."""
    shop = client["shop"]
    shop["orders"].insert_many(documents(1, 60))
    shop.command("profile", 2)
    sizes: dict[str, Any] = {"bufferSize": bson.Int64(_BUFFER_BYTES), "maxFileSize": bson.Int64(_LARGEST_BYTES)}
    client.admin.command("startRecordingTraffic", filename="few.traffic", **sizes)
    for number, compressors in enumerate(([], ["zlib"])):
        with MongoClient[dict[str, Any]]("127.0.0.1", port, compressors=compressors) as other:
            one = _Session(other["shop"]["orders"], number, random.Random(number))
            one.first = 0
            for operation in (
                one.insert_many, one.insert, one.insert_again, one.find, one.scan, one.by_kind, one.update,
                one.update_many, one.upsert, one.delete, one.find_and_modify, one.group, one.count, one.distinct,
            ):  # fmt: skip
                operation()
            other["shop"].command("count", "orders", query={"n": 0})
            list(other["shop"]["orders"].aggregate([{"$match": {"n": 1}}, {"$out": "copies"}]))
            other["shop"]["others"].find_one()
    client.admin.command("stopRecordingTraffic")
    shop.command("profile", 0)
    profile = b"".join(bson.encode(one) for one in shop["system.profile"].find())
    return (folder / "traffic" / "few.traffic").read_bytes(), profile


def main(engine: Path, port: int = 27991) -> None:
    """Record the small files that tests read."""
    with TemporaryDirectory() as folder, recording_mongod(engine, Path(folder, "of"), port) as client:
        traffic, profile = record_few(client, Path(folder, "of"), port)
    into = Path(__file__).with_name("recorded")
    (into / "few.traffic.gz").write_bytes(gzip.compress(traffic, mtime=0))
    (into / "few.profile.bson.gz").write_bytes(gzip.compress(profile, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
