"""What further blocks would show: the number that decides, the number for a half-width, power, detectable effects.

All of it takes the scatter, and what the other arms are worth beside a pair's own, to stay as they are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from analysis.stats.inference import Floats
    from analysis.stats.looks import Looks

_HALVINGS = 50
"""Of an interval until its ends differ by rounding only."""

MOST_BLOCKS = 1000
"""The largest number of blocks that is worth naming."""


class Course(NamedTuple):
    """How what is known grows with the blocks."""

    prior: float = 0.0
    """Degrees of freedom beyond a pair's own n − 1 (`scatter.moderated`)."""
    looks: Looks | None = None
    """None: a fixed number of blocks. Beyond the last look a forecast is for a run whose last look is later."""


FIXED = Course()


class Levels(NamedTuple):
    """What a correction leaves to a comparison, for each of its two tests."""

    difference: float
    equivalence: float


@lru_cache(maxsize=1024)
def _numbers(tail: float, course: Course) -> tuple[Floats, Floats, Floats]:
    """The numbers of blocks at which something can be decided, each one's t quantile, and its square root."""
    looks = course.looks
    n = np.arange(2.0 if looks is None else looks.fewest, MOST_BLOCKS + 1)
    shares = np.ones(len(n)) if looks is None else np.array([looks.share(min(int(one), looks.most)) for one in n])
    return n, -np.asarray(special.stdtrit(n - 1 + course.prior, tail * shares)), np.sqrt(n)


def blocks_for_half_width(
    sd: float, half_width: float, tail: float, floor: float = 0.0, course: Course = FIXED
) -> int | None:
    """The smallest n >= 2 at which the t interval with `tail` beyond either end is at most ± half_width.

    None: beyond MOST_BLOCKS.
    It plugs in the scatter seen so far: half of all campaigns will need somewhat more. `floor` bounds se.
    """
    if half_width <= 0:
        return None
    # Eight digits of a level are plenty, and let the quantiles be found again.
    numbers, quantiles, roots = _numbers(float(f"{tail:.8g}"), course._replace(prior=round(course.prior, 2)))
    enough = quantiles * np.maximum(sd / roots, floor) <= half_width
    return int(numbers[np.argmax(enough)]) if enough.any() else None


def blocks_to_decide(
    mean: float, sd: float, floor: float, margin: float, levels: Levels, course: Course = FIXED
) -> int | None:
    """The smallest number of blocks at which mean and sd, staying as they are, are a difference or an equivalence.

    None: not within MOST_BLOCKS.
    """
    different = blocks_for_half_width(sd, abs(mean), levels.difference / 2, floor, course)
    equal = blocks_for_half_width(sd, margin - abs(mean), levels.equivalence, floor, course)
    return min((n for n in (different, equal) if n is not None), default=None)


def power(effect: float, sd: float, blocks: int, alpha: float, prior: float = 0.0) -> float:
    """Probability that a two-sided t test on `blocks` log-ratios finds an effect (both in logs).

    The noncentral t distribution, averaged over the distribution of the estimated scatter (SciPy's own loses its way
    far in the tails, where a corrected level with three blocks lies).
    """
    df = blocks - 1 + prior
    scatter, weights = _scatter_quadrature(df)
    critical = -float(special.stdtrit(df, alpha / 2)) * scatter
    shift = abs(effect) * np.sqrt(blocks) / sd
    return float(weights @ (special.ndtr(shift - critical) + special.ndtr(-shift - critical)))


@lru_cache(maxsize=256)
def _scatter_quadrature(df: float) -> tuple[Floats, Floats]:
    """Estimated ÷ true standard deviation at Gauss-Legendre points of its distribution, and their weights."""
    points, weights = np.polynomial.legendre.leggauss(200)
    chi_square = 2 * special.gammaincinv(df / 2, (points + 1) / 2)
    return np.sqrt(chi_square / df), weights / 2


def detectable_effect(
    sd: float, blocks: int, alpha: float, wished_power: float = 0.8, prior: float = 0.0
) -> float | None:
    """The smallest log-effect that `blocks` blocks find with the wished power; None with fewer than two blocks."""
    if blocks < 2:
        return None
    if sd <= 0:
        return 0.0
    return sd * _detectable_in_sd(blocks, alpha, wished_power, round(prior, 2))


@lru_cache(maxsize=256)
def _detectable_in_sd(blocks: int, alpha: float, wished_power: float, prior: float) -> float:
    """The detectable effect in standard deviations of a log-ratio, by halving: power grows with the effect."""
    # Whatever scatter is estimated up to twice the true one leaves the test this bound to clear.
    low, high = 0.0, float((-2 * special.stdtrit(blocks - 1 + prior, alpha / 2) + 5) / np.sqrt(blocks))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, 1.0, blocks, alpha, prior) < wished_power else (low, middle)
    return high


def smallest_shown(se: float, df: float, alpha: float, wished_power: float = 0.8) -> float:
    """The smallest log-effect that a two-sided t test with this standard error finds with the wished power.

    By a normal approximation of the noncentral t, for the many numbers of degrees of freedom of Welch's tests: 2 % too
    large with two of them, 5 % with one. `detectable_effect` is exact, and fifty times as slow.
    """
    critical = -float(special.stdtrit(df, alpha / 2))
    spread = np.sqrt(1 + critical**2 / (2 * df))
    return float(se * (critical * (1 - 1 / (4 * df)) + special.ndtri(wished_power) * spread))
