"""Shades of a heatmap's cells."""

import math

SHADES = 6
"""From 0, the best, to 5: as many as the style sheet has."""


def shade(value: float, best: float, worst: float) -> int:
    """Where a value lies between the best and the worst one, by factors."""
    if best == worst:
        return 0
    place = _factor(value, best) / _factor(worst, best)
    return min(SHADES - 1, int(place * SHADES))


def _factor(one: float, other: float) -> float:
    return math.log(max(one, other) / min(one, other))
