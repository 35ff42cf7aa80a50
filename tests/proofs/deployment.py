"""A deployment that is known: a mongod with sessions of visitors, and clients that use it in a known mix and skew."""

from __future__ import annotations

import datetime as dt
import itertools
import random
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pymongo
from bson import ObjectId

from tests.ansible.mongods import serving
from tests.proofs.collections import Draw

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pymongo.collection import Collection

    Client = pymongo.MongoClient[dict[str, Any]]
    Documents = list[dict[str, Any]]
    Events = Collection[dict[str, Any]]

PASSWORD = "only-for-this-proof"
EXPONENT = 0.99
LATEST = 20
_START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_SESSION, _USED_SESSIONS = 25, 500
STATES = ("new", "seen", "left", "bought")
INDEXES = {"session_1_at_-1": [("session", 1), ("at", -1)], "state.score_1": [("state.score", 1)]}


def documents(count: int) -> Iterator[dict[str, Any]]:
    """Events: those of a session stand side by side, and have a long text in common."""
    draw, common = Draw(3), ""
    for number in range(count):
        if number % _SESSION == 0:
            common = draw.text(350)
        made = (1_700_000_000 + number // 40).to_bytes(4, "big")
        yield {
            "_id": ObjectId(made + b"proof" + (number % 2**24).to_bytes(3, "big")),
            "session": number // _SESSION,
            "at": _START + dt.timedelta(seconds=7 * number),
            "status": draw.choice(STATES),
            "agent": common,
            "note": draw.text(draw.randrange(100, 300)),
            "state": {"score": draw.randrange(1000), "city": draw.word()},
            "items": [{"sku": draw.randrange(5000), "name": draw.word()} for _ in range(draw.randrange(6))],
        }


@dataclass
class Deployment:
    """A mongod, who owns it, and what its clients did."""

    port: int
    owner: Client
    count: int
    done: Counter[str] = field(default_factory=Counter)
    """Operations by kind."""
    hot: Counter[bool] = field(default_factory=Counter)
    """Operations by key, by whether it is among the hottest 1 % of the keys."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def events(self) -> Events:
        """The collection that is used."""
        return self.owner.shop.events

    def uri_of(self, user: str) -> str:
        """By which one connects: as `owner`, or as `mirror`, who can only read."""
        return f"mongodb://{user}:{PASSWORD}@127.0.0.1:{self.port}/?directConnection=true"

    @property
    def hottest(self) -> float:
        """The share of operations by key that the hottest 1 % of the keys got."""
        return self.hot[True] / sum(self.hot.values())

    def share(self, kind: str) -> float:
        """The share of the operations that were of a kind."""
        return self.done[kind] / sum(self.done.values())

    @contextmanager
    def in_use(self, mix: Mapping[str, float], threads: int = 3, per_s: float | None = None) -> Iterator[None]:
        """Clients that go on until the block ends: as fast as they can, or together at a rate."""
        ended = threading.Event()
        keys = [one["_id"] for one in self.events.find({}, {"_id": 1}).sort("_id", 1)]
        random.Random(11).shuffle(keys)  # so that hot keys lie anywhere
        pause_s = threads / per_s if per_s else 0.0
        clients = [
            threading.Thread(target=self._client, args=(number, threads, mix, keys, ended, pause_s))
            for number in range(threads)
        ]
        for client in clients:
            client.start()
        try:
            yield
        finally:
            ended.set()
            for client in clients:
                client.join()

    def _client(
        self,
        number: int,
        threads: int,
        mix: Mapping[str, float],
        keys: list[ObjectId],
        ended: threading.Event,
        pause_s: float,
    ) -> None:
        chance, done, hot = random.Random(number), Counter[str](), Counter[bool]()
        old = keys[len(keys) // 2 + number :: threads]  # seldom asked for, and anywhere in the file
        sums = list(itertools.accumulate(1 / (rank + 1) ** EXPONENT for rank in range(len(keys))))
        ranks = range(len(keys))
        with pymongo.MongoClient[dict[str, Any]](self.uri_of("owner"), appname="shop") as client:
            events = client.shop.events
            like = list(events.find({}).limit(_SESSION))
            due_s = time.monotonic()
            while not ended.is_set():
                kinds = chance.choices(list(mix), weights=list(mix.values()), k=500)
                for kind, rank in zip(kinds, chance.choices(ranks, cum_weights=sums, k=500), strict=True):
                    due_s += pause_s
                    if ended.wait(max(0.0, due_s - time.monotonic())):
                        break
                    did = _do(kind, keys[rank], events, chance, old, like)
                    done[did] += 1
                    if did in {"find", "update", "delete"}:
                        hot[did != "delete" and rank < len(keys) // 100] += 1
        with self._lock:
            self.done += done
            self.hot += hot


def _do(kind: str, key: ObjectId, events: Events, chance: random.Random, old: list[ObjectId], like: Documents) -> str:
    """One operation."""
    if kind == "find":
        events.find_one({"_id": key}, {"status": 1, "state": 1})
    elif kind == "find-by-index":
        list(events.find({"session": chance.randrange(_USED_SESSIONS)}).sort("at", -1).limit(LATEST))
    elif kind == "update":
        events.update_one({"_id": key}, {"$set": {"status": chance.choice(STATES)}})
    elif kind == "insert" or not old:
        events.insert_one(chance.choice(like) | {"_id": ObjectId()})
        return "insert"
    else:
        events.delete_one({"_id": old.pop()})
    return kind


@contextmanager
def deployment(engine: Path, folder: Path, port: int, count: int) -> Iterator[Deployment]:
    """A mongod with that many events, their indexes, and a user who can only read."""
    with ExitStack() as stack:
        options = ("--auth", "--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25")
        stack.enter_context(serving(engine, folder / "db", port, *options))
        with pymongo.MongoClient[dict[str, Any]]("127.0.0.1", port, directConnection=True) as first:
            first.admin.command("createUser", "owner", pwd=PASSWORD, roles=["root"])
        owner = stack.enter_context(
            pymongo.MongoClient[dict[str, Any]](f"mongodb://owner:{PASSWORD}@127.0.0.1:{port}/?directConnection=true")
        )
        roles = [{"role": "read", "db": "shop"}, {"role": "clusterMonitor", "db": "admin"}]
        owner.admin.command("createUser", "mirror", pwd=PASSWORD, roles=roles)
        events = owner.shop.events
        for name, key in INDEXES.items():
            events.create_index(key, name=name)
        for batch in _batches(count):
            events.insert_many(batch)
        owner.shop.carts.insert_one({"_id": 1})
        for _ in range(2):
            owner.admin.command("fsync")
        yield Deployment(port, owner, count)


def _batches(count: int) -> Iterator[list[dict[str, Any]]]:
    found = documents(count)
    while batch := list(itertools.islice(found, 500)):
        yield batch
