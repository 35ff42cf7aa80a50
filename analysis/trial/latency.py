"""One latency distribution per trial and phase: histograms are merged, percentiles never averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hdrh.histogram import HdrHistogram

if TYPE_CHECKING:
    from analysis.trial.records import Latency, Phase

LatencyField = Literal["mean_us", "p50_us", "p90_us", "p95_us", "p99_us", "p999_us", "p9999_us", "max_us"]

_PERCENTILE: dict[LatencyField, float] = {
    "p50_us": 50.0, "p90_us": 90.0, "p95_us": 95.0, "p99_us": 99.0, "p999_us": 99.9, "p9999_us": 99.99,
}  # fmt: skip

_IN_THE_TAIL = 10
"""Operations above a percentile, below which it is no property of the workload, but of those few."""

HIGHEST_US = 3_600_000_000
"""An hour: the longest latency a merged histogram can hold."""


def phase_latency(phase: Phase, operation: str | None = None) -> tuple[Latency, ...]:
    """The latencies that stand for a phase (its own operation's, unless another is named), one for each client process.

    Under an offered load these are the intended ones, which count the time an operation waited for its turn; in a
    closed loop, where no schedule exists, the actual ones.
    """
    kind = "actual" if phase.target_per_s is None else "intended"
    asked = operation or phase.operation
    return tuple(one for one in phase.latencies if one.operation == asked and one.kind == kind and one.count)


def fewest_operations(field: LatencyField) -> int:
    """So many operations a percentile takes: 1,000 a p99. What is no percentile takes one."""
    percentile = _PERCENTILE.get(field)
    return 1 if percentile is None else round(_IN_THE_TAIL / (1 - percentile / 100))


def merge(latencies: tuple[Latency, ...]) -> HdrHistogram:
    """All clients' histograms as one."""
    merged = HdrHistogram(1, HIGHEST_US, 3)
    for latency in latencies:
        merged.decode_and_add(latency.histogram)
    return merged


def latency_us(latencies: tuple[Latency, ...], field: LatencyField) -> float:
    """One statistic of the distribution of all the given latencies together (at least one), in microseconds."""
    if len(latencies) == 1:
        return float(getattr(latencies[0], field))
    if field == "max_us":
        return max(latency.max_us for latency in latencies)
    if field == "mean_us":
        return sum(one.mean_us * one.count for one in latencies) / sum(one.count for one in latencies)
    return float(merge(latencies).get_value_at_percentile(_PERCENTILE[field]))
