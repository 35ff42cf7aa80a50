"""The ratio of two means with Fieller's interval, on bare arrays.

A mean of ratios is drawn upwards by every small denominator, and has none at all where one is 0. The ratio of the means
has neither fault; its interval (Fieller, 1954) is bounded exactly where the denominator's mean is shown not to be 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analysis.stats.inference import t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Ratio(NamedTuple):
    """A ratio of two means; without a second pair it has no interval."""

    value: float
    low: float | None = None
    high: float | None = None


def ratio_of_means(over: ArrayLike, under: ArrayLike, confidence_percent: float, share: float = 1.0) -> Ratio | None:
    """The mean of `over` ÷ the mean of `under`, which are pairs; None where `under` may as well be 0.

    `share` is what this look may spend of the level; none of it leaves the ratio without an interval.
    """
    ours, theirs = np.asarray(over, dtype=float), np.asarray(under, dtype=float)
    n = ours.size
    if n == 0:
        return None
    above, below = float(ours.mean()), float(theirs.mean())
    if n < 2 or share <= 0:
        return Ratio(above / below) if below else None
    squared = t_quantile(n - 1, share * (0.5 - confidence_percent / 200)) ** 2 / n
    (of_ours, of_both), (_, of_theirs) = np.cov(ours, theirs) * squared
    known = below**2 - of_theirs
    if known <= 0:
        return None
    middle = above * below - of_both
    half = math.sqrt(max(0.0, middle**2 - known * (above**2 - of_ours)))
    return Ratio(above / below, float(middle - half) / known, float(middle + half) / known)
