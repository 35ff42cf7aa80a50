"""Effects: log-ratios of a candidate to the baseline within each block, their mean and its t interval.

A block's host and hour act on both sides of a ratio and cancel out. One factor is compared (the arm, the engine or the
platform) where the others and the dataset are the same. Between platforms the hosts are what is compared, and only the
hour cancels out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, get_args

import numpy as np
from pydantic import Field

from analysis.stats.forecast import Course
from analysis.stats.inference import Inference, infer
from analysis.stats.looks import Looks
from analysis.stats.metrics import metric
from analysis.stats.metrics.readers import Reading
from analysis.stats.quantities import Better, Estimate, Finite, Unit
from analysis.stats.scatter import moderated
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from analysis.stats.arm_estimates import ArmEstimate
    from analysis.trial.records import Cell

Factor = Literal["arm", "engine", "platform"]
_FACTORS: tuple[Factor, ...] = get_args(Factor)

STANDS_OUT = 5.0
"""A block whose log-ratio lies this many robust standard deviations from the median is named as standing out."""

FEWEST_TO_STAND_OUT = 5

_BY_PAIRS_ALONE = frozenset({"monthly_cost"})
"""Metrics whose scatter is each pair's own: the page's script computes their intervals again under other prices."""

LARGEST_LOG = 700.0
"""exp() of more overflows."""


class Group(Part):
    """The levels that are held fixed while the factor varies."""

    engine: str | None = Field(None, description="None where engines are compared.")
    arm: str | None = Field(None, description="None where arms are compared.")
    dataset: str
    platform: str | None = Field("", description="None where platforms are compared; empty where hosts name none.")

    @classmethod
    def of(cls, cell: Cell | ArmEstimate) -> Self:
        """The group in which a cell's arm is compared with others."""
        return cls(engine=cell.engine, dataset=cell.dataset, platform=cell.platform)

    def holds(self, cell: Cell) -> bool:
        """Whether a cell is of the group, whatever its level of the factor is."""
        return all(getattr(cell, factor) == level for factor, level in self.model_dump(exclude_none=True).items())

    @property
    def factor(self) -> Factor:
        """What is compared within the group: the factor that is not held fixed."""
        return next(factor for factor in _FACTORS if getattr(self, factor) is None)

    @property
    def names(self) -> tuple[str, ...]:
        """The levels that have a name, the platform first."""
        return tuple(level for level in (self.platform, self.engine, self.arm, self.dataset) if level)

    @property
    def label(self) -> str:
        """The group's name for people, e.g. `6.0.5, sentences`."""
        return ", ".join(self.names)

    def within(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The group's rows of a frame of trials or measurements."""
        rows = frame
        for factor, level in self.model_dump(exclude_none=True).items():
            rows = rows[rows[factor] == level]
        return rows


class BlockRatio(Part):
    """Candidate ÷ baseline in one block."""

    block: int
    ratio: Finite


class Comparison(Part):
    """One metric of one candidate against the baseline. `ratio` is candidate ÷ baseline, whatever the direction."""

    factor: Factor
    group: Group
    candidate: str
    baseline: str
    metric: str
    better: Better
    ratio: Estimate | None = Field(None, description="None: not a single block holds both sides, or see `problem`.")
    mean_log: Finite | None = Field(None, description="Mean of the blocks' natural log-ratios.")
    own_sd_log: Finite | None = Field(None, description="Standard deviation of these log-ratios; None with one block.")
    sd_log: Finite | None = Field(
        None, description="Their scatter, estimated with the other levels; None without an interval."
    )
    se_log: Finite | None = Field(None, description="Standard error of the mean by `sd_log`, at least `floor_log`.")
    df: Finite | None = Field(None, description="Degrees of freedom of `sd_log`; blocks − 1 are the pair's own.")
    floor_log: Finite | None = Field(None, description="Relative resolution of the measurement.")
    blocks: tuple[BlockRatio, ...] = ()
    looks: Looks | None = Field(
        None, description="The looks over which the level is spent; None: the number of blocks was fixed beforehand."
    )
    missing_blocks: tuple[int, ...] = Field((), description="Blocks without a valid trial of either side.")
    standing_out: tuple[int, ...] = Field((), description="Blocks far from the others; they still count.")
    problem: str | None = Field(None, description="Why a ratio can't be formed, although there are trials.")

    @property
    def n(self) -> int:
        """Blocks that hold both sides."""
        return len(self.blocks)

    @property
    def inference(self) -> Inference | None:
        """The figures that tests are made from; None without an interval."""
        if self.mean_log is None or self.sd_log is None or self.se_log is None or self.df is None:
            return None
        mean, sd, se = (np.asarray(one) for one in (self.mean_log, self.sd_log, self.se_log))
        return Inference(mean, sd, se, self.n, self.df, 1.0 if self.looks is None else self.looks.share(self.n))

    @property
    def course(self) -> Course:
        """How what is known of this comparison grows with the blocks."""
        return Course(0.0 if self.df is None else max(0.0, self.df - (self.n - 1)), self.looks)


def ratio_estimate(found: Inference, confidence_percent: float, unit: Unit = Unit.RATIO) -> Estimate:
    """A mean of logarithms and its interval, back on the scale of the values."""
    half = found.half_width(confidence_percent)
    value, low, high = _exp(np.array([found.mean, found.mean - half, found.mean + half]))
    return Estimate(value=value, low=low, high=high, n=found.n, unit=unit, confidence_percent=confidence_percent)


def _exp(logs: np.ndarray) -> list[float]:
    return [float(value) for value in np.exp(np.clip(logs, -LARGEST_LOG, LARGEST_LOG))]


def compare(
    trials: pd.DataFrame,
    measurements: pd.DataFrame,
    *,
    baseline: str,
    factor: Factor = "arm",
    metrics: Sequence[str] | None = None,
    confidence_percent: float = 95.0,
    looks: Looks | None = None,
) -> tuple[Comparison, ...]:
    """Every candidate of the factor against the baseline, per group and metric (default: all that were measured).

    The frames are `frames.trials` and `frames.measurements`. Only counting trials form ratios, but groups, candidates
    and blocks are those of void trials too: what was tried and failed is a comparison without blocks, not absent. With
    `looks`, intervals and tests hold under stopping after any of them; a comparison of fewer blocks has no interval.
    """
    if trials.empty:
        return ()
    counted = measurements[measurements["counts"]]
    wanted = list(metrics if metrics is not None else measurements["metric"].unique())
    fixed = [*(other for other in _FACTORS if other != factor), "dataset"]
    found = []
    for levels, design in trials.groupby(fixed, sort=False):
        group = Group(**{"platform": None} | dict(zip(fixed, map(str, levels), strict=True)))
        tables = {str(key): part for key, part in group.within(counted).groupby("metric", sort=False)}
        blocks = sorted(int(block) for block in design["block"].unique())
        candidates = [str(name) for name in design[factor].unique() if name != baseline]
        for key in wanted:
            values = _by_level_and_block(tables.get(key), factor)
            for candidate in candidates:
                ours, theirs = values.get(candidate, {}), values.get(baseline, {})
                paired = [block for block in blocks if block in ours and block in theirs]
                others = (
                    [] if key in _BY_PAIRS_ALONE else [v for k, v in values.items() if k not in (candidate, baseline)]
                )
                blank = Comparison(
                    factor=factor,
                    group=group,
                    candidate=candidate,
                    baseline=baseline,
                    metric=key,
                    better=metric(key).better,
                    looks=looks,
                    missing_blocks=tuple(block for block in blocks if block not in paired),
                )
                pairs = {block: (ours[block], theirs[block]) for block in paired}
                found.append(_with_ratio(blank, pairs, others, confidence_percent))
    return tuple(found)


Pair = tuple[Reading, Reading]


def _with_ratio(
    blank: Comparison, pairs: Mapping[int, Pair], others: Iterable[Mapping[int, Reading]], confidence_percent: float
) -> Comparison:
    """The comparison with what its blocks' pairs (candidate, baseline), and the other levels' scatter, say."""
    if not pairs:
        return blank
    if any(side.value <= 0 for pair in pairs.values() for side in pair):
        # Leaving out just the blocks with a 0 would select by outcome.
        return blank.model_copy(update={"problem": "a reading is zero, so there is no ratio"})
    if fewest := max(side.too_few for pair in pairs.values() for side in pair):  # and so it would here
        return blank.model_copy(update={"problem": too_few_operations(fewest)})
    logs = np.array([np.log(ours.value / theirs.value) for ours, theirs in pairs.values()])
    floor = max(float(np.hypot(a.resolution / a.value, b.resolution / b.value)) for a, b in pairs.values())
    ratios = tuple(BlockRatio(block=block, ratio=ratio) for block, ratio in zip(pairs, _exp(logs), strict=True))
    known = blank.model_copy(update={"mean_log": float(logs.mean()), "floor_log": floor, "blocks": ratios})
    if len(pairs) > 1:
        known = known.model_copy(update=_scatter(known, logs, _table(pairs, others)))
    inference = known.inference
    if inference is None:
        value = _exp(logs.mean(keepdims=True))[0]
        alone = Estimate(value=value, n=len(pairs), unit=Unit.RATIO, confidence_percent=confidence_percent)
        return known.model_copy(update={"ratio": alone})
    return known.model_copy(update={"ratio": ratio_estimate(inference, confidence_percent)})


def too_few_operations(fewest: int) -> str:
    """Why a percentile that takes so many operations is not compared."""
    return f"a trial measured fewer than the {fewest:,} operations that this percentile takes"


def _scatter(one: Comparison, logs: np.ndarray, table: np.ndarray) -> dict[str, object]:
    """What two blocks or more add to a comparison: its scatter, and blocks that stand out.

    Before the first look there is nothing to test with: no part of the level may be spent there.
    """
    floor = one.floor_log or 0.0
    blocks = np.array([ratio.block for ratio in one.blocks])
    known: dict[str, object] = {
        "own_sd_log": float(infer(logs).sd),
        "standing_out": tuple(blocks[_stands_out(logs, floor)].tolist()),
    }
    if one.looks is None or one.looks.share(len(logs)) > 0:
        found = moderated(table, floor)
        sd, se, df = (float(np.asarray(figure)[0]) for figure in (found.sd, found.se, found.df))
        known |= {"sd_log": sd, "se_log": se, "df": df}
    return known


def _table(pairs: Mapping[int, Pair], others: Iterable[Mapping[int, Reading]]) -> np.ndarray:
    """Logs [level, block]: the baseline, the candidate, and each other level with a figure in all their blocks."""
    complete = [one for one in others if all(block in one and one[block].value > 0 for block in pairs)]
    rows = [
        [theirs.value for _, theirs in pairs.values()],
        [ours.value for ours, _ in pairs.values()],
        *([one[block].value for block in pairs] for one in complete),
    ]
    return np.asarray(np.log(np.array(rows)))


def _by_level_and_block(table: pd.DataFrame | None, factor: Factor) -> dict[str, dict[int, Reading]]:
    found: dict[str, dict[int, Reading]] = {}
    if table is not None:
        columns = (table[factor], table["block"], table["value"], table["resolution"], table["too_few"])
        for level, block, value, resolution, too_few in zip(*columns, strict=True):
            found.setdefault(str(level), {})[int(block)] = Reading(float(value), float(resolution), int(too_few))
    return found


def _stands_out(logs: np.ndarray, floor: float) -> np.ndarray:
    """Marks log-ratios far from the median, measured by the median absolute deviation (1.4826 makes it an sd)."""
    distance = np.abs(logs - np.median(logs))
    scale = max(1.4826 * float(np.median(distance)), floor)
    if len(logs) < FEWEST_TO_STAND_OUT or scale == 0:
        return np.zeros(len(logs), dtype=bool)
    return np.asarray(distance > STANDS_OUT * scale)
