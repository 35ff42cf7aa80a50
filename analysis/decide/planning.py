"""Noise: how much the arms scatter, what the A/A arms show, and the smallest effect a campaign can see."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from analysis.decide.study import Study, study
from analysis.stats.effects import Group
from analysis.stats.inference import detectable_effect
from analysis.stats.primary import primary_of
from analysis.stats.quantities import Estimate
from analysis.stats.verdicts import Effect, Family
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from analysis.stats.criteria import Criteria
    from analysis.stats.effects import Factor
    from analysis.trial.records import TrialRecord

POWER = 0.8


class ControlDifference(Part):
    """What an arm with the baseline's own settings differed by: noise, by construction."""

    arm: str
    ratio: Estimate | None


class NoiseFloor(Part):
    """The scatter of one metric in one group, and what can be seen through it."""

    group: Group
    metric: str
    blocks: int = Field(description="That the detectable effect is for.")
    scatter_percent: float | None = Field(description="Standard deviation of one block's ratio, over all candidates.")
    detectable_percent: float | None = Field(
        description=f"Smallest change found with {POWER:.0%} probability, fully corrected; None: too few blocks."
    )
    detectable_alone_percent: float | None = Field(
        description="The same, were it the only question: what Holm's correction comes to when all others are answered."
    )
    controls: tuple[ControlDifference, ...] = ()


def noise_floor(
    found: Study, blocks: int | None = None, comparisons: Mapping[Factor, int] | None = None
) -> tuple[NoiseFloor, ...]:
    """Per factor, group and primary metric; for the blocks there were, or for a planned number.

    `comparisons` (default: this campaign's) is the size of each factor's family: the level is that of Holm's first,
    strictest step, so the detectable effect is the one that no other finding has to help.
    """
    return tuple(
        floor
        for factor, effects in found.compared.items()
        for floor in _of_factor(factor, effects, found, blocks, comparisons)
    )


def plan(
    earlier: Iterable[TrialRecord], criteria: Criteria, blocks: int, comparisons: Mapping[Factor, int]
) -> tuple[NoiseFloor, ...]:
    """What a campaign of so many blocks will be able to see, if it scatters as an earlier run did.

    `comparisons` are the planned campaign's, by factor: an earlier run of other arms says nothing of their number.
    """
    return noise_floor(study(earlier, criteria), blocks, comparisons)


def _of_factor(
    factor: Factor,
    effects: Sequence[Effect],
    found: Study,
    blocks: int | None,
    comparisons: Mapping[Factor, int] | None,
) -> Iterator[NoiseFloor]:
    asked = sum(effect.family is Family.PRIMARY for effect in effects) if comparisons is None else comparisons[factor]
    levels = found.alpha, found.alpha / max(1, asked)
    keys = {effect.metric for effect in effects}
    for group in dict.fromkeys(effect.group for effect in effects):
        for key in primary_of(factor, found.primary):
            if key in keys:
                yield _floor([e for e in effects if e.group == group and e.metric == key], group, key, levels, blocks)


def _floor(
    effects: Sequence[Effect], group: Group, key: str, levels: tuple[float, float], blocks: int | None
) -> NoiseFloor:
    known = [(e.sd_log, e.se_log, e.n) for e in effects if e.sd_log is not None and e.se_log is not None]
    weights = [n - 1 for _, _, n in known]
    n = blocks if blocks is not None else min((n for *_, n in known), default=0)
    scatter = alone = corrected = None
    if known:
        # Never below what the measurement resolves: a standard error held up by the floor stands for this scatter.
        pooled = [max(sd, se * math.sqrt(size)) for sd, se, size in known]
        scatter = math.sqrt(float(np.average(np.square(pooled), weights=weights)))
        alone, corrected = (detectable_effect(scatter, n, level, POWER) for level in levels)
    return NoiseFloor(
        group=group,
        metric=key,
        blocks=n,
        scatter_percent=_as_percent(scatter),
        detectable_percent=_as_percent(corrected),
        detectable_alone_percent=_as_percent(alone),
        controls=_controls(effects),
    )


def _controls(effects: Collection[Effect]) -> tuple[ControlDifference, ...]:
    return tuple(ControlDifference(arm=e.candidate, ratio=e.ratio) for e in effects if e.family is Family.CONTROL)


def _as_percent(log: float | None) -> float | None:
    return None if log is None else 100 * math.expm1(min(log, 700.0))
