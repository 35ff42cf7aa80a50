"""Which regime a trial was in, proven from engine counters: data in the cache, or data out of reach of every cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.trial.records import Reason, Regime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.trial.records import Phase, Sizes

FULL_CACHE = 0.8
"""WiredTiger's eviction target: from this share of the cache on, even clean pages are put out of it."""
_STRAY_PAGES = 0.01
_MISSED_PAGES = 0.5
_PAGE_ON_DISK_BYTES = 4096


@dataclass(frozen=True)
class Reads:
    """What a run phase read to serve its operations, inserts left out: they read nothing."""

    phase: str
    pages: float
    """Read into WiredTiger's cache, per operation of the measured window: its warm-up may have filled the cache."""
    disk_bytes: float
    """Read by mongod at the block layer, per operation of the whole phase."""
    cache_share: float
    """Of the cache in use at the phase's end."""

    @property
    def regime(self) -> Regime:
        """What the phase's reads prove: in or out of the cache, or neither (`any`)."""
        if self.pages <= _STRAY_PAGES and self.cache_share < FULL_CACHE:
            return Regime.IN_CACHE
        if self.pages >= _MISSED_PAGES and self.disk_bytes >= _PAGE_ON_DISK_BYTES:
            return Regime.OUT_OF_CACHE
        return Regime.ANY

    def __str__(self) -> str:
        return (
            f"{self.phase}: per operation {self.pages:.3f} pages read into the cache and "
            f"{self.disk_bytes / 1024:.1f} KiB from disk, {self.cache_share:.0%} of the cache in use"
        )


def reads(phase: Phase) -> Reads | None:
    """The reads of a run phase; None where it only inserted. Raises LookupError when a counter is missing."""
    operations = phase.acknowledged - sum(phase.statuses.get("INSERT", {}).values())
    if operations <= 0:
        return None
    used, size = (phase.counters.get(key) for key in ("cache_used", "cache_max"))
    pages, disk = phase.window.pages_read if phase.window else None, phase.cost.disk_read_bytes
    if pages is None or used is None or not size or disk is None:
        raise LookupError(phase.name)
    in_window = phase.measured_operations * operations / phase.acknowledged
    return Reads(phase.name, pages / in_window if in_window else 0.0, disk / operations, used / size)


def regime_faults(
    regime: Regime, limit: int | None, phases: Sequence[Phase], sizes: Sequence[Sizes]
) -> Iterator[Reason]:
    """Why the trial was not in the regime asked for, with the figures; `limit` is the memory limit in bytes."""
    if regime is Regime.ANY:
        return
    for phase in phases:
        if phase.kind == "load":
            continue
        try:
            found = reads(phase)
        except LookupError:
            yield _wrong(regime, f"{phase.name}: counters or diagnostic data are missing, so nothing is proven")
            continue
        if found and found.regime is not regime:
            yield _wrong(regime, str(found))
    if regime is Regime.OUT_OF_CACHE:
        yield from _fits_memory(limit or 0, phases, sizes)


def _fits_memory(limit: int, phases: Sequence[Phase], sizes: Sequence[Sizes]) -> Iterator[Reason]:
    """Data that one of the two caches could hold: as documents WiredTiger's, as stored blocks the file cache."""
    data = min((size.data_size_bytes for size in sizes), default=0)
    stored = min((size.storage_size_bytes for size in sizes), default=0)
    cache = max((phase.counters.get("cache_max") or 0 for phase in phases), default=0)
    left = limit - min((phase.counters.get("cache_used") or 0 for phase in phases if phase.kind == "run"), default=0)
    if data <= cache:
        yield _wrong(
            Regime.OUT_OF_CACHE, f"{data:,} bytes of documents fit into WiredTiger's cache of {cache:,.0f} bytes"
        )
    if stored <= left:
        message = (
            f"{stored:,} stored bytes fit into the {left:,.0f} bytes that the memory limit leaves to the file cache"
        )
        yield _wrong(Regime.OUT_OF_CACHE, message)


def _wrong(regime: Regime, figures: str) -> Reason:
    return Reason(code="wrong-regime", message=f"expected {regime}; {figures}")
