"""The gate: did the candidate get worse than the baseline? Verdict per metric, corrected for all questions asked.

Where baseline and candidate are cells of one run, their blocks are shared and each ratio is formed within its block.
Where they are of two runs, nothing is shared: Welch's t on logarithms, with the host's drift between runs added as a
known variance, because a run's own blocks can't show it.

A *regression* is a difference that is established (Holm over all checks of the gate) in the direction that counts as
one, and whose estimate lies beyond the tolerance, in per cent of the baseline. *Unchanged* is a difference shown to lie
within the tolerance, by a test on logarithms, which takes the narrower of the two margins on both sides: from 1/1.03 to
1.03 for 3 %. So a gate of a run against its like fails in at most 2.5 % of cases, whatever the number of its checks.
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from analysis.gate.leads import Lead, leads
from analysis.gate.pairing import Pair, Selection, pair_cells
from analysis.gate.tolerances import Regression, Tolerance, Tolerances, is_regression
from analysis.stats.effects import ratio_estimate
from analysis.stats.inference import Inference, infer, welch
from analysis.stats.metrics import UnknownMetricError, metric
from analysis.stats.primary import deciding_workload, primary_metrics
from analysis.stats.quantities import Estimate, Unit
from analysis.stats.verdicts import adjusted, log_margin
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from analysis.gate.sides import Figure, Side
    from analysis.stats.criteria import Criteria

Method = Literal["paired", "welch"]
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
    blocks: tuple[int, int] = Field(description="That hold the figure: of the baseline, of the candidate.")
    problem: str | None = Field(None, description="Why nothing can be said, although it was asked.")
    leads: tuple[Lead, ...] = Field((), description="Of a regression: what moved with it, the strongest first.")


class Gate(Part):
    """What a gate found."""

    format_version: Literal[1] = 1
    baseline: str
    candidate: str
    method: Method = Field(description="`paired`: within the blocks of one run; `welch`: two runs.")
    confidence_percent: float
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    def of(self, verdict: GateVerdict) -> tuple[Check, ...]:
        """The checks with this verdict."""
        return tuple(check for check in self.checks if check.verdict is verdict)

    def fails(self, *, strict: bool) -> bool:
        """Whether the gate is shut: a regression, or, if strict, anything undecided."""
        return bool(self.of(GateVerdict.REGRESSED)) or (strict and bool(self.of(GateVerdict.UNDECIDED)))


def gate(baseline: Side, candidate: Side, tolerances: Tolerances, selection: Selection = EVERYTHING) -> Gate:
    """Judge the candidate against the baseline. Comparability is the caller's to ask first.

    Raises:
        PairingError: the sides have no cells that could be set against each other.
        NothingComparedError: none of their metrics can be compared.
    """
    pairs = pair_cells(baseline, candidate, selection)
    method: Method = "paired" if baseline.identity() == candidate.identity() else "welch"
    criteria = baseline.criteria
    present = dict.fromkeys(figure.metric for side in (baseline, candidate) for figure in side.figures)
    asked = _asked(pairs, tolerances, criteria.equivalence_margin_percent, _primary(present, criteria))
    found = [_compare(one, method, tolerances.drift_of(one.key)) for one in asked]
    if all(one.inference is None for one in found):
        raise NothingComparedError("; ".join(_why_nothing(found, baseline, candidate)))
    alpha = 1 - criteria.confidence_percent / 100
    different, equal = adjusted([one.inference for one in found], [log_margin(one.tolerance_percent) for one in asked])
    checks = [
        _check(one, compared, p, q, alpha, criteria.confidence_percent)
        for one, compared, p, q in zip(asked, found, different.tolist(), equal.tolist(), strict=True)
    ]
    unknown = tolerances.unknown(present)
    return Gate(
        baseline=_named(baseline, selection.baseline_engine, selection.baseline_arm),
        candidate=_named(candidate, selection.engine, selection.arm),
        method=method,
        confidence_percent=criteria.confidence_percent,
        checks=tuple(checks),
        notes=tuple(f"the tolerances name {name}, which no trial has" for name in unknown),
    )


def _why_nothing(found: Sequence[_Compared], baseline: Side, candidate: Side) -> Iterator[str]:
    for which, side in (("baseline", baseline), ("candidate", candidate)):
        if not side.figures:
            yield f"no trial of the {which} counts"
    if not found:
        yield "neither side has a metric that is checked"
    for (problem, blocks), checks in Counter((one.problem, one.blocks) for one in found).items():
        many = "" if checks == 1 else "s"
        yield f"{checks} check{many}: {problem} (of the baseline {blocks[0]}, of the candidate {blocks[1]})"


def _named(side: Side, engine: str | None, arm: str | None) -> str:
    return " ".join(part for part in (f"{side.campaign}/{side.run_id}", engine, arm) if part)


@dataclass(frozen=True)
class _Question:
    """One metric of one pair, and what is tolerated there."""

    pair: Pair
    key: str
    tolerance_percent: float
    regression: Regression


def _primary(present: Iterable[str], criteria: Criteria) -> tuple[str, ...]:
    """The primary metrics of the baseline's campaign."""
    known = []
    for key in present:
        with suppress(UnknownMetricError):  # of a baseline file that another version wrote
            known.append(metric(key))
    workload = deciding_workload(dict.fromkeys(one.workload for one in known), criteria.prices.workload)
    return primary_metrics((one.key for one in known), criteria, workload)


