"""Where the figures of a campaign's runs became others: change points from run to run. Pure.

Runs share neither host nor hour, so what is followed of an arm's speed is its ratio within each run to the campaign's
reference, or to the baseline arm of its engine where the campaign names none. Sizes don't go with the host's speed, and
are followed as they are. The level of what all else is held against tells the host: where it moved from one run to the
next, that is said once, as a fact about these runs.

Otava's E-divisive means with a t test (Fleming et al., "Hunter", ICPE 2023): it splits a series where the distance
between the two sides is largest, for as long as their means differ with significance, and joins again what differs by
less than matters. Its t test divides a sample's squares by the number of runs instead of the degrees of freedom, which
makes t up to 1.41 times too large for four runs. Each of its points is therefore tested again here, on logarithms. This
says from where on figures are others, never why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from analysis.gate.followed import followed
from analysis.stats.inference import ROUNDING, Floats, p_difference, pooled
from analysis.stats.metrics import metric
from analysis.stats.quantities import Better, Unit, percent, quantity
from analysis.stats.verdicts import Verdict, log_margin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.decide.decision import Decision
    from analysis.stats.quantities import Estimate

FEWEST_RUNS = 4
"""With three, not even a size that never scatters could be told from chance."""

FALSE_ALARMS = 0.05
"""At most in about this share of looks at a history without a change something is said to have changed. The t test does
not know that its split was the best of many, nor how many series are looked at, so its level is divided by both. Nor
does it know that a history is looked at after every run: docs/gate.md says what that comes to."""

HOST_MOVED_PERCENT = 15.0
HOST_STANDS_OUT = 3.0
"""A level that moves from one run to the next by more than this, and by more than so many robust standard deviations of
its moves, is told. No test: moods of a host last, and any t test takes them for lasting changes."""

_WINDOW = 50
_ROBUST_SD = 1.4826  # a normal distribution's standard deviation in medians of absolute values


@dataclass(frozen=True)
class Series:
    """One metric of one cell, from run to run, the oldest first. Runs that lack it have no place in it."""

    engine: str | None
    """None where each run has a single engine: then the engine may be what changed."""
    dataset: str | None
    """None where there is but one."""
    arm: str
    metric: str
    figures: dict[str, Estimate] = field(default_factory=dict, compare=False)
    """By run."""
    platform: str = ""
    against: str = ""
    """What the figures are ratios to, within each run; empty: figures as they are."""
    host: str = ""
    """Whose level it is of what others are held against, for people; empty: it is no such level."""

    @property
    def group(self) -> str:
        """Platform where it has a name, engine and dataset where there are several, for people: `6.0.5, sentences`."""
        return ", ".join(part for part in (self.platform, self.engine, self.dataset) if part)

    @property
    def label(self) -> str:
        """Of the metric, for people: `rmw throughput ÷ snappy's`."""
        name = metric(self.metric).label
        return f"{name} ÷ {self.against}'s" if self.against else name

    @property
    def unit(self) -> Unit:
        """Of its figures."""
        return Unit.RATIO if self.against else metric(self.metric).unit


@dataclass(frozen=True)
class Change:
    """A figure that is another from this run on."""

    series: Series
    run_id: str
    previous: str
    """The run before it that has the figure."""
    before: float
    """Mean of the runs since the change before, in the series' unit; of a host's level, of the run before."""
    after: float
    """Mean of the runs from this one on, up to the next change; of a host's level, of this run."""

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
        """`rmw throughput of zstd, against snappy, fell by 12.3 %, from 0.95 × to 0.833 ×`."""
        series, moved = self.series, "rose" if self.ratio > 1 else "fell"
        before, after = (quantity(value, series.unit) for value in (self.before, self.after))
        group = f" ({series.group})" if series.group else ""
        by = percent(100 * (self.ratio - 1))[1:]
        whose = f"{series.host}: " if series.host else ""
        whom = f"{series.arm}{group}" + (f", against {series.against}," if series.against else "")
        return f"{whose}{metric(series.metric).label} of {whom} {moved} by {by}, from {before} to {after}"


@dataclass(frozen=True)
class Step:
    """A run and the run before it, with everything that changed from one to the other, what the host did first."""

    run_id: str
    previous: str
    changes: tuple[Change, ...]


def history(runs: Sequence[tuple[str, Decision]]) -> list[Series]:
    """What is followed over these runs of one campaign, the oldest first: primary metrics of every cell, and the levels
    that tell the host.
    """
    one_engine = all(len({one.engine for one in decision.estimates}) <= 1 for _, decision in runs)
    one_dataset = len({one.dataset for _, decision in runs for one in decision.estimates}) <= 1
    found: dict[Series, Series] = {}
    for run_id, decision in runs:
        for one, to, host in followed(decision):
            against = "" if to is None else to[1] if one_engine else ", ".join(to)
            series = Series(
                None if one_engine else one.engine,
                None if one_dataset else one.dataset,
                one.arm,
                one.metric,
                platform=one.platform,
                against=against,
                host=host,
            )
            found.setdefault(series, series).figures[run_id] = one.figure
    return list(found.values())


def steps(every: Sequence[Series], margin_percent: float) -> tuple[Step, ...]:
    """The runs from which on any series has other figures, and those with which the host moved, the newest first.

    `margin_percent`: changes up to this don't matter to the user (the campaign's equivalence margin).
    """
    hosts = [series for series in every if series.host]
    arms = [series for series in every if not series.host]
    changes = [change for series in hosts for change in _moves(series)]
    changes += [change for series in arms for change in _changes(series, len(arms), margin_percent)]
    changes.sort(key=lambda change: (change.run_id, change.previous), reverse=True)
    return tuple(
        Step(run_id, previous, tuple(found))
        for (run_id, previous), found in groupby(changes, key=lambda change: (change.run_id, change.previous))
    )


def _moves(series: Series) -> Iterator[Change]:
    """From one run to the next, as far as they stand out."""
    if min((figure.value for figure in series.figures.values()), default=0.0) <= 0:
        return
    runs = list(series.figures.items())
    moves = np.abs(np.diff(np.log([figure.value for _, figure in runs])))
    usual = _ROBUST_SD * float(np.median(moves)) if len(runs) >= FEWEST_RUNS else 0.0
    limit = max(log_margin(HOST_MOVED_PERCENT), HOST_STANDS_OUT * usual)
    for ((previous, before), (run_id, after)), move in zip(pairwise(runs), moves, strict=True):
        if move > limit:
            yield Change(series, run_id, previous, before.value, after.value)


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
