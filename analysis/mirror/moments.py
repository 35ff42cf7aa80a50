"""What a server says of itself and of a collection at a moment, and what happened between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.trial.engine.served import between
from analysis.trial.engine.wiredtiger_config import options
from core.nested import inside

if TYPE_CHECKING:
    from analysis.trial.records import Served

Document = Mapping[str, Any]
_COMMANDS = ("aggregate", "count", "distinct", "findAndModify", "mapReduce")


def number(document: Any, *names: str) -> float | None:
    """A number there; None where there is none."""
    value = inside(document, *names)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class CollectionMoment:
    """One collection at a moment."""

    top: Document
    """Its entry of `top`."""
    latency: Document
    """`$collStats`' latencyStats."""
    storage: Document
    """`$collStats`' storageStats."""
    scans: float | None
    """`$collStats`' queryExecStats: how often all of it was read."""
    indexes: Mapping[str, int]
    """How often each index was used, by its name: `$indexStats`."""


@dataclass(frozen=True)
class Moment:
    """A server at a moment."""

    at_s: float
    status: Document
    """`serverStatus`."""
    totals: Document
    """`top`, by namespace."""
    collections: Mapping[str, CollectionMoment]
    """By `<database>.<collection>`."""


@dataclass(frozen=True)
class ServerFacts:
    """What does not change while one looks."""

    version: str
    cores: float | None
    memory_bytes: float | None
    data_bytes: float | None
    """BSON of all databases; None where the user may not know."""
    options: Document
    """The server's options as it parsed them."""
    write_concern: str
    """The default one."""
    is_member: bool
    """Of a replica set."""
    closed: tuple[str, ...] = ()
    """What the user may not know."""


@dataclass(frozen=True)
class Between:
    """What happened to a collection between two moments."""

    seconds: float
    served: Served
    index_uses: Mapping[str, int]
    scans: int | None
    pages_read: float | None
    inserted_documents: float
    """By the collection's own count; negative where more were deleted."""
    returned: float | None
    """Documents that the whole server returned for a find."""


@dataclass(frozen=True)
class Stored:
    """What a collection takes."""

    documents: int
    bytes: int
    used_bytes: int
    """Of the collection's file, what its last checkpoint holds. The file has room beside, and older copies, of which
    the next checkpoint frees some: much in a small collection that is written."""
    index_bytes: int
    """Of all indexes, without what is free in their files."""
    compressor: str
    leaf_page_max: str


def happened(before: Moment, after: Moment, name: str) -> Between | None:
    """What a collection was asked in between; None where the server was restarted."""
    first, last = before.collections[name], after.collections[name]
    entry = {"top": first.top, "latency": first.latency}
    served = between(entry, {"top": last.top, "latency": last.latency})
    if served is None:
        return None
    returned, queries = (_moved(before.status, after.status, *path) for path in (_RETURNED, _QUERIES))
    return Between(
        seconds=after.at_s - before.at_s,
        served=served,
        index_uses={one: max(0, uses - first.indexes.get(one, 0)) for one, uses in last.indexes.items()},
        scans=None if first.scans is None or last.scans is None else max(0, int(last.scans - first.scans)),
        pages_read=_pages(first.storage, last.storage),
        inserted_documents=(number(last.storage, "count") or 0) - (number(first.storage, "count") or 0),
        returned=returned / queries if returned is not None and queries else None,
    )


_RETURNED = ("metrics", "document", "returned")
_QUERIES = ("opcounters", "query")


def stored(moment: CollectionMoment) -> Stored:
    """What a collection takes, by its `storageStats`."""
    stats = moment.storage
    said = options(str(inside(stats, "wiredTiger", "creationString") or ""))
    used = number(stats, "wiredTiger", "block-manager", "checkpoint size")
    if used is None:
        used = (number(stats, "storageSize") or 0) - (number(stats, "freeStorageSize") or 0)
    indexes = inside(stats, "indexDetails") or {}
    free = sum(number(one, "block-manager", "file bytes available for reuse") or 0 for one in indexes.values())
    return Stored(
        documents=int(number(stats, "count") or 0),
        bytes=int(number(stats, "size") or 0),
        used_bytes=int(used),
        index_bytes=int((number(stats, "totalIndexSize") or 0) - free),
        compressor=said.get("block_compressor", "").strip('"') or "none",
        leaf_page_max=said.get("leaf_page_max", "32KB"),
    )


def busy_share(before: Moment, after: Moment, cores: float | None) -> float | None:
    """The share of the host's CPU that the server used in between."""
    used = [_moved(before.status, after.status, "extra_info", f"{kind}_time_us") for kind in ("user", "system")]
    seconds = after.at_s - before.at_s
    if None in used or not cores or seconds <= 0:
        return None
    return sum(one or 0.0 for one in used) / 1e6 / seconds / cores


def elsewhere(before: Moment, after: Moment, names: set[str]) -> dict[str, float]:
    """Shares of the time of `top` that went to other collections, by name, the largest first."""
    spent: dict[str, float] = {}
    for name, entry in after.totals.items():
        grown = (number(entry, "total", "time") or 0) - (number(before.totals, name, "total", "time") or 0)
        if isinstance(entry, Mapping) and grown > 0:
            spent[name] = grown
    whole = sum(spent.values())
    found = {name: one / whole for name, one in spent.items() if name not in names and not _is_systems(name)}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def transactions(before: Moment, after: Moment) -> float | None:
    """How many the server committed in between."""
    return _moved(before.status, after.status, "transactions", "totalCommitted")


def commands(before: Moment, after: Moment) -> dict[str, float]:
    """How often the whole server was given commands that `top` doesn't tell apart."""
    path = ("metrics", "commands")
    found = {name: _moved(before.status, after.status, *path, name, "total") for name in _COMMANDS}
    return {name: count for name, count in found.items() if count}


def _is_systems(name: str) -> bool:
    database, _, collection = name.partition(".")
    return database in {"admin", "config", "local"} or collection.startswith("system.")


def _moved(before: Document, after: Document, *names: str) -> float | None:
    first, last = number(before, *names), number(after, *names)
    return None if first is None or last is None or last < first else last - first


def _pages(before: Document, after: Document) -> float | None:
    """Pages of the collection and of its indexes that were read into the cache."""
    name = ("cache", "pages read into cache")
    found = [_moved(before, after, "wiredTiger", *name)]
    found += [_moved(before, after, "indexDetails", index, *name) for index in inside(after, "indexDetails") or ()]
    return None if None in found else sum(one or 0.0 for one in found)
