"""The Pareto picture: what each arm stores against what it can do, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import altair as alt

from analysis.stats.metrics import metric
from analysis.stats.quantities import Better
from reports.charts.base import Chart, arm_scale, chart_spec, interval, on_axis, rows, slug, visible_domain
from reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.stats.effects import Group
    from analysis.stats.quantities import Estimate
    from reports.material import Material

STORAGE = "storage_bytes_per_document"
_HEIGHT_PX = 250
_HOLLOW = ""
"""The filling of an arm off the Pareto front: no arm's name."""


def tradeoff(material: Material, group: Group, key: str, front: tuple[str, ...]) -> Chart | None:
    """Storage per document against another metric; None where no arm has both. Arms on the front are filled."""
    found, stored = metric(key), metric(STORAGE)
    points = [
        _point(arm, stores, does, on_front=arm in front)
        for arm in material.styles
        if (stores := material.figures.get((group, arm, STORAGE))) and (does := material.figures.get((group, arm, key)))
    ]
    if not points:
        return None
    best = "lower left" if found.better is Better.LOWER else "upper left"
    return Chart(
        key=slug("storage-against", key, *material.names_of(group)),
        title=found.label,
        caption=f"Against storage per document. Better is to the {best}.",
        spec=chart_spec(_layer(material, group, key, points), _HEIGHT_PX),
        table=Table(
            ("arm", stored.label, found.label, "Pareto front"),
            tuple((p["arm"], p["stored"], p["shown"], p["front"]) for p in points),
        ),
    )


def _layer(material: Material, group: Group, key: str, points: Sequence[dict[str, Any]]) -> Any:
    """Both intervals of each arm as a cross, its point, and its name."""
    found, stored = metric(key), metric(STORAGE)
    scale, words = on_axis(found.unit)
    figures = {name: [material.figures[group, point["arm"], name] for point in points] for name in (STORAGE, key)}
    x = alt.X("x:Q", title=f"{stored.label}, bytes", scale=_scale(visible_domain(figures[STORAGE], 1), padding=34))
    y = alt.Y("y:Q", title=f"{found.label}, {words}", scale=_scale(visible_domain(figures[key], scale), padding=22))
    styles = list(material.styles.values())
    colours = [style.colour for style in styles]
    fill = alt.Scale(domain=[*(style.name for style in styles), _HOLLOW], range=[*colours, "var(--ground)"])
    tips = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("stored:N", title=stored.label),
        alt.Tooltip("shown:N", title=found.label),
        alt.Tooltip("front:N", title="Pareto front"),
    ]
    colour = alt.Color("arm:N", scale=arm_scale(styles, "colour"), legend=None)
    base = alt.Chart(rows(points)).encode(color=colour, tooltip=tips)
    return alt.layer(
        base.mark_rule(opacity=0.5, strokeWidth=2).encode(x=x, y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q")),
        base.mark_rule(opacity=0.5, strokeWidth=2).encode(x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q"), y=y),
        base.mark_point(size=110, strokeWidth=2, opacity=1).encode(
            x=x,
            y=y,
            shape=alt.Shape("arm:N", scale=arm_scale(styles, "shape"), legend=None),
            fill=alt.Fill("inside:N", scale=fill, legend=None),
        ),
        *_labels(points, x, y),
    )


def _scale(domain: tuple[float, float], padding: int) -> alt.Scale:
    return alt.Scale(domain=list(domain), zero=False, nice=True, clamp=True, padding=padding)


def _labels(points: Sequence[dict[str, Any]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The arms' names beside their points: towards the middle, and away from a neighbour's."""
    middle = (min(point["x"] for point in points) + max(point["x"] for point in points)) / 2
    places: dict[tuple[Literal["left", "right"], int], list[dict[str, Any]]] = {}
    for point in points:
        align: Literal["left", "right"] = "right" if point["x"] > middle else "left"
        lifted = any(_near(point, other, points) and point["y"] < other["y"] for other in points)
        places.setdefault((align, 15 if lifted else -9), []).append(point)
    return [
        alt.Chart(rows(named))
        .mark_text(align=align, dx=9 if align == "left" else -9, dy=dy, baseline="middle")
        .encode(x=x, y=y, text=alt.Text("arm:N"))
        for (align, dy), named in places.items()
    ]


def _near(point: dict[str, Any], other: dict[str, Any], points: Sequence[dict[str, Any]]) -> bool:
    """Whether two points lie so close that their names would touch, seen at the size of the whole picture."""

    def share(name: str) -> float:
        extent = max(one[f"{name}_high"] for one in points) - min(one[f"{name}_low"] for one in points)
        return float(abs(point[name] - other[name]) / (extent or 1))

    return point is not other and share("x") < 0.3 and share("y") < 0.12


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
        "inside": arm if on_front else _HOLLOW,
    }


def _bounds(figure: Estimate) -> tuple[float, float]:
    if figure.low is None or figure.high is None:
        return figure.value, figure.value
    return figure.low, figure.high
