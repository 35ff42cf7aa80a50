"""What the engine did over a phase, second by second: dirty cache, pages evicted, bytes written; a line an arm.

Only figures of mongod itself: the host's go on while a trial is frozen, and would pile up at the next turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import pandas as pd

from analysis.stats.metrics import workload_of
from analysis.stats.quantities import number
from reports.charts.base import Chart, arm_scale, chart_spec, rows, slug
from reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from analysis.stats.effects import Group
    from reports.material import Material

_HEIGHT_PX = 130
_MOST_POINTS = 300


@dataclass(frozen=True)
class _Figure:
    """One chart: what is drawn of each sample, from which columns."""

    key: str
    title: str
    axis: str
    columns: tuple[str, ...]
    of: Callable[[pd.DataFrame], pd.Series]


_FIGURES = (
    _Figure("dirty", "dirty share of the cache", "per cent", ("cache_dirty_bytes", "cache_max_bytes"),
            lambda one: 100 * one["cache_dirty_bytes"] / one["cache_max_bytes"]),
    _Figure("evicted", "pages evicted by application threads", "per second", ("app_evicted_per_s",),
            lambda one: one["app_evicted_per_s"]),
    _Figure("written", "written to data files", "MiB/s", ("block_written_bytes_per_s",),
            lambda one: one["block_written_bytes_per_s"] / 2**20),
    _Figure("read", "read from data files", "MiB/s", ("block_read_bytes_per_s",),
            lambda one: one["block_read_bytes_per_s"] / 2**20),
)  # fmt: skip


def engine(material: Material, group: Group, workload: str) -> list[Chart]:
    """The charts of one phase; those whose figures are unknown, or 0 throughout, are left out."""
    samples = _samples(material, group, workload)
    charts = []
    for figure in _FIGURES:
        drawn = _means(samples, figure)
        if drawn.empty or not (drawn["value"] > 0).any():
            continue
        charts.append(
            Chart(
                key=slug("engine", figure.key, workload, *group.names),
                title=figure.title,
                caption="",
                spec=chart_spec(_layer(material, drawn, figure), _HEIGHT_PX),
                table=_table(drawn, figure),
                exported=False,
            )
        )
    return charts


def _samples(material: Material, group: Group, workload: str) -> pd.DataFrame:
    """The samples of all valid trials in the phase, with their arms."""
    parts = []
    for record in material.counting_in(group):
        known = material.run.time_series.get(record.trial)
        names = [phase.name for phase in record.phases if workload_of(phase) == workload]
        if known is not None and {"phase", "second"} <= set(known.columns):
            parts.append(known[known["phase"].isin(names)].assign(arm=record.cell.arm))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _means(samples: pd.DataFrame, figure: _Figure) -> pd.DataFrame:
    """Arm, second and mean over the trials; several seconds a point where a phase is long."""
    if samples.empty or not set(figure.columns) <= set(samples.columns):
        return pd.DataFrame()
    step = max(1, round(float(samples["second"].max()) / _MOST_POINTS))
    found = samples.assign(value=figure.of(samples), at=(samples["second"] // step) * step)
    found = found[found["value"].notna() & found["value"].abs().lt(float("inf"))]
    return found.groupby(["arm", "at"], sort=False)["value"].mean().reset_index()


def _layer(material: Material, drawn: pd.DataFrame, figure: _Figure) -> Any:
    data = [
        {"arm": str(arm), "second": at, "value": value, "shown": number(value)}
        for arm, at, value in zip(drawn["arm"], drawn["at"].tolist(), drawn["value"].tolist(), strict=True)
    ]
    tips = [
        alt.Tooltip("arm:N"), alt.Tooltip("second:Q"),
        alt.Tooltip("shown:N", title=f"{figure.title}, {figure.axis}"),
    ]  # fmt: skip
    base = alt.Chart(rows(data)).encode(
        x=alt.X("second:Q", title="seconds"),
        y=alt.Y("value:Q", title=figure.axis, scale=alt.Scale(zero=True)),
        color=alt.Color("arm:N", scale=arm_scale(list(material.styles.values()), "colour"), title="arm"),
        tooltip=tips,
    )
    return alt.layer(base.mark_line(strokeWidth=1.6), base.mark_point(size=40, opacity=0))


def _table(drawn: pd.DataFrame, figure: _Figure) -> Table:
    """A row an arm: the mean, and the highest second."""
    body = tuple(
        (str(arm), number(float(part.mean())), number(float(part.max())))
        for arm, part in drawn.groupby("arm", sort=False)["value"]
    )
    return Table(("arm", f"mean, {figure.axis}", "highest second"), body)
