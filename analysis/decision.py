"""The decision: what to run, why, what it rests on, what is still undecided. Versioned, made for `decision.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from analysis import sentences
from analysis.constraints import State
from analysis.criteria import Criteria
from analysis.effects import ArmEstimate, Group, estimates
from analysis.metrics import keys
from analysis.planning import NoiseFloor, noise_floor
from analysis.recommendation import Choice, Outcome, choose
from analysis.records import Part, TrialRecord
from analysis.study import Study, study
from analysis.verdicts import Effect, Family, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import pandas as pd

FEW_BLOCKS = 3
"""With fewer, a t interval is so wide that little but storage can be decided."""


class Recommendation(Part):
    """What to run in one group (an engine and a dataset)."""

    sentence: str
    reasons: tuple[str, ...]
    choice: Choice


class Caveat(Part):
    """Something the reader has to know before trusting the rest."""

    code: Literal[
        "no-trials", "void-trials", "missing-blocks", "few-blocks", "flagged-trials", "unbalanced", "standing-out",
        "unknown-metric", "mixed-data", "no-cost", "adding-blocks",
    ]  # fmt: skip
    message: str


class Counts(Part):
    """What the decision was made from."""

    trials: int
    void: int
    blocks: int


class Decision(Part):
    """The answer to a campaign's question."""

    format_version: Literal[1] = 1
    question: str
    baseline: str
    criteria: Criteria
    counts: Counts
    recommendations: tuple[Recommendation, ...] = Field(description="One per group.")
    primary: tuple[str, ...] = Field(description="Keys of the metrics that the verdicts are corrected over.")
    controls: tuple[str, ...] = Field(description="Arms with the baseline's own settings (A/A).")
    effects: tuple[Effect, ...] = Field(description="Of every metric; primary, exploratory and control.")
    estimates: tuple[ArmEstimate, ...]
    noise_floor: tuple[NoiseFloor, ...]
    undecided: tuple[str, ...] = Field(description="Primary effects without a verdict, in words.")
    caveats: tuple[Caveat, ...]
    exit_code: Literal[0, 1] = Field(
        description="0: every group has a recommended arm, which satisfies every constraint; else 1."
    )


def decide(records: Iterable[TrialRecord], criteria: Criteria, question: str = "") -> Decision:
    """Decide over arms from a ledger's records, void ones included. Too little data is said, never raised."""
    kept = list(records)
    found = study(kept, criteria)
    figures = estimates(found.measurements, criteria.confidence_percent)
    groups = _groups(found)
    choices = [choose(found, group, figures) for group in groups]
    fine = bool(choices) and all(_satisfied(choice) for choice in choices)
    return Decision(
        question=question,
        baseline=criteria.baseline,
        criteria=criteria,
        counts=_counts(found),
        recommendations=tuple(
            Recommendation(
                sentence=sentences.recommendation(choice, criteria.baseline),
                reasons=sentences.reasons(choice),
                choice=choice,
            )
            for choice in choices
        ),
        primary=found.primary,
        controls=tuple(sorted(found.controls)),
        effects=found.effects,
        estimates=figures,
        noise_floor=noise_floor(found),
        undecided=tuple(
            sentences.effect(effect, criteria.equivalence_margin_percent)
            for effect in found.effects
            if effect.family is Family.PRIMARY and effect.verdict is Verdict.UNDECIDED
        ),
        caveats=tuple(_caveats(found, choices, figures)),
        exit_code=0 if fine else 1,
    )


def _groups(found: Study) -> list[Group]:
    if found.trials.empty:
        return []
    cells = found.trials[["engine", "dataset"]].drop_duplicates()
    return [Group(engine=str(engine), dataset=str(dataset)) for engine, dataset in cells.itertuples(index=False)]


def _satisfied(choice: Choice) -> bool:
    states = {check.arm: check.state for check in choice.checks}
    return choice.arm is not None and states[choice.arm] is State.SATISFIED


