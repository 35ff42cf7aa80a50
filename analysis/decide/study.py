"""Records judged: the frames, what is primary, which arms are controls, and every factor's effects with verdicts.

What a decision, a stopping rule and a plan have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.decide.cost import offered_a_rate, with_costs
from analysis.stats import frames
from analysis.stats.effects import Comparison, Factor, compare
from analysis.stats.primary import deciding_workload, objective_metric, primary_metrics, primary_of
from analysis.stats.verdicts import Effect, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from analysis.stats.criteria import Criteria
    from analysis.stats.looks import Looks
    from analysis.trial.records import Settings, TrialRecord


@dataclass(frozen=True)
class Study:
    """All that was found out about a campaign's arms, engines and platforms so far."""

    criteria: Criteria
    records: tuple[TrialRecord, ...]
    """Those that stand."""
    trials: pd.DataFrame
    measurements: pd.DataFrame
    """With the costs under the criteria's prices."""
    offered: frozenset[str]
    """Trials without costs, because the workload that sizes instances was offered a rate."""
    workload: str
    """The workload that throughput, CPU and cost are about."""
    primary: tuple[str, ...]
    controls: frozenset[str]
    baselines: Mapping[Factor, str]
    """What is compared, and with which level: arms always, engines where the criteria name the baseline engine,
    platforms (with the inventory's first) where there are several."""
    looks: Looks | None
    """After which numbers of blocks the campaign might have been stopped by what it showed; None: after one only."""
    compared: Mapping[Factor, tuple[Effect, ...]]
    """The effects of each of these factors. Another factor is another question, so another family: each keeps its own
    rate of false claims."""

    def of(self, factor: Factor) -> tuple[Effect, ...]:
        """A factor's effects; none where it is not compared."""
        return self.compared.get(factor, ())

    @property
    def every(self) -> tuple[Effect, ...]:
        """The effects of all factors, one factor after the other."""
        return tuple(effect for effects in self.compared.values() for effect in effects)

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
            looks=self.looks,
        )


def study(records: Iterable[TrialRecord], criteria: Criteria, looks: Looks | None = None) -> Study:
    """Frames, effects and verdicts of the records, under the criteria.

    `looks` are those of a campaign that is carried on until it is decided: then all that is found holds under stopping
    after any of them.
    """
    kept = frames.once_per_cell(records)
    trials, measured = frames.trials(kept), frames.measurements(kept)
    offered = offered_a_rate(kept, criteria.prices.workload)
    measured = with_costs(measured, criteria.prices, offered)
    present = [str(key) for key in measured["metric"].unique()]
    workload = deciding_workload(map(str, measured["workload"].unique()), criteria.prices.workload)
    controls = control_arms(kept, criteria.baseline)
    primary = primary_metrics(present, criteria, workload)
    baselines = _baselines(kept, criteria)
    compared = {
        factor: judge(
            compare(
                trials,
                measured,
                baseline=baseline,
                factor=factor,
                confidence_percent=criteria.confidence_percent,
                looks=looks,
            ),
            primary=primary_of(factor, primary),
            margin_percent=criteria.equivalence_margin_percent,
            alpha=1 - criteria.confidence_percent / 100,
            is_control=lambda one: one.factor == "arm" and one.candidate in controls,
        )
        for factor, baseline in baselines.items()
    }
    return Study(
        criteria, tuple(kept), trials, measured, offered, workload, primary, controls, baselines, looks, compared
    )


def _baselines(records: Sequence[TrialRecord], criteria: Criteria) -> dict[Factor, str]:
    """The factors that are compared, those that all else depends on first, and each one's baseline."""
    platform, engine = _first_platform(records), criteria.baseline_engine
    wanted: dict[Factor, str | None] = {"platform": platform, "engine": engine, "arm": criteria.baseline}
    return {factor: baseline for factor, baseline in wanted.items() if baseline is not None}


def _first_platform(records: Sequence[TrialRecord]) -> str | None:
    """The baseline of several platforms, the inventory's first: its trials come first in the plan."""
    platforms = [record.cell.platform for record in sorted(records, key=lambda record: record.index)]
    return platforms[0] if len(set(platforms)) > 1 else None


def control_arms(records: Iterable[TrialRecord], baseline: str) -> frozenset[str]:
    """Arms that always ran with exactly the baseline's settings and write concern (A/A), in trials that count."""
    asked: dict[str, set[tuple[Settings, str | None]]] = {}
    for record in records:
        if record.counts and record.in_force:
            asked.setdefault(record.cell.arm, set()).add((record.asked, record.in_force.write_concern))
    reference = asked.get(baseline, set())
    return frozenset(arm for arm, settings in asked.items() if arm != baseline and settings == reference)
