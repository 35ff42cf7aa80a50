"""What each cell measured by itself: the mean of every metric over its blocks, with an interval, for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.stats.effects import Group, ratio_estimate
from analysis.stats.inference import infer
from analysis.stats.metrics import metric
from analysis.stats.quantities import Estimate, Unit
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

    from analysis.stats.criteria import Criteria
    from analysis.stats.looks import Looks


class ArmEstimate(Part):
    """One metric of one cell, over its blocks: for tables; comparisons belong to `Comparison`."""

    engine: str
    arm: str
    dataset: str
    platform: str = ""
    metric: str
    figure: Estimate

    @property
    def group(self) -> Group:
        """The group in which the arm is compared with others."""
        return Group.of(self)


def estimates(
    frame: pd.DataFrame, confidence_percent: float = 95.0, looks: Looks | None = None
) -> tuple[ArmEstimate, ...]:
    """Mean and interval of every metric of every cell over its counting trials.

    The interval holds the blocks' differences (the host's hours) too: never read two of them as a comparison. With
    `looks` it holds under stopping after any of them.
    """
    counted = frame[frame["counts"]]
    by = ["engine", "arm", "dataset", "platform", "metric"]
    return tuple(
        ArmEstimate(
            **dict(zip(by, map(str, levels), strict=True)),
            figure=_estimate(part, metric(str(levels[-1])).unit, confidence_percent, looks),
        )
        for levels, part in counted.groupby(by, sort=False)
    )


def reference_ratios(
    frame: pd.DataFrame, criteria: Criteria, metrics: Collection[str], looks: Looks | None = None
) -> tuple[ArmEstimate, ...]:
    """Each cell's ratio to the reference's figures in the same blocks, as `estimates`; empty without a reference.

    Readings of zero have no ratio.
    """
    used = frame[frame["counts"] & frame["metric"].isin(list(metrics)) & (frame["value"] > 0)]
    held = (used["engine"] == criteria.reference_engine) & (used["arm"] == criteria.baseline)
    blocks = ["dataset", "platform", "metric", "block"]
    of_reference = used.loc[held, [*blocks, "value", "resolution"]]
    paired = used[~held].merge(of_reference, on=blocks, suffixes=("", "_held"))
    relative = np.hypot(paired["resolution"] / paired["value"], paired["resolution_held"] / paired["value_held"])
    ratio = paired["value"] / paired["value_held"]
    found = estimates(paired.assign(value=ratio, resolution=ratio * relative), criteria.confidence_percent, looks)
    return tuple(one.model_copy(update={"figure": one.figure.model_copy(update={"unit": Unit.RATIO})}) for one in found)


def _estimate(part: pd.DataFrame, unit: Unit, confidence_percent: float, looks: Looks | None) -> Estimate:
    values = part["value"].to_numpy(dtype=float)
    resolution = part["resolution"].to_numpy(dtype=float)
    n = len(values)
    share = 1.0 if looks is None else looks.share(n)
    several = n >= 2 and share > 0
    if several and bool((values > 0).all()):
        found = infer(np.log(values), float((resolution / values).max()))._replace(share=share)
        return ratio_estimate(found, confidence_percent, unit)
    low = high = None
    if several:
        plain = infer(values, float(resolution.max()))._replace(share=share)
        half = float(plain.half_width(confidence_percent))
        low, high = max(0.0, float(plain.mean) - half), float(plain.mean) + half
    return Estimate(
        value=float(values.mean()), low=low, high=high, n=n, unit=unit, confidence_percent=confidence_percent
    )
