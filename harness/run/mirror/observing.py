"""Looks at a deployment for a while, as a user who may only read: two moments, and what a profiler shows in between."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from analysis.mirror.moments import CollectionMoment, Moment, ServerFacts, number
from core.nested import inside
from datasets.collections import live_collection
from datasets.errors import DatasetError
from harness.errors import InputError
from harness.run.mirror.watching import Watch, Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from datasets.collections import LiveCollection

    Document = dict[str, Any]

POLL_S = 1.0
_ANSWER_MS = 5000
_TOLD_EVERY_S = 15.0
_SYSTEMS = {"admin", "config", "local"}


@dataclass(frozen=True)
class Looked:
    """What was to be seen in a window."""

    when: str
    before: Moment
    after: Moment
    facts: ServerFacts
    watched: dict[str, Watched]
    profilers: dict[str, str]
    """What each database's profiler shows, in words."""


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
            watch = Watch(live, names)
            _wait(watch, seconds, tell, sleep)
            after = _moment(live, names, last=True)
            return Looked(when, before, after, facts, watch.watched, watch.profilers)
    except DatasetError as error:
        raise InputError(str(error), do="see docs/mirror.md for the rights that it takes") from error


def _check_name(name: str) -> None:
    database, _, collection = name.partition(".")
    if not database or not collection:
        raise DatasetError(f"dataset {name}: is no collection's name; write it as <database>.<collection>")


def _wait(watch: Watch, seconds: float, tell: Callable[[str], None], sleep: Callable[[float], None]) -> None:
    began = told_at = time.monotonic()
    while (now := time.monotonic()) - began < seconds:
        watch.poll()
        if now - told_at >= _TOLD_EVERY_S:
            told_at = now
            tell(f"{now - began:.0f} of {seconds:.0f} s; {watch.seen:,} commands seen by profiler or oplog")
        sleep(min(POLL_S, max(0.0, seconds - (time.monotonic() - began))))
    watch.poll()


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
        indexes = {one["name"]: int(inside(one, "accesses", "ops") or 0) for one in _batch(used)}
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
    return list(inside(answer, "cursor", "firstBatch") or ())
