"""Throughput over time: one chart an arm, on one scale, with what the engine was doing marked.

Engine samples are frames with a row per second: `phase` (its name), `second` (from the phase's start, in the trial's
own time), `unix_s` (when it was taken), and, where they are known, `checkpoint_running` (bool), `app_evicted_per_s`
(modified pages evicted by application threads): the frames of `analysis.trial.engine.time_series` with columns added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from analysis.stats.metrics import workload_of
from analysis.stats.quantities import block_number, number
from reports.charts.base import Chart, chart_spec, rows, slug
from reports.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from analysis.stats.effects import Group
    from analysis.trial.records import Phase
    from reports.material import Material

_HEIGHT_PX = 130
MOST_LINES = 8
"""More blocks than this are drawn as their median and middle half."""
STALL = 0.1
"""A second below this share of the phase's median is a stall."""
_POINTS = 600

Trials = list[tuple[str, int, "Phase"]]


def over_time(material: Material, group: Group, workload: str) -> list[Chart]:
    """A chart for each arm that has the phase, all with the same axes."""
    by_arm: dict[str, Trials] = {}
    for record in material.counting_in(group):
        for phase in record.phases:
            if workload_of(phase) == workload and len(phase.series_per_s) > 1:
                by_arm.setdefault(record.cell.arm, []).append((record.trial, block_number(record.block), phase))
    if not by_arm:
        return []
    every = [phase for trials in by_arm.values() for *_, phase in trials]
    seconds = max(len(phase.series_per_s) for phase in every)
    highest = max(max(phase.series_per_s) for phase in every)
    title = "seconds of its own" if any(phase.turns for phase in every) else "seconds"
    axes = _Axes(
        seconds,
        x=alt.X("second:Q", title=title, scale=alt.Scale(domain=[0, seconds], nice=False)),
        y=alt.Y("value:Q", title="operations/s", scale=alt.Scale(domain=[0, highest], nice=True)),
    )
    return [
        Chart(
            key=slug("over-time", workload, str(place), *group.names),
            title=arm,
            caption="",
            spec=chart_spec(alt.layer(*_layers(material, by_arm[arm], axes, style.colour)), _HEIGHT_PX),
            table=_table(by_arm[arm], material),
            exported=False,
        )
        for place, (arm, style) in enumerate(material.styles.items())
        if arm in by_arm
    ]


