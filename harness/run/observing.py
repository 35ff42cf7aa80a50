"""Looks at a deployment for a while, as a user who may only read: two moments, and what a profiler shows in between."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import bson
from blake3 import blake3

from analysis.mirror.commands import of_oplog, of_profile
from analysis.mirror.moments import CollectionMoment, Moment, ServerFacts, at, number
from analysis.mirror.skew import KeyUse
from datasets.collections import live_collection
from datasets.collections.server import APP_NAME
from datasets.errors import DatasetError
from harness.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from analysis.mirror.commands import Seen, Shape
    from datasets.collections import LiveCollection

    Document = dict[str, Any]

POLL_S = 1.0
_ANSWER_MS = 5000
_MOST_POLLED = 2000
_MOST_SHAPES = 200_000
_TOLD_EVERY_S = 15.0
_SYSTEMS = {"admin", "config", "local"}
_PROFILED = {
    "op": 1, "ts": 1, "planSummary": 1, "nreturned": 1, "ninserted": 1,
    **{f"command.{name}": 1 for name in (
        "find", "filter", "projection", "sort", "limit", "q", "u", "upsert", "query", "update", "remove", "autocommit",
        "count", "aggregate", "findAndModify", "findandmodify", "distinct", "pipeline",
    )},
}  # fmt: skip
"""What is read of a profiler's entry. Documents that are inserted are not."""


@dataclass
class Watched:
    """What a profiler or an oplog showed of one collection."""

    shapes: list[Shape] = field(default_factory=list)
    keys: KeyUse = field(default_factory=KeyUse)
    written: list[Shape] = field(default_factory=list)
    """Of the oplog."""
    written_keys: KeyUse = field(default_factory=KeyUse)


@dataclass(frozen=True)
class Looked:
    """What was to be seen in a window."""

    when: str
    before: Moment
    after: Moment
    facts: ServerFacts
    watched: dict[str, Watched]
    profiler: str
    """What the profiler showed, in words."""