def _asked(
    pairs: Sequence[Pair], tolerances: Tolerances, margin_percent: float, primary: Collection[str]
) -> list[_Question]:
    """Every checked metric that either side of a pair has: one that went missing is asked for, too."""
    return [
        _Question(pair, key, tolerances.percent_of(key, margin_percent), (tolerances.of(key) or Tolerance()).regression)
        for pair in pairs
        for key in dict.fromkeys((*pair.baseline, *pair.candidate))
        if tolerances.checks(key, primary)
    ]


@dataclass(frozen=True)
class _Compared:
    """What a pair's figures of one metric say, or why they say nothing."""

    blocks: tuple[int, int]
    inference: Inference | None
    problem: str | None = None


def _compare(one: _Question, method: Method, drift_percent: float) -> _Compared:
    theirs, ours = one.pair.baseline.get(one.key, {}), one.pair.candidate.get(one.key, {})
    if method == "paired":
        shared = sorted(theirs.keys() & ours.keys())
        theirs, ours = {block: theirs[block] for block in shared}, {block: ours[block] for block in shared}
    blocks = len(theirs), len(ours)
    if min(blocks) < 2:
        return _Compared(blocks, None, "it takes two blocks on each side")
    if any(figure.value <= 0 for side in (theirs, ours) for figure in side.values()):
        return _Compared(blocks, None, "a reading is zero, so there is no ratio")
    if method == "paired":
        logs = [math.log(ours[block].value / theirs[block].value) for block in ours]
        floor = max(math.hypot(_relative(ours[block]), _relative(theirs[block])) for block in ours)
        return _Compared(blocks, infer(logs, floor))
    floor = math.hypot(*(max(_relative(figure) for figure in side.values()) for side in (ours, theirs)))
    mine, yours = ([math.log(figure.value) for figure in side.values()] for side in (ours, theirs))
    return _Compared(blocks, welch(mine, yours, floor, math.log1p(drift_percent / 100)))


def _relative(figure: Figure) -> float:
    return figure.resolution / figure.value


def _check(one: _Question, compared: _Compared, p: float, q: float, alpha: float, confidence_percent: float) -> Check:
    found = compared.inference
    verdict = GateVerdict.UNDECIDED
    if found is not None:
        verdict = _verdict(one, float(found.mean), p, q, alpha)
    return Check(
        pair=one.pair.label,
        metric=one.key,
        verdict=verdict,
        ratio=None if found is None else ratio_estimate(found, confidence_percent, Unit.RATIO),
        tolerance_percent=one.tolerance_percent,
        regression=one.regression,
        p_difference=p if found else None,
        p_unchanged=q if found else None,
        blocks=compared.blocks,
        problem=compared.problem,
        leads=leads(one.pair, one.key) if verdict is GateVerdict.REGRESSED else (),
    )


def _verdict(one: _Question, mean_log: float, p: float, q: float, alpha: float) -> GateVerdict:
    if q <= alpha:
        return GateVerdict.UNCHANGED
    if p > alpha or abs(100 * math.expm1(mean_log)) <= one.tolerance_percent:
        return GateVerdict.UNDECIDED
    if is_regression(one.regression, metric(one.key).better, mean_log):
        return GateVerdict.REGRESSED
    return GateVerdict.IMPROVED
