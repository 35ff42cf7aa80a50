"""What a history follows of a run: sizes, ratios of speeds within the run, and the level that tells the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from analysis.gate.tolerances import is_timeless
from analysis.stats.arm_estimates import ArmEstimate
from analysis.stats.primary import deciding_workload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.decide.decision import Decision

_THROUGHPUT = ".throughput"


class Followed(NamedTuple):
    """A run's figure of one cell and metric."""

    one: ArmEstimate
    """A ratio, or a figure in the metric's unit."""
    to: tuple[str, str] | None = None
    """Engine and arm that it is a ratio to; None: it is none."""
    host: str = ""
    """Whose level it is of what others are held against, for people; empty: it is no such level."""


def followed(decision: Decision) -> Iterator[Followed]:
    """Of the primary metrics. Ratios are to the reference, or without one to the baseline arm of the same engine."""
    arm, engine = decision.criteria.baseline, decision.criteria.reference_engine
    for one in decision.estimates:
        if one.metric in decision.primary and is_timeless(one.metric):
            yield Followed(one)
    ratios = ((one, (engine, arm)) for one in decision.reference_ratios) if engine else _to_baseline_arms(decision)
    for ratio, to in ratios:
        if ratio.metric in decision.primary and not is_timeless(ratio.metric):
            yield Followed(ratio, to)
    yield from _levels(decision)


def _to_baseline_arms(decision: Decision) -> Iterator[tuple[ArmEstimate, tuple[str, str]]]:
    for effect in decision.effects:
        if effect.ratio is not None:
            engine, platform = str(effect.group.engine), effect.group.platform or ""
            ratio = ArmEstimate(
                engine=engine, arm=effect.candidate, dataset=effect.group.dataset, platform=platform,
                metric=effect.metric, figure=effect.ratio,
            )  # fmt: skip
            yield ratio, (engine, effect.baseline)


def _levels(decision: Decision) -> Iterator[Followed]:
    """The throughput of what others are held against, of each platform's first dataset."""
    criteria = decision.criteria
    engines = dict.fromkeys(one.engine for one in decision.estimates)
    held = criteria.reference_engine or criteria.baseline_engine or next(iter(engines), None)
    rates = dict.fromkeys(one.metric for one in decision.estimates if one.metric.endswith(_THROUGHPUT))
    workload = deciding_workload((key.removesuffix(_THROUGHPUT) for key in rates), criteria.prices.workload)
    whose = "the host" if criteria.reference_engine else "the host, or what all arms share"
    told: set[str] = set()
    for one in decision.estimates:
        wanted = (held, criteria.baseline, f"{workload}{_THROUGHPUT}")
        if (one.engine, one.arm, one.metric) == wanted and one.platform not in told:
            told.add(one.platform)
            yield Followed(one, host=whose)
