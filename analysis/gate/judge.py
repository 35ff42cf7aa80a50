"""The gate: did the candidate get worse than the baseline? Verdict per metric, corrected for all questions asked.

Where baseline and candidate are cells of one run, their blocks are shared and each ratio is formed within its block.
Between runs nothing is shared: what is compared is each cell's ratio to the reference of its own run, or, without a
reference, its level. How far that moves from run to run is allowed for (`analysis.gate.between`).

A *regression* is a difference that is established (Holm over all checks of the gate) in the direction that counts as
one, and whose estimate lies beyond the tolerance, in per cent of the baseline. *Unchanged* is a difference shown to lie
within the tolerance, by a test on logarithms, which takes the narrower of the two margins on both sides: from 1/1.03 to
1.03 for 3 %. So a gate of a run against its like fails in at most 2.5 % of cases, whatever the number of its checks.
Each check says the smallest change that it finds with a power of 80 %. One that established nothing, and for which that
is more than the tolerance, is *blind*: it could not have seen what it is there to see.
"""

from __future__ import annotations

import math
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from analysis.gate.leads import Lead, leads
from analysis.gate.pairing import Selection
from analysis.gate.questions import Compared, Question, between_runs, questions, within_run
from analysis.gate.reference import Level, Reference, levels, relative
from analysis.gate.tolerances import Regression, Tolerances, bad_direction, is_regression, is_timeless
from analysis.stats.effects import ratio_estimate
from analysis.stats.forecast import smallest_shown
from analysis.stats.metrics import metric
from analysis.stats.quantities import Estimate, Unit
from analysis.stats.verdicts import adjusted, log_margin
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.gate.sides import Side
    from analysis.stats.inference import Inference

Method = Literal["paired", "reference", "levels"]
EVERYTHING = Selection()


class NothingComparedError(ValueError):
    """Not one check could be made; the message says why. A gate that has seen nothing is not open."""


