"""The Pareto picture: what each arm stores against what it can do, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.metrics import metric
from analysis.quantities import Better
from reports.charts.base import Chart, arm_scale, chart_spec, interval, on_axis, rows, slug
from reports.tables import Table

if TYPE_CHECKING:
    from analysis.effects import Group
    from analysis.quantities import Estimate
    from reports.material import Material

STORAGE = "storage_bytes_per_document"
_HEIGHT_PX = 250


def tradeoff(material: Material, group: Group, key: str, front: tuple[str, ...]) -> Chart | None:
    """Storage per document against another metric; None where no arm has both. Arms on the front are filled."""
    found, stored = metric(key), metric(STORAGE)
    points = [
        _point(arm, x, y, on_front=arm in front)
        for arm in material.styles
        if (x := material.figures.get((group, arm, STORAGE))) and (y := material.figures.get((group, arm, key)))
    ]
    if not points:
        return None
    styles = list(material.styles.values())
    data = rows(points)
    x = alt.X("x:Q", title=f"{stored.label}, bytes", scale=alt.Scale(zero=False, padding=34))
    y = alt.Y("y:Q", title=f"{found.label}, {on_axis(found.unit)[1]}", scale=alt.Scale(zero=False, padding=22))
    colour = alt.Color("arm:N", scale=arm_scale(styles, "colour"), legend=None)
    tips = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("stored:N", title=stored.label),
        alt.Tooltip("shown:N", title=found.label),
        alt.Tooltip("front:N", title="Pareto front"),
    ]
    base = alt.Chart(data).encode(color=colour, tooltip=tips)
    layer = alt.layer(
        base.mark_rule(opacity=0.5, strokeWidth=2).encode(x=x, y=alt.Y("y_low:Q"), y2="y_high:Q"),
        base.mark_rule(opacity=0.5, strokeWidth=2).encode(x=alt.X("x_low:Q"), x2="x_high:Q", y=y),
        base.mark_point(size=110, strokeWidth=2, opacity=1).encode(
            x=x,
            y=y,
            shape=alt.Shape("arm:N", scale=arm_scale(styles, "shape"), legend=None),
            fill=alt.condition("datum.front == 'yes'", colour, alt.value("var(--ground)")),
        ),
        alt.Chart(data).mark_text(align="left", dx=10, dy=-10).encode(x=x, y=y, text="arm:N"),
    )
    best = "lower left" if found.better is Better.LOWER else "upper left"
    return Chart(
        key=slug("storage-against", key, *((group.engine, group.dataset) if len(material.groups) > 1 else ())),
        title=f"Storage against {found.label}",
        caption=f"Better is to the {best}. Filled: no other arm is shown to beat it all round.",
        spec=chart_spec(layer, _HEIGHT_PX),
        table=Table(
            ("arm", stored.label, found.label, "Pareto front"),
            tuple((p["arm"], p["stored"], p["shown"], p["front"]) for p in points),
        ),
    )


def _point(arm: str, x: Estimate, y: Estimate, *, on_front: bool) -> dict[str, Any]:
    scale, _ = on_axis(y.unit)
    low_x, high_x = _bounds(x)
    low_y, high_y = _bounds(y)
    return {
        "arm": arm,
        "x": x.value,
        "x_low": low_x,
        "x_high": high_x,
        "y": y.value / scale,
        "y_low": low_y / scale,
        "y_high": high_y / scale,
        "stored": interval(x),
        "shown": interval(y),
        "front": "yes" if on_front else "no",
    }


def _bounds(figure: Estimate) -> tuple[float, float]:
    if figure.low is None or figure.high is None:
        return figure.value, figure.value
    return figure.low, figure.high
