"""The cost table, and what the page's script needs to compute it again under other prices.

The script repeats `analysis.cost`: each trial's hours and storage under the new prices, the geometric mean over trials
and its t interval. So the figures in the page are those the command line would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.cost import HOURS_PER_MONTH, mean_growth
from analysis.inference import t_quantile
from analysis.quantities import number
from reports.answer import choice_of
from reports.theme import ArmStyle

if TYPE_CHECKING:
    from analysis.cost import ArmCost
    from analysis.criteria import Prices
    from analysis.effects import Group
    from reports.material import Material


@dataclass(frozen=True)
class PriceField:
    """An input of the cost table."""

    name: str
    label: str
    unit: str
    value: float
    lowest: float
    highest: float | None
    step: str


@dataclass(frozen=True)
class CostRow:
    """One arm's costs as text, under the run's prices."""

    style: ArmStyle
    instances: str
    storage: str
    monthly: str
    interval: str
    cheapest: bool
    eligible: bool


@dataclass(frozen=True)
class CostPage:
    """The cost section of one group."""

    key: str
    currency: str
    dated: str
    fields: tuple[PriceField, ...]
    rows: tuple[CostRow, ...]
    data: dict[str, Any]
    """For the script."""


def price_fields(prices: Prices) -> tuple[PriceField, ...]:
    """What can be changed in the page; names and meaning are those of the spec."""
    money = prices.currency
    return (
        PriceField("instance_per_hour", "Instance price", f"{money} per hour", prices.instance_per_hour, 0, None, "any"),
        PriceField("storage_per_gb_month", "Storage price", f"{money} per GB-month", prices.storage_per_gb_month, 0, None, "any"),
        PriceField("data_size_gb", "Data size", "GB, uncompressed", prices.data_size_gb, 0, None, "any"),
        PriceField("operations_per_s", f"Load ({prices.workload})", "operations per second", prices.operations_per_s, 0, None, "any"),
        PriceField("replicas", "Replicas", "members", prices.replicas, 1, 50, "1"),
        PriceField("instance_capacity", "Planned use", "share of the measured maximum", prices.instance_capacity, 0.01, 1, "any"),
        PriceField("growth_percent_per_month", "Growth", "% per month", prices.growth_percent_per_month, 0, 100, "any"),
        PriceField("horizon_months", "Horizon", "months", prices.horizon_months, 1, 120, "1"),
    )  # fmt: skip


def cost_page(material: Material, group: Group, key: str) -> CostPage | None:
    """The group's costs; None where they could not be computed."""
    choice = choice_of(material, group)
    if choice is None or choice.costs is None:
        return None
    costs = choice.costs
    eligible = [check.arm for check in choice.checks if check.state == "satisfied"]
    rows = tuple(_row(material, arm, costs.cheapest, arm.arm in eligible) for arm in costs.arms)
    order = list(material.styles)
    return CostPage(
        key=key,
        currency=costs.prices.currency,
        dated=costs.prices.dated,
        fields=price_fields(costs.prices),
        rows=tuple(sorted(rows, key=lambda row: order.index(row.style.name))),
        data=_data(material, group, costs.prices, eligible),
    )


def _row(material: Material, arm: ArmCost, cheapest: str | None, eligible: bool) -> CostRow:  # noqa: FBT001
    low, high = arm.monthly.low, arm.monthly.high
    return CostRow(
        style=material.styles[arm.arm],
        instances=number(arm.instance_hours.value / HOURS_PER_MONTH),
        storage=f"{number(arm.stored_gb.value)} GB",
        monthly=number(arm.monthly.value),
        interval="" if low is None or high is None else f"{number(low)} to {number(high)}",
        cheapest=arm.arm == cheapest,
        eligible=eligible,
    )


def _data(material: Material, group: Group, prices: Prices, eligible: list[str]) -> dict[str, Any]:
    """Per arm and trial: instance hours, GB, and the resolution of both; all for the run's own prices."""
    frame = material.in_group(group)
    frame = frame[frame["counts"]]
    wide = frame[frame["metric"].isin(["instance_hours", "stored_gb"])].pivot(
        index=["arm", "trial"], columns="metric", values=["value", "resolution"]
    )
    columns = [("value", "instance_hours"), ("value", "stored_gb"), ("resolution", "instance_hours"), ("resolution", "stored_gb")]
    arms = {
        str(arm): [[float(part) for part in row] for row in part[columns].to_numpy()]
        for arm, part in wide.groupby(level="arm")
    }
    sizes = {len(trials) for trials in arms.values() if len(trials) > 1}
    probability = 0.5 + material.run.criteria.confidence_percent / 200
    return {
        "arms": arms,
        "eligible": eligible,
        "quantiles": {str(n): t_quantile(n - 1, probability) for n in sizes},
        "hours_per_month": HOURS_PER_MONTH,
        "prices": {field.name: field.value for field in price_fields(prices)},
        "mean_growth": mean_growth(prices),
    }
