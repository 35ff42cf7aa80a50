"""The 99th percentile of each second of a phase, a line an arm: where latencies rise, and when."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.metrics import workload_of
from analysis.stats.quantities import Unit, quantity
from reports.charts.base import Chart, arm_scale, chart_spec, rows, slug
from reports.tables import Table

if TYPE_CHECKING:
    from analysis.stats.effects import Group
    from reports.material import Material

_HEIGHT_PX = 130
_MOST_POINTS = 300

Seconds = dict[str, dict[int, float]]
"""Arm -> second -> microseconds."""


def tail(material: Material, group: Group, workload: str) -> Chart | None:
    """The chart of one phase; None where no record has the seconds.

    A point is the middle one of the trials' percentiles of that second; of several seconds a point, the highest.
    """
    found = _medians(material, group, workload)
    if not found:
        return None
    return Chart(
        key=slug("tail", workload, *group.names),
        title="p99 latency of each second",
        caption="",
        spec=chart_spec(_layer(material, found), _HEIGHT_PX),
        table=_table(found),
        exported=False,
    )


def _medians(material: Material, group: Group, workload: str) -> Seconds:
    trials: dict[str, dict[int, list[float]]] = {}
    for record in material.counting_in(group):
        for phase in record.phases:
            if workload_of(phase) == workload:
                for second, value in enumerate(phase.p99_series_us[:-1]):  # the last second is cut short
                    if value is not None:
                        trials.setdefault(record.cell.arm, {}).setdefault(second, []).append(value)
    return {
        arm: {at: median(values) for at, values in sorted(trials[arm].items())}
        for arm in material.styles
        if arm in trials
    }


def _layer(material: Material, found: Seconds) -> Any:
    step = max(1, round(max(max(seconds) for seconds in found.values()) / _MOST_POINTS))
    data = []
    for arm, seconds in found.items():
        highest: dict[int, float] = {}
        for second, value in seconds.items():
            at = second // step * step
            highest[at] = max(value, highest.get(at, 0.0))
        data += [
            {"arm": arm, "second": at, "value": value / 1000, "shown": quantity(value, Unit.US)}
            for at, value in highest.items()
        ]
    base = alt.Chart(rows(data)).encode(
        x=alt.X("second:Q", title="seconds"),
        y=alt.Y("value:Q", title="milliseconds", scale=alt.Scale(type="log", nice=False, padding=6)),
        color=alt.Color("arm:N", scale=arm_scale(list(material.styles.values()), "colour"), title="arm"),
        tooltip=[alt.Tooltip("arm:N"), alt.Tooltip("second:Q"), alt.Tooltip("shown:N", title="p99")],
    )
    return alt.layer(base.mark_line(strokeWidth=1.6), base.mark_point(size=40, opacity=0))


def _table(found: Seconds) -> Table:
    """A row an arm: its middle second, and its highest."""
    body = tuple(
        (arm, *(quantity(value, Unit.US) for value in (median(seconds.values()), max(seconds.values()))))
        for arm, seconds in found.items()
    )
    return Table(("arm", "p99 of the middle second", "of the highest"), body)
