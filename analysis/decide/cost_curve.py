"""What each arm costs against the baseline as prices move: which arm is the cheapest where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from analysis.decide.cost import Costs

FURTHEST = 32.0
"""Times, or divided by, the price ratio of the spec."""
POINTS = 41


class CurvePoint(NamedTuple):
    """One arm at one ratio of prices."""

    arm: str
    price_ratio: float
    """A GB-month ÷ an instance hour."""
    ratio: float
    """Monthly cost ÷ the baseline's, both by their mean hours and storage."""


def cost_curve(costs: Costs, baseline: str) -> tuple[CurvePoint, ...]:
    """Every arm's cost from a 32nd of the given price ratio to 32 times it; none without the baseline or a price.

    Cost is hours + r·storage in units of the instance price, as for the ratios at which arms cost the same.
    """
    held = next((one for one in costs.arms if one.arm == baseline), None)
    if held is None or costs.price_ratio <= 0:
        return ()
    at = costs.price_ratio * np.geomspace(1 / FURTHEST, FURTHEST, POINTS)

    def cost(hours: float, gb: float, ratio: float) -> float:
        return hours + ratio * gb

    return tuple(
        CurvePoint(
            one.arm,
            float(ratio),
            float(
                cost(one.instance_hours.value, one.stored_gb.value, ratio)
                / cost(held.instance_hours.value, held.stored_gb.value, ratio)
            ),
        )
        for one in costs.arms
        for ratio in at
    )
