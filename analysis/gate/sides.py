"""One side of a gate: what a run's records say, small enough to be kept in a repository as a baseline file.

A side holds one figure per trial and metric, counting trials only, never raw samples: what a gate compares is what a
decision is made from. Its facts say what the figures are conditional on (`analysis.gate.comparability`).
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field, FiniteFloat, JsonValue

from analysis.stats import frames
from analysis.stats.criteria import Criteria
from analysis.stats.metrics import workload_of
from analysis.trial.engine.counters import COUNTERS
from analysis.trial.records import Cell, Settings, TrialRecord
from core.bounds import MOST_BLOCKS, Block, Count, Text, Word
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from analysis.decide.decision import Decision


class Figure(NamedTuple):
    """One metric of one trial; the trial is named by its block and its cell's number in `Side.cells`."""

    cell: Count
    block: Block
    metric: Word
    value: FiniteFloat
    resolution: FiniteFloat
    """How finely the value could be measured, in its unit."""
    too_few: Count = 0
    """Of a percentile, the operations that it takes, where the trial measured fewer; else 0."""


class Moved(NamedTuple):
    """One engine counter of one phase of a trial, per acknowledged operation (gauges as they were at its end)."""

    cell: Count
    block: Block
    workload: Word
    counter: Word
    value: FiniteFloat


class SideCell(Part):
    """A cell and what it asked for: what two sides may differ in on purpose."""

    cell: Cell
    version: Word | None = Field(
        description="mongod's version, as mongod reported it; None: the cell has no valid trial."
    )
    git_version: Word | None = Field(None, description="Git version of the build, likewise.")
    write_concern: Text | None = Field(None, description="Write concern that its clients sent.")
    settings: Settings
    blocks: tuple[Block, ...] = Field(
        max_length=MOST_BLOCKS, description="Blocks of every trial, void trials included."
    )


class Side(Part):
    """A run as a gate sees it. Its JSON is the format of a baseline file."""

    format_version: Literal[1] = 1
    campaign: Word
    run_id: Word
    criteria: Criteria
    decision: tuple[Text, ...] = Field(
        max_length=10_000, description="The run's decision in sentences, for people who read the file."
    )
    facts: dict[str, JsonValue] = Field(description="Conditions of the figures, by `<subject>.<what>`.")
    cells: Annotated[tuple[SideCell, ...], Field(max_length=100_000)]
    figures: tuple[Figure, ...]
    counters: tuple[Moved, ...]

    def identity(self) -> tuple[str, ...]:
        """What tells runs apart: before 2026-11-22 a run's id was no more than a second, which two hosts share."""
        hosts = sorted(f"{fact}={name}" for fact, name in self.facts.items() if fnmatchcase(fact, "host*.hostname"))
        return self.campaign, self.run_id, *hosts


_GAUGES = {counter.key for counter in COUNTERS if counter.gauge}


def side(
    campaign: str,
    run_id: str,
    records: Iterable[TrialRecord],
    decision: Decision,
    facts: Mapping[str, JsonValue],
) -> Side:
    """The side that a run's records make, void ones included (they have no figures, but their blocks count)."""
    kept = frames.once_per_cell(records)
    cells = list(dict.fromkeys(record.cell for record in kept))
    number = {cell: place for place, cell in enumerate(cells)}
    rows = frames.measurements(kept)
    figures = [
        Figure(
            number[Cell(engine=row.engine, arm=row.arm, dataset=row.dataset, platform=row.platform)],
            row.block,
            row.metric,
            row.value,
            row.resolution,
            row.too_few,
        )
        for row in (frames.Row(*values) for values in rows.itertuples(index=False))
        if row.counts
    ]
    return Side(
        campaign=campaign,
        run_id=run_id,
        criteria=decision.criteria,
        decision=(
            *(one.sentence for one in decision.upgrades),
            *(f"{one.choice.group.label}: {one.sentence}" for one in decision.recommendations),
        ),
        facts=dict(facts),
        cells=tuple(_cell(cell, [record for record in kept if record.cell == cell]) for cell in cells),
        figures=tuple(figures),
        counters=tuple(moved for record in kept if record.counts for moved in _moved(record, number[record.cell])),
    )


def _cell(cell: Cell, records: list[TrialRecord]) -> SideCell:
    told = next((record.in_force for record in records if record.counts and record.in_force), None)
    return SideCell(
        cell=cell,
        version=told and told.version,
        git_version=told and told.git_version,
        write_concern=told and told.write_concern,
        settings=records[0].asked,
        blocks=tuple(sorted({record.block for record in records})),
    )


def _moved(record: TrialRecord, cell: int) -> Iterable[Moved]:
    for phase in record.phases:
        for key, value in phase.counters.items():
            if value is None or not phase.acknowledged:
                continue
            per_operation = value if key in _GAUGES else value / phase.acknowledged
            yield Moved(cell, record.block, workload_of(phase), key, per_operation)
