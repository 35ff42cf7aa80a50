"""The article's figures: one metric of each arm, every block's point, the mean and its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.metrics import metric
from analysis.quantities import quantity
from reports.charts.base import ROW_PX, Chart, arm_rows, arm_scale, chart_spec, direction, interval, on_axis, rows, slug
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from analysis.effects import Group
    from reports.material import Material

_VOID_CROSS = "M-1,-1L1,1M1,-1L-1,1"


def dots(material: Material, group: Group, key: str) -> Chart:
    """One metric in one group. Trials that do not count are crossed out, arms without any keep their empty row."""
    found = metric(key)
    scale, words = on_axis(found.unit)
    points = _points(material, group, key, scale)
    means = _means(material, group, key, scale)
    styles = list(material.styles.values())
    value = alt.X("value:Q", title=f"{found.label}, {words}", scale=alt.Scale(zero=True, nice=True))
    tips = [alt.Tooltip("arm:N"), alt.Tooltip("block:N"), alt.Tooltip("shown:N", title=found.label)]
    colour = alt.Color("arm:N", scale=arm_scale(styles, "colour"), legend=None)
    shape = alt.Shape("arm:N", scale=arm_scale(styles, "shape"), legend=None)
    y = arm_rows(styles)
    spread = alt.YOffset("block:N", sort=None)
    counted = alt.Chart(rows(p for p in points if p["counts"])).mark_point(filled=True, size=42, opacity=0.6)
    void = alt.Chart(rows(p for p in points if not p["counts"])).mark_point(
        shape=_VOID_CROSS, size=50, stroke="var(--worse)", strokeWidth=1.8
    )
    span = alt.Chart(rows(means)).mark_rule(strokeWidth=2.5, color="var(--ink)")
    mean = alt.Chart(rows(means)).mark_tick(thickness=3, size=24, color="var(--ink)")
    mean_tips = [alt.Tooltip("arm:N"), alt.Tooltip("shown:N", title="mean and interval"), alt.Tooltip("n:Q", title="blocks")]
    layer = alt.layer(
        counted.encode(x=value, y=y, yOffset=spread, color=colour, shape=shape, tooltip=tips),
        void.encode(x=value, y=y, yOffset=spread, tooltip=[*tips, alt.Tooltip("void:N")]),
        span.encode(x=alt.X("low:Q"), x2="high:Q", y=y, tooltip=mean_tips),
        mean.encode(x=value, y=y, tooltip=mean_tips),
    )
    confidence = f"{material.run.criteria.confidence_percent:g}"
    return Chart(
        key=slug(key, *_several(material, group)),
        title=found.label[0].upper() + found.label[1:],
        caption=f"Each point is a block's trial; the bar is the mean with its {confidence} % interval, which holds the "
        f"differences between blocks too. {direction(found.better).capitalize()}.",
        spec=chart_spec(layer, ROW_PX * len(styles)),
        table=_table(material, group, key),
    )


def _several(material: Material, group: Group) -> tuple[str | None, ...]:
    """What tells the group from others in a name, where there are others."""
    return (group.engine, group.dataset) if len(material.groups) > 1 else ()


def _points(material: Material, group: Group, key: str, scale: float) -> list[dict[str, Any]]:
    frame = material.in_group(group)
    void = {record.trial: "; ".join(reason.message for reason in record.void) for record in material.records}
    unit = metric(key).unit
    return [
        {
            "arm": row.arm,
            "block": row.block,
            "value": row.value / scale,
            "shown": quantity(row.value, unit),
            "counts": row.counts,
            "void": void[row.trial],
        }
        for row in frame[frame["metric"] == key].itertuples()
    ]


def _means(material: Material, group: Group, key: str, scale: float) -> list[dict[str, Any]]:
    found = []
    for arm in material.styles:
        figure = material.figures.get((group, arm, key))
        if figure is None:
            continue
        low, high = figure.low, figure.high
        found.append(
            {
                "arm": arm,
                "value": figure.value / scale,
                "low": (figure.value if low is None else low) / scale,
                "high": (figure.value if high is None else high) / scale,
                "shown": interval(figure),
                "n": figure.n,
            }
        )
    return found


def _table(material: Material, group: Group, key: str) -> Table:
    """A row an arm: mean, interval, and each block, void ones in brackets."""
    frame = material.in_group(group)
    frame = frame[frame["metric"] == key]
    unit = metric(key).unit
    cells: dict[tuple[str, int], list[str]] = {}
    for row in frame.itertuples():
        shown = quantity(row.value, unit)
        cells.setdefault((row.arm, row.block), []).append(shown if row.counts else f"({shown}, void)")
    blocks = sorted(int(block) for block in frame["block"].unique())
    body = tuple(
        (
            arm,
            interval(material.figures.get((group, arm, key))),
            *(", ".join(cells.get((arm, block), [ABSENT])) for block in blocks),
        )
        for arm in material.styles
    )
    return Table(("arm", "mean and interval", *(f"block {block}" for block in blocks)), body)
