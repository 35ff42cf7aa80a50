"""What moved together with a regression: leads for whoever looks for its cause, never causes."""

from __future__ import annotations

import math
from statistics import mean, stdev
from typing import TYPE_CHECKING

from pydantic import Field

from analysis.stats.metrics import metric
from analysis.stats.quantities import Finite
from analysis.trial.engine.counters import COUNTERS
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from analysis.gate.pairing import Pair

MOST = 5
LEAST_CHANGE = 0.05
"""What moved by less than 5 % is no lead."""

CLEAR = 2.0
"""A change is a lead only if it is this many of its own standard errors. No correction: leads are no claims."""

_LABELS = {counter.key: counter.label for counter in COUNTERS}
_ALIKE = ("throughput", "mean", "p50", "p95", "p99", "p999", "max")
"""Faces of one thing, the speed: none of them explains another."""


class Lead(Part):
    """One counter or further metric of the same workload."""

    what: str
    ratio: Finite | None = Field(description="Candidate ÷ baseline, per operation; None: it was 0 in the baseline.")
    clearness: Finite = Field(description="The change in its own standard errors.")

    def __str__(self) -> str:
        if self.ratio is None:
            return f"{self.what}: from 0"
        return f"{self.what}: × {self.ratio:.3g}"


def leads(pair: Pair, key: str) -> tuple[Lead, ...]:
    """What moved with the metric, the largest changes first; what appeared out of nothing leads."""
    workload = metric(key).workload
    found = [lead for lead in (*_counters(pair, workload), *_metrics(pair, workload, key)) if lead is not None]
    found.sort(key=lambda lead: -math.inf if lead.ratio is None else -abs(math.log(lead.ratio)))
    return tuple(found[:MOST])


def _counters(pair: Pair, workload: str) -> Iterable[Lead | None]:
    for (phase, counter), before in pair.baseline_counters.items():
        after = pair.candidate_counters.get((phase, counter), {})
        if phase == workload:
            yield _lead(_LABELS.get(counter, counter), before, after)


def _metrics(pair: Pair, workload: str, key: str) -> Iterable[Lead | None]:
    """Further metrics of the workload: CPU and bytes per operation, not latency for latency."""
    for other, before in pair.baseline.items():
        found = metric(other)
        if other == key or found.workload != workload or other.rpartition(".")[2] in _ALIKE or "." not in other:
            continue
        after = pair.candidate.get(other, {})
        values = ({block: one.value for block, one in side.items()} for side in (before, after))
        yield _lead(found.label, *values)


def _lead(what: str, before: Mapping[int, float], after: Mapping[int, float]) -> Lead | None:
    """Means over blocks; None where it hardly moved, or no more than it scatters."""
    if len(before) < 2 or len(after) < 2:
        return None
    error = math.hypot(*(stdev(side.values()) / math.sqrt(len(side)) for side in (before, after)))
    old, new = mean(before.values()), mean(after.values())
    clearness = abs(new - old) / error if error else math.inf
    if new == old or clearness < CLEAR:
        return None
    capped = min(clearness, 1e6)
    if old == 0 or new == 0 or (new > 0) != (old > 0):
        return Lead(what=what, ratio=None, clearness=capped) if old == 0 else None
    if abs(math.log(new / old)) < math.log1p(LEAST_CHANGE):
        return None
    return Lead(what=what, ratio=new / old, clearness=capped)
