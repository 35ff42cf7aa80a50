"""Where the figures of a campaign's runs became others: change points from run to run. Pure.

Otava's E-divisive means with a t test (Fleming et al., "Hunter", ICPE 2023): it splits a series where the distance
between the two sides is largest, for as long as their means differ with significance, and joins again what differs by
less than matters. Its t test divides a sample's squares by the number of runs instead of the degrees of freedom, which
makes t up to 1.41 times too large for four runs. Each of its points is therefore tested again here, on logarithms. Runs
share neither host nor hour, so this says from where on figures are others, never why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from analysis.stats.inference import ROUNDING, Floats, p_difference, pooled
from analysis.stats.metrics import metric
from analysis.stats.quantities import Better, percent, quantity
from analysis.stats.verdicts import Verdict, log_margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.decide.decision import Decision
    from analysis.stats.quantities import Estimate

FEWEST_RUNS = 4
"""With three, not even a size that never scatters could be told from chance."""

FALSE_ALARMS = 0.05
"""At most in about this share of looks at a history without a change something is said to have changed. The t test does
not know that its split was the best of many, nor how many series are looked at, so its level is divided by both. Nor
does it know that a history is looked at after every run: docs/gate.md says what that comes to."""

_WINDOW = 50


@dataclass(frozen=True)
class Series:
    """One metric of one cell, from run to run, the oldest first. Runs that lack it have no place in it."""

    engine: str | None
    """None where each run has a single engine: then the engine may be what changed."""
    dataset: str | None
    """None where there is but one."""
    arm: str
    metric: str
    figures: dict[str, Estimate] = field(default_factory=dict)
    """By run."""
    platform: str = ""

    @property
    def group(self) -> str:
        """Platform where it has a name, engine and dataset where there are several, for people: `6.0.5, sentences`."""
        return ", ".join(part for part in (self.platform, self.engine, self.dataset) if part)


@dataclass(frozen=True)
class Change:
    """A figure that is another from this run on."""

    series: Series
    run_id: str
    previous: str
    """The run before it that has the figure."""
    before: float
    """Mean of the runs since the change before, in the metric's unit."""
    after: float
    """Mean of the runs from this one on, up to the next change."""

    @property
    def ratio(self) -> float:
        """After ÷ before."""
        return self.after / self.before

    @property
    def verdict(self) -> Verdict:
        """Better or worse, by the metric's direction."""
        risen = Better.HIGHER if self.ratio > 1 else Better.LOWER
        return Verdict.BETTER if risen is metric(self.series.metric).better else Verdict.WORSE

    @property
    def sentence(self) -> str:
        """`rmw throughput of zstd fell by 12.3 %, from 2,450/s to 2,150/s`."""
        found, moved = metric(self.series.metric), "rose" if self.ratio > 1 else "fell"
        before, after = (quantity(value, found.unit) for value in (self.before, self.after))
        group = f" ({self.series.group})" if self.series.group else ""
        by = percent(100 * (self.ratio - 1))[1:]
        return f"{found.label} of {self.series.arm}{group} {moved} by {by}, from {before} to {after}"


@dataclass(frozen=True)
class Step:
    """A run and the run before it, with everything that changed from one to the other."""

    run_id: str
    previous: str
    changes: tuple[Change, ...]


def history(runs: Sequence[tuple[str, Decision]]) -> list[Series]:
    """Every primary metric of every cell that any of these runs of one campaign has; runs the oldest first."""
    one_engine = all(len({one.engine for one in decision.estimates}) <= 1 for _, decision in runs)
    one_dataset = len({one.dataset for _, decision in runs for one in decision.estimates}) <= 1
    primary = {key for _, decision in runs for key in decision.primary}
    found: dict[tuple[str | None, str | None, str, str, str], Series] = {}
    for run_id, decision in runs:
        for one in decision.estimates:
            if one.metric in primary:
                group = (None if one_engine else one.engine, None if one_dataset else one.dataset)
                name = (*group, one.arm, one.metric)
                series = Series(*name, platform=one.platform)
                found.setdefault((*name, one.platform), series).figures[run_id] = one.figure
    return list(found.values())


def steps(every: Sequence[Series], margin_percent: float) -> tuple[Step, ...]:
    """The runs from which on any of the series has other figures, the newest first.

    `margin_percent`: changes up to this don't matter to the user (the campaign's equivalence margin).
    """
    changes = [change for series in every for change in _changes(series, len(every), margin_percent)]
    changes.sort(key=lambda change: (change.run_id, change.previous), reverse=True)
    return tuple(
        Step(run_id, previous, tuple(found))
        for (run_id, previous), found in groupby(changes, key=lambda change: (change.run_id, change.previous))
    )


def _changes(series: Series, looked_at: int, margin_percent: float) -> list[Change]:
    names = list(series.figures)
    values = [figure.value for figure in series.figures.values()]
    if len(values) < FEWEST_RUNS or min(values) <= 0:
        return []
    from otava.analysis import compute_change_points  # noqa: PLC0415 takes half a second to load: only when needed

    level = FALSE_ALARMS / (looked_at * len(values))
    points, _ = compute_change_points(values, max(_WINDOW, len(values)), level, margin_percent / 100)
    found = confirmed([int(point.index) for point in points], np.log(values), level, log_margin(margin_percent))
    places = [0, *found, len(values)]
    return [
        Change(series, names[at], names[at - 1], _mean(values[begin:at]), _mean(values[at:end]))
        for begin, at, end in zip(places, places[1:], places[2:], strict=False)
    ]


def confirmed(points: Sequence[int], logs: Floats, level: float, margin: float) -> list[int]:
    """Those of the change points at which the level differs significantly and by more than the margin. The weakest goes
    first: without it its neighbours have more runs on that side, and are judged anew.
    """
    kept = list(points)
    while kept:
        places = [0, *kept, len(logs)]
        chances = [
            _chance(logs[begin:at], logs[at:end], margin)
            for begin, at, end in zip(places, places[1:], places[2:], strict=False)
        ]
        weakest = int(np.argmax(chances))
        if chances[weakest] <= level:
            break
        del kept[weakest]
    return kept


def _chance(before: Floats, after: Floats, margin: float) -> float:
    """The p-value of "the level is the same", 1 within the margin. Sizes may not scatter at all: what is beyond the
    margin then is no chance.
    """
    if len(before) + len(after) < 3:
        return 1.0
    found = pooled(after, before, floor=ROUNDING)
    return 1.0 if abs(float(found.mean)) <= margin else float(p_difference(found))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