class GateVerdict(StrEnum):
    """What a check established."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    UNDECIDED = "undecided"


class Check(Part):
    """One metric of one pair of cells. `ratio` is candidate ÷ baseline, whatever the direction."""

    pair: str = Field(description="The cells that are compared, for people.")
    metric: str
    verdict: GateVerdict
    ratio: Estimate | None = Field(description="None: see `problem`.")
    tolerance_percent: float
    regression: Regression = Field(description="Which change counts as one.")
    p_difference: float | None = Field(description="Adjusted, of `the ratio is 1`.")
    p_unchanged: float | None = Field(description="Adjusted, of `the ratio is outside the tolerance`.")
    shows_percent: float | None = Field(
        description="The smallest change for the worse that is found with a power of 80 %, given how these blocks "
        "scatter, in per cent of the baseline."
    )
    runs: int = Field(description="Earlier runs that it is compared with; 1 within one run.")
    blocks: tuple[int, int] = Field(description="Blocks that hold the figure: of the baseline, of the candidate.")
    problem: str | None = Field(None, description="Why the check has no result.")
    leads: tuple[Lead, ...] = Field((), description="Of a regression: what moved with it, the largest change first.")

    @property
    def blind(self) -> bool:
        """Whether nothing was established, and a change of the tolerance might well not have been."""
        return self.verdict is GateVerdict.UNDECIDED and (
            self.shows_percent is None or self.shows_percent > self.tolerance_percent
        )


class Gate(Part):
    """What a gate found."""

    format_version: Literal[1] = 1
    baseline: str
    candidate: str
    method: Method = Field(
        description="`paired`: within the blocks of one run. Between runs: `reference`, by each cell's ratio to "
        "its own run's reference; or `levels`, by absolute figures, without a reference."
    )
    confidence_percent: float
    checks: tuple[Check, ...]
    reference: str = Field("", description="The engine and arm of the reference.")
    levels: tuple[Level, ...] = Field((), description="How the reference's own speeds moved: context, never a verdict.")
    notes: tuple[str, ...] = ()

    def of(self, verdict: GateVerdict) -> tuple[Check, ...]:
        """The checks with this verdict."""
        return tuple(check for check in self.checks if check.verdict is verdict)

    def fails(self, *, strict: bool) -> bool:
        """Whether the gate is shut: a regression, or, if strict, anything undecided."""
        return bool(self.of(GateVerdict.REGRESSED)) or (strict and bool(self.of(GateVerdict.UNDECIDED)))

    @property
    def blind(self) -> tuple[Check, ...]:
        """The checks that could not have shown a change of their tolerance."""
        return tuple(check for check in self.checks if check.blind)


def gate(baselines: Sequence[Side], candidate: Side, tolerances: Tolerances, selection: Selection = EVERYTHING) -> Gate:
    """Judge the candidate against the baseline, or against several earlier runs. Whether they may be compared is the
    caller's to ask first.

    Args:
        baselines: Runs, the oldest first; the candidate itself alone for a gate within one run.
        candidate: The run to judge.
        tolerances: How much may change.
        selection: Which cells.

    Raises:
        PairingError: the sides have no cells that could be set against each other.
        NothingComparedError: none of their metrics can be compared.
    """
    newest = baselines[-1]
    within = newest.identity() == candidate.identity()
    reference = None if within else Reference.of(candidate.criteria)
    sides = [one if reference is None else relative(one, reference) for one in (*baselines, candidate)]
    criteria = newest.criteria
    asked = questions(sides, tolerances, selection, reference)
    moved = () if reference is None else tuple(levels(candidate, baselines, reference))
    leanings = {(one.dataset, one.platform, one.metric): one.leaning for one in moved}
    found = [
        within_run(one)
        if within
        else between_runs(
            one, tolerances.drift_of(one.key, relative=reference is not None), leanings.get(one.place, 0.0)
        )
        for one in asked
    ]
    if all(one.inference is None for one in found):
        raise NothingComparedError("; ".join(_why_nothing(found, newest, candidate)))
    told = {question.key for question in asked}
    return Gate(
        baseline=_baseline_named(baselines, selection),
        candidate=_named(candidate, selection.engine, selection.arm),
        method="paired" if within else "levels" if reference is None else "reference",
        confidence_percent=criteria.confidence_percent,
        checks=_checks(asked, found, criteria.confidence_percent),
        reference=str(reference or ""),
        levels=tuple(one for one in moved if one.metric in told and not is_timeless(one.metric)),
        notes=tuple(
            f"the tolerances name {name}, which no trial has"
            for name in tolerances.unknown({figure.metric for side in sides for figure in side.figures})
        ),
    )


def _checks(asked: Sequence[Question], found: Sequence[Compared], confidence_percent: float) -> tuple[Check, ...]:
    alpha = 1 - confidence_percent / 100
    different, equal = adjusted([one.inference for one in found], [log_margin(one.tolerance_percent) for one in asked])
    level = alpha / max(1, int((different > alpha).sum()))  # what the correction leaves to the checks still open
    return tuple(
        _check(one, compared, (p, q), level, confidence_percent)
        for one, compared, p, q in zip(asked, found, different.tolist(), equal.tolist(), strict=True)
    )


def _why_nothing(found: Sequence[Compared], baseline: Side, candidate: Side) -> Iterator[str]:
    for which, side in (("baseline", baseline), ("candidate", candidate)):
        if not side.figures:
            yield f"the {which} has no valid trial"
    if not found:
        yield "neither side has any of the checked metrics"
    for (problem, blocks), checks in Counter((one.problem, one.blocks) for one in found).items():
        many = "" if checks == 1 else "s"
        yield f"{checks} check{many}: {problem} (blocks of the baseline: {blocks[0]}, of the candidate: {blocks[1]})"


def _baseline_named(baselines: Sequence[Side], selection: Selection) -> str:
    newest = _named(baselines[-1], selection.baseline_engine, selection.baseline_arm)
    return newest if len(baselines) == 1 else f"{len(baselines)} runs to {newest}"


def _named(side: Side, engine: str | None, arm: str | None) -> str:
    return " ".join(part for part in (f"{side.campaign}/{side.run_id}", engine, arm) if part)


def _check(
    one: Question, compared: Compared, adjusted_p: tuple[float, float], level: float, confidence_percent: float
) -> Check:
    found, (p, q) = compared.inference, adjusted_p
    verdict = GateVerdict.UNDECIDED
    if found is not None:
        verdict = _verdict(one, float(found.mean), p, q, 1 - confidence_percent / 100)
    return Check(
        pair=one.newest.label,
        metric=one.key,
        verdict=verdict,
        ratio=None if found is None else ratio_estimate(found, confidence_percent, Unit.RATIO),
        tolerance_percent=one.tolerance_percent,
        regression=one.regression,
        p_difference=p if found else None,
        p_unchanged=q if found else None,
        shows_percent=None if found is None else _shows_percent(one, found, level),
        runs=compared.runs,
        blocks=compared.blocks,
        problem=compared.problem,
        leads=leads(one.newest, one.key) if verdict is GateVerdict.REGRESSED else (),
    )


def _shows_percent(one: Question, found: Inference, level: float) -> float | None:
    """None: without scatter and resolution nothing is known."""
    if found.se <= 0:
        return None
    change = smallest_shown(float(found.se), float(found.df), level)
    down = bad_direction(one.regression, metric(one.key).better) < 0
    return -100 * math.expm1(-change) if down else 100 * math.expm1(min(change, 700.0))


def _verdict(one: Question, mean_log: float, p: float, q: float, alpha: float) -> GateVerdict:
    if q <= alpha:
        return GateVerdict.UNCHANGED
    if p > alpha or abs(100 * math.expm1(mean_log)) <= one.tolerance_percent:
        return GateVerdict.UNDECIDED
    if is_regression(one.regression, metric(one.key).better, mean_log):
        return GateVerdict.REGRESSED
    return GateVerdict.IMPROVED
