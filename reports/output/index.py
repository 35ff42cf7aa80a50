"""The index of all runs: what each decided, and how the primary metrics of a campaign moved from run to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from analysis.decide.sentences import likeness
from analysis.gate.history import FEWEST_RUNS, history
from core.files import write_whole
from reports.charts.base import slug
from reports.charts.trend import trend
from reports.output.bundle import vega_bundle
from reports.output.environment import environment
from reports.output.rendering import script_policy
from reports.plain import plain
from reports.run import by_campaign
from reports.theme import CONFIG, STATIC, VERDICTS, arm_styles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from analysis.gate.comparability import Difference
    from reports.charts.base import Chart
    from reports.run import RunSummary, Shift


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
class Turn:
    """A run from which on figures are others."""

    run_id: str
    previous: str
    link: str
    changes: tuple[tuple[str, str, str], ...]
    """Verdict, its glyph, and the change in words."""
    differences: str


@dataclass(frozen=True)
class CampaignPage:
    """The runs of one campaign, the newest first, where their figures changed, and the trends of primary metrics."""

    name: str
    lines: tuple[Line, ...]
    turns: tuple[Turn, ...]
    trends: tuple[Chart, ...]
    runs_lacking: int
    """How many more runs it takes before changes are looked for."""


def write(runs: Sequence[RunSummary], shifts: Sequence[Shift], path: Path) -> None:
    """See `reports.write_index`."""
    campaigns = by_campaign(runs)
    pages = [
        _campaign(name, number, found, [shift for shift in shifts if shift.campaign == name])
        for number, (name, found) in enumerate(campaigns.items())
    ]
    data = {"charts": {chart.key: chart.spec for page in pages for chart in page.trends}, "config": CONFIG, "costs": {}}
    vega = vega_bundle() if data["charts"] else ""
    script = (STATIC / "report.js").read_text(encoding="utf-8")
    text = (
        environment()
        .get_template("index.html")
        .render(
            campaigns=plain(pages),
            css=(STATIC / "report.css").read_text(encoding="utf-8"),
            script=script,
            vega=vega,
            data=data,
            policy=script_policy(vega, script),
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _campaign(name: str, number: int, runs: Sequence[RunSummary], shifts: Sequence[Shift]) -> CampaignPage:
    links = {run.run_id: _address(run) for run in runs}
    return CampaignPage(
        name=name,
        lines=tuple(_line(run) for run in reversed(runs)),
        turns=tuple(_turn(shift, links) for shift in shifts),
        trends=tuple(_trends(number, runs, shifts)) if len(runs) > 1 else (),
        runs_lacking=max(0, FEWEST_RUNS - len(runs)),
    )


def _turn(shift: Shift, links: Mapping[str, str]) -> Turn:
    step = shift.step
    return Turn(
        run_id=step.run_id,
        previous=step.previous,
        link=links[step.run_id],
        changes=tuple((one.verdict.value, VERDICTS[one.verdict].glyph, one.sentence) for one in step.changes),
        differences=_differences(shift.differences),
    )


def _differences(found: Sequence[Difference] | None) -> str:
    if found is None:
        return "The difference from the run before can't be read."
    told = [f"{one.fact} {one.baseline or 'unknown'} → {one.candidate or 'unknown'}" for one in found]
    return f"What differs from the run before: {'; '.join(told) or 'nothing in the record'}."


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
            *([likeness(run.decision.fidelity)] if run.decision.fidelity else ()),
            *(one.sentence for one in run.decision.upgrades),
            *(f"{one.choice.group.label}: {one.sentence}" if several else one.sentence for one in recommendations),
        )
        or ("No recommendation: there are no trials.",),
        trials=f"{counts.trials - counts.void} of {counts.trials}",
        link=_address(run),
    )


def _address(run: RunSummary) -> str:
    """A path, whatever a folder is called: no scheme, query or fragment."""
    return quote(run.link, errors="surrogateescape")


def _trends(number: int, runs: Sequence[RunSummary], shifts: Sequence[Shift]) -> Iterable[Chart]:
    """A chart for what is followed of each primary metric and group. Trends show that something moved, not why."""
    started = {run.run_id: run.started_at for run in runs}
    every = history([(run.run_id, run.decision) for run in runs])
    changes = [change for shift in shifts for change in shift.step.changes]
    styles = arm_styles(tuple(dict.fromkeys(one.arm for one in every)))
    groups = list(dict.fromkeys(one.group for one in every))
    for place, group in enumerate(groups):
        of_group = [one for one in every if one.group == group]
        kinds = dict.fromkeys((one.metric, one.against, one.host) for one in of_group)
        for which, kind in enumerate(kinds):
            drawn = [one for one in of_group if (one.metric, one.against, one.host) == kind]
            yield trend(slug("trend", *map(str, (number, place, which)), *kind), drawn, changes, started, styles)
