"""The cost table, and what the page's script needs to compute it again under other prices.

The script repeats `analysis`: each trial's hours and storage under the new prices, their geometric means, the ratio to
the baseline within blocks with its t interval, and the curve with the prices at which another arm is the cheapest. So
the figures in the page are those the command line would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.decide.constraints import State
from analysis.decide.cost import HOURS_PER_MONTH, mean_growth
from analysis.decide.cost_curve import FURTHEST, POINTS
from analysis.stats import quantities
from analysis.stats.inference import t_quantile
from analysis.stats.quantities import number
from reports.charts.cost import curve_key
from reports.page.answer import choice_of
from reports.tables import ABSENT

if TYPE_CHECKING:
    from analysis.decide.cost import ArmCost
    from analysis.stats.criteria import Prices
    from analysis.stats.effects import Group
    from analysis.stats.quantities import Estimate
    from reports.material import Material
    from reports.theme import ArmStyle


@dataclass(frozen=True)
class PriceField:
    """An input of the cost table."""

    name: str
    label: str
    unit: str
    value: float
    lowest: float = 0
    highest: float | None = None
    step: str = "any"


@dataclass(frozen=True)
class CostRow:
    """One arm's costs as text, under the run's prices."""

    style: ArmStyle
    instances: str
    storage: str
    per_million: str
    per_gb: str
    monthly: str
    change: str
    """Against the baseline, within blocks."""
    interval: str
    cheapest: bool
    constraints: str
    """Whether they are `satisfied`, `violated` or `undecided`."""


@dataclass(frozen=True)
class CostPage:
    """The cost section of one group."""

    key: str
    currency: str
    dated: str
    sized_by_cpu: bool
    """By mongod's CPU, since clients ran beside it; else by throughput."""
    aged: bool
    """Whether the storage is that after the run workloads."""
    fields: tuple[PriceField, ...]
    rows: tuple[CostRow, ...]
    data: dict[str, Any]
    """For the script."""


def price_fields(prices: Prices) -> tuple[PriceField, ...]:
    """What can be changed in the page; names and meaning are those of the spec."""
    money = prices.currency
    return (
        PriceField("instance_per_hour", "Instance price", f"{money} per hour", prices.instance_per_hour),
        PriceField("storage_per_gb_month", "Storage price", f"{money} per GB-month", prices.storage_per_gb_month),
        PriceField("data_size_gb", "Data size", "GB, uncompressed", prices.data_size_gb),
        PriceField("operations_per_s", f"Load ({prices.workload})", "operations per second", prices.operations_per_s),
        PriceField("replicas", "Replicas", "members", prices.replicas, lowest=1, highest=50, step="1"),
        PriceField("instance_capacity", "Planned use", "share of maximum", prices.instance_capacity, 0.01, highest=1),
        PriceField("growth_percent_per_month", "Growth", "% per month", prices.growth_percent_per_month, highest=100),
        PriceField("horizon_months", "Horizon", "months", prices.horizon_months, lowest=1, highest=120, step="1"),
    )


def cost_page(material: Material, group: Group, key: str) -> CostPage | None:
    """The group's costs; None where they could not be computed."""
    choice = choice_of(material, group)
    if choice is None or choice.costs is None:
        return None
    costs = choice.costs
    states = {check.arm: check.state.value for check in choice.checks}
    rows = tuple(_row(material, arm, costs.cheapest, states.get(arm.arm, ABSENT)) for arm in costs.arms)
    order = list(material.styles)
    return CostPage(
        key=key,
        currency=costs.prices.currency,
        dated=costs.prices.dated,
        sized_by_cpu=costs.sized_by == "mongod_capacity",
        aged=costs.prices.storage_state == "aged",
        fields=price_fields(costs.prices),
        rows=tuple(sorted(rows, key=lambda row: order.index(row.style.name))),
        data=_data(material, group, costs.prices, [arm for arm, state in states.items() if state == State.SATISFIED]),
    )


def _row(material: Material, arm: ArmCost, cheapest: str | None, constraints: str) -> CostRow:
    ratio = arm.ratio
    spread = (ratio and quantities.spread(ratio)) or ""
    return CostRow(
        style=material.styles[arm.arm],
        instances=number(arm.instance_hours.value / HOURS_PER_MONTH),
        storage=f"{number(arm.stored_gb.value)} GB",
        per_million=_shown(arm.per_million_operations),
        per_gb=_shown(arm.per_gb_month),
        monthly=number(arm.monthly.value),
        change="baseline" if ratio is None else quantities.change(ratio.value),
        interval=spread,
        cheapest=arm.arm == cheapest,
        constraints=constraints,
    )


def _shown(figure: Estimate | None) -> str:
    return ABSENT if figure is None else number(figure.value)


def _data(material: Material, group: Group, prices: Prices, eligible: list[str]) -> dict[str, Any]:
    """Per arm and block: instance hours, GB, and the resolution of both; all for the run's own prices."""
    frame = material.in_group(group)
    frame = frame[frame["counts"]]
    wide = frame[frame["metric"].isin(["instance_hours", "stored_gb"])].pivot(
        index=["arm", "block"], columns="metric", values=["value", "resolution"]
    )
    columns = [
        ("value", "instance_hours"),
        ("value", "stored_gb"),
        ("resolution", "instance_hours"),
        ("resolution", "stored_gb"),
    ]
    arms = {
        str(arm): {
            str(block): [float(figure) for figure in row]
            for (_, block), row in zip(part.index, part[columns].to_numpy(), strict=True)
        }
        for arm, part in wide.groupby(level="arm")
    }
    most = max((len(blocks) for blocks in arms.values()), default=0)
    tail, looks = 0.5 - material.decision.criteria.confidence_percent / 200, material.decision.looks
    shares = {n: 1.0 if looks is None else looks.share(n) for n in range(2, most + 1)}
    return {
        "arms": arms,
        "baseline": material.decision.criteria.baseline,
        "eligible": eligible,
        "quantiles": {str(n): -t_quantile(n - 1, tail * share) for n, share in shares.items() if share > 0},
        "hours_per_month": HOURS_PER_MONTH,
        "prices": {field.name: field.value for field in price_fields(prices)},
        "mean_growth": mean_growth(prices),
        "curve": {"chart": curve_key(material, group), "furthest": FURTHEST, "points": POINTS},
    }
