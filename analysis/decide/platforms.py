"""How platforms differ: hosts of one kind against those of another, on which the same trials ran at the same time.

Each platform's hosts are one sample of their kind: a difference between platforms is that of these very hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.decide.contrasts import Contrast, contrast

if TYPE_CHECKING:
    from analysis.decide.study import Study


class PlatformContrast(Contrast):
    """What one platform differs in from the first of the inventory, over all engines, arms and datasets."""

    platform: str


def platform_contrasts(found: Study) -> tuple[PlatformContrast, ...]:
    """One answer a platform beside the first, in the order of the inventory; none where there is one platform."""
    answers = []
    for platform in dict.fromkeys(effect.candidate for effect in found.of("platform")):
        effects = [one for one in found.of("platform") if one.candidate == platform]
        baseline = effects[0].baseline
        step = f"the move from {baseline} to {platform}"
        made = contrast(effects, baseline, step, found.criteria.equivalence_margin_percent)
        answers.append(PlatformContrast(platform=platform, **dict(made)))
    return tuple(answers)
