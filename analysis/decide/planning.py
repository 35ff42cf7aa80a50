"""Noise: how much the arms scatter, what the A/A arms show, and the smallest effect a campaign can see."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import Field

from analysis.decide.study import Study, study
from analysis.stats.effects import Group
from analysis.stats.forecast import Levels, blocks_to_decide, detectable_effect
from analysis.stats.primary import primary_of
from analysis.stats.quantities import Estimate
from analysis.stats.rounds import RoundScatter, round_scatter
from analysis.stats.verdicts import Effect, Family, Verdict, log_margin
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from analysis.stats.criteria import Criteria
    from analysis.stats.effects import Factor
    from analysis.stats.looks import Looks
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
    deciding_blocks: int | None = Field(
        None,
        description="Blocks at which each of its effects would have a verdict, should they and the scatter stay as "
        "they are; None: unknown, or more than is worth naming.",
    )
    detectable_alone_percent: float | None = Field(
        description="The same, were it the only question: what Holm's correction comes to when all others are answered."
    )
    rounds: float | None = Field(None, description="Of turns in a block, on average; None: trials took no turns.")
    best_rounds: float | None = Field(
        None, description="Per block, at which the same time would tell most; None: as many as can be, or no turns."
    )
    round_scatter_percent: float | None = Field(None, description="Standard deviation of one round's ratio in a block.")
    load_scatter_percent: float | None = Field(
        None, description="That of a block's ratio beyond what its rounds explain: what another load brings."
    )
    controls: tuple[ControlDifference, ...] = ()


def noise_floor(
    found: Study,
    blocks: int | None = None,
    comparisons: Mapping[Factor, int] | None = None,
    looks: Looks | None = None,
) -> tuple[NoiseFloor, ...]:
    """Per factor, group and primary metric; for the blocks there were, or for a planned number.

    `comparisons` (default: this campaign's) is the size of each factor's family: the level is that of Holm's first,
    strictest step, so the detectable effect is the one that no other finding has to help.
    """
    return tuple(
        floor
        for factor, effects in found.compared.items()
        for floor in _of_factor(factor, effects, found, _Planned(blocks, comparisons, looks or found.looks))
    )


def plan(
    earlier: Iterable[TrialRecord],
    criteria: Criteria,
    blocks: int,
    comparisons: Mapping[Factor, int],
    looks: Looks | None = None,
) -> tuple[NoiseFloor, ...]:
    """What a campaign of so many blocks will be able to see, if it scatters as an earlier run did.

    `comparisons` are the planned campaign's, by factor: an earlier run of other arms says nothing of their number.
    `looks` are the planned campaign's, too. What arms' scatters tell of each other is taken from the earlier run.
    """
    return noise_floor(study(earlier, criteria), blocks, comparisons, looks)


class _Planned(NamedTuple):
    """What a noise floor is for; None: for the campaign that was run."""

    blocks: int | None
    comparisons: Mapping[Factor, int] | None
    looks: Looks | None


class _Family(NamedTuple):
    """What the correction over a factor's primary comparisons leaves to each."""

    first: float
    """The level of Holm's first and strictest step."""
    open: Levels
    """The levels of those without a verdict."""
    alone: float
    """The level of a single comparison."""
    margin: float


def _of_factor(factor: Factor, effects: Sequence[Effect], found: Study, planned: _Planned) -> Iterator[NoiseFloor]:
    family = _family(factor, effects, found, planned)
    keys = {effect.metric for effect in effects}
    for group in dict.fromkeys(effect.group for effect in effects):
        for key in primary_of(factor, found.primary):
            if key in keys:
                inside = [e for e in effects if e.group == group and e.metric == key]
                yield _floor(inside, group, key, family, planned).model_copy(update=_of_rounds(found, inside))


def _family(factor: Factor, effects: Sequence[Effect], found: Study, planned: _Planned) -> _Family:
    primary = [effect for effect in effects if effect.family is Family.PRIMARY]
    asked = max(1, len(primary) if planned.comparisons is None else planned.comparisons[factor])
    left = sum(effect.verdict is Verdict.UNDECIDED for effect in primary) / max(1, len(primary))
    level = found.alpha / max(1.0, left * asked)
    margin = log_margin(found.criteria.equivalence_margin_percent)
    return _Family(found.alpha / asked, Levels(level, level), found.alpha, margin)


def _floor(effects: Sequence[Effect], group: Group, key: str, family: _Family, planned: _Planned) -> NoiseFloor:
    known = [e for e in effects if e.sd_log is not None]
    n = planned.blocks if planned.blocks is not None else min((e.n for e in known), default=0)
    scatter = alone = corrected = None
    share = 1.0 if planned.looks is None else planned.looks.share(n)
    if known:
        scatter = _together([(e.own_sd_log, e.floor_log, e.n) for e in known])
    if known and share > 0:
        estimated = _together([(e.sd_log, e.floor_log, e.n) for e in known])
        prior = float(np.mean([e.course.prior for e in known]))
        alone, corrected = (
            detectable_effect(estimated, n, level * share, POWER, prior) for level in (family.alone, family.first)
        )
    return NoiseFloor(
        group=group,
        metric=key,
        blocks=n,
        scatter_percent=_as_percent(scatter),
        detectable_percent=_as_percent(corrected),
        detectable_alone_percent=_as_percent(alone),
        deciding_blocks=_deciding(effects, family, planned.looks),
        controls=_controls(effects),
    )


def _of_rounds(found: Study, effects: Sequence[Effect]) -> dict[str, float | None]:
    """How a metric's scatter comes about where trials took turns; both are shown, only that of blocks is tested."""
    scatter = round_scatter(found.records, effects)
    if scatter is None:
        return {}
    return {
        "rounds": scatter.rounds,
        "best_rounds": _best_rounds(found.records, scatter),
        "round_scatter_percent": _as_percent(scatter.of_rounds),
        "load_scatter_percent": _as_percent(scatter.of_loads),
    }


def _best_rounds(records: Sequence[TrialRecord], scatter: RoundScatter) -> float | None:
    """The rounds per block that would serve best, by what blocks and their rounds took; a round is one of any phase."""
    spent = [
        (record.steps_s["total"], len(phase.turns), sum(turn.measured_s for turn in phase.turns) * record.sharing)
        for record in records
        for phase in record.phases
        if phase.turns and phase.kind == "run"
    ]
    rounds, turning_s = sum(count for _, count, _ in spent), sum(seconds for *_, seconds in spent)
    if not rounds:
        return None
    block_s = fmean(total for total, *_ in spent) - turning_s / len(spent)
    best = scatter.best_rounds(max(block_s, 1.0), turning_s / rounds)
    return best if math.isfinite(best) else None


def _deciding(effects: Sequence[Effect], family: _Family, looks: Looks | None) -> int | None:
    """The blocks at which every effect that asks a question has its verdict."""
    totals = [
        None
        if e.mean_log is None or e.sd_log is None or e.floor_log is None
        else blocks_to_decide(
            e.mean_log, e.sd_log, e.floor_log, family.margin, family.open, e.course._replace(looks=looks)
        )
        for e in effects
        if e.family is Family.PRIMARY and e.problem is None
    ]
    known = [total for total in totals if total is not None]
    return max(known) if known and len(known) == len(totals) else None


def _together(scatters: Sequence[tuple[float | None, float | None, int]]) -> float:
    """The scatter of one block's ratio over all candidates, from each one's own, floor and number of blocks.

    Never below what the measurement resolves: a standard error held up by the floor stands for this scatter.
    """
    each = [max(sd or 0.0, (floor or 0.0) * math.sqrt(n)) for sd, floor, n in scatters]
    return math.sqrt(float(np.average(np.square(each), weights=[n - 1 for *_, n in scatters])))


def _controls(effects: Collection[Effect]) -> tuple[ControlDifference, ...]:
    return tuple(ControlDifference(arm=e.candidate, ratio=e.ratio) for e in effects if e.family is Family.CONTROL)


def _as_percent(log: float | None) -> float | None:
    return None if log is None else 100 * math.expm1(min(log, 700.0))
