"""The index of all runs: what each decided, and how the primary metrics of a campaign moved from run to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.metrics import metric
from analysis.quantities import quantity
from reports.bundle import vega_bundle
from reports.charts.base import Chart, chart_spec, interval, on_axis, rows, slug
from reports.environment import environment
from reports.files import write_whole
from reports.tables import ABSENT, Table
from reports.theme import CONFIG, STATIC, ArmStyle, arm_styles
from reports.write import nonce_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from analysis.effects import ArmEstimate
    from reports.run import RunSummary

_HEIGHT_PX = 170


@dataclass(frozen=True)
class Line:
    """One run in the index."""

    run_id: str
    date: str
    host: str
    engines: str
    decisions: tuple[str, ...]
    trials: str
    link: str


@dataclass(frozen=True)
class CampaignPage:
    """The runs of one campaign, the newest first, and the trends of its primary metrics."""

    name: str
    lines: tuple[Line, ...]
    trends: tuple[Chart, ...]


def write(runs: Sequence[RunSummary], path: Path) -> None:
    """See `reports.write_index`."""
    campaigns: dict[str, list[RunSummary]] = {}
    for run in sorted(runs, key=lambda run: (run.campaign, run.started_at)):
        campaigns.setdefault(run.campaign, []).append(run)
    pages = [_campaign(name, number, found) for number, (name, found) in enumerate(campaigns.items())]
    data = {"charts": {chart.key: chart.spec for page in pages for chart in page.trends}, "config": CONFIG, "costs": {}}
    text = (
        environment()
        .get_template("index.html")
        .render(
            campaigns=pages,
            css=(STATIC / "report.css").read_text(encoding="utf-8"),
            script=(STATIC / "report.js").read_text(encoding="utf-8"),
            vega=vega_bundle() if data["charts"] else "",
            data=data,
            nonce=nonce_of(data),
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _campaign(name: str, number: int, runs: Sequence[RunSummary]) -> CampaignPage:
    return CampaignPage(
        name=name,
        lines=tuple(_line(run) for run in reversed(runs)),
        trends=tuple(_trends(number, runs)) if len(runs) > 1 else (),
    )


def _line(run: RunSummary) -> Line:
    counts = run.decision.counts
    recommendations = run.decision.recommendations
    several = len(recommendations) > 1
    return Line(
        run_id=run.run_id,
        date=run.started_at[:16].replace("T", " "),
        host=run.host,
        engines=", ".join(run.engines),
        decisions=(
            *(one.sentence for one in run.decision.upgrades),
            *(f"{one.choice.group.label}: {one.sentence}" if several else one.sentence for one in recommendations),
        )
        or ("No recommendation: there are no trials.",),
        trials=f"{counts.trials - counts.void} of {counts.trials}",
        link=run.link,
    )


def _trends(number: int, runs: Sequence[RunSummary]) -> Iterable[Chart]:
    """A chart a primary metric and group. Runs differ in host and hour: trends show that something moved, not why."""
    arms = tuple(dict.fromkeys(one.arm for run in runs for one in run.decision.estimates))
    styles = arm_styles(arms)
    primary = dict.fromkeys(key for run in runs for key in run.decision.primary)
    groups = dict.fromkeys((one.engine, one.dataset) for run in runs for one in run.decision.estimates)
    for place, (engine, dataset) in enumerate(groups):
        for key in primary:
            figures = [
                (run, one)
                for run in runs
                for one in run.decision.estimates
                if (one.engine, one.dataset, one.metric) == (engine, dataset, key)
            ]
            if figures:
                title = f" ({engine}, {dataset})" if len(groups) > 1 else ""
                yield _trend(slug("trend", str(number), str(place), key), key, title, figures, styles)


def _trend(
    element: str, key: str, group: str, figures: Sequence[tuple[RunSummary, ArmEstimate]], styles: Sequence[ArmStyle]
) -> Chart:
    found = metric(key)
    scale, words = on_axis(found.unit)
    data: list[dict[str, Any]] = [
        {
            "run": run.run_id,
            "started": run.started_at,
            "arm": one.arm,
            "value": one.figure.value / scale,
            "shown": interval(one.figure),
        }
        for run, one in figures
    ]
    names = [style.name for style in styles]
    base = alt.Chart(rows(data)).encode(
        x=alt.X("started:T", title="run started (UTC)", scale=alt.Scale(type="utc", padding=12)),
        y=alt.Y("value:Q", title=words, scale=alt.Scale(zero=True)),
        color=alt.Color("arm:N", scale=alt.Scale(domain=names, range=[style.colour for style in styles]), title="arm"),
    )
    shape = alt.Shape("arm:N", scale=alt.Scale(domain=names, range=[style.shape for style in styles]), title="arm")
    tips = [alt.Tooltip("run:N"), alt.Tooltip("arm:N"), alt.Tooltip("shown:N", title=found.label)]
    layer = alt.layer(
        base.mark_line(strokeWidth=1.5),
        base.mark_point(filled=True, size=60, opacity=1).encode(shape=shape, tooltip=tips),
    )
    runs = list(dict.fromkeys(run.run_id for run, _ in figures))
    cells = {(run.run_id, one.arm): quantity(one.figure.value, one.figure.unit) for run, one in figures}
    return Chart(
        key=element,
        title=found.label + group,
        caption="",
        spec=chart_spec(layer, _HEIGHT_PX),
        table=Table(("run", *names), tuple((run, *(cells.get((run, arm), ABSENT) for arm in names)) for run in runs)),
        exported=False,
    )
