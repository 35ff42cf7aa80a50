"""The decision: what to run, why, what it rests on, what is still undecided. Versioned, made for `decision.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from analysis.decide import sentences
from analysis.decide.caveats import Caveat, caveats
from analysis.decide.constraints import State
from analysis.decide.fidelity import Fidelity, fidelity
from analysis.decide.planning import NoiseFloor, noise_floor
from analysis.decide.platforms import PlatformContrast, platform_contrasts
from analysis.decide.recommendation import Choice, Status, choose
from analysis.decide.study import Study, study
from analysis.decide.upgrades import Upgrade, upgrades
from analysis.stats.arm_estimates import ArmEstimate, estimates, reference_ratios
from analysis.stats.criteria import Criteria
from analysis.stats.effects import Group
from analysis.stats.looks import Looks
from analysis.stats.verdicts import Effect, Family, Verdict
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.stats.mirrored import Mirrors
    from analysis.trial.canaries import Moved
    from analysis.trial.records import TrialRecord


class Recommendation(Part):
    """What to run in one group (an engine, a dataset and a platform)."""

    status: Status | None = Field(
        None, description="Whether there is an answer; None in decisions that were made before it was stored."
    )
    sentence: str
    reasons: tuple[str, ...]
    choice: Choice


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
    looks: Looks | None = Field(
        None,
        description="The numbers of blocks after which the campaign might have been stopped, over which the level "
        "is spent; None: the number was fixed, or depended on the intervals' widths.",
    )
    fidelity: Fidelity | None = Field(
        None, description="Whether the baseline arm is like the deployment; None: the campaign mirrors none."
    )
    counts: Counts
    upgrades: tuple[Upgrade, ...] = Field(
        (), description="One per engine other than the baseline engine; empty where engines are not compared."
    )
    platforms: tuple[PlatformContrast, ...] = Field(
        (), description="One per platform other than the first; empty where all hosts are of one platform."
    )
    recommendations: tuple[Recommendation, ...] = Field(description="One per group.")
    primary: tuple[str, ...] = Field(description="Keys of the metrics that the verdicts are corrected over.")
    controls: tuple[str, ...] = Field(description="Arms with the baseline's own settings (A/A).")
    effects: tuple[Effect, ...] = Field(description="Effects on every metric; primary, exploratory and control.")
    engine_effects: tuple[Effect, ...] = Field((), description="Engines against the baseline engine, by arm.")
    platform_effects: tuple[Effect, ...] = Field((), description="Platforms against the first, by engine and arm.")
    estimates: tuple[ArmEstimate, ...]
    reference_ratios: tuple[ArmEstimate, ...] = Field(
        (),
        description="Primary metrics of each cell ÷ the reference's, within blocks; empty where there is no reference.",
    )
    noise_floor: tuple[NoiseFloor, ...]
    undecided: tuple[str, ...] = Field(description="Primary effects without a verdict, in words.")
    caveats: tuple[Caveat, ...]
    exit_code: Literal[0, 1] = Field(
        description="0: every group has an arm to run, to keep or to stay on that satisfies every constraint, and the "
        "baseline arm is like the deployment, if the campaign mirrors one; else 1."
    )

    @property
    def as_json(self) -> str:
        """The text of `decision.json`."""
        return self.model_dump_json(indent=1) + "\n"

    @property
    def every_effect(self) -> tuple[Effect, ...]:
        """Of platforms, engines and arms."""
        return (*self.platform_effects, *self.engine_effects, *self.effects)


def decide(
    records: Iterable[TrialRecord],
    criteria: Criteria,
    question: str = "",
    moved: Iterable[Moved] = (),
    looks: Looks | None = None,
    mirrors: Mirrors | None = None,
) -> Decision:
    """Decide over arms from a ledger's records, void ones included. Too little data is said, never raised.

    `moved` are the canaries beyond the limit; they become caveats, and change nothing else. `looks` are those of a
    campaign that is carried on until it is decided. `mirrors` is what a deployment showed that the campaign mirrors.
    """
    return decide_study(study(records, criteria, looks), question, moved, mirrors)


def decide_study(
    found: Study, question: str = "", moved: Iterable[Moved] = (), mirrors: Mirrors | None = None
) -> Decision:
    """`decide` for records that have been judged already."""
    criteria = found.criteria
    figures = estimates(found.measurements, criteria.confidence_percent, found.looks)
    groups = _groups(found)
    choices = [choose(found, group, figures) for group in groups]
    like = fidelity(found.records, mirrors, criteria.baseline) if mirrors else None
    fine = bool(choices) and all(_satisfied(choice) for choice in choices) and (like is None or like.passes)
    return Decision(
        question=question,
        baseline=criteria.baseline,
        criteria=criteria,
        looks=found.looks,
        fidelity=like,
        counts=_counts(found),
        upgrades=upgrades(found),
        platforms=platform_contrasts(found),
        recommendations=tuple(
            Recommendation(
                status=choice.status,
                sentence=sentences.recommendation(choice, criteria.baseline),
                reasons=sentences.reasons(choice),
                choice=choice,
            )
            for choice in choices
        ),
        primary=found.primary,
        controls=tuple(sorted(found.controls)),
        effects=found.of("arm"),
        engine_effects=found.of("engine"),
        platform_effects=found.of("platform"),
        estimates=figures,
        reference_ratios=reference_ratios(found.measurements, criteria, found.primary, found.looks),
        noise_floor=noise_floor(found),
        undecided=tuple(
            sentences.effect(effect, criteria.equivalence_margin_percent)
            for effect in found.every
            if effect.family is Family.PRIMARY and effect.verdict is Verdict.UNDECIDED
        ),
        caveats=tuple(caveats(found, choices, figures, moved)),
        exit_code=0 if fine else 1,
    )


def _groups(found: Study) -> list[Group]:
    if found.trials.empty:
        return []
    cells = found.trials[["engine", "dataset", "platform"]].drop_duplicates()
    return [Group.model_validate(cell) for cell in cells.to_dict("records")]


def _satisfied(choice: Choice) -> bool:
    states = {check.arm: check.state for check in choice.checks}
    return choice.arm is not None and states[choice.arm] is State.SATISFIED


def _counts(found: Study) -> Counts:
    if found.trials.empty:
        return Counts(trials=0, void=0, blocks=0)
    counted = int(found.trials["counts"].sum())
    total = len(found.trials)
    return Counts(trials=total, void=total - counted, blocks=int(found.trials["block"].nunique()))
