"""Engine counters by a name of our own, whatever the version calls them.

Sources: `serverStatus().wiredTiger` and the collection's `$collStats.storageStats.wiredTiger`, whose sections and
names differ by version, down to patch releases, and `serverStatus().network`. A counter that a server does not have is
None. `tests.proofs.versions` holds the names to the engines' own source, release by release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from core.nested import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Version = tuple[int, ...]
ALWAYS: Version = (0, 0)
CHECKED_UP_TO: Mapping[tuple[int, int], int] = {(4, 4): 29, (5, 0): 31, (6, 0): 27, (7, 0): 21, (8, 0): 10, (8, 1): 1}
"""The last patch release of each series of which every name is known: from its source or, for 6.0.27, its mongod."""
_IN_STATUS = {"server": "wiredTiger", "network": "network"}


@dataclass(frozen=True)
class Place:
    """Where a source has a counter: sections, one in the other, and a statistic in them, or several that add up."""

    sections: tuple[str, ...]
    statistics: tuple[str, ...]
    since: Version = ALWAYS
    """The first version that has it there."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Each statistic below its source, dotted."""
        return tuple(".".join((*self.sections, name)) for name in self.statistics)


@dataclass(frozen=True)
class Counter:
    """One counter: what it is called here, and where a server has it, from which version on."""

    key: str
    label: str
    unit: Literal["bytes", "count", "us", "ms"]
    source: Literal["server", "network", "collection"]
    places: tuple[Place, ...]
    gauge: bool = False
    """A gauge says what is, e.g. bytes in the cache; any other counter only grows, and its change is what counts."""
    part_of: tuple[str, ...] = ()
    """Sections that a server may rightly lack, and this counter with them: a wire compressor that it does not offer."""

    @property
    def in_status(self) -> str | None:
        """The section of serverStatus that its source is; None: it is the collection's."""
        return _IN_STATUS.get(self.source)

    def expected(self, version: str) -> Place:
        """Where a server of this version has it."""
        return next(place for place in reversed(self.places) if exact(version) >= place.since)

    def ways(self, version: str) -> tuple[Place, ...]:
        """All places, the version's own first: a release that is not known yet may have gone either way."""
        own = self.expected(version)
        return (own, *(place for place in reversed(self.places) if place is not own))


def _same(section: str, *names: str) -> tuple[Place, ...]:
    return (Place((section,), names),)


def _renamed(before: tuple[str, str], after: tuple[str, ...], since: Version = (8, 0)) -> tuple[Place, ...]:
    return (Place(before[:1], before[1:]), Place(after[:1], after[1:], since))


def wire_counter(compressor: str, way: Literal["in", "out"]) -> str:
    """The key of the counter of bytes that came or went compressed by this wire compressor, heads of messages aside."""
    return f"wire_{compressor}_{way}"


def _compressed(name: str) -> tuple[Counter, Counter]:
    way = ("compression", name)
    return (
        Counter(wire_counter(name, "in"), f"Received compressed by {name}", "bytes", "network",
                (Place((*way, "decompressor"), ("bytesIn",)),), part_of=way),
        Counter(wire_counter(name, "out"), f"Sent compressed by {name}", "bytes", "network",
                (Place((*way, "compressor"), ("bytesOut",)),), part_of=way),
    )  # fmt: skip


NEXT: Version = (8, 2)
"""The first series of which some source, but no release, was seen: a name may have changed in it, or in a later one."""

