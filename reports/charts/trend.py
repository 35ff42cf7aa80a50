"""A primary metric from run to run, with the runs marked from which on it is another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.quantities import quantity
from reports.charts.base import Chart, arm_scale, chart_spec, interval, on_axis, rows
from reports.tables import ABSENT, Table
from reports.theme import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.gate.history import Change, Series
    from reports.theme import ArmStyle

_HEIGHT_PX = 170


def trend(
    element: str,
    drawn: Sequence[Series],
    changes: Sequence[Change],
    started: Mapping[str, str],
    styles: Sequence[ArmStyle],
) -> Chart:
    """A line per arm over the runs' starts (`started`: run -> UTC, ISO 8601); `changes` of others are left out."""
    first = drawn[0]
    label = f"{first.host}: {first.label}" if first.host else first.label
    scale, words = on_axis(first.unit)
    x = alt.X("started:T", title="run started (UTC)", scale=alt.Scale(type="utc", padding=12))
    y = alt.Y("value:Q", title=words, scale=alt.Scale(zero=True))
    data = [
        {
            "run": run,
            "started": started[run],
            "arm": series.arm,
            "value": figure.value / scale,
            "shown": interval(figure),
        }
        for series in drawn
        for run, figure in series.figures.items()
    ]
    base = alt.Chart(rows(data)).encode(
        x=x, y=y, color=alt.Color("arm:N", scale=arm_scale(styles, "colour"), title="arm")
    )
    shape = alt.Shape("arm:N", scale=arm_scale(styles, "shape"), title="arm")
    tips = [alt.Tooltip("run:N"), alt.Tooltip("arm:N"), alt.Tooltip("shown:N", title=label)]
    shown = [change for change in changes if change.series in drawn]
    layer = alt.layer(
        base.mark_line(strokeWidth=1.5),
        base.mark_point(filled=True, size=60, opacity=1).encode(shape=shape, tooltip=tips),
        *(_mark(change, started, scale, x, y) for change in shown),
    )
    return Chart(
        key=element,
        title=f"{label} ({first.group})" if first.group else label,
        caption=" ".join(f"{VERDICTS[one.verdict].glyph} {one.sentence} with {one.run_id}." for one in shown),
        spec=chart_spec(layer, _HEIGHT_PX),
        table=_table(drawn, shown, started, styles),
        exported=False,
    )


def _mark(change: Change, started: Mapping[str, str], scale: float, x: alt.X, y: alt.Y) -> Any:
    """A large outline around the first point that is another."""
    style = VERDICTS[change.verdict]
    value = change.series.figures[change.run_id].value / scale
    data = [{"started": started[change.run_id], "value": value, "run": change.run_id, "what": change.sentence}]
    return (
        alt.Chart(rows(data))
        .mark_point(shape=style.shape, size=420, stroke=style.colour, strokeWidth=2.5, filled=False, opacity=1)
        .encode(x=x, y=y, tooltip=[alt.Tooltip("run:N"), alt.Tooltip("what:N", title="changed")])
    )


def _table(
    drawn: Sequence[Series], shown: Sequence[Change], started: Mapping[str, str], styles: Sequence[ArmStyle]
) -> Table:
    """A row per run; a figure that changed there has a mark."""
    marks = {(one.run_id, one.series.arm): f" {VERDICTS[one.verdict].glyph}" for one in shown}
    cells = {
        (run, series.arm): quantity(figure.value, figure.unit) + marks.get((run, series.arm), "")
        for series in drawn
        for run, figure in series.figures.items()
    }
    names = [style.name for style in styles]
    runs = [run for run in started if any(run in series.figures for series in drawn)]
    return Table(("run", *names), tuple((run, *(cells.get((run, arm), ABSENT) for arm in names)) for run in runs))
