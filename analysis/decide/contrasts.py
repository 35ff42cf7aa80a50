"""What one level of a factor changed against its baseline, all else alike: the answer to a question of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.decide.sentences import capital
from analysis.stats import quantities
from analysis.stats.metrics import metric
from analysis.stats.verdicts import Effect, Family, Verdict
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_NAMED = 3


class Contrast(Part):
    """A level against the baseline: what was found worse, better, equivalent, and what is open."""

    baseline: str
    sentence: str
    reasons: tuple[str, ...]
    worse: tuple[str, ...]
    """Primary metrics found worse, as `<metric> (<group>)`; the next three likewise."""
    better: tuple[str, ...]
    equivalent: tuple[str, ...]
    undecided: tuple[str, ...]


def contrast(effects: Iterable[Effect], baseline: str, step: str, margin_percent: float) -> Contrast:
    """The contrast that a level's effects make; `step` names it in sentences, as `the step from 6.0.5 to 7.0.0`."""
    ordered = sorted(effects, key=lambda one: one.group.label)
    primary = [effect for effect in ordered if effect.family is Family.PRIMARY]
    found = {verdict: [one for one in primary if one.verdict is verdict] for verdict in Verdict}
    changed = found[Verdict.WORSE] + found[Verdict.BETTER]
    return Contrast(
        baseline=baseline,
        sentence=_sentence(step, changed, found[Verdict.UNDECIDED], len(primary), margin_percent),
        reasons=tuple(_reason(one) for one in changed),
        worse=tuple(_name(one) for one in found[Verdict.WORSE]),
        better=tuple(_name(one) for one in found[Verdict.BETTER]),
        equivalent=tuple(_name(one) for one in found[Verdict.EQUIVALENT]),
        undecided=tuple(_name(one) for one in found[Verdict.UNDECIDED]),
    )


def _sentence(step: str, changed: Sequence[Effect], still: Sequence[Effect], total: int, margin_percent: float) -> str:
    """Whether the step changed anything, and how much of the question is open."""
    if total == 0:
        return f"Nothing can be said about {step}: no trials compare the two."
    if changed:
        said = [f"{_label(one)} {one.verdict}" for one in changed[:_MOST_NAMED]]
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        left = f"; {len(still)} of {total} comparisons are undecided" if still else ""
        return f"{capital(step)} changed something: {', '.join(said)}{more}{left}."
    if len(still) == total:
        return f"Undecided: none of {total} comparisons shows what {step} changed."
    if still:
        proven = total - len(still)
        return (
            f"{capital(step)} shows no change: {proven} of {total} comparisons are equivalent "
            f"(within ±{margin_percent:g} %), {len(still)} undecided."
        )
    return f"{capital(step)} changed nothing: all {total} comparisons are equivalent (within ±{margin_percent:g} %)."


def _label(effect: Effect) -> str:
    figures = "" if effect.ratio is None else f" {quantities.change(effect.ratio.value)}"
    return f"{metric(effect.metric).label}{figures} under {effect.group.label}"


def _reason(effect: Effect) -> str:
    figures = "" if effect.ratio is None else f" {quantities.effect(effect.ratio)}"
    return f"{metric(effect.metric).label} ({effect.group.label}){figures}: {effect.verdict}."


def _name(effect: Effect) -> str:
    return f"{effect.metric} ({effect.group.label})"
