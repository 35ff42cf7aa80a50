"""What a gate asks, and what the figures of a candidate and of earlier runs say to it."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.gate.between import Sample, against_earlier
from analysis.gate.pairing import Pair, Selection, pair_cells
from analysis.gate.tolerances import Regression, Tolerance, Tolerances
from analysis.stats.effects import too_few_operations
from analysis.stats.inference import Inference, infer
from analysis.stats.metrics import UnknownMetricError, metric
from analysis.stats.primary import deciding_workload, primary_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from analysis.gate.reference import Reference
    from analysis.gate.sides import Figure, Side
    from analysis.stats.criteria import Criteria

_TOO_FEW = "each side needs two blocks"
_ZERO = "a reading is zero, so there is no ratio"


@dataclass(frozen=True)
class Question:
    """One metric of one cell, and what is tolerated there."""

    pairs: tuple[Pair, ...]
    """With each earlier run."""
    key: str
    tolerance_percent: float
    regression: Regression

    @property
    def newest(self) -> Pair:
        """With the newest of the earlier runs."""
        return self.pairs[-1]

    @property
    def place(self) -> tuple[str, str, str]:
        """Dataset, platform and metric."""
        cell = self.newest.cells[1]
        return cell.dataset, cell.platform, self.key

    @property
    def candidate(self) -> Mapping[int, Figure]:
        """The candidate's figures, by block."""
        return self.newest.candidate.get(self.key, {})

    @property
    def earlier(self) -> list[Mapping[int, Figure]]:
        """Each earlier run's."""
        return [pair.baseline.get(self.key, {}) for pair in self.pairs]


@dataclass(frozen=True)
class Compared:
    """What figures of one metric say, or why they say nothing."""

    blocks: tuple[int, int]
    inference: Inference | None
    problem: str | None = None
    runs: int = 1


def questions(
    sides: Sequence[Side], tolerances: Tolerances, selection: Selection, reference: Reference | None
) -> list[Question]:
    """What is asked of the last side, the candidate, and the earlier ones before it: every checked metric that either
    side of a pair has, so that one that went missing is asked for, too.

    Raises:
        PairingError: the sides have no cells that could be set against each other.
    """
    *baselines, candidate = sides
    criteria = baselines[-1].criteria
    margin_percent = criteria.equivalence_margin_percent
    primary = _primary({figure.metric: None for side in sides for figure in side.figures}, criteria)
    return [
        Question(pairs, key, tolerances.percent_of(key, margin_percent), (tolerances.of(key) or Tolerance()).regression)
        for pairs in _paired(baselines, candidate, selection, reference)
        for key in dict.fromkeys(key for pair in pairs for side in (pair.baseline, pair.candidate) for key in side)
        if tolerances.checks(key, primary)
    ]


def _paired(
    baselines: Sequence[Side], candidate: Side, selection: Selection, reference: Reference | None
) -> list[tuple[Pair, ...]]:
    """For each cell of the candidate its pairs with the earlier runs, the oldest first. The reference stands against
    itself in every run, so it asks nothing."""
    alike: dict[str, list[Pair]] = {}
    for baseline in baselines:
        for pair in pair_cells(baseline, candidate, selection):
            if reference is None or not all(map(reference.holds, pair.cells)):
                alike.setdefault(pair.label, []).append(pair)
    return [tuple(pairs) for pairs in alike.values()]


def _primary(present: Iterable[str], criteria: Criteria) -> tuple[str, ...]:
    """The primary metrics of the baseline's campaign."""
    known = []
    for key in present:
        with suppress(UnknownMetricError):  # of a baseline file that another version wrote
            known.append(metric(key))
    workload = deciding_workload(dict.fromkeys(one.workload for one in known), criteria.prices.workload)
    return primary_metrics((one.key for one in known), criteria, workload)


def within_run(one: Question) -> Compared:
    """Cells of one run: ratios within its blocks."""
    theirs, ours = one.earlier[-1], one.candidate
    shared = sorted(theirs.keys() & ours.keys())
    blocks = len(shared), len(shared)
    if len(shared) < 2:
        return Compared(blocks, None, _TOO_FEW)
    if any(side[block].value <= 0 for side in (theirs, ours) for block in shared):
        return Compared(blocks, None, _ZERO)
    if fewest := max(side[block].too_few for side in (theirs, ours) for block in shared):
        return Compared(blocks, None, too_few_operations(fewest))
    logs = [math.log(ours[block].value / theirs[block].value) for block in shared]
    floor = max(math.hypot(_relative(ours[block]), _relative(theirs[block])) for block in shared)
    return Compared(blocks, infer(logs, floor))


def between_runs(one: Question, drift_percent: float, leaning: float) -> Compared:
    """A run against earlier ones; of these count those in which two blocks have the figure. See `against_earlier`."""
    earlier = [figures for figures in one.earlier if len(figures) >= 2]
    blocks = sum(map(len, earlier or one.earlier)), len(one.candidate)
    if not earlier or len(one.candidate) < 2:
        return Compared(blocks, None, _TOO_FEW, len(earlier))
    every = (*earlier, one.candidate)
    if any(figure.value <= 0 for figures in every for figure in figures.values()):
        return Compared(blocks, None, _ZERO, len(earlier))
    if fewest := max(figure.too_few for figures in every for figure in figures.values()):
        return Compared(blocks, None, too_few_operations(fewest), len(earlier))
    *theirs, ours = (Sample.of([math.log(figure.value) for figure in figures.values()]) for figures in every)
    floor = math.sqrt(2) * max(_relative(figure) for figures in every for figure in figures.values())
    found = against_earlier(ours, theirs, floor, math.log1p(drift_percent / 100), leaning)
    return Compared(blocks, found, runs=len(earlier))


def _relative(figure: Figure) -> float:
    return figure.resolution / figure.value
