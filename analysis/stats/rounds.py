"""What each round of a block's turns says alone: the ratio of two neighbours, and its share of a block's scatter.

Rounds are no replicates of a load: they share its page layout and its cache. Intervals and verdicts come from blocks
(`analysis.stats.effects`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, variance
from typing import TYPE_CHECKING, NamedTuple

from analysis.stats.metrics import workload_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
    """The ratio of each round in which both sides of a comparison had a turn; only counting records say."""
    workload, _, name = comparison.metric.rpartition(".")
    read = _READERS.get(name)
    if read is None:
        return []
    found: dict[str, dict[tuple[int, int], float]] = {comparison.candidate: {}, comparison.baseline: {}}
    for record in records:
        level = getattr(record.cell, comparison.group.factor)
        if record.counts and level in found and comparison.group.holds(record.cell):
            turns = (turn for phase in record.phases if workload_of(phase) == workload for turn in phase.turns)
            found[level].update({(record.block, turn.round): value for turn in turns if (value := read(turn))})
    ours, theirs = found[comparison.candidate], found[comparison.baseline]
    ratios = (RoundRatio(*at, ours[at] / theirs[at]) for at in sorted(ours.keys() & theirs.keys()))
    return [one for one in ratios if 0 < one.ratio < math.inf]


class RoundScatter(NamedTuple):
    """Where the scatter of a block's ratio comes from, as standard deviations of log-ratios."""

    rounds: float
    """Rounds of a block, on average."""
    of_rounds: float
    """Between rounds of one block."""
    of_loads: float
    """Between blocks, beyond what so many rounds explain: what another load brings."""

    def best_rounds(self, block_s: float, round_s: float) -> float:
        """The rounds per block at which a given time tells most.

        `block_s` is what a block takes beside its rounds, `round_s` what a round takes; infinite where loads do not
        scatter.
        """
        if self.of_loads <= 0:
            return math.inf
        return self.of_rounds / self.of_loads * math.sqrt(block_s / round_s)


def round_scatter(records: Sequence[TrialRecord], comparisons: Iterable[Comparison]) -> RoundScatter | None:
    """The scatter of comparisons' rounds and loads, pooled; None where fewer than two blocks have two rounds each."""
    within = Pooled()
    between = Pooled()
    counts: list[int] = []
    for comparison in comparisons:
        blocks: dict[int, list[float]] = {}
        for one in round_ratios(records, comparison):
            blocks.setdefault(one.block, []).append(math.log(one.ratio))
        for logs in blocks.values():
            within.add(logs)
            counts.append(len(logs))
        between.add([fmean(logs) for logs in blocks.values()])
    if not within.freedom or not between.freedom:
        return None
    rounds = fmean(counts)
    of_loads = max(0.0, between.variance - within.variance / rounds)
    return RoundScatter(rounds, math.sqrt(within.variance), math.sqrt(of_loads))


@dataclass
class Pooled:
    """A variance estimated from several groups, each around its own mean."""

    squares: float = 0.0
    freedom: int = 0

    def add(self, values: Sequence[float]) -> None:
        """Take in a group."""
        if len(values) > 1:
            self.squares += variance(values) * (len(values) - 1)
            self.freedom += len(values) - 1

    @property
    def variance(self) -> float:
        """The estimate; needs a group of two or more."""
        return self.squares / self.freedom
