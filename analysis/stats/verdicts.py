"""Verdicts: better, worse, equivalent or undecided, corrected for the number of questions asked (Holm).

One family is all primary metrics of all candidates in all groups; the other metrics form a second, exploratory one.
Within a family Holm's correction is applied once to the p-values of "the ratio is 1" and once to those of "the ratio
lies outside the equivalence margin": each kind of false claim happens in at most 5 % of campaigns. A comparison
without a p-value stays in the family with p = 1, so a lost trial never makes the others surer. Controls (arms with the
baseline's own settings) ask no question and stand outside the families. What they show is corrected likewise, their
primary metrics among themselves and the others among themselves: among dozens of metrics that nobody decides by, a
difference in one that somebody does would hardly ever be seen. A metric that is another one turned around asks nothing
of its own either: it has the other's verdict.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from analysis.stats.effects import Comparison
from analysis.stats.forecast import MOST_BLOCKS, Levels, blocks_to_decide
from analysis.stats.inference import holm, p_difference, p_equivalence
from analysis.stats.primary import SAME_QUESTION
from analysis.stats.quantities import Better
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from analysis.stats.inference import Floats, Inference

Probability = Annotated[float, Field(ge=0, le=1)]


class Verdict(StrEnum):
    """What a comparison established."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class Family(StrEnum):
    """Which correction a comparison shares."""

    @classmethod
    def of(cls, *, primary: bool, control: bool) -> Family:
        """The family of a comparison of this kind."""
        if control:
            return cls.CONTROL if primary else cls.CONTROL_EXPLORATORY
        return cls.PRIMARY if primary else cls.EXPLORATORY

    PRIMARY = "primary"
    EXPLORATORY = "exploratory"
    CONTROL = "control"
    """A control's primary metrics."""
    CONTROL_EXPLORATORY = "control-exploratory"
    """All other metrics of controls."""
    ANSWERED = "answered"
    """Metrics that ask what another one answers, whose verdict they have."""


class FurtherBlocks(Part):
    """How many more blocks would decide, should effect and scatter stay as they are."""

    blocks: Annotated[int, Field(ge=1)]
    at_least: bool = Field(description="The scatter is not known yet, or the number is beyond what is worth naming.")


class Effect(Comparison):
    """A comparison with its verdict."""

    family: Family
    p_difference: Probability | None = Field(description="Adjusted, of `the ratio is 1`; None: fewer than two blocks.")
    p_equivalence: Probability | None = Field(description="Adjusted, of `the ratio is outside the margin`.")
    verdict: Verdict
    further: FurtherBlocks | None = Field(description="Only where undecided.")


UNKNOWN_SCATTER = FurtherBlocks(blocks=2, at_least=True)


def log_margin(margin_percent: float) -> float:
    """The equivalence margin as a log-ratio: 3 % means from 1/1.03 to 1.03, the same in both directions."""
    return math.log1p(margin_percent / 100)


def adjusted(inferences: Sequence[Inference | None], margins: Sequence[float]) -> tuple[Floats, Floats]:
    """A family's p-values of "the ratio is 1" and of "it lies outside the margin" (of each, as a log-ratio).

    Each kind after Holm's correction; what has no inference stays in the family with p = 1.
    """
    different = holm([1.0 if one is None else float(p_difference(one)) for one in inferences])
    equal = holm(
        [
            1.0 if one is None else float(p_equivalence(one, margin))
            for one, margin in zip(inferences, margins, strict=True)
        ]
    )
    return different, equal


def judge(
    comparisons: Iterable[Comparison],
    *,
    primary: Collection[str],
    margin_percent: float,
    alpha: float = 0.05,
    is_control: Callable[[Comparison], bool] = lambda _: False,
) -> tuple[Effect, ...]:
    """Verdicts of all comparisons, in their order. `primary` are the metrics' keys."""
    ordered = tuple(comparisons)
    twins = _twins(ordered)
    families: dict[Family, list[int]] = {family: [] for family in Family}
    for index, one in enumerate(ordered):
        if index not in twins:
            families[Family.of(primary=one.metric in primary, control=is_control(one))].append(index)
    judged: dict[int, Effect] = {}
    for family, members in families.items():
        effects = _judge_family([ordered[index] for index in members], family, log_margin(margin_percent), alpha)
        judged.update(zip(members, effects, strict=True))
    for index, twin in twins.items():
        answer = {name: getattr(judged[twin], name) for name in ("p_difference", "p_equivalence", "verdict", "further")}
        judged[index] = Effect(**dict(ordered[index]), family=Family.ANSWERED, **answer)
    return tuple(judged[index] for index in range(len(ordered)))


def _twins(ordered: Sequence[Comparison]) -> dict[int, int]:
    """The places of comparisons that ask the same as another one, and that one's place."""
    places = {(one.group, one.candidate, one.metric): index for index, one in enumerate(ordered)}
    asked = {
        index: (one.group, one.candidate, SAME_QUESTION[one.metric])
        for index, one in enumerate(ordered)
        if one.metric in SAME_QUESTION
    }
    return {index: places[twin] for index, twin in asked.items() if twin in places}


def _judge_family(members: Sequence[Comparison], family: Family, margin: float, alpha: float) -> list[Effect]:
    if not members:
        return []
    inferences = [one.inference for one in members]
    different, equal = adjusted(inferences, [margin] * len(members))
    # What the correction leaves to the comparisons that are still open.
    levels = Levels(*(alpha / max(1, int(np.sum(p > alpha))) for p in (different, equal)))
    effects = []
    for one, found, p, q in zip(members, inferences, different.tolist(), equal.tolist(), strict=True):
        verdict = _verdict(one, p, q, alpha)
        further = None
        if verdict is Verdict.UNDECIDED:
            further = _further(one, margin, levels)
        effects.append(
            Effect(
                **dict(one),
                family=family,
                p_difference=p if found else None,
                p_equivalence=q if found else None,
                verdict=verdict,
                further=further,
            )
        )
    return effects


def _verdict(one: Comparison, p_different: float, p_equal: float, alpha: float) -> Verdict:
    """A difference that is established but too small to matter is equivalence: that is what the margin is for."""
    if p_equal <= alpha:
        return Verdict.EQUIVALENT
    if one.mean_log is None or p_different > alpha:
        return Verdict.UNDECIDED
    return Verdict.BETTER if (one.mean_log > 0) == (one.better is Better.HIGHER) else Verdict.WORSE


def _further(one: Comparison, margin: float, levels: Levels) -> FurtherBlocks | None:
    """None where more blocks can't help: no ratio can be formed."""
    if one.problem is not None:
        return None
    if one.mean_log is None or one.sd_log is None or one.floor_log is None:
        return UNKNOWN_SCATTER
    total = blocks_to_decide(one.mean_log, one.sd_log, one.floor_log, margin, levels, one.course)
    return further_blocks_of(total, one.n)


def further_blocks_of(total: int | None, n: int) -> FurtherBlocks:
    """The blocks still missing to a total (None: more than are worth naming)."""
    if total is None:
        return FurtherBlocks(blocks=MOST_BLOCKS, at_least=True)
    return FurtherBlocks(blocks=max(1, total - n), at_least=False)
