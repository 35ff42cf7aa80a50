"""Constraints: an arm satisfies one only if its whole interval does."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field

from analysis.stats.criteria import Constraint
from analysis.stats.forecast import blocks_for_half_width
from analysis.stats.quantities import Estimate
from analysis.stats.verdicts import UNKNOWN_SCATTER, FurtherBlocks, further_blocks_of
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.stats.effects import Comparison


class State(StrEnum):
    """Whether a constraint holds."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    UNDECIDED = "undecided"


class ConstraintCheck(Part):
    """One constraint on one arm."""

    constraint: Constraint
    state: State
    ratio: Estimate | None = Field(description="Arm ÷ baseline; None for the baseline itself or without trials.")
    further: FurtherBlocks | None = Field(description="Only where undecided, and more blocks can help.")


class ArmCheck(Part):
    """All constraints on one arm."""

    arm: str
    checks: tuple[ConstraintCheck, ...]

    @property
    def state(self) -> State:
        """Violated if any constraint is, satisfied only if all are."""
        states = {check.state for check in self.checks}
        return next((state for state in (State.VIOLATED, State.UNDECIDED) if state in states), State.SATISFIED)


def check_baseline(baseline: str, constraints: Iterable[Constraint]) -> ArmCheck:
    """The baseline's ratio to itself is 1, without error."""
    return ArmCheck(
        arm=baseline,
        checks=tuple(
            ConstraintCheck(constraint=one, state=_state(one, 1.0, 1.0), ratio=None, further=None)
            for one in constraints
        ),
    )


def check_arm(arm: str, constraints: Iterable[Constraint], effects: Iterable[Comparison]) -> ArmCheck:
    """`effects` are those of the arm against the baseline, in one group."""
    by_metric = {effect.metric: effect for effect in effects}
    return ArmCheck(arm=arm, checks=tuple(_check(one, by_metric.get(one.metric)) for one in constraints))


def _check(constraint: Constraint, effect: Comparison | None) -> ConstraintCheck:
    ratio = effect.ratio if effect else None
    if effect is None or effect.problem is not None:
        return ConstraintCheck(constraint=constraint, state=State.UNDECIDED, ratio=ratio, further=None)
    if ratio is None or ratio.low is None or ratio.high is None:
        return ConstraintCheck(constraint=constraint, state=State.UNDECIDED, ratio=ratio, further=UNKNOWN_SCATTER)
    state = _state(constraint, ratio.low, ratio.high)
    further = _further(constraint, effect, ratio) if state is State.UNDECIDED else None
    return ConstraintCheck(constraint=constraint, state=state, ratio=ratio, further=further)


def _state(constraint: Constraint, low: float, high: float) -> State:
    least = constraint.at_least if constraint.at_least is not None else 0.0
    most = constraint.at_most if constraint.at_most is not None else math.inf
    if low >= least and high <= most:
        return State.SATISFIED
    return State.VIOLATED if high < least or low > most else State.UNDECIDED


def _further(constraint: Constraint, effect: Comparison, ratio: Estimate) -> FurtherBlocks:
    """Blocks until the interval clears the bound it straddles, should effect and scatter stay as they are."""
    assert effect.mean_log is not None
    assert effect.sd_log is not None
    assert effect.floor_log is not None
    sd, floor, tail = effect.sd_log, effect.floor_log, 0.5 - ratio.confidence_percent / 200
    totals = [
        blocks_for_half_width(sd, abs(effect.mean_log - math.log(bound)), tail, floor, effect.course)
        for bound in (constraint.at_least, constraint.at_most)
        if bound is not None
    ]
    known = [total for total in totals if total is not None]
    return further_blocks_of(max(known) if len(known) == len(totals) and known else None, effect.n)
