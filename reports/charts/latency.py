"""Latency percentiles per arm: all trials' histograms merged, drawn against the nines of the percentile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.metrics import workload_of
from analysis.stats.quantities import Unit, quantity
from analysis.trial.latency import merge
from reports.charts.base import Chart, arm_scale, chart_spec, interval, rows, slug
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.stats.effects import Group
    from analysis.trial.records import Latency, TrialRecord
    from reports.material import Material
    from reports.theme import ArmStyle

PERCENTILES = (("p50", 0.5), ("p90", 0.1), ("p95", 0.05), ("p99", 0.01), ("p99.9", 0.001), ("p99.99", 0.0001))
_TABULATED = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}
"""Metrics of the table, and what its columns are called."""
"""A percentile's name, and the share of operations that take longer."""

KINDS = ("actual", "intended")
_HEIGHT_PX = 300
_SMALL_HEIGHT_PX = 170


def percentiles(material: Material, group: Group, workload: str) -> Chart | None:
    """One phase's percentiles in one group; None where no trial that counts has any."""
    merged = _merged(material.counting_in(group), workload, material.phases[workload].operation)
    if not merged:
        return None
    kinds = [kind for kind in KINDS if any(one == kind for _, one in merged)]
    return Chart(
        key=slug("latency", workload, *material.names_of(group)),
        title=f"{workload} latency",
        caption="Merged histograms of all valid trials. " + _explained(kinds),
        spec=chart_spec(_layer(_points(merged), list(material.styles.values()), kinds), _HEIGHT_PX),
        table=_table(merged),
    )


def by_operation(material: Material, group: Group, workload: str) -> list[Chart]:
    """The percentiles of each kind of operation by itself, beside the one that the phase is judged by."""
    records = material.counting_in(group)
    measured = [
        one.operation
        for record in records for phase in record.phases if workload_of(phase) == workload for one in phase.latencies
    ]  # fmt: skip
    judged = material.phases[workload].operation
    charts = []
    for operation in (name for name in dict.fromkeys(measured) if name != judged):
        merged = {key: one for key, one in _merged(records, workload, operation).items() if key[1] == "actual"}
        if merged:
            charts.append(
                Chart(
                    key=slug("latency", workload, operation, *material.names_of(group)),
                    title=f"{operation} of {workload}",
                    caption="",
                    spec=chart_spec(
                        _layer(_points(merged), list(material.styles.values()), ["actual"]), _SMALL_HEIGHT_PX
                    ),
                    table=_table(merged),
                    exported=False,
                )
            )
    return charts


def _points(merged: Mapping[tuple[str, str], _Merged]) -> list[dict[str, Any]]:
    return [
        {
            "arm": arm,
            "kind": kind,
            "longer": longer,
            "value": found.at_us[name] / 1000,
            "percentile": name,
            "shown": quantity(found.at_us[name], Unit.US),
            "operations": f"{found.count:,}",
        }
        for (arm, kind), found in merged.items()
        for name, longer in PERCENTILES
    ]


def _layer(points: Sequence[Mapping[str, Any]], styles: Sequence[ArmStyle], kinds: Sequence[str]) -> Any:
    """A line for each arm and kind, over the nines of the percentile."""
    x = alt.X(
        "longer:Q",
        scale=alt.Scale(type="log", domain=[0.6, 0.00008], nice=False),
        axis=alt.Axis(
            title="percentile of operations",
            values=[longer for name, longer in PERCENTILES if name != "p95"],  # its label would touch its neighbour's
            labelExpr="'p' + format(100 - datum.value * 100, '.4~f')",
        ),
    )
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(title="latency, milliseconds (log scale)"),
    )
    colour = alt.Color("arm:N", scale=arm_scale(styles, "colour"), title="arm")
    shape = alt.Shape("arm:N", scale=arm_scale(styles, "shape"), title="arm")
    dash = alt.StrokeDash(
        "kind:N",
        title="latency",
        scale=alt.Scale(domain=list(KINDS), range=[[1, 0], [5, 4]]),
        legend=alt.Undefined if len(kinds) > 1 else None,
    )
    tips = [alt.Tooltip(f"{name}:N") for name in ("arm", "kind", "percentile", "shown", "operations")]
    base = alt.Chart(rows(points)).encode(x=x, y=y, color=colour)
    return alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash, detail=alt.Detail("kind:N")),
        base.mark_point(filled=True, size=60, opacity=1).encode(shape=shape, tooltip=tips),
    )


def _explained(kinds: Sequence[str]) -> str:
    if kinds == ["actual"]:
        return (
            "Closed loop: each thread waits for its answer before it sends the next request, so a stall hides requests."
        )
    if kinds == ["intended"]:
        return "Intended latency: counted from the time at which the schedule asked for the operation."
    return "Solid: actual latency. Dashed: intended latency, counted from the time that the schedule asked for."


@dataclass(frozen=True)
class _Merged:
    """One distribution: the latency at each percentile, and how many operations it holds."""

    at_us: dict[str, float]
    max_us: float
    count: int


def _merged(records: Sequence[TrialRecord], workload: str, operation: str) -> dict[tuple[str, str], _Merged]:
    """The latencies of one operation of a workload by arm and kind."""
    found: dict[tuple[str, str], list[Latency]] = {}
    for record in records:
        for phase in record.phases:
            if workload_of(phase) != workload:
                continue
            for one in phase.latencies:
                if one.operation == operation and one.count:
                    found.setdefault((record.cell.arm, one.kind), []).append(one)
    return {key: _merge(latencies) for key, latencies in found.items()}


def _merge(latencies: list[Latency]) -> _Merged:
    histogram = merge(tuple(latencies))
    return _Merged(
        at_us={name: float(histogram.get_value_at_percentile(100 * (1 - longer))) for name, longer in PERCENTILES},
        max_us=max(one.max_us for one in latencies),
        count=sum(one.count for one in latencies),
    )


def _table(merged: dict[tuple[str, str], _Merged]) -> Table:
    return Table(
        ("arm", "kind", *(name for name, _ in PERCENTILES), "highest", "operations"),
        tuple(
            (
                arm,
                kind,
                *(quantity(found.at_us[name], Unit.US) for name, _ in PERCENTILES),
                quantity(found.max_us, Unit.US),
                f"{found.count:,}",
            )
            for (arm, kind), found in merged.items()
        ),
        labels=2,
    )


def latency_table(material: Material, group: Group) -> Table:
    """Percentiles of each phase and arm, as means over the trials with their intervals."""
    body: list[tuple[str, ...]] = []
    for workload in material.phases:
        for arm in material.styles:
            cells: list[Any] = [material.figures.get((group, arm, f"{workload}.{name}")) for name in _TABULATED]
            if any(cells):
                body.append((workload, arm, *(interval(cell) if cell else ABSENT for cell in cells)))
    return Table(("phase", "arm", *_TABULATED.values()), tuple(body), labels=2)