def look(
    uri_file: Path,
    names: Sequence[str],
    *,
    seconds: float,
    tell: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Looked:
    """Look at collections called `<db>.<collection>` for so many seconds, at the primary where there is one.

    Raises:
        InputError: the server refuses, is gone, or the user can do more than read or may not see the counters.
    """
    try:
        with live_collection(uri_file, names[0], answer_ms=_ANSWER_MS, primary=True) as live:
            for name in names[1:]:
                _check_name(name)
            facts = _facts(live)
            when = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
            before = _moment(live, names, last=False)
            tell(f"looking at {', '.join(names)} for {seconds:.0f} s")
            watch = _Watch(live, names)
            _wait(watch, seconds, tell, sleep)
            after = _moment(live, names, last=True)
            return Looked(when, before, after, facts, watch.watched, watch.profiler)
    except DatasetError as error:
        raise InputError(str(error), do="see docs/mirror.md for the rights that it takes") from error


def _check_name(name: str) -> None:
    database, _, collection = name.partition(".")
    if not database or not collection:
        raise DatasetError(f"dataset {name}: is no collection's name; write it as <database>.<collection>")


def _wait(watch: _Watch, seconds: float, tell: Callable[[str], None], sleep: Callable[[float], None]) -> None:
    began = told_at = time.monotonic()
    while (now := time.monotonic()) - began < seconds:
        watch.poll()
        if now - told_at >= _TOLD_EVERY_S:
            told_at = now
            tell(f"{now - began:.0f} of {seconds:.0f} s; {watch.seen:,} commands seen by profiler or oplog")
        sleep(min(POLL_S, max(0.0, seconds - (time.monotonic() - began))))
    watch.poll()


class _Watch:
    """Reads what profilers and the oplog add, as far as the user may; keys become tokens at once."""

    def __init__(self, live: LiveCollection, names: Sequence[str]) -> None:
        self._live = live
        self._secret = secrets.token_bytes(32)
        self.watched = {name: Watched() for name in names}
        self.seen = 0
        self.profiler = ""
        self._since: dict[str, datetime] = {}
        for database in dict.fromkeys(name.partition(".")[0] for name in names):
            self._open_profiler(database)
        self._oplog_at = self._oplog_end()

    def poll(self) -> None:
        """Read what is new."""
        for database in list(self._since):
            self._poll_profiler(database)
        if self._oplog_at is not None:
            self._poll_oplog()

    def _open_profiler(self, database: str) -> None:
        """Read on from now where the profiler shows all operations, or an even part of them."""
        level = self._live.ask_if_allowed({"profile": -1}, database=database)
        if level is None:
            self.profiler = f"{database}: whether it is on is not to be known"
        elif not level.get("was"):
            self.profiler = f"{database}: it is off"
        elif "filter" in level or (level["was"] == 1 and level.get("slowms", 100) > 0):
            self.profiler = f"{database}: it shows only some operations, which are not like the others: not used"
        else:
            last = self._profiled(database, {}, newest=True)
            if last is None:
                self.profiler = f"{database}: the user may not read it"
                return
            self.profiler = f"{database}: on"
            self._since[database] = last[0]["ts"] if last else datetime(1970, 1, 1)

    def _poll_profiler(self, database: str) -> None:
        while True:
            found = self._profiled(database, {"ts": {"$gt": self._since[database]}})
            for entry in found or ():
                self._since[database] = entry["ts"]
                if seen := of_profile(entry, self._token):
                    watched = self.watched[entry["ns"]]
                    self._keep(seen, watched.shapes, watched.keys)
            if not found or len(found) < _MOST_POLLED:
                return

    def _profiled(self, database: str, asked: Document, *, newest: bool = False) -> list[Document] | None:
        command: Document = {
            "find": "system.profile",
            "filter": {**asked, "ns": {"$in": list(self.watched)}, "appName": {"$ne": APP_NAME}},
            "projection": {**_PROFILED, "ns": 1},
            "sort": {"$natural": -1 if newest else 1},
            "limit": 1 if newest else _MOST_POLLED,
            "batchSize": _MOST_POLLED,
            "singleBatch": True,
        }
        answer = self._live.ask_if_allowed(command, database=database)
        return None if answer is None else list(answer["cursor"]["firstBatch"])

    def _oplog_end(self) -> Any:
        found = self._oplog({}, newest=True)
        return found[0]["ts"] if found else None

    def _poll_oplog(self) -> None:
        for entry in self._oplog(self._new_updates()) or ():
            self._oplog_at = entry["ts"]
            if seen := of_oplog(entry, self._token):
                watched = self.watched[entry["ns"]]
                self._keep(seen, watched.written, watched.written_keys)

    def _new_updates(self) -> Document:
        return {"ts": {"$gt": self._oplog_at}, "op": "u", "ns": {"$in": list(self.watched)}}

    def _oplog(self, asked: Document, *, newest: bool = False) -> list[Document] | None:
        command: Document = {
            "find": "oplog.rs",
            "filter": asked,
            "projection": {"op": 1, "ns": 1, "ts": 1, "o2": 1, "o": 1},
            "sort": {"$natural": -1 if newest else 1},
            "limit": 1 if newest else _MOST_POLLED,
            "batchSize": _MOST_POLLED,
            "singleBatch": True,
        }
        answer = self._live.ask_if_allowed(command, database="local")
        return None if answer is None else list(answer["cursor"]["firstBatch"])

    def _keep(self, seen: Seen, shapes: list[Shape], keys: KeyUse) -> None:
        self.seen += 1
        if len(shapes) < _MOST_SHAPES:
            shapes.append(seen.shape)
            for token in seen.keys:
                keys.add(token)

    def _token(self, key: Any) -> int:
        """A key, as a number under a secret that ends with this process."""
        return int.from_bytes(blake3(bson.encode({"": key}), key=self._secret).digest(length=8), "big")


def _facts(live: LiveCollection) -> ServerFacts:
    """What the server is; all that the user may not know is named."""
    closed = []

    def asked(what: str, command: Document) -> Document:
        found: Document | None = live.ask_if_allowed(command, database="admin")
        if found is None:
            closed.append(what)
        return found or {}

    parsed = asked("its options", {"getCmdLineOpts": 1}).get("parsed", {})
    host = asked("its host", {"hostInfo": 1})
    concern = asked("its default write concern", {"getDefaultRWConcern": 1}).get("defaultWriteConcern") or {}
    memory = number(host, "system", "memSizeMB")
    return ServerFacts(
        version=str(live.ask({"buildInfo": 1}, database="admin")["version"]),
        cores=number(host, "system", "numCores"),
        memory_bytes=None if memory is None else memory * 2**20,
        data_bytes=_all_data(live),
        options=parsed,
        write_concern=str(concern.get("w", "")),
        is_member=live.member is not None,
        closed=tuple(closed),
    )


def _all_data(live: LiveCollection) -> float | None:
    """Bytes of BSON of all databases, which share the cache; None where the user may not know of one of them."""
    listed = live.ask_if_allowed({"listDatabases": 1, "nameOnly": True}, database="admin")
    sizes = [
        number(live.ask_if_allowed({"dbStats": 1}, database=one["name"]), "dataSize")
        for one in (listed or {}).get("databases", ())
        if one["name"] not in _SYSTEMS
    ]
    return None if not sizes or None in sizes else sum(one or 0.0 for one in sizes)


def _moment(live: LiveCollection, names: Sequence[str], *, last: bool) -> Moment:
    """The server's counters and the collections' at a moment.

    Asking counts, too: so the server's come last at the first moment, and first at the last one.
    """
    parts: dict[str, CollectionMoment] = {}
    if last:
        at_s, status, totals = _of_server(live)
        parts = dict(_of_collections(live, names, totals))
    else:
        parts = dict(_of_collections(live, names, {}))
        at_s, status, totals = _of_server(live)
        parts = {name: _with_top(part, totals.get(name, {})) for name, part in parts.items()}
    return Moment(at_s, status, totals, parts)


def _with_top(part: CollectionMoment, top: Document) -> CollectionMoment:
    return CollectionMoment(top, part.latency, part.storage, part.scans, part.indexes)


def _of_server(live: LiveCollection) -> tuple[float, Document, Document]:
    totals = live.ask_if_allowed({"top": 1}, database="admin")
    status = live.ask_if_allowed({"serverStatus": 1}, database="admin")
    if totals is None or status is None:
        raise DatasetError(
            f"dataset {live.name}: the user may not see the server's counters (`top`, `serverStatus`); grant the role "
            "clusterMonitor"
        )
    return time.time(), status, totals["totals"]


def _of_collections(
    live: LiveCollection, names: Sequence[str], totals: Document
) -> Iterator[tuple[str, CollectionMoment]]:
    for name in names:
        database, _, collection = name.partition(".")
        wanted: Document = {"storageStats": {}, "latencyStats": {"histograms": True}, "queryExecStats": {}}
        stats = _first(live, database, collection, {"$collStats": wanted})
        if stats is None:
            raise DatasetError(f"dataset {name}: there is no such collection, or the user may not see its statistics")
        used = live.ask_if_allowed(
            {"aggregate": collection, "pipeline": [{"$indexStats": {}}], "cursor": {}}, database=database
        )
        indexes = {one["name"]: int(at(one, "accesses", "ops") or 0) for one in _batch(used)}
        scans = number(stats, "queryExecStats", "collectionScans", "total")
        yield (
            name,
            CollectionMoment(
                totals.get(name, {}), stats.get("latencyStats", {}), stats.get("storageStats", {}), scans, indexes
            ),
        )


def _first(live: LiveCollection, database: str, collection: str, stage: Document) -> Document | None:
    answer = live.ask_if_allowed({"aggregate": collection, "pipeline": [stage], "cursor": {}}, database=database)
    return next(iter(_batch(answer)), None)


def _batch(answer: Any) -> list[Document]:
    return list(at(answer, "cursor", "firstBatch") or ())
