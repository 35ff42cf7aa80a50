"""Which arm to run: the best at the objective among those that satisfy every constraint, and not by chance.

An arm replaces the baseline only if it is shown to be better at the objective. Arms that are equivalent to the best one
(inside the user's margin) tie; the tie goes to throughput, or to storage where throughput is the objective.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field

from analysis.decide.constraints import ArmCheck, State, check_arm, check_baseline
from analysis.decide.cost import Costs, costs
from analysis.stats.criteria import Objective
from analysis.stats.effects import Comparison, Group
from analysis.stats.quantities import Better
from analysis.stats.verdicts import Effect, Verdict, judge, log_margin
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.decide.study import Study
    from analysis.stats.arm_estimates import ArmEstimate


class Outcome(StrEnum):
    """How the recommendation came about; the sentences follow from it."""

    SWITCH = "switch"
    KEEP = "keep"
    NOTHING_SATISFIES = "nothing-satisfies"
    NO_BASELINE = "no-baseline"
    NOT_MEASURED = "not-measured"


class Choice(Part):
    """The arm chosen in one group, and what the choice rests on."""

    group: Group
    outcome: Outcome
    arm: str | None = Field(description="The recommended arm; None: none can be recommended.")
    objective_metric: str
    effect: Effect | None = Field(description="The chosen arm against the baseline at the objective.")
    checks: tuple[ArmCheck, ...] = Field(description="Baseline first.")
    tied: tuple[str, ...] = Field((), description="Equivalent to the chosen arm at the objective.")
    tie_breaker: str | None = Field(None, description="The metric whose mean chose among the tied.")
    rivals: tuple[str, ...] = Field((), description="Not yet told apart from the best arm at the objective.")
    promising: tuple[str, ...] = Field((), description="Not shown to be better than the baseline, nor not to be.")
    passed_over: Effect | None = Field(
        None, description="When the baseline is kept: the best arm at the objective that no constraint lets through."
    )
    pareto: tuple[str, ...] = Field((), description="Arms that no other is shown to beat all round.")
    costs: Costs | None = None


def choose(found: Study, group: Group, estimates: Sequence[ArmEstimate]) -> Choice:
    """The choice in one group of a study over arms."""
    criteria = found.criteria
    effects = [e for e in found.of("arm") if e.group == group and e.candidate not in found.controls]
    arms = list(dict.fromkeys(effect.candidate for effect in effects))
    checks = (
        check_baseline(criteria.baseline, criteria.constraints),
        *(check_arm(arm, criteria.constraints, [e for e in effects if e.candidate == arm]) for arm in arms),
    )
    eligible = [check.arm for check in checks if check.state is State.SATISFIED]
    at_objective = {e.candidate: e for e in effects if e.metric == found.objective_metric}
    measured = {one.arm for one in estimates if one.group == group}
    blank = Choice(
        group=group,
        outcome=Outcome.NOT_MEASURED,
        arm=None,
        objective_metric=found.objective_metric,
        effect=None,
        checks=checks,
        pareto=pareto_front(found, group, [arm for arm in (criteria.baseline, *arms) if arm in measured]),
        costs=costs(
            found.measurements,
            estimates,
            group,
            criteria.prices.of(str(group.platform)),
            eligible,
            [effect for effect in effects if effect.metric == "monthly_cost"],
            criteria.confidence_percent,
        ),
    )
    if criteria.baseline not in measured:
        return blank.model_copy(update={"outcome": Outcome.NO_BASELINE})
    if not eligible:
        return blank.model_copy(update={"outcome": Outcome.NOTHING_SATISFIES})
    if not any(effect.mean_log is not None for effect in at_objective.values()):
        kept = criteria.baseline if criteria.baseline in eligible else None
        return blank.model_copy(update={"arm": kept})
    return blank.model_copy(update=_best(found, group, eligible, at_objective))


def _best(found: Study, group: Group, eligible: Sequence[str], at_objective: dict[str, Effect]) -> dict[str, object]:
    """What the choice adds to a blank one, where something can be chosen."""
    baseline = found.criteria.baseline
    verdicts = {arm: at_objective[arm].verdict for arm in eligible if arm in at_objective}
    promising = tuple(arm for arm, verdict in verdicts.items() if verdict is Verdict.UNDECIDED)
    contenders = [arm for arm, verdict in verdicts.items() if verdict is Verdict.BETTER]
    if not contenders and baseline in eligible:
        held_back = [e for e in at_objective.values() if e.candidate not in eligible and e.verdict is Verdict.BETTER]
        passed_over = max(held_back, key=_gain, default=None)
        return {"outcome": Outcome.KEEP, "arm": baseline, "promising": promising, "passed_over": passed_over}
    if not contenders:
        # The constraints ask for more than the baseline gives: whoever satisfies them need not beat it elsewhere.
        contenders = [arm for arm in verdicts if at_objective[arm].mean_log is not None]
    if not contenders:
        return {"outcome": Outcome.NOT_MEASURED}
    leader = max(contenders, key=lambda arm: _gain(at_objective[arm]))
    against = {e.candidate: e.verdict for e in _against(found, group, leader, contenders)}
    tied = [arm for arm in contenders if against.get(arm) is Verdict.EQUIVALENT]
    rivals = tuple(arm for arm in contenders if against.get(arm) is Verdict.UNDECIDED)
    breaker = _tie_breaker(found)
    gains = {e.candidate: _gain(e) for e in found.of("arm") if e.group == group and e.metric == breaker}
    arm = max((leader, *tied), key=lambda one: gains.get(one, float("-inf")))
    return {
        "outcome": Outcome.SWITCH,
        "arm": arm,
        "effect": at_objective[arm],
        "tied": tuple(one for one in (leader, *tied) if one != arm),
        "tie_breaker": breaker if tied else None,
        "rivals": rivals,
        "promising": promising,
    }


def _gain(effect: Comparison) -> float:
    """The log-ratio, turned so that more is better; minus infinity where there is none."""
    if effect.mean_log is None:
        return float("-inf")
    return effect.mean_log if effect.better is Better.HIGHER else -effect.mean_log


def _tie_breaker(found: Study) -> str:
    if found.criteria.objective is Objective.THROUGHPUT:
        return "storage_bytes_per_document"
    return f"{found.workload}.throughput"


def _against(found: Study, group: Group, leader: str, contenders: Sequence[str]) -> tuple[Effect, ...]:
    """The other contenders against the leader at the objective, with verdicts corrected over them."""
    comparisons = [
        one
        for one in found.pairwise(leader, [found.objective_metric])
        if one.group == group and one.candidate in contenders
    ]
    return judge(
        comparisons,
        primary=[found.objective_metric],
        margin_percent=found.criteria.equivalence_margin_percent,
        alpha=found.alpha,
    )


def pareto_front(found: Study, group: Group, arms: Sequence[str]) -> tuple[str, ...]:
    """The arms that no other arm is shown to dominate in storage, throughput, p99 and CPU.

    One arm dominates another if no interval reaches beyond the margin in the other's favour, and one lies wholly beyond
    the margin in its own. So scatter keeps arms on the front, and negligible differences do not.
    """
    keys = (
        "storage_bytes_per_document",
        *(f"{found.workload}.{name}" for name in ("throughput", "p99", "mongod_cpu_us_per_operation")),
    )
    margin = log_margin(found.criteria.equivalence_margin_percent)
    dominated: set[str] = set()
    for other in arms:
        comparisons = [one for one in found.pairwise(other, keys) if one.group == group]
        for arm in arms:
            bounds = [_gain_bounds(one, found) for one in comparisons if one.candidate == arm]
            known = [bound for bound in bounds if bound is not None]
            complete = bool(bounds) and len(known) == len(bounds)
            if complete and all(low > -margin for low, _ in known) and any(low > margin for low, _ in known):
                dominated.add(other)
    return tuple(arm for arm in arms if arm not in dominated)


def _gain_bounds(one: Comparison, found: Study) -> tuple[float, float] | None:
    """The interval of the gain (log, more is better)."""
    inference = one.inference
    if inference is None:
        return None
    half = float(inference.half_width(found.criteria.confidence_percent))
    gain = _gain(one)
    return gain - half, gain + half
