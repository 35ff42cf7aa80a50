"""What all parts of a report draw on: the run, its decision, and its records as tables, each made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from analysis.stats import frames
from analysis.stats.effects import Group
from analysis.stats.frames import Row
from analysis.stats.metrics import workload_of
from reports.theme import ArmStyle, arm_styles

if TYPE_CHECKING:
    import pandas as pd

    from analysis.decide.decision import Decision
    from analysis.stats.quantities import Estimate
    from analysis.stats.verdicts import Effect
    from analysis.trial.records import Phase, TrialRecord
    from reports.run import Run


@dataclass(frozen=True)
class Material:
    """A run, and what is drawn from it."""

    run: Run

    @property
    def decision(self) -> Decision:
        """The run's."""
        return self.run.decision

    @property
    def measured(self) -> pd.DataFrame:
        """The run's measurements, with costs."""
        return self.run.measured

    @cached_property
    def records(self) -> list[TrialRecord]:
        """In plan order, each counting cell of a block once."""
        return frames.once_per_cell(self.run.records)

    @cached_property
    def counting(self) -> list[TrialRecord]:
        """The records whose figures may be used."""
        return [record for record in self.records if record.counts]

    @cached_property
    def styles(self) -> dict[str, ArmStyle]:
        """A look for each arm: those of the spec, then any that only the records know."""
        known = (*self.run.arms, *(record.cell.arm for record in self.run.records))
        return {style.name: style for style in arm_styles(tuple(dict.fromkeys(known)))}

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """In the order of inventory and spec; those without a trial too."""
        planned = [
            Group(engine=engine, dataset=dataset, platform=platform)
            for platform in self.run.platforms
            for engine in self.run.engines
            for dataset in self.run.datasets
        ]
        return tuple(dict.fromkeys([*planned, *(Group.of(record.cell) for record in self.run.records)]))

    @cached_property
    def phases(self) -> dict[str, Phase]:
        """An example of each phase by workload: the load as `insert` first, then the runs."""
        found: dict[str, Phase] = {}
        for record in self.run.records:
            for phase in record.phases:
                found.setdefault(workload_of(phase), phase)
        return found

    @cached_property
    def figures(self) -> dict[tuple[Group, str, str], Estimate]:
        """Estimates by group, arm and metric."""
        return {(one.group, one.arm, one.metric): one.figure for one in self.decision.estimates}

    @cached_property
    def effects(self) -> dict[tuple[Group, str, str], Effect]:
        """Effects by group, arm and metric."""
        return {(one.group, one.candidate, one.metric): one for one in self.decision.effects}

    def names_of(self, group: Group) -> tuple[str, ...]:
        """What tells the group from others in a name, where there are others."""
        return group.names if len(self.groups) > 1 else ()

    def in_group(self, group: Group) -> pd.DataFrame:
        """The measurements of one group."""
        return group.within(self.measured)

    def readings(self, group: Group, key: str) -> list[Row]:
        """One metric's readings in one group, void trials' included."""
        rows = self.in_group(group)
        return [Row(*row) for row in rows[rows["metric"] == key][list(Row._fields)].itertuples(index=False)]

    def counting_in(self, group: Group) -> list[TrialRecord]:
        """The counting records of one group."""
        return [record for record in self.counting if Group.of(record.cell) == group]
