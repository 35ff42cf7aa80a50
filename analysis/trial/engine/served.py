"""What mongod itself counted of a phase: operations by kind, and how long they took in the server.

A deployment's own clients are known only by this. Sources: `top` and `$collStats`' `latencyStats`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from analysis.trial.records import Served

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from analysis.trial.records import Phase

TOP = {"find": "queries", "insert": "insert", "update": "update", "delete": "remove", "command": "commands"}
"""Kinds of operations, and what `top` calls them. Its `getmore` belongs to the find that came before."""
SIDES = ("reads", "writes")
QUANTILES = {"p95": 0.95, "p99": 0.99}
_FINE_FROM_US = 2048
Steps = tuple[tuple[float, int], ...]
"""Lowest latency of a step in microseconds, and how many took as long."""


def counted(top: Mapping[str, Any]) -> dict[str, int]:
    """How many operations of each kind a collection's entry of `top` has."""
    return {kind: int(top.get(name, {}).get("count", 0)) for kind, name in TOP.items()}


def steps(latency: Mapping[str, Any]) -> Steps:
    """One side's histogram of `latencyStats`."""
    return tuple((float(one["micros"]), int(one["count"])) for one in latency.get("histogram", ()))


def difference(before: Iterable[tuple[float, int]], after: Iterable[tuple[float, int]]) -> Steps | None:
    """What a histogram grew by; None where a step went backwards (the server was restarted)."""
    earlier = dict(before)
    grown = [(at, count - earlier.get(at, 0)) for at, count in after]
    return None if any(count < 0 for _, count in grown) else tuple((at, count) for at, count in grown if count)


def shape_of(found: Sequence[tuple[float, int]]) -> dict[str, float] | None:
    """Each quantile ÷ the median; None where nothing was counted."""
    middle = quantile_of_steps(found, 0.5)
    if not middle:
        return None
    return {name: (quantile_of_steps(found, share) or 0.0) / middle for name, share in QUANTILES.items()}


def quantile_of_steps(found: Sequence[tuple[float, int]], share: float) -> float | None:
    """The latency that this share of the operations did not exceed, in microseconds; None where nothing was counted.

    The steps are in order. Within one, latencies are taken to be evenly spread.
    """
    whole = sum(count for _, count in found)
    wanted, below = share * whole, 0
    for low, count in found:
        if count and below + count >= wanted:
            return low + _width(low) * (wanted - below) / count
        below += count
    return None


def _width(low: float) -> float:
    """How far a step of mongod's histograms reaches: to the next power of two, from 2 ms on in two steps."""
    if low < _FINE_FROM_US:
        return max(low, 1.0)
    power = 2.0 ** math.floor(math.log2(low))
    return power / 2


def between(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Served | None:
    """What a collection was asked between two moments: its entries of `top` and `latencyStats` at both.

    None where a moment has none, or the server was restarted between them.
    """
    if not before or not after:
        return None
    first, last = counted(before["top"]), counted(after["top"])
    grown = {side: difference(*(steps(one["latency"].get(side, {})) for one in (before, after))) for side in SIDES}
    moved = {kind: last[kind] - first[kind] for kind in last}
    if any(count < 0 for count in moved.values()) or None in grown.values():
        return None
    return Served.model_validate({"operations": moved, "latency_us": grown})


def operations(phase: Phase) -> dict[str, int]:
    """The phase's operations by kind; empty where the server did not say, or did none."""
    told = phase.served.operations if phase.served else {}
    return dict(told) if sum(told.values()) else {}


def pages_per_operation(phase: Phase) -> float | None:
    """Pages that were read into the cache for an operation of the measured window; a warm-up may fill the cache."""
    pages = phase.window.pages_read if phase.window else None
    return None if pages is None or not phase.measured_operations else pages / phase.measured_operations


def shape(phase: Phase, side: str) -> dict[str, float] | None:
    """The shape of the latencies of `reads` or `writes`."""
    return shape_of(phase.served.latency_us.get(side, ())) if phase.served else None
