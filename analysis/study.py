"""Records judged: the frames, what is primary, which arms are controls, and every effect with its verdict.

What a decision, a stopping rule and a plan have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from analysis import frames
from analysis.cost import cost_measurements
from analysis.criteria import Criteria, Objective
from analysis.effects import Comparison, Factor, compare
from analysis.metrics import INSERT, metric
from analysis.verdicts import Effect, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.records import Settings, TrialRecord


PLATFORM_METRIC = "cost_per_million_operations"
"""A platform is chosen by it, so between platforms it is primary whatever the spec chose."""


@dataclass(frozen=True)
class Study:
    """All that was found out about a campaign's arms so far."""

    criteria: Criteria
    trials: pd.DataFrame
    measurements: pd.DataFrame
    """With the costs under the criteria's prices."""
    workload: str
    """The workload that throughput, CPU and cost are about."""
    primary: tuple[str, ...]
    controls: frozenset[str]
    effects: tuple[Effect, ...]
    engine_effects: tuple[Effect, ...] = ()
    """Engines against the baseline engine; a family of their own. Empty unless the criteria name that engine."""
    platform_effects: tuple[Effect, ...] = ()
    """Platforms against the inventory's first; a family of their own. Empty where there is one platform."""

    @property
    def objective_metric(self) -> str:
        """The metric that the recommended arm should be best at."""
        return objective_metric(self.criteria.objective, self.workload)

    @property
    def alpha(self) -> float:
        """The accepted rate of false claims."""
        return 1 - self.criteria.confidence_percent / 100

    def pairwise(self, baseline: str, metrics: Sequence[str]) -> tuple[Comparison, ...]:
        """All arms against any one arm."""
        present = set(self.measurements["metric"].unique())
        return compare(
            self.trials,
            self.measurements,
            baseline=baseline,
            metrics=[key for key in metrics if key in present],
            confidence_percent=self.criteria.confidence_percent,
        )


def study(records: Iterable[TrialRecord], criteria: Criteria) -> Study:
    """Frames, effects and verdicts of the records, under the criteria."""
    kept = frames.once_per_cell(records)
    trials, measured = frames.trials(kept), frames.measurements(kept)
    measured = pd.concat([measured, cost_measurements(measured, criteria.prices)], ignore_index=True)
    workload = deciding_workload(measured, criteria.prices.workload)
    primary = primary_metrics(measured, criteria, workload)
    controls = control_arms(kept, criteria.baseline)
    comparisons = compare(trials, measured, baseline=criteria.baseline, confidence_percent=criteria.confidence_percent)
    effects = judge(
        comparisons,
        primary=primary,
        margin_percent=criteria.equivalence_margin_percent,
        alpha=1 - criteria.confidence_percent / 100,
        is_control=lambda one: one.candidate in controls,
    )
    return Study(
        criteria,
        trials,
        measured,
        workload,
        primary,
        controls,
        effects,
        _effects_of(trials, measured, criteria, primary, "engine", criteria.baseline_engine),
        _effects_of(trials, measured, criteria, (*primary, PLATFORM_METRIC), "platform", _first_platform(kept)),
    )


def _effects_of(
    trials: pd.DataFrame,
    measured: pd.DataFrame,
    criteria: Criteria,
    primary: Sequence[str],
    factor: Factor,
    baseline: str | None,
) -> tuple[Effect, ...]:
    """Another factor's levels against its baseline, all else and the block alike; none without a baseline. Another
    question than that for the arm, so another family: each keeps its own rate of false claims.
    """
    if baseline is None:
        return ()
    confidence = criteria.confidence_percent
    comparisons = compare(trials, measured, baseline=baseline, factor=factor, confidence_percent=confidence)
    margin = criteria.equivalence_margin_percent
    return judge(comparisons, primary=primary, margin_percent=margin, alpha=1 - confidence / 100)


def _first_platform(records: Sequence[TrialRecord]) -> str | None:
    """The baseline of several platforms, the inventory's first: its trials come first in the plan."""
    platforms = [record.cell.platform for record in sorted(records, key=lambda record: record.index)]
    return platforms[0] if len(set(platforms)) > 1 else None


def objective_metric(objective: Objective, workload: str) -> str:
    """The metric of an objective."""
    return {
        Objective.STORAGE: "storage_bytes_per_document",
        Objective.COST: "monthly_cost",
        Objective.CPU: f"{workload}.mongod_cpu_us_per_operation",
        Objective.THROUGHPUT: f"{workload}.throughput",
    }[objective]


def deciding_workload(measured: pd.DataFrame, wished: str) -> str:
    """The wished workload, else the first run workload there is, else the load."""
    present = list(measured["workload"].unique())
    runs = [str(name) for name in present if name != INSERT]
    return wished if wished in present else (runs or [INSERT])[0]


def primary_metrics(measured: pd.DataFrame, criteria: Criteria, workload: str) -> tuple[str, ...]:
    """The primary metrics: declared or chosen ones, and always the one that the objective rests on."""
    present = [str(key) for key in measured["metric"].unique()]
    chosen = [key for key in present if metric(key).primary] if criteria.primary == "default" else criteria.primary
    return tuple(dict.fromkeys((*chosen, objective_metric(criteria.objective, workload))))


def control_arms(records: Iterable[TrialRecord], baseline: str) -> frozenset[str]:
    """Arms that always ran with exactly the baseline's settings and write concern (A/A), in trials that count."""
    asked: dict[str, set[tuple[Settings, str | None]]] = {}
    for record in records:
        if record.counts and record.in_force:
            asked.setdefault(record.cell.arm, set()).add((record.asked, record.in_force.write_concern))
    reference = asked.get(baseline, set())
    return frozenset(arm for arm, settings in asked.items() if arm != baseline and settings == reference)
