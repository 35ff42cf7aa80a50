"""Money: what the user's deployment would cost a month under each arm, and at which price ratio another is cheapest.

The model: as many instances (a fraction counts, as instances come in sizes) as the deployment's operations need at the
planned share of what one can do; storage for the data, grown to its mean over the horizon, at the measured ratio,
indexes included. What an instance can do is the measured throughput; where a client took CPU beside mongod, it is what
mongod's CPU per operation allows on its host: each operation of a throughput that both share has its client's part,
which makes arms look more alike than they are. Every replica needs both. One ratio of prices (a GB-month ÷ an instance
hour) orders the arms. The same two parts without the deployment's size are what a million operations cost, and a GB of
documents a month; by them platforms with prices of their own are compared. All rests on what a workload does at its
limit: under an offered rate its throughput is what was asked for, and sizes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from analysis.stats.criteria import Prices
from analysis.stats.frames import Row
from analysis.stats.metrics import metric, workload_of
from analysis.stats.quantities import Estimate, Unit
from analysis.stats.ratios import ratio_of_means
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from analysis.stats.arm_estimates import ArmEstimate
    from analysis.stats.effects import Comparison, Group
    from analysis.stats.looks import Looks
    from analysis.trial.records import TrialRecord

HOURS_PER_MONTH = 730.0

SizedBy = Literal["throughput", "mongod_capacity"]
"""The metric by which instances are sized: as measured, or by mongod's CPU where a client ran beside it."""

_STORED = {
    "loaded": ("compression_ratio", "storage_bytes_per_document", "index_bytes_per_document"),
    "aged": ("compression_ratio_aged", "storage_bytes_per_document_aged", "index_bytes_per_document"),
}
"""What the storage that is paid for rests on, by the state that the spec chooses."""
_SECONDARY = {"loaded": "secondary_index_bytes_per_document", "aged": "secondary_index_bytes_per_document_aged"}
"""What of that storage is secondary indexes, where there are any."""


class ArmCost(Part):
    """What one arm's deployment costs. Hours and storage are one replica's, the costs all replicas'."""

    arm: str
    ratio: Estimate | None = Field(description="Monthly cost ÷ the baseline's, within blocks; None for the baseline.")
    monthly: Estimate
    instance_hours: Estimate
    stored_gb: Estimate
    per_million_operations: Estimate | None = Field(
        None, description="None in decisions that were made before it was computed."
    )
    per_gb_month: Estimate | None = Field(
        None, description="Cost of a GB of documents (uncompressed) per month, indexes included."
    )


class Flip(Part):
    """Where another arm becomes the cheapest."""

    arm: str = Field(description="The arm that is cheapest beyond the price ratio.")
    side: Literal["above", "below"]
    price_ratio: Estimate = Field(description="Price of a GB-month ÷ price of an instance hour.")


class Costs(Part):
    """Monthly costs in a group under the given prices."""

    prices: Prices
    workload: str
    sized_by: SizedBy = Field("throughput", description="The metric that says how much an instance can do.")
    price_ratio: float = Field(description="The price ratio at the given prices: GB-month ÷ instance hour.")
    arms: tuple[ArmCost, ...]
    cheapest: str | None = Field(description="Among the arms that satisfy the constraints, by `ratio`.")
    flips: tuple[Flip, ...] = Field(description="The nearest flip on either side, if there is one.")


def mean_growth(prices: Prices) -> float:
    """Mean size over the horizon ÷ size today."""
    return float(np.mean((1 + prices.growth_percent_per_month / 100) ** np.arange(prices.horizon_months)))


def million_operations_per_month(prices: Prices) -> float:
    """Millions of operations that the deployment performs in a month."""
    return 3600 * HOURS_PER_MONTH * prices.operations_per_s / 1e6


def offered_a_rate(records: Iterable[TrialRecord], workload: str) -> frozenset[str]:
    """The trials in which the workload was offered a rate: its throughput there is no capacity."""
    return frozenset(
        record.trial
        for record in records
        for phase in record.phases
        if workload_of(phase) == workload and phase.target_per_s is not None
    )


def with_costs(measured: pd.DataFrame, prices: Prices, offered: Collection[str]) -> pd.DataFrame:
    """`frames.measurements` and, as further rows, what each trial's arm costs under the prices of its platform; none
    for the trials that were `offered` a rate.

    As figures of a trial they are compared within blocks like any other; their resolution is that of what they rest on.
    """
    at_limit = measured[~measured["trial"].isin(list(offered))]
    parts = [_of_platform(part, prices.of(str(name))) for name, part in at_limit.groupby("platform", sort=False)]
    return pd.concat([measured, *parts], ignore_index=True)


def sized_by(measured: pd.DataFrame, prices: Prices) -> SizedBy:
    """What sizes the instances in these measurements: all of them by the same, or they could not be compared."""
    beside = f"{prices.workload}.mongod_capacity" in set(measured["metric"])
    return "mongod_capacity" if beside else "throughput"


