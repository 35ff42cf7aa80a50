"""Whether another engine changed anything: the verdicts between engines, and compression ratios that moved.

WiredTiger's rule for what is compressed, and how blocks are rounded, is the same in all versions that Pressgauge
knows. A compression ratio that differs between engines is therefore a warning about the comparison (another default,
a setting that was not taken, another page size) before it is a result.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from analysis.decide.contrasts import Contrast, contrast
from analysis.stats import quantities
from analysis.stats.quantities import Estimate
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.decide.study import Study
    from analysis.stats.verdicts import Effect

SUSPICIOUS_PERCENT = 1.0
"""A compression ratio may differ by so much between engines before it is called suspicious. Loads scatter by more, so
its interval has to leave out no change as well."""

RATIO = "compression_ratio"


class Suspicion(Part):
    """A compression ratio that moved between engines."""

    arm: str
    dataset: str
    ratio: Estimate
    message: str


class Upgrade(Contrast):
    """What one engine changed against the baseline engine, over all arms and datasets."""

    engine: str
    suspicions: tuple[Suspicion, ...]


def upgrades(found: Study) -> tuple[Upgrade, ...]:
    """One answer an engine, in the order of their versions; none unless the criteria compare engines."""
    engines = {effect.candidate for effect in found.of("engine")}
    return tuple(_upgrade(engine, found) for engine in sorted(engines, key=_by_version))


def _by_version(name: str) -> list[tuple[int, str]]:
    """Numbers within a name count as numbers: 6.0.5 comes before 6.0.27, and words after all of them."""
    parts = re.findall(r"\d+|\D+", name)
    return [(int(part), "") if part.isdigit() else (sys.maxsize, part) for part in parts]


def _upgrade(engine: str, found: Study) -> Upgrade:
    effects = sorted((one for one in found.of("engine") if one.candidate == engine), key=lambda one: one.group.label)
    baseline = str(found.criteria.baseline_engine)
    step = f"the step from {baseline} to {engine}"
    made = contrast(effects, baseline, step, found.criteria.equivalence_margin_percent)
    suspicions = tuple(_suspicions(effects))
    reasons = (*(one.message for one in suspicions), *made.reasons)
    return Upgrade(engine=engine, suspicions=suspicions, **dict(made) | {"reasons": reasons})


def _suspicions(effects: Sequence[Effect]) -> list[Suspicion]:
    found = []
    for effect in effects:
        ratio = effect.ratio
        if effect.metric != RATIO or ratio is None or abs(100 * (ratio.value - 1)) <= SUSPICIOUS_PERCENT:
            continue
        if ratio.low is None or ratio.high is None or ratio.low <= 1 <= ratio.high:
            continue
        message = (
            f"Suspicious: the compression ratio of {effect.candidate} under {effect.group.label} is "
            f"{quantities.effect(ratio)}, against {effect.baseline}. The rule by which the engine compresses pages "
            "did not change between these versions, so look for a setting that differs before you believe it."
        )
        found.append(Suspicion(arm=str(effect.group.arm), dataset=effect.group.dataset, ratio=ratio, message=message))
    return found
