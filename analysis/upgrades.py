"""Whether another engine changed anything: the verdicts between engines, and compression ratios that moved.

WiredTiger's rule for what is compressed, and how blocks are rounded, is the same in all versions that Pressgauge
knows. A compression ratio that differs between engines is therefore a warning about the comparison (another default,
a setting that was not taken, another page size) before it is a result.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from analysis import quantities
from analysis.metrics import metric
from analysis.quantities import Estimate
from analysis.records import Part
from analysis.verdicts import Effect, Family, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.study import Study

SUSPICIOUS_PERCENT = 1.0
"""A compression ratio may differ by so much between engines before it is called suspicious."""

RATIO = "compression_ratio"


class Suspicion(Part):
    """A compression ratio that moved between engines."""

    arm: str
    dataset: str
    ratio: Estimate
    message: str


class Upgrade(Part):
    """What one engine changed against the baseline engine, over all arms and datasets."""

    engine: str
    baseline: str
    sentence: str
    reasons: tuple[str, ...]
    worse: tuple[str, ...]
    """Primary metrics found worse, as `<metric> (<arm>, <dataset>)`; the next three likewise."""
    better: tuple[str, ...]
    equivalent: tuple[str, ...]
    undecided: tuple[str, ...]
    suspicions: tuple[Suspicion, ...]


def upgrades(found: Study) -> tuple[Upgrade, ...]:
    """One answer an engine, in the order of their versions; none unless the criteria compare engines."""
    engines = {effect.candidate for effect in found.engine_effects}
    return tuple(_upgrade(engine, found) for engine in sorted(engines, key=_by_version))


def _by_version(name: str) -> list[tuple[int, str]]:
    """Numbers within a name count as numbers: 6.0.5 comes before 6.0.27, and words after all of them."""
    parts = re.findall(r"\d+|\D+", name)
    return [(int(part), "") if part.isdigit() else (sys.maxsize, part) for part in parts]


def _upgrade(engine: str, found: Study) -> Upgrade:
    effects = sorted((one for one in found.engine_effects if one.candidate == engine), key=lambda one: one.group.label)
    primary = [effect for effect in effects if effect.family is Family.PRIMARY]
    by_verdict = {verdict: [one for one in primary if one.verdict is verdict] for verdict in Verdict}
    suspicions = tuple(_suspicions(effects))
    baseline = str(found.criteria.baseline_engine)
    return Upgrade(
        engine=engine,
        baseline=baseline,
        sentence=_sentence(engine, baseline, by_verdict, found.criteria.equivalence_margin_percent),
        reasons=(*(one.message for one in suspicions), *(_reason(one) for one in _changed(by_verdict))),
        worse=tuple(_name(one) for one in by_verdict[Verdict.WORSE]),
        better=tuple(_name(one) for one in by_verdict[Verdict.BETTER]),
        equivalent=tuple(_name(one) for one in by_verdict[Verdict.EQUIVALENT]),
        undecided=tuple(_name(one) for one in by_verdict[Verdict.UNDECIDED]),
        suspicions=suspicions,
    )


def _changed(by_verdict: dict[Verdict, list[Effect]]) -> list[Effect]:
    return by_verdict[Verdict.WORSE] + by_verdict[Verdict.BETTER]


def _sentence(engine: str, baseline: str, by_verdict: dict[Verdict, list[Effect]], margin_percent: float) -> str:
    """Whether the upgrade changed anything, and how much of the question is open."""
    changed, still = _changed(by_verdict), by_verdict[Verdict.UNDECIDED]
    total = sum(len(effects) for effects in by_verdict.values())
    step = f"from {baseline} to {engine}"
    if total == 0:
        return f"Nothing can be said of the step {step}: no trial compares them."
    if changed:
        said = [f"{_label(one)} {one.verdict}" for one in changed[:_MOST_NAMED]]
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        left = f"; {len(still)} of {total} comparisons are undecided" if still else ""
        return f"The step {step} changed something: {', '.join(said)}{more}{left}."
    if len(still) == total:
        return f"Undecided: none of {total} comparisons shows what the step {step} changed."
    if still:
        proven = total - len(still)
        return (
            f"No change is shown for the step {step}: {proven} of {total} comparisons are equivalent "
            f"(within ±{margin_percent:g} %), {len(still)} undecided."
        )
    return f"The step {step} changed nothing: all {total} comparisons are equivalent (within ±{margin_percent:g} %)."


_MOST_NAMED = 3


def _label(effect: Effect) -> str:
    figures = "" if effect.ratio is None else f" {quantities.change(effect.ratio.value)}"
    return f"{metric(effect.metric).label}{figures} under {effect.group.label}"


def _reason(effect: Effect) -> str:
    figures = "" if effect.ratio is None else f" {quantities.effect(effect.ratio)}"
    return f"{metric(effect.metric).label} ({effect.group.label}){figures}: {effect.verdict}."


def _name(effect: Effect) -> str:
    return f"{effect.metric} ({effect.group.label})"


def _suspicions(effects: Sequence[Effect]) -> list[Suspicion]:
    found = []
    for effect in effects:
        ratio = effect.ratio
        if effect.metric != RATIO or ratio is None or abs(100 * (ratio.value - 1)) <= SUSPICIOUS_PERCENT:
            continue
        unsure = ratio.low is None or ratio.high is None or ratio.low <= 1 <= ratio.high
        doubt = " It may be scatter: its interval holds no change too, or there is none." if unsure else ""
        message = (
            f"Suspicious: the compression ratio of {effect.candidate} under {effect.group.label} is "
            f"{quantities.effect(ratio)}, against {effect.baseline}. The engine's rule for compressing pages did not "
            f"change between them, so look for a setting that differs before you believe it.{doubt}"
        )
        found.append(Suspicion(arm=str(effect.group.arm), dataset=effect.group.dataset, ratio=ratio, message=message))
    return found
