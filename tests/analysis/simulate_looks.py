"""Simulated campaigns that are looked at after every block: what stopping by verdicts does, and what honesty costs.

`python -m tests.analysis.simulate` prints its tables. Nobody has to stop as Pressgauge does: a campaign counts as wrong
if any of its looks shows a wrong verdict, so the rates hold for whatever rule, or mood, ends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.stats.inference import Floats, Inference, holm, p_equivalence
from analysis.stats.looks import Looks
from analysis.stats.scatter import moderated
from tests.analysis.simulate_scatter import (
    ALPHA,
    MARGIN,
    NOISES,
    SCATTERS,
    SD,
    any_difference,
    decided,
    like_quick,
    mean_decided,
    noise,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def over(logs: Floats, looks: Looks) -> Iterator[Inference]:
    """What each look finds of figures [campaign, metric, arm, block]."""
    for n in range(looks.fewest, looks.most + 1):
        yield moderated(logs[..., :n])._replace(share=looks.share(n))


def ever_false(case: str, looks: Looks, campaigns: int = 5_000) -> tuple[np.ndarray, np.ndarray]:
    """A/A campaigns: which have a wrong better or worse at any look; and were each look at the full level."""
    options = NOISES[case]
    logs = noise(np.random.default_rng(1300 + looks.most), campaigns, looks.most, **options)  # type: ignore[arg-type]
    honest, plain = np.zeros(campaigns, dtype=bool), np.zeros(campaigns, dtype=bool)
    for found in over(logs, looks):
        honest |= any_difference(found)
        plain |= any_difference(found._replace(share=1.0))
    return honest, plain


def ever_equal(case: str, looks: Looks, campaigns: int = 5_000, sd: float = 0.01) -> np.ndarray:
    """Campaigns whose every effect is exactly the margin: which have a wrong equivalence at any look."""
    options = NOISES[case]
    logs = noise(np.random.default_rng(1400 + looks.most), campaigns, looks.most, **options)  # type: ignore[arg-type]
    logs *= sd / SD
    logs[:, :, 1:] += MARGIN
    wrong = np.zeros(campaigns, dtype=bool)
    for found in over(logs, looks):
        wrong |= (holm(p_equivalence(found, MARGIN).reshape(campaigns, -1)) <= ALPHA).any(axis=-1)
    return wrong


def always_covered(case: str, looks: Looks, campaigns: int = 5_000) -> float:
    """How often a single interval holds the truth at each of its looks."""
    options = NOISES[case]
    logs = noise(np.random.default_rng(1500 + looks.most), campaigns, looks.most, **options)  # type: ignore[arg-type]
    return float(np.mean(np.all([np.abs(one.mean) <= one.half_width(95) for one in over(logs, looks)], axis=0)))


def until_decided(scatter: str, looks: Looks, campaigns: int = 2_000) -> tuple[float, float]:
    """Campaigns like the default one, stopped once all is decided: mean blocks, and questions with a verdict."""
    logs = like_quick(np.random.default_rng(1600), campaigns, looks.most, scatter)
    running = np.ones(campaigns, dtype=bool)
    blocks, verdicts = np.zeros(campaigns), np.zeros(campaigns)
    for n, found in enumerate(over(logs, looks), start=looks.fewest):
        known = decided(found)
        stops = running & (known.all(axis=-1) | (n == looks.most))
        blocks[stops], verdicts[stops] = n, known[stops].sum(axis=-1)
        running &= ~stops
    return float(blocks.mean()), float(verdicts.mean())


def price(looks: Looks, n: int) -> float:
    """The half-width of a 95 % interval over that of the same blocks, were their number fixed beforehand."""
    logs = noise(np.random.default_rng(1700), 2_000, n)
    fixed = moderated(logs)
    return float(np.median(fixed._replace(share=looks.share(n)).half_width(95) / fixed.half_width(95)))


# ---- tables --------------------------------------------------------------------------------------------------------

PLANS = (Looks(fewest=3, most=8), Looks(fewest=3, most=12), Looks(fewest=5, most=20))


def tables() -> Iterable[str]:
    """The tables of docs/method.md about stopping once decided."""
    said = ", ".join(f"{looks.fewest} to {looks.most}" for looks in PLANS)
    yield f"A/A campaigns with a wrong better or worse at any look ({said}), in %; each look at the full level"
    for case in NOISES:
        rates = [[100 * one.mean() for one in ever_false(case, looks)] for looks in PLANS]
        yield f"  {case}: " + ", ".join(f"{honest:.1f}; {plain:.1f}" for honest, plain in rates)
    yield "Effects at the margin, campaigns with a wrong equivalence at any look, in %; intervals right at all looks"
    for case in ("all alike", "baseline × 3", "heavy tails (t, 3 df)", "drift"):
        yield f"  {case}: " + ", ".join(
            f"{100 * ever_equal(case, looks).mean():.1f}; {100 * always_covered(case, looks):.1f}" for looks in PLANS
        )
    yield "The price: half-width over that of the same blocks fixed beforehand"
    for looks in PLANS:
        said = ", ".join(f"{price(looks, n):.2f} at {n}" for n in range(looks.fewest, looks.most + 1))
        yield f"  {looks.fewest} to {looks.most}: {said}"
    yield "Like the default campaign, until decided: mean blocks, questions with a verdict; of the most blocks, fixed"
    for scatter in SCATTERS:
        rows = []
        for looks in PLANS:
            blocks, verdicts = until_decided(scatter, looks)
            fixed = mean_decided(moderated, looks.most, scatter, 2_000)
            rows.append(f"{looks.fewest} to {looks.most}: {blocks:.1f}, {verdicts:.1f}; {fixed:.1f}")
        yield f"  {scatter}: " + " | ".join(rows)
