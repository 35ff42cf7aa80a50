"""What the templates get. `docs/templates.md` describes it to users: names here are a promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.stats.verdicts import Family
from reports.charts import sizes
from reports.charts.base import Chart, slug
from reports.charts.cost import cost_curve
from reports.charts.dots import dots
from reports.charts.engine import engine
from reports.charts.forest import effects_table, forest
from reports.charts.latency import by_operation, latency_table, percentiles
from reports.charts.over_time import over_time
from reports.charts.tail import tail
from reports.charts.tradeoffs import tradeoff
from reports.charts.turns import MOST_BLOCKS, blocks_with_turns, turns
from reports.page import evidence
from reports.page.answer import Answer, Glance, answer, choice_of, glance
from reports.page.cost import CostPage, cost_page
from reports.page.fidelity import FidelityPage, fidelity_page
from reports.page.notices import Notice, notices, undecided
from reports.page.steps import Step, engine_steps, platform_steps
from reports.page.turns import HowRun, how_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analysis.decide.decision import Decision
    from analysis.stats.effects import Group
    from reports.material import Material
    from reports.run import Run
    from reports.tables import Table


@dataclass(frozen=True)
class PhasePage:
    """One phase of one group."""

    workload: str
    latency: Chart | None
    operations: tuple[Chart, ...]
    """Latencies of each kind of operation beside the one that the phase is judged by."""
    turns: tuple[Chart, ...]
    """Of the first blocks; empty where no trial took turns."""
    turns_note: str
    """Which blocks are drawn, where not all are."""
    over_time: tuple[Chart, ...]
    tail: Chart | None
    """The p99 latency of each second."""
    engine: tuple[Chart, ...]
    """What the engine did, second by second."""
    counters: Table
    regime: str | None


@dataclass(frozen=True)
class GroupPage:
    """All that is shown of one engine, dataset and platform."""

    label: str
    answer: Answer
    glance: Glance
    figures: tuple[Chart, ...]
    """The article's: compression ratio, then each phase's throughput."""
    effects: Chart | None
    exploratory: Table
    latency_table: Table
    phases: tuple[PhasePage, ...]
    tradeoffs: tuple[Chart, ...]
    cost: CostPage | None
    cost_curve: Chart | None
    files: tuple[Chart, ...]
    ratios: Table
    raw_sizes: Table
    """Bytes of each trial at each moment."""

    def charts(self) -> Iterator[Chart]:
        """Every chart, in the order of the page."""
        yield from self.figures
        if self.effects:
            yield self.effects
        for phase in self.phases:
            if phase.latency:
                yield phase.latency
            yield from phase.operations
            yield from phase.turns
            yield from phase.over_time
            if phase.tail:
                yield phase.tail
            yield from phase.engine
        yield from self.tradeoffs
        if self.cost_curve:
            yield self.cost_curve
        yield from self.files


@dataclass(frozen=True)
class RunPage:
    """What is said of the run itself; what it measured is in the rest of the page."""

    campaign: str
    run_id: str
    question: str
    command: str
    spec_text: str
    arms: tuple[str, ...]
    engines: tuple[str, ...]
    datasets: tuple[str, ...]
    platforms: tuple[str, ...]
    versions: Mapping[str, str]
    moved: tuple[str, ...]
    """Canaries beyond the limit."""


@dataclass(frozen=True)
class Page:
    """The whole report."""

    run: RunPage
    decision: Decision
    fidelity: FidelityPage | None
    """Whether the baseline is like the deployment; None where the campaign mirrors none."""
    period: str
    """When the first trial started and the last one ended."""
    how_run: HowRun
    undecided: Notice | None
    notices: tuple[Notice, ...]
    engine_steps: tuple[Step, ...]
    """What each engine changed against the baseline engine; empty where engines are not compared."""
    platform_steps: tuple[Step, ...]
    """What each platform differs in from the first; empty where there is one."""
    groups: tuple[GroupPage, ...]
    trials: Table
    settings: Table
    """In force and the same for every arm."""
    settings_by_arm: Table
    settings_verbatim: Table
    noise: Table
    hosts: Table
    hosts_said: str
    """What each host is, in a line."""
    findings: Table
    """What the doctor advises on."""
    findings_folded: Table
    """What it finds good, or is not told."""
    corpora: Table
    versions: Table

    def charts(self) -> Iterator[Chart]:
        """Every chart, in the order of the page."""
        for group in self.groups:
            yield from group.charts()


def page(material: Material) -> Page:
    """Everything, ready to be shown."""
    settings = evidence.settings(material)
    return Page(
        run=_run(material.run),
        decision=material.decision,
        fidelity=fidelity_page(material.decision),
        period=_period(material.run),
        how_run=how_run(material),
        undecided=undecided(material),
        notices=notices(material),
        engine_steps=engine_steps(material.decision),
        platform_steps=platform_steps(material.decision),
        groups=tuple(_group(material, group) for group in material.groups),
        trials=evidence.trials(material),
        settings=settings[0],
        settings_by_arm=settings[1],
        settings_verbatim=settings[2],
        noise=evidence.noise(material),
        hosts=evidence.hosts(material),
        hosts_said=evidence.hosts_said(material),
        findings=evidence.findings(material, to_do=True),
        findings_folded=evidence.findings(material, to_do=False),
        corpora=evidence.corpora(material),
        versions=evidence.versions(material),
    )


def _run(run: Run) -> RunPage:
    return RunPage(
        campaign=run.campaign,
        run_id=run.run_id,
        question=run.decision.question,
        command=run.command,
        spec_text=run.spec_text,
        arms=run.arms,
        engines=run.engines,
        datasets=run.datasets,
        platforms=run.platforms,
        versions=run.versions,
        moved=tuple(map(str, run.moved)),
    )


def _period(run: Run) -> str:
    if not run.records:
        return "no trial yet"
    begun = min(record.started_at for record in run.records)[:16].replace("T", " ")
    ended = max(record.ended_at for record in run.records)[:16].replace("T", " ")
    return f"{begun} to {ended[11:] if ended[:10] == begun[:10] else ended} UTC"


def _group(material: Material, group: Group) -> GroupPage:
    order = list(material.styles)
    effects = sorted(
        (one for one in material.decision.effects if one.group == group), key=lambda one: order.index(one.candidate)
    )
    primary = [one for one in effects if one.family is Family.PRIMARY]
    others = [one for one in effects if one.family is not Family.PRIMARY]
    choice = choice_of(material, group)
    front = choice.pareto if choice else ()
    runs = [workload for workload, phase in material.phases.items() if phase.kind == "run"]
    against = [f"{run}.{name}" for run in runs for name in ("throughput", "p99", "mongod_cpu_us_per_operation")]
    moments = dict.fromkeys(one.moment for record in material.counting_in(group) for one in record.sizes)
    measured = set(material.measured["metric"].unique())
    shown = ["compression_ratio", *(f"{workload}.throughput" for workload in material.phases)]
    return GroupPage(
        label=group.label,
        answer=answer(material, group),
        glance=glance(material, group),
        figures=tuple(dots(material, group, key) for key in shown if key in measured),
        effects=forest(material, group, primary) if primary else None,
        exploratory=effects_table(others),
        latency_table=latency_table(material, group),
        phases=tuple(_phase(material, group, workload) for workload in material.phases),
        tradeoffs=tuple(chart for key in against if (chart := tradeoff(material, group, key, front))),
        cost=cost_page(material, group, slug("cost", *group.names)),
        cost_curve=cost_curve(material, group, choice.costs) if choice and choice.costs else None,
        files=tuple(chart for moment in moments if (chart := sizes.files(material, group, moment))),
        ratios=evidence.ratios(material, group),
        raw_sizes=sizes.raw(material, group),
    )


def _phase(material: Material, group: Group, workload: str) -> PhasePage:
    blocks = len(blocks_with_turns(material, group, workload))
    return PhasePage(
        workload=workload,
        latency=percentiles(material, group, workload),
        operations=tuple(by_operation(material, group, workload)),
        turns=tuple(turns(material, group, workload)),
        turns_note=f"The first {MOST_BLOCKS} of {blocks} blocks." if blocks > MOST_BLOCKS else "",
        over_time=tuple(over_time(material, group, workload)),
        tail=tail(material, group, workload),
        engine=tuple(engine(material, group, workload)),
        counters=evidence.counters(material, group, workload),
        regime=evidence.regime(material, group, workload),
    )
