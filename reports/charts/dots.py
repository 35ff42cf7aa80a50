"""The article's figures: one metric of each arm, every block's point, the mean and its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.metrics import metric
from analysis.stats.quantities import block_number, quantity
from reports.charts.base import (
    ROW_PX,
    Chart,
    arm_rows,
    arm_scale,
    chart_spec,
    direction,
    interval,
    on_axis,
    rows,
    slug,
    visible_domain,
)
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.stats.effects import Group
    from reports.material import Material
    from reports.theme import ArmStyle

_VOID_CROSS = "M-1,-1L1,1M1,-1L-1,1"
MOST_JOINED = 8
"""More blocks than this are not joined by lines."""


def dots(material: Material, group: Group, key: str) -> Chart:
    """One metric in one group. Trials that do not count are crossed out, arms without any keep their empty row."""
    found = metric(key)
    scale, words = on_axis(found.unit)
    styles = list(material.styles.values())
    points = _points(material, group, key, scale)
    figures = [figure for arm in material.styles if (figure := material.figures.get((group, arm, key)))]
    _, highest = visible_domain(figures, scale, [point["value"] for point in points] or [1.0])
    value = alt.X(
        "value:Q", title=f"{found.label}, {words}", scale=alt.Scale(domain=[0, highest], nice=True, clamp=True)
    )
    layers = [
        *_point_layers(points, found.label, styles, value),
        *_mean_layers(_means(material, group, key, scale), styles, value),
    ]
    return Chart(
        key=slug(key, *material.names_of(group)),
        title=found.label if "." in key else found.label.capitalize(),
        caption=f"{direction(found.better).capitalize()}.",
        spec=chart_spec(alt.layer(*layers), ROW_PX * len(styles)),
        table=_table(material, group, key),
    )


def _point_layers(
    points: Sequence[Mapping[str, Any]], label: str, styles: Sequence[ArmStyle], value: alt.X
) -> list[alt.Chart]:
    """Every trial, in the upper part of its arm's row; faint lines join a block's while there are few."""
    y = arm_rows(styles)
    blocks = sorted({point["block"] for point in points})
    spread = alt.YOffset("block:N", sort=None, scale=alt.Scale(domain=blocks, range=[6, ROW_PX - 20]))
    tips = [alt.Tooltip("arm:N"), alt.Tooltip("block:N"), alt.Tooltip("shown:N", title=label)]
    counted = [point for point in points if point["counts"]]
    void = [point for point in points if not point["counts"]]
    layers = []
    base = alt.Chart(rows(counted)).encode(x=value, y=y, yOffset=spread)
    if counted and len({point["block"] for point in counted}) <= MOST_JOINED:
        layers.append(
            base.mark_line(color="var(--ink-2)", strokeWidth=1, opacity=0.28).encode(detail=alt.Detail("block:N"))
        )
    if counted:
        layers.append(
            base.mark_point(filled=True, size=46, opacity=0.85).encode(
                color=alt.Color("arm:N", scale=arm_scale(styles, "colour"), legend=None),
                shape=alt.Shape("arm:N", scale=arm_scale(styles, "shape"), legend=None),
                tooltip=tips,
            )
        )
    if ringed := [point for point in points if point["host"]]:
        rings = alt.Chart(rows(ringed)).mark_point(size=170, stroke="var(--open)", strokeWidth=1.5, opacity=1)
        layers.append(rings.encode(x=value, y=y, yOffset=spread, tooltip=[*tips, alt.Tooltip("host:N")]))
    if void:
        crossed = alt.Chart(rows(void)).mark_point(shape=_VOID_CROSS, size=60, stroke="var(--worse)", strokeWidth=2)
        layers.append(crossed.encode(x=value, y=y, yOffset=spread, tooltip=[*tips, alt.Tooltip("void:N")]))
    return layers


def _mean_layers(means: Sequence[Mapping[str, Any]], styles: Sequence[ArmStyle], value: alt.X) -> list[alt.Chart]:
    """Mean and interval at the foot of the row."""
    y = arm_rows(styles)
    tips = [alt.Tooltip("arm:N"), alt.Tooltip("shown:N", title="mean, interval"), alt.Tooltip("n:Q", title="blocks")]
    base = alt.Chart(rows(means)).encode(y=y, tooltip=tips)
    foot = ROW_PX / 2 - 12
    return [
        base.mark_rule(strokeWidth=2, yOffset=foot, y2Offset=foot).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_tick(thickness=3, size=13, opacity=1, color="var(--ink)", yOffset=foot).encode(x=value),
    ]


def _points(material: Material, group: Group, key: str, scale: float) -> list[dict[str, Any]]:
    void = {record.trial: "; ".join(reason.message for reason in record.void) for record in material.records}
    moved: dict[int, list[str]] = {}
    for one in material.run.moved:
        moved.setdefault(one.block, []).append(str(one))
    unit = metric(key).unit
    return [
        {
            "arm": row.arm,
            "block": block_number(row.block),
            "value": row.value / scale,
            "shown": quantity(row.value, unit),
            "counts": row.counts,
            "void": void[row.trial],
            "host": "; ".join(moved.get(row.block, ())),
        }
        for row in material.readings(group, key)
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
    """A row per arm: mean, interval, and each block, void ones in brackets."""
    found = material.readings(group, key)
    unit = metric(key).unit
    cells: dict[tuple[str, int], list[str]] = {}
    for row in found:
        shown = quantity(row.value, unit)
        cells.setdefault((row.arm, row.block), []).append(shown if row.counts else f"({shown}, void)")
    blocks = sorted({row.block for row in found})
    body = tuple(
        (
            arm,
            interval(material.figures.get((group, arm, key))),
            *(", ".join(cells.get((arm, block), [ABSENT])) for block in blocks),
        )
        for arm in material.styles
    )
    return Table(("arm", "mean and interval", *(_heading(material, block) for block in blocks)), body)


def _heading(material: Material, block: int) -> str:
    moved = any(one.block == block for one in material.run.moved)
    return f"block {block_number(block)}{' (host moved)' if moved else ''}"
