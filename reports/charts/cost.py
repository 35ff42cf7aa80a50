"""Cost against the baseline over the ratio of prices, with the ratios at which another arm becomes the cheapest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.decide.cost_curve import cost_curve as curve
from analysis.stats.quantities import change, number
from reports.charts.base import Chart, arm_scale, chart_spec, rows, slug
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from analysis.decide.cost import Costs
    from analysis.stats.effects import Group
    from reports.material import Material

_HEIGHT_PX = 230
_TICKS = [1 / 10, 1 / 4, 1 / 2, 1 / 1.5, 1 / 1.2, 1, 1.2, 1.5, 2, 4, 10]


def curve_key(material: Material, group: Group) -> str:
    """The chart's key: the page's script draws it again under other prices."""
    return slug("cost-curve", *material.names_of(group))


def cost_curve(material: Material, group: Group, costs: Costs) -> Chart | None:
    """A line an arm; None where the baseline has no cost."""
    points = curve(costs, material.decision.baseline)
    if not points:
        return None
    data = [{"arm": one.arm, "at": one.price_ratio, "value": one.ratio, "shown": change(one.ratio)} for one in points]
    return Chart(
        key=curve_key(material, group),
        title="Which arm is the cheapest at which prices",
        caption="Dashed: the prices given. Thin rule: from there on another eligible arm is the cheapest.",
        spec=chart_spec(_layer(material, costs, data), _HEIGHT_PX),
        table=_table(costs),
    )


def _layer(material: Material, costs: Costs, data: list[dict[str, Any]]) -> Any:
    ratios = [one["at"] for one in data]
    x = alt.X(
        "at:Q",
        scale=alt.Scale(type="log", domain=[min(ratios), max(ratios)], nice=False),
        axis=alt.Axis(title="price of a GB-month ÷ price of an instance hour", format="~g", tickCount=5),
    )
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(
            title=f"monthly cost ÷ {material.decision.baseline}'s",
            values=_TICKS,
            labelExpr="datum.value < 1 ? '÷' + format(1 / datum.value, '.3~g') : '×' + format(datum.value, '.3~g')",
        ),
    )
    colour = alt.Color("arm:N", scale=arm_scale(list(material.styles.values()), "colour"), title="arm")
    tips = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("shown:N", title="against the baseline"),
        alt.Tooltip("at:Q", format=".3~g"),
    ]
    base = alt.Chart(rows(data)).encode(x=x, y=y, color=colour, tooltip=tips)
    layers = [base.mark_line(strokeWidth=2), base.mark_point(size=60, opacity=0)]
    now = alt.Chart(rows([{"at": costs.price_ratio, "what": "prices now"}]))
    layers.append(now.mark_rule(strokeDash=[5, 4]).encode(x=alt.X("at:Q"), tooltip=[alt.Tooltip("what:N")]))
    inside = [flip for flip in costs.flips if min(ratios) <= flip.price_ratio.value <= max(ratios)]
    flips = [{"at": one.price_ratio.value, "what": f"{one.arm} is cheaper {one.side}"} for one in inside]
    rule = alt.Chart(rows(flips)).mark_rule(color="var(--ink-2)")  # though there be none: other prices may bring some
    layers.append(rule.encode(x=alt.X("at:Q"), tooltip=[alt.Tooltip("what:N"), alt.Tooltip("at:Q", format=".3~g")]))
    return alt.layer(*layers)


def _table(costs: Costs) -> Table:
    """A row an arm that would become the cheapest: where."""
    body = tuple(
        (one.arm, one.side, number(one.price_ratio.value), _spread(one.price_ratio.low, one.price_ratio.high))
        for one in costs.flips
    )
    return Table(("cheaper arm", "side", "price ratio", "interval"), body, labels=2)


def _spread(low: float | None, high: float | None) -> str:
    return ABSENT if low is None or high is None else f"{number(low)} to {number(high)}"
