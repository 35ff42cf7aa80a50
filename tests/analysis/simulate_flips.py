"""Simulated price ratios at which two arms cost the same: the ratio of means with Fieller's interval, and the mean of
each block's ratio, which it replaced.

`python -m tests.analysis.simulate_flips` prints the table of docs/method.md. In each block an arm needs its hours,
which move with the host's and scatter, and its storage, which scatters by what a load scatters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis.stats.inference import infer
from analysis.stats.ratios import Ratio, ratio_of_means

if TYPE_CHECKING:
    from collections.abc import Iterable

HOUR = 0.15
"""Standard deviation of the log by which a block's hours all move."""


@dataclass(frozen=True)
class Pair:
    """What the arm that stores less takes, in per cent of the other one; and how much each figure scatters (logs)."""

    hours: float
    storage: float
    scatter: float
    size_scatter: float


PAIRS = {
    "zstd against snappy, quiet": Pair(1.30, 0.65, 0.03, 0.011),
    "zstd against snappy, loud": Pair(1.30, 0.65, 0.10, 0.028),
    "zstd-6 against zstd-1, quiet": Pair(1.15, 0.96, 0.03, 0.011),
    "zstd-6 against zstd-1, loud": Pair(1.15, 0.96, 0.10, 0.028),
}


@dataclass
class Tally:
    """What one way of estimating came to."""

    shown: int = 0
    held: int = 0
    total: float = 0.0

    def add(self, found: Ratio | None, truth: float) -> None:
        """Take in one campaign."""
        if found is not None and found.low is not None and found.high is not None:
            self.shown += 1
            self.held += found.low <= truth <= found.high
            self.total += found.value / truth

    def told(self, campaigns: int) -> str:
        """How many campaigns showed one, its mean ÷ the truth, and how many intervals held the truth."""
        if not self.shown:
            return "none"
        return (
            f"{100 * self.shown / campaigns:.0f} %, {self.total / self.shown:.2f}, {100 * self.held / self.shown:.1f} %"
        )


def of_means(more: np.ndarray, saved: np.ndarray) -> Ratio | None:
    """As the decision has it."""
    return ratio_of_means(more, saved, 95)


def mean_of_ratios(more: np.ndarray, saved: np.ndarray) -> Ratio | None:
    """As the decision had it: only where all blocks agree on who stores less."""
    if not ((saved > 0).all() or (saved < 0).all()):
        return None
    found = infer(more / saved)
    half = float(found.half_width(95))
    return Ratio(float(found.mean), float(found.mean) - half, float(found.mean) + half)


def compared(pair: Pair, blocks: int, campaigns: int = 5_000) -> tuple[Tally, Tally]:
    """Both ways, over the same campaigns."""
    rng = np.random.default_rng(1700 + blocks)
    tallies = Tally(), Tally()
    # The means of log-normal figures are these factors above their medians, alike in both arms.
    truth = math.exp((HOUR**2 + pair.scatter**2 - pair.size_scatter**2) / 2) * (pair.hours - 1) / (1 - pair.storage)
    for _ in range(campaigns):
        hour = rng.normal(0, HOUR, blocks)
        dense, plain = (hours * np.exp(hour + rng.normal(0, pair.scatter, blocks)) for hours in (pair.hours, 1.0))
        small, large = (size * np.exp(rng.normal(0, pair.size_scatter, blocks)) for size in (pair.storage, 1.0))
        for tally, way in zip(tallies, (of_means, mean_of_ratios), strict=True):
            tally.add(way(dense - plain, large - small), truth)
    return tallies


def tables() -> Iterable[str]:
    """Campaigns that show a price ratio, its mean ÷ the truth, coverage of its 95 % interval."""
    yield "Where two arms cost the same: ratio of means; mean of ratios"
    for name, pair in PAIRS.items():
        for blocks in (3, 5, 8, 20):
            told = "; ".join(tally.told(5_000) for tally in compared(pair, blocks))
            yield f"  {name}, {blocks:2} blocks: {told}"


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)  # noqa: T201
