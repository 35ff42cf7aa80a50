"""Simulated campaigns and what is said of them in the end: "the best", "keep", "not decided"; and how often wrongly.

`python -m tests.analysis.simulate` prints its table. The choice is the analysis' own, made from records.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analysis.decide.decision import decide
from analysis.decide.recommendation import Choice, Status
from analysis.stats.criteria import Criteria
from tests.analysis.synthetic import SNAPPY, campaign

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.trial.records import TrialRecord

CRITERIA = Criteria.model_validate({"baseline": "snappy", "objective": "throughput", "primary": ["rmw.throughput"]})


class Case(NamedTuple):
    """True throughputs of three arms ÷ the baseline's; `noisy`: a further scatter of the first one's trials, a log."""

    true: tuple[float, float, float]
    noisy: float = 0.0


CASES = {
    "one is clearly the best": Case((1.3, 1.1, 1.0)),
    "two are the best, alike": Case((1.15, 1.15, 1.0)),
    "the best is a noisy one": Case((1.127, 1.04, 1.0), noisy=0.12),
    "none is better": Case((1.0, 1.0, 1.0)),
    "none is better, all are much worse": Case((0.7, 0.8, 0.7)),
    "one is a little better": Case((1.04, 0.8, 0.8)),
}


def choice(case: Case, blocks: int, seed: int) -> Choice:
    """What is chosen in one simulated campaign."""
    rng = np.random.default_rng(seed)
    arms = (SNAPPY, *(SNAPPY.scaled(f"arm{number}", factor) for number, factor in enumerate(case.true)))
    records = [_throughput_alone(record, rng, case.noisy) for record in campaign(arms=arms, blocks=blocks, seed=seed)]
    return decide(records, CRITERIA).recommendations[0].choice


def _throughput_alone(record: TrialRecord, rng: np.random.Generator, noisy: float) -> TrialRecord:
    factor = float(np.exp(rng.normal(0, noisy))) if record.cell.arm == "arm0" else 1.0
    phases = [
        phase.model_copy(update={"throughput_per_s": phase.throughput_per_s * factor, "latencies": (), "window": None})
        for phase in record.phases
    ]
    return record.model_copy(update={"phases": tuple(phases[1:])})


def said(case: Case, found: Choice) -> Iterable[str]:
    """What the answer comes to, and which of its claims are wrong."""
    yield found.status
    true = {"snappy": 1.0} | {f"arm{number}": factor for number, factor in enumerate(case.true)}
    best = max(true.values())
    if found.status is Status.RUN:
        named = {found.arm, *found.tied, *found.rivals}
        beaten = [arm for arm, factor in true.items() if arm != found.arm and factor >= true[str(found.arm)]]
        if not found.tied and not found.rivals:
            yield "the best"
            yield from ["wrongly the best"] if beaten else []
        if not found.tied:
            yield from ["the best, by the simpler rule"] if beaten else []
        yield from ["who is better is not named"] if set(beaten) - named else []
    elif found.status is Status.KEEP and best > 1 + CRITERIA.equivalence_margin_percent / 100:
        yield "wrongly kept"


def rates(case: Case, blocks: int, campaigns: int = 200) -> dict[str, float]:
    """How often each is said."""
    counts = Counter(what for seed in range(campaigns) for what in said(case, choice(case, blocks, seed)))
    return {what: count / campaigns for what, count in sorted(counts.items())}


def tables(blocks: Sequence[int] = (4, 8)) -> Iterable[str]:
    """The table of docs/method.md about the recommendation."""
    yield "What is said of campaigns of four arms, in %"
    for name, case in CASES.items():
        for number in blocks:
            shown = ", ".join(f"{what} {100 * share:.0f}" for what, share in rates(case, number).items())
            yield f"  {name}, {number} blocks: {shown}"
