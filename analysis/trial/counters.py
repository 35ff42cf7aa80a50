"""Engine counters by a name of our own, whatever the version calls them.

Sources: `serverStatus().wiredTiger`, `serverStatus().network` and the collection's
`$collStats.storageStats.wiredTiger`, whose sections and names differ by version (WiredTiger's statistics were renamed
in 8.0). A counter that a server does not have is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Version = tuple[int, int]
Where = tuple[str, ...]
ALWAYS: Version = (0, 0)
_SECTIONS = {"server": "wiredTiger", "network": "network"}


@dataclass(frozen=True)
class Counter:
    """One counter: what it is called here, and under which sections and name from which version on."""

    key: str
    label: str
    unit: Literal["bytes", "count", "us", "ms"]
    source: Literal["server", "network", "collection"]
    names: tuple[tuple[Version, Where], ...]
    gauge: bool = False
    """A gauge says what is, e.g. bytes in the cache; any other counter only grows, and its change is what counts."""

    @property
    def section(self) -> str | None:
        """The section of serverStatus that it is in; None: it is the collection's."""
        return _SECTIONS.get(self.source)

    def where(self, version: Version) -> Where:
        """Sections, one in the other, and name in this version."""
        return next(where for since, where in reversed(self.names) if version >= since)


def _same(*where: str) -> tuple[tuple[Version, Where], ...]:
    return ((ALWAYS, where),)


def _renamed(before: Where, since_8: Where) -> tuple[tuple[Version, Where], ...]:
    return ((ALWAYS, before), ((8, 0), since_8))


def _compressed(name: str) -> tuple[Counter, Counter]:
    """Bytes on the wire that a wire compressor made, without the heads of messages."""
    way = ("compression", name)
    return (
        Counter(
            wire_counter(name, "in"), f"Received compressed by {name}", "bytes", "network",
            _same(*way, "decompressor", "bytesIn"),
        ),
        Counter(
            wire_counter(name, "out"), f"Sent compressed by {name}", "bytes", "network",
            _same(*way, "compressor", "bytesOut"),
        ),
    )  # fmt: skip


def wire_counter(compressor: str, way: Literal["in", "out"]) -> str:
    """The key of the counter of bytes that came or went compressed by this wire compressor."""
    return f"wire_{compressor}_{way}"


COUNTERS: tuple[Counter, ...] = (
    Counter("block_read", "Read from files", "bytes", "server", _same("block-manager", "bytes read")),
    Counter("block_written", "Written to files", "bytes", "server", _same("block-manager", "bytes written")),
    Counter("pages_read", "Pages read into cache", "count", "server", _same("cache", "pages read into cache")),
    Counter("pages_written", "Pages written from cache", "count", "server", _same("cache", "pages written from cache")),
    Counter("cache_max", "Cache size", "bytes", "server", _same("cache", "maximum bytes configured"), gauge=True),
    Counter("cache_used", "In cache", "bytes", "server", _same("cache", "bytes currently in the cache"), gauge=True),
    Counter("cache_dirty", "Dirty in cache", "bytes", "server",
            _same("cache", "tracked dirty bytes in the cache"), gauge=True),
    Counter("app_evicted", "Modified pages evicted by application threads", "count", "server",
            _same("cache", "modified pages evicted by application threads")),
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
            _same("compression", "compressed page maximum leaf page size prior to compression "), gauge=True),
    Counter("wire_in", "Received on the wire", "bytes", "network", _same("physicalBytesIn")),
    Counter("wire_out", "Sent on the wire", "bytes", "network", _same("physicalBytesOut")),
    *(counter for name in ("snappy", "zlib", "zstd") for counter in _compressed(name)),
)  # fmt: skip


def read(
    server_status: Mapping[str, Any], coll_stats: Mapping[str, Any] | None, version: str
) -> dict[str, float | None]:
    """Every declared counter of one moment; None where this server does not have it."""
    known_as = release(version)
    of_collection = (coll_stats or {}).get("wiredTiger")
    return {
        counter.key: _number(
            server_status.get(counter.section) if counter.section else of_collection, counter.where(known_as)
        )
        for counter in COUNTERS
    }


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


def _number(root: Any, where: Where) -> float | None:
    value = root
    for name in where:
        value = value.get(name) if isinstance(value, dict) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def release(version: str) -> Version:
    """The major and minor number of a version such as `6.0.5`: what names and settings depend on."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