def _counts(found: Study) -> Counts:
    if found.trials.empty:
        return Counts(trials=0, void=0, blocks=0)
    counted = int(found.trials["counts"].sum())
    total = len(found.trials)
    return Counts(trials=total, void=total - counted, blocks=int(found.trials["block"].nunique()))


def _caveats(found: Study, choices: Collection[Choice], figures: Collection[ArmEstimate]) -> Iterable[Caveat]:
    trials = found.trials
    if trials.empty:
        yield Caveat(code="no-trials", message="There are no trials.")
        return
    for row in trials[~trials["counts"]].itertuples():
        yield Caveat(code="void-trials", message=f"Trial {row.trial} is void and not counted: {row.void}.")
    for row in trials[trials["counts"] & (trials["flags"] != "")].itertuples():
        yield Caveat(code="flagged-trials", message=f"Trial {row.trial} counts, but is flagged: {row.flags}.")
    yield from _missing(trials)
    yield from _standing_out(found.effects)
    if any(effect.family is Family.PRIMARY and effect.further is not None for effect in found.effects):
        yield Caveat(code="adding-blocks", message=sentences.ADDING_BLOCKS)
    for (dataset,), part in trials.groupby(["dataset"]):
        if part["corpus"].nunique() > 1 or part["seed"].nunique() > 1:
            message = f"Trials of {dataset} loaded different documents (corpus or seed differ)."
            yield Caveat(code="mixed-data", message=message)
    workloads = [str(name) for name in found.measurements["workload"].unique()]
    known = set(keys(workloads))
    asked = (*found.primary, *(one.metric for one in found.criteria.constraints))
    for key in dict.fromkeys(key for key in asked if key not in known):
        message = f"No trial has the metric {key}; what rests on it is undecided."
        yield Caveat(code="unknown-metric", message=message)
    if figures and all(choice.costs is None for choice in choices if choice.outcome is not Outcome.NO_BASELINE):
        wished = found.criteria.prices.workload
        message = f"No cost could be computed: it needs the throughput of {wished} and the stored sizes."
        yield Caveat(code="no-cost", message=message)


def _missing(trials: pd.DataFrame) -> Iterable[Caveat]:
    """Blocks that lack a cell, too few blocks, and cells with unequal numbers of them."""
    cells = trials.groupby(["engine", "dataset", "arm"], sort=False)
    counted = {}
    for (engine, dataset, arm), part in cells:
        blocks = set(trials[(trials["engine"] == engine) & (trials["dataset"] == dataset)]["block"])
        present = set(part[part["counts"]]["block"])
        counted[arm, engine, dataset] = len(present)
        if absent := sorted(int(block) for block in blocks - present):
            message = f"{arm} ({engine}, {dataset}) has no counting trial in block {_numbers(absent)}."
            yield Caveat(code="missing-blocks", message=message)
    if len(set(counted.values())) > 1:
        message = "The arms have unequal numbers of blocks; each comparison uses the blocks that have both sides."
        yield Caveat(code="unbalanced", message=message)
    if (fewest := min(counted.values())) < FEW_BLOCKS:
        message = (
            f"Some arms have only {fewest} counting trial{'s' if fewest != 1 else ''}; intervals need two blocks, "
        )
        yield Caveat(code="few-blocks", message=message + "and are wide below five.")


def _standing_out(effects: Iterable[Effect]) -> Iterable[Caveat]:
    for effect in effects:
        if effect.family is not Family.EXPLORATORY and effect.standing_out:
            message = (
                f"{effect.metric} of {effect.candidate}: block {_numbers(effect.standing_out)} lies far from the "
                "others. It is counted, and widens the interval."
            )
            yield Caveat(code="standing-out", message=message)


def _numbers(blocks: Iterable[int]) -> str:
    return sentences.listed([str(block) for block in blocks])
