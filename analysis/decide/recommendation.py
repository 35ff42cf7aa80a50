"""Which arm to run: the best at the objective among those that satisfy every constraint, and not by chance.

An arm replaces the baseline only if it is shown to be better at the objective. Arms that are equivalent to the best one
(inside the user's margin) tie; the tie goes to throughput, or to storage where throughput is the objective. The
baseline is kept only if no arm can be both better and allowed; else nothing is decided, and one stays on it for now.
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
from analysis.stats.verdicts import Effect, FurtherBlocks, Verdict, judge, log_margin
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.decide.study import Study
    from analysis.stats.arm_estimates import ArmEstimate


class Status(StrEnum):
    """Whether there is an answer, for programs."""

    RUN = "run"
    """An arm is shown to be better than the baseline, or alone to satisfy the constraints."""
    KEEP = "keep"
    """Every other arm is shown not to be better than the baseline, or to violate a constraint."""
    UNDECIDED = "undecided"
    """Not known; the baseline is no worse a choice than before."""
    NONE = "none"
    """Every arm is shown to violate a constraint."""


class Outcome(StrEnum):
    """How the recommendation came about; the sentences follow from it."""

    SWITCH = "switch"
    KEEP = "keep"
    UNDECIDED = "undecided"
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
    rivals: tuple[str, ...] = Field(
        (), description="Satisfy the constraints, and are not shown to be worse than the chosen arm at the objective."
    )
    promising: tuple[str, ...] = Field(
        (), description="Neither shown not to be better than the baseline, nor to violate a constraint."
    )
    held_back: tuple[str, ...] = Field(
        (),
        description="Shown to be better than the baseline, but neither to satisfy the constraints nor to violate one.",
    )
    further: FurtherBlocks | None = Field(
        None,
        description="How many blocks would decide about the arms above; None: nothing is open, or the number is "
        "unknown.",
    )
    passed_over: Effect | None = Field(
        None,
        description="If the baseline stays: the best arm at the objective that fails only because of a constraint.",
    )
    pareto: tuple[str, ...] = Field((), description="Arms that no other arm is shown to beat in all respects.")
    costs: Costs | None = None

    @property
    def status(self) -> Status:
        """Whether this is an answer."""
        if self.outcome is Outcome.NOTHING_SATISFIES and all(check.state is State.VIOLATED for check in self.checks):
            return Status.NONE
        return {Outcome.SWITCH: Status.RUN, Outcome.KEEP: Status.KEEP}.get(self.outcome, Status.UNDECIDED)


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
        return blank.model_copy(update={"outcome": Outcome.NOTHING_SATISFIES, "further": _most(_needs(checks))})
    if not any(effect.mean_log is not None for effect in at_objective.values()):
        kept = criteria.baseline if criteria.baseline in eligible else None
        return blank.model_copy(update={"arm": kept})
    if not (contenders := _contenders(criteria.baseline, eligible, at_objective)):
        return blank.model_copy(update=_stay(criteria.baseline, checks, at_objective))
    return blank.model_copy(update=_switch(found, group, eligible, contenders, at_objective))


def _contenders(baseline: str, eligible: Sequence[str], at_objective: Mapping[str, Effect]) -> list[str]:
    """The arms that may replace the baseline."""
    if baseline in eligible:
        return [arm for arm in eligible if arm in at_objective and at_objective[arm].verdict is Verdict.BETTER]
    # The constraints ask for more than the baseline gives: whoever satisfies them need not beat it elsewhere.
    return [arm for arm in eligible if arm in at_objective and at_objective[arm].mean_log is not None]


def _stay(baseline: str, checks: Sequence[ArmCheck], at_objective: Mapping[str, Effect]) -> dict[str, object]:
    """What the choice adds to a blank one where no arm may replace the baseline."""
    if next(check.state for check in checks if check.arm == baseline) is not State.SATISFIED:
        return {"outcome": Outcome.NOT_MEASURED}
    possible = {check.arm: check for check in checks if check.state is not State.VIOLATED}
    judged = {verdict: [e for e in at_objective.values() if e.verdict is verdict] for verdict in Verdict}
    promising = [effect for effect in judged[Verdict.UNDECIDED] if effect.candidate in possible]
    held_back = [effect for effect in judged[Verdict.BETTER] if effect.candidate in possible]
    needs = _needs([possible[effect.candidate] for effect in (*promising, *held_back)])
    return {
        "outcome": Outcome.UNDECIDED if promising or held_back else Outcome.KEEP,
        "arm": baseline,
        "promising": tuple(effect.candidate for effect in promising),
        "held_back": tuple(effect.candidate for effect in held_back),
        "further": _most([*needs, *(effect.further for effect in promising)]),
        "passed_over": max(held_back or judged[Verdict.BETTER], key=_gain, default=None),
    }


def _switch(
    found: Study,
    group: Group,
    eligible: Sequence[str],
    contenders: Sequence[str],
    at_objective: Mapping[str, Effect],
) -> dict[str, object]:
    """What the choice adds to a blank one where one of the contenders replaces the baseline."""
    others = [arm for arm in eligible if arm != found.criteria.baseline]
    leader = max(contenders, key=lambda arm: _gain(at_objective[arm]))
    against = _against(found, group, leader, others)
    tied = [arm for arm in contenders if arm in against and against[arm].verdict is Verdict.EQUIVALENT]
    breaker = _tie_breaker(found)
    gains = {e.candidate: _gain(e) for e in found.of("arm") if e.group == group and e.metric == breaker}
    arm = max((leader, *tied), key=lambda one: gains.get(one, float("-inf")))
    if arm != leader:
        against = _against(found, group, arm, others)
    equals = tuple(one for one in (leader, *tied) if one != arm)
    rivals = [e for one, e in against.items() if one not in equals and e.verdict is not Verdict.WORSE]
    return {
        "outcome": Outcome.SWITCH,
        "arm": arm,
        "effect": at_objective[arm],
        "tied": equals,
        "tie_breaker": breaker if tied else None,
        "rivals": tuple(effect.candidate for effect in rivals),
        "further": _most([effect.further for effect in rivals if effect.verdict is Verdict.UNDECIDED]),
    }


def _needs(checks: Sequence[ArmCheck]) -> list[FurtherBlocks | None]:
    """What would tell whether arms satisfy their constraints, for each that is open."""
    undecided = [check for check in checks if check.state is State.UNDECIDED]
    return [one.further for check in undecided for one in check.checks if one.state is State.UNDECIDED]


def _most(needs: Sequence[FurtherBlocks | None]) -> FurtherBlocks | None:
    """The blocks that would meet every need; None where one of them can't be met, or there is none."""
    known = [need for need in needs if need is not None]
    if not known or len(known) < len(needs):
        return None
    return FurtherBlocks(blocks=max(need.blocks for need in known), at_least=any(need.at_least for need in known))


def _gain(effect: Comparison) -> float:
    """The log-ratio, turned so that more is better; minus infinity where there is none."""
    if effect.mean_log is None:
        return float("-inf")
    return effect.mean_log if effect.better is Better.HIGHER else -effect.mean_log


def _tie_breaker(found: Study) -> str:
    if found.criteria.objective is Objective.THROUGHPUT:
        return "storage_bytes_per_document"
    return f"{found.workload}.throughput"


def _against(found: Study, group: Group, arm: str, others: Sequence[str]) -> dict[str, Effect]:
    """Other arms against this one at the objective, with verdicts corrected over them."""
    comparisons = [
        one for one in found.pairwise(arm, [found.objective_metric]) if one.group == group and one.candidate in others
    ]
    effects = judge(
        comparisons,
        primary=[found.objective_metric],
        margin_percent=found.criteria.equivalence_margin_percent,
        alpha=found.alpha,
    )
    return {effect.candidate: effect for effect in effects}


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