COUNTERS: tuple[Counter, ...] = (
    Counter("block_read", "Read from files", "bytes", "server", _same("block-manager", "bytes read")),
    Counter("block_written", "Written to files", "bytes", "server", _same("block-manager", "bytes written")),
    Counter("pages_read", "Pages read into cache", "count", "server",
            _renamed(("cache", "pages read into cache"),
                     ("cache", "internal pages read into cache", "leaf pages read into cache"), NEXT)),
    Counter("pages_written", "Pages written from cache", "count", "server", _same("cache", "pages written from cache")),
    Counter("cache_max", "Cache size", "bytes", "server", _same("cache", "maximum bytes configured"), gauge=True),
    Counter("cache_used", "In cache", "bytes", "server", _same("cache", "bytes currently in the cache"), gauge=True),
    Counter("cache_dirty", "Dirty in cache", "bytes", "server",
            _same("cache", "tracked dirty bytes in the cache"), gauge=True),
    Counter("app_evicted", "Modified pages evicted by application threads", "count", "server",
            _renamed(("cache", "modified pages evicted by application threads"),
                     ("cache", "modified page evict attempts by application threads"), (8, 0, 16))),
    Counter("app_write_time", "Application threads writing pages", "us", "server",
            _same("cache", "application threads page write from cache to disk time (usecs)")),
    Counter("app_evict_time", "Application threads evicting", "us", "server",
            _renamed(("thread-yield", "application thread time evicting (usecs)"),
                     ("cache", "application thread time evicting (usecs)"))),
    Counter("app_cache_wait_time", "Application threads waiting for cache", "us", "server",
            _same("thread-yield", "application thread time waiting for cache (usecs)")),
    Counter("checkpoints", "Checkpoints", "count", "server",
            _renamed(("transaction", "transaction checkpoints"),
                     ("checkpoint", "number of checkpoints started by api"))),
    Counter("checkpoint_time", "Checkpointing", "ms", "server",
            _renamed(("transaction", "transaction checkpoint total time (msecs)"),
                     ("checkpoint", "total time (msecs)"))),
    Counter("checkpoint_last", "Most recent checkpoint", "ms", "server",
            _renamed(("transaction", "transaction checkpoint most recent time (msecs)"),
                     ("checkpoint", "most recent time (msecs)")), gauge=True),
    Counter("log_written", "Journal written", "bytes", "server", _same("log", "log bytes written")),
    Counter("log_payload", "Journal before compression", "bytes", "server", _same("log", "log bytes of payload data")),
    Counter("compressed_written", "Compressed pages written", "count", "collection",
            _renamed(("compression", "compressed pages written"), ("compression", "pages written to disk"))),
    Counter("compressed_read", "Compressed pages read", "count", "collection",
            _renamed(("compression", "compressed pages read"), ("compression", "pages read from disk"))),
    Counter("too_small", "Pages too small to compress", "count", "collection",
            _renamed(("compression", "page written was too small to compress"),
                     ("compression", "page written to disk was too small to compress"))),
    Counter("failed_to_compress", "Pages that failed to compress", "count", "collection",
            _renamed(("compression", "page written failed to compress"),
                     ("compression", "page written to disk failed to compress"))),
    Counter("leaf_before_compression", "Largest leaf page before compression", "bytes", "collection",
            _renamed(("compression", "compressed page maximum leaf page size prior to compression "),
                     ("compression", "compressed page maximum leaf page size prior to compression"), NEXT),
            gauge=True),
    Counter("wire_in", "Received on the wire", "bytes", "network", (Place((), ("physicalBytesIn",)),)),
    Counter("wire_out", "Sent on the wire", "bytes", "network", (Place((), ("physicalBytesOut",)),)),
    *(counter for name in ("snappy", "zlib", "zstd") for counter in _compressed(name)),
)  # fmt: skip


def read(
    server_status: Mapping[str, Any], coll_stats: Mapping[str, Any] | None, version: str
) -> dict[str, float | None]:
    """Every declared counter of one moment; None where this server does not have it."""
    roots = sources(server_status, coll_stats)
    return {counter.key: _value(roots[counter.source], counter, version) for counter in COUNTERS}


def missing(server_status: Mapping[str, Any], coll_stats: Mapping[str, Any] | None, version: str) -> Iterator[Counter]:
    """The declared counters that this server has nowhere, and should have."""
    roots = sources(server_status, coll_stats)
    for counter in COUNTERS:
        root = roots[counter.source]
        if is_due(root, counter) and _value(root, counter, version) is None:
            yield counter


def is_due(root: object, counter: Counter) -> bool:
    """Whether a server whose source this is has to have the counter."""
    return not counter.part_of or inside(root, *counter.part_of) is not None


def is_checked(version: str) -> bool:
    """Whether all names of this version are known, so that one which is missing is a fault."""
    return exact(version)[2] <= CHECKED_UP_TO.get(release(version), -1)


def change(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> dict[str, float | None]:
    """What a phase did: the growth of each counter, and each gauge as it was at the end.

    None where either moment lacks the counter, or where it went backwards (the server was restarted).
    """
    moved: dict[str, float | None] = {}
    for counter in COUNTERS:
        start, end = before.get(counter.key), after.get(counter.key)
        if counter.gauge:
            moved[counter.key] = end
        else:
            moved[counter.key] = None if start is None or end is None or end < start else end - start
    return moved


def sources(server_status: Mapping[str, Any], coll_stats: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a server says, by a counter's source; None where it says nothing."""
    of_server = {source: server_status.get(section) for source, section in _IN_STATUS.items()}
    return of_server | {"collection": (coll_stats or {}).get("wiredTiger")}


def _value(root: object, counter: Counter, version: str) -> float | None:
    for place in counter.ways(version):
        section = inside(root, *place.sections)
        values = [_number(section.get(name)) for name in place.statistics] if isinstance(section, dict) else [None]
        if None not in values:
            return sum(value for value in values if value is not None)
    return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def release(version: str) -> tuple[int, int]:
    """The major and minor number of a version such as `6.0.5`: what settings depend on."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def exact(version: str) -> tuple[int, int, int]:
    """All three numbers of a version such as `8.0.16` or `8.0.16-rc0`: names of counters change in patch releases."""
    patch = version.partition("-")[0].split(".")[2:3]
    return (*release(version), int(patch[0]) if patch else 0)
