"""What each round of a block's turns says alone: the ratio of two neighbours. For looking at, not for tests.

Rounds are no replicates of a load: they share its page layout and its cache. Intervals and verdicts come from blocks
(`analysis.stats.effects`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from analysis.stats.effects import Group
from analysis.stats.metrics import workload_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from analysis.stats.effects import Comparison
    from analysis.trial.records import TrialRecord, Turn


class RoundRatio(NamedTuple):
    """Candidate ÷ baseline in one round of a block's turns."""

    block: int
    round: int
    ratio: float


def rate_per_s(turn: Turn) -> float | None:
    """Operations per second of a measured turn; None where it was not measured for any time."""
    return turn.operations / turn.measured_s if turn.measured_s > 0 else None


def mongod_cpu_us(turn: Turn) -> float | None:
    """mongod's CPU per operation of a measured turn, in microseconds; None where either is not known."""
    if turn.mongod_cpu_s is None or not turn.operations:
        return None
    return turn.mongod_cpu_s * 1e6 / turn.operations


_READERS: Mapping[str, Callable[[Turn], float | None]] = {
    "throughput": rate_per_s,
    "mongod_cpu_us_per_operation": mongod_cpu_us,
    "mongod_cpu_us_per_operation_in_window": mongod_cpu_us,
}
"""Metrics that a single turn has, by their names without the workload."""


def round_ratios(records: Iterable[TrialRecord], comparison: Comparison) -> list[RoundRatio]:
    """The ratio of each round in which both sides of a comparison of arms had a turn; only counting records say."""
    workload, _, name = comparison.metric.rpartition(".")
    read = _READERS.get(name)
    if read is None:
        return []
    found: dict[str, dict[tuple[int, int], float]] = {comparison.candidate: {}, comparison.baseline: {}}
    for record in records:
        if record.counts and record.cell.arm in found and Group.of(record.cell) == comparison.group:
            turns = (turn for phase in record.phases if workload_of(phase) == workload for turn in phase.turns)
            of_arm = found[record.cell.arm]
            of_arm.update({(record.block, turn.round): value for turn in turns if (value := read(turn))})
    ours, theirs = found[comparison.candidate], found[comparison.baseline]
    ratios = (RoundRatio(*at, ours[at] / theirs[at]) for at in sorted(ours.keys() & theirs.keys()))
    return [one for one in ratios if 0 < one.ratio < math.inf]
