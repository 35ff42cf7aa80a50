"""What a report is made from: one run of a campaign and its decision, as the harness hands them over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from analysis.decide.decision import Decision
    from analysis.gate.comparability import Difference
    from analysis.gate.history import Step
    from analysis.trial.canaries import Moved
    from analysis.trial.records import Cell, TrialRecord

Finding = tuple[str, str, str, str]
"""The doctor's subject, what was found, level and advice."""


@dataclass(frozen=True)
class Run:
    """One run, decided. Every text in it may be hostile: names and errors come from specs, logs and databases."""

    campaign: str
    run_id: str
    spec_text: str
    """The YAML as the user wrote it."""
    command: str
    """What repeats this run."""
    records: tuple[TrialRecord, ...]
    """All attempts, void ones included."""
    decision: Decision
    measured: pd.DataFrame
    """`frames.measurements` of the records with the costs under the criteria's prices: a judged study's."""
    planned_trials: tuple[tuple[int, Cell], ...]
    """Block and cell of every trial planned so far, so that missing ones show."""
    arms: tuple[str, ...]
    """In the order of the spec, which fixes their colours; engines and datasets likewise."""
    engines: tuple[str, ...]
    datasets: tuple[str, ...]
    platforms: tuple[str, ...]
    """In the order of the inventory; where it names none, the empty name."""
    hosts: Mapping[str, Mapping[str, Any]]
    """What was surveyed, by host."""
    manifests: Mapping[str, Mapping[str, Any]]
    """The corpus manifests, by dataset."""
    versions: Mapping[str, str]
    """Tool -> version."""
    findings: Mapping[str, Sequence[Finding]]
    """What the doctor says of each host."""
    moved: tuple[Moved, ...]
    """Canaries beyond the limit: their blocks may have met another host than the others did."""
    time_series: Mapping[str, pd.DataFrame]
    """One-second engine samples by trial (`reports.charts.over_time` names the columns it draws); may be empty."""
    faults: tuple[str, ...] = ()
    """What in the run's folder is not as it was recorded; a line each."""
    turn_s: float | None = None
    """Seconds of a turn, where trials take turns; whether they did is in their records."""


@dataclass(frozen=True)
class RunSummary:
    """One run for the index of runs: what `decision.json` and the run's metadata hold."""

    campaign: str
    run_id: str
    started_at: str
    """UTC, ISO 8601."""
    host: str
    engines: tuple[str, ...]
    decision: Decision
    link: str
    """The report's address, relative to the index."""


@dataclass(frozen=True)
class Shift:
    """A run from which on figures of its campaign are others, and how it differs from the run before."""

    campaign: str
    step: Step
    differences: tuple[Difference, ...] | None
    """Conditions, engine and arms' settings that differ; None: they can't be read of both runs."""


def by_campaign(runs: Iterable[RunSummary]) -> dict[str, list[RunSummary]]:
    """The runs of each campaign, the oldest first."""
    campaigns: dict[str, list[RunSummary]] = {}
    for run in sorted(runs, key=lambda run: (run.campaign, run.started_at)):
        campaigns.setdefault(run.campaign, []).append(run)
    return campaigns