@dataclass(frozen=True)
class _Axes:
    """Common to all arms of a phase."""

    seconds: int
    x: alt.X
    y: alt.Y

    @property
    def step(self) -> int:
        """Seconds that a point stands for."""
        return max(1, -(-self.seconds // _POINTS))


def _layers(material: Material, trials: Trials, axes: _Axes, colour: str) -> list[Any]:
    layers: list[Any] = []
    warmup_s = float(np.median([phase.warmup_s for *_, phase in trials]))
    if warmup_s > 0:
        layers.append(
            alt.Chart(rows([{"from": 0, "to": min(warmup_s, axes.seconds), "what": "warm-up, not measured"}]))
            .mark_rect(color="var(--band)")
            .encode(x=alt.X("from:Q"), x2=alt.X2("to:Q"), tooltip=[alt.Tooltip("what:N", title="left out")])
        )
    layers += _lines(trials, axes, colour) if len(trials) <= MOST_LINES else _spread(trials, axes, colour)
    return layers + _events(material, trials, axes)


def _means(phase: Phase, step: int) -> list[tuple[float, float]]:
    """Second and mean operations per second over `step` seconds. The last second is cut short by the phase's end."""
    series = phase.series_per_s[:-1]
    return [(at + step / 2, float(np.mean(series[at : at + step]))) for at in range(0, len(series), step)]


def _lines(trials: Trials, axes: _Axes, colour: str) -> list[Any]:
    data = [
        {"second": second, "value": value, "block": block, "shown": f"{number(value)}/s"}
        for _, block, phase in trials
        for second, value in _means(phase, axes.step)
    ]
    tips = [alt.Tooltip("block:N"), alt.Tooltip("second:Q"), alt.Tooltip("shown:N", title="throughput")]
    base = alt.Chart(rows(data)).encode(x=axes.x, y=axes.y, detail=alt.Detail("block:N"), tooltip=tips)
    return [base.mark_line(color=colour, strokeWidth=1.4, opacity=0.85), base.mark_point(size=60, opacity=0)]


def _spread(trials: Trials, axes: _Axes, colour: str) -> list[Any]:
    at: dict[float, list[float]] = {}
    for *_, phase in trials:
        for second, value in _means(phase, axes.step):
            at.setdefault(second, []).append(value)
    data = []
    for second, values in sorted(at.items()):
        low, middle, high = np.percentile(values, [25, 50, 75]).tolist()
        said = f"{number(middle)}/s ({number(low)} to {number(high)})"
        data.append({"second": second, "value": middle, "low": low, "high": high, "n": len(values), "shown": said})
    tips = [
        alt.Tooltip("second:Q"),
        alt.Tooltip("shown:N", title="median, middle half"),
        alt.Tooltip("n:Q", title="trials"),
    ]
    base = alt.Chart(rows(data)).encode(x=axes.x, tooltip=tips)
    return [
        base.mark_area(color=colour, opacity=0.25).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_line(color=colour, strokeWidth=1.6).encode(y=axes.y),
    ]


def _events(material: Material, trials: Trials, axes: _Axes) -> list[Any]:
    """Ticks along the foot of the chart: checkpoints, eviction by application threads, stalls."""
    marks: list[dict[str, Any]] = []
    for trial, block, phase in trials[:MOST_LINES]:
        marks += [{"second": second, "event": "stall", "block": block} for second in stalls(phase.series_per_s)]
        samples = material.run.time_series.get(trial)
        if samples is not None:
            marks += [{"second": s, "event": event, "block": block} for s, event in _engine_events(samples, phase.name)]
    if not marks:
        return []
    tips = [alt.Tooltip(f"{field}:N") for field in ("event", "second", "block")]
    events = ["checkpoint", "application eviction", "stall"]
    shape = alt.Shape("event:N", legend=None, scale=alt.Scale(domain=events, range=["triangle-up", "diamond", "cross"]))
    return [
        alt.Chart(rows(marks))
        .mark_point(filled=True, size=45, color="var(--ink)", opacity=0.8, y=_HEIGHT_PX, yOffset=-6)
        .encode(x=axes.x, shape=shape, tooltip=tips)
    ]


def stalls(series: Sequence[float]) -> list[int]:
    """Seconds in which a phase all but stood still, against its own median, once its client was under way.

    The last second may be cut short.
    """
    whole = series[:-1]
    if len(whole) < 3:
        return []
    floor = STALL * float(np.median(whole))
    begun = next((second for second, value in enumerate(whole) if value >= floor), len(whole))
    return [second for second, value in enumerate(whole) if value < floor and second > begun]


def checkpoints_begun(samples: pd.DataFrame, phase: str, clock: str = "second") -> list[float]:
    """When checkpoints of a phase began, by the column `clock`; none where the samples do not tell."""
    if not {"phase", "checkpoint_running", clock} <= set(samples.columns):
        return []
    inside = samples[samples["phase"] == phase]
    running = inside["checkpoint_running"].fillna(False).astype(bool)
    return [float(at) for at in inside[running & ~running.shift(fill_value=False)][clock]]


def _engine_events(samples: pd.DataFrame, phase: str) -> list[tuple[float, str]]:
    found = [(second, "checkpoint") for second in checkpoints_begun(samples, phase)]
    if {"phase", "second", "app_evicted_per_s"} <= set(samples.columns):
        inside = samples[samples["phase"] == phase]
        evicting = inside[inside["app_evicted_per_s"].fillna(0) > 0]
        found += [(float(second), "application eviction") for second in evicting["second"]]
    return found


def _table(trials: Trials, material: Material) -> Table:
    """A row per trial: the figures that a line's shape shows, instead of every second."""
    body = []
    for trial, block, phase in trials:
        low, middle, high = np.percentile(phase.series_per_s, [5, 50, 95]).tolist()
        known = material.run.time_series.get(trial)
        begun = [e for e in _engine_events(known, phase.name) if e[1] == "checkpoint"] if known is not None else None
        body.append(
            (
                str(block),
                *(f"{number(value)}/s" for value in (low, middle, high)),
                str(len(stalls(phase.series_per_s))),
                "not recorded" if begun is None else str(len(begun)),
            )
        )
    return Table(("block", "5 % of seconds below", "median", "5 % above", "stalls", "checkpoints"), tuple(body))