def _of_platform(measured: pd.DataFrame, prices: Prices) -> pd.DataFrame:
    needed = [f"{prices.workload}.{sized_by(measured, prices)}", *_STORED[prices.storage_state]]
    secondary = _SECONDARY[prices.storage_state]
    wide = measured[measured["metric"].isin([*needed, secondary])].pivot(
        index="trial", columns="metric", values=["value", "resolution"]
    )
    if any(("value", key) not in wide.columns for key in needed):
        return measured.iloc[:0]
    wide = wide.dropna(subset=[("value", key) for key in needed])
    wide = wide[wide[[("value", key) for key in needed]].gt(0).all(axis="columns")]
    per_s, ratio, with_secondary, index = (wide[("value", key)] for key in needed)
    stored = with_secondary - (wide[("value", secondary)].fillna(0) if ("value", secondary) in wide.columns else 0)
    rough_per_s, _, rough_stored, rough_index = (wide[("resolution", key)] for key in needed)
    hours = HOURS_PER_MONTH * prices.operations_per_s / (per_s * prices.instance_capacity)
    stored_gb = prices.data_size_gb * mean_growth(prices) * (stored + index) / (ratio * stored)
    rough_hours = hours * rough_per_s / per_s
    rough_gb = stored_gb * (rough_stored + rough_index) / (stored + index)
    cost, rough_cost = (
        prices.replicas * (prices.instance_per_hour * h + prices.storage_per_gb_month * gb)
        for h, gb in ((hours, stored_gb), (rough_hours, rough_gb))
    )
    per_million = prices.replicas * prices.instance_per_hour / million_operations_per_month(prices)
    per_gb = prices.replicas * prices.storage_per_gb_month / (prices.data_size_gb * mean_growth(prices))
    rows = measured[measured["metric"] == needed[0]].set_index("trial").loc[wide.index].reset_index()
    figures = {
        "instance_hours": (hours, rough_hours),
        "stored_gb": (stored_gb, rough_gb),
        "monthly_cost": (cost, rough_cost),
        "cost_per_million_operations": (hours * per_million, rough_hours * per_million),
        "cost_per_gb_month": (stored_gb * per_gb, rough_gb * per_gb),
    }
    return pd.concat(
        [
            rows.assign(
                metric=key, unit=str(metric(key).unit), value=value.to_numpy(), resolution=resolution.to_numpy()
            )
            for key, (value, resolution) in figures.items()
        ],
        ignore_index=True,
    )[list(Row._fields)]


def costs(
    measured: pd.DataFrame,
    estimates: Collection[ArmEstimate],
    group: Group,
    prices: Prices,
    eligible: Collection[str],
    against: Collection[Comparison],
    confidence_percent: float,
) -> Costs | None:
    """The group's costs; None where the trials lack what they rest on. `measured` is `with_costs`, `prices`
    are the group's platform's.

    `against` are the group's effects on the monthly cost. They order the arms: the means of arms that lack different
    blocks hold different hours of the host, and are no comparison.
    """
    ratios = {one.candidate: one.ratio for one in against}
    logs = {one.candidate: one.mean_log for one in against}
    by_metric = {(one.arm, one.metric): one.figure for one in estimates if one.group == group}
    arms = tuple(
        ArmCost(
            arm=arm,
            ratio=ratios.get(arm),
            monthly=figure,
            instance_hours=by_metric[arm, "instance_hours"],
            stored_gb=by_metric[arm, "stored_gb"],
            per_million_operations=by_metric[arm, "cost_per_million_operations"],
            per_gb_month=by_metric[arm, "cost_per_gb_month"],
        )
        for (arm, key), figure in by_metric.items()
        if key == "monthly_cost"
    )
    if not arms:
        return None
    ratio = prices.storage_per_gb_month / prices.instance_per_hour
    candidates = [arm.arm for arm in arms if arm.arm in eligible]
    choice = {arm: log for arm in candidates if (log := logs.get(arm, 0.0)) is not None}
    cheapest = min(choice, key=lambda arm: choice[arm], default=None)
    inside = group.within(measured)
    flips: tuple[Flip, ...] = ()
    if cheapest is not None:
        looks = next((one.looks for one in against), None)
        flips = _flips(inside[inside["counts"]], cheapest, choice, ratio, confidence_percent, looks)
    return Costs(
        prices=prices,
        workload=prices.workload,
        sized_by=sized_by(inside, prices),
        price_ratio=ratio,
        arms=arms,
        cheapest=cheapest,
        flips=flips,
    )


def _flips(
    rows: pd.DataFrame,
    cheapest: str,
    eligible: Collection[str],
    ratio: float,
    confidence_percent: float,
    looks: Looks | None,
) -> tuple[Flip, ...]:
    """The nearest price ratio on either side of the given one at which another eligible arm costs the same.

    Cost is hours + r·storage in units of the instance price, so two arms cross at r = Δhours ÷ −Δstorage, each the mean
    over the blocks that have both arms. Where the difference in storage may as well be 0, no price separates them.
    """
    hours = rows[rows["metric"] == "instance_hours"].pivot(index="block", columns="arm", values="value")
    stored = rows[rows["metric"] == "stored_gb"].pivot(index="block", columns="arm", values="value")
    found: list[Flip] = []
    for arm in sorted(set(eligible) - {cheapest}):
        saved = (stored[cheapest] - stored[arm]).dropna()
        more = (hours[arm] - hours[cheapest]).dropna()
        share = 1.0 if looks is None else looks.share(len(saved))
        at = ratio_of_means(more, saved, confidence_percent, share)
        side: Literal["above", "below"] = "above" if saved.mean() > 0 else "below"
        if at is not None and at.value > 0 and (at.value > ratio) == (side == "above"):
            crossing = Estimate(
                value=at.value,
                low=None if at.low is None else max(0.0, at.low),
                high=at.high,
                n=len(saved),
                unit=Unit.RATIO,
                confidence_percent=confidence_percent,
            )
            found.append(Flip(arm=arm, side=side, price_ratio=crossing))
    above = min((f for f in found if f.side == "above"), key=lambda f: f.price_ratio.value, default=None)
    below = max((f for f in found if f.side == "below"), key=lambda f: f.price_ratio.value, default=None)
    return tuple(flip for flip in (below, above) if flip is not None)
