"""When to stop adding blocks: once the intervals are narrow enough, or once everything is decided.

The first rule looks at the width of intervals and never at what they contain: stopping at the first significant result
would find differences that are not there. The second one looks at verdicts, which is honest because they are made for
being looked at (`analysis.stats.looks`). docs/method.md quotes what both do to error rates.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from analysis.decide.study import Study, study
from analysis.stats.effects import Comparison, Group
from analysis.stats.forecast import blocks_for_half_width
from analysis.stats.verdicts import Family, Verdict
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.stats.criteria import Criteria, Precision
    from analysis.stats.looks import Looks
    from analysis.trial.records import TrialRecord


class Width(Part):
    """How wide one interval still is."""

    group: Group
    candidate: str
    metric: str
    half_width_percent: float | None = Field(description="None: too few blocks for an interval.")
    further: Annotated[int, Field(ge=0)] | None = Field(description="Blocks to the target; None: can't be told.")


class StopDecision(Part):
    """Whether to stop, and if not, how many more blocks the target will probably take."""

    stop: bool
    blocks: int = Field(description="Blocks in the records so far.")
    further: int = Field(ge=0, description="Estimate, within the maximum; 0 when stopping.")
    reason: str
    wider: tuple[Width, ...] = Field(description="Intervals not yet at the target, the widest first.")


def further_blocks(
    records: Iterable[TrialRecord], criteria: Criteria, precision: Precision, minimum: int, maximum: int
) -> StopDecision:
    """Stop at `maximum` blocks, or after `minimum` once every primary metric's interval is as narrow as asked.

    A metric for which no ratio can ever be formed (a reading of 0) holds nothing up. Void trials do: their arm still
    lacks blocks.
    """
    chosen = criteria.model_copy(update={"confidence_percent": precision.confidence_percent})
    found = study(records, chosen)
    done = 0 if found.trials.empty else int(found.trials["block"].nunique())
    wider = sorted(
        (
            width
            for effect in found.every
            if effect.family is Family.PRIMARY and effect.problem is None
            for width in _wider(effect, precision)
        ),
        key=lambda width: -math.inf if width.half_width_percent is None else -width.half_width_percent,
    )
    if done >= maximum:
        reason = f"all {maximum} blocks are done" + (
            ", but the target is not met" if wider else " and the target is met"
        )
        return StopDecision(stop=True, blocks=done, further=0, reason=reason, wider=tuple(wider))
    if done < minimum:
        return StopDecision(
            stop=False, blocks=done, further=minimum - done, reason=f"at least {minimum} blocks", wider=tuple(wider)
        )
    if not any(effect.family is Family.PRIMARY and effect.problem is None for effect in found.every):
        return _without_comparison(found, done, maximum)
    if not wider:
        reason = f"every primary interval is within ±{precision.half_width_percent:g} %"
        return StopDecision(stop=True, blocks=done, further=0, reason=reason, wider=())
    estimate = max(width.further if width.further is not None else maximum for width in wider)
    widest, wanted = wider[0], f"±{precision.half_width_percent:g} %"
    known = "unknown" if widest.half_width_percent is None else f"±{widest.half_width_percent:.1f} %"
    return StopDecision(
        stop=False,
        blocks=done,
        further=max(1, min(estimate, maximum - done)),
        reason=f"{widest.metric} of {widest.candidate} under {widest.group.label} is at {known}, target {wanted}",
        wider=tuple(wider),
    )


def until_decided(records: Iterable[TrialRecord], criteria: Criteria, looks: Looks) -> StopDecision:
    """Stop at the last look, or at the first one at which every primary question has a verdict.

    A metric for which no ratio can ever be formed holds nothing up; a void trial does, as its arm lacks a block.
    """
    found = study(records, criteria, looks)
    done = 0 if found.trials.empty else int(found.trials["block"].nunique())
    asked = [effect for effect in found.every if effect.family is Family.PRIMARY and effect.problem is None]
    still = [effect for effect in asked if effect.verdict is Verdict.UNDECIDED]
    left = f"{len(still)} of {len(asked)} questions are undecided"
    if done >= looks.most:
        reason = f"all {looks.most} blocks are done" + (f", but {left}" if still else " and every question is decided")
        return StopDecision(stop=True, blocks=done, further=0, reason=reason, wider=())
    if done < looks.fewest:
        further, reason = looks.fewest - done, f"at least {looks.fewest} blocks"
        return StopDecision(stop=False, blocks=done, further=further, reason=reason, wider=())
    if not asked:
        return _without_comparison(found, done, looks.most)
    if not still:
        return StopDecision(stop=True, blocks=done, further=0, reason="every question is decided", wider=())
    estimate = max((effect.further.blocks for effect in still if effect.further), default=1)
    further = max(1, min(estimate, looks.most - done))
    return StopDecision(stop=False, blocks=done, further=further, reason=left, wider=())


def _without_comparison(found: Study, done: int, maximum: int) -> StopDecision:
    """More blocks help where something was tried but nothing could be measured; not where nothing is compared."""
    tried = not found.trials.empty and any(
        set(found.trials[factor]) - {baseline} for factor, baseline in found.baselines.items()
    )
    failed = tried and not found.measurements["counts"].any()
    return StopDecision(
        stop=not failed,
        blocks=done,
        further=maximum - done if failed else 0,
        reason="no trial is valid yet" if failed else "there is nothing to compare",
        wider=(),
    )


def _wider(effect: Comparison, precision: Precision) -> list[Width]:
    """The effect's width if it misses the target, else nothing."""
    half = effect.ratio.half_width_percent if effect.ratio else None
    if half is not None and half <= precision.half_width_percent:
        return []
    further = None
    if effect.sd_log is not None and effect.floor_log is not None:
        target = math.log1p(precision.half_width_percent / 100)
        tail = 0.5 - precision.confidence_percent / 200
        total = blocks_for_half_width(effect.sd_log, target, tail, effect.floor_log, effect.course)
        further = None if total is None else max(1, total - effect.n)
    return [
        Width(
            group=effect.group,
            candidate=effect.candidate,
            metric=effect.metric,
            half_width_percent=half,
            further=further,
        )
    ]
