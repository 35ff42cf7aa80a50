"""The reference: a cell that is the same in every run of a campaign, so that runs are compared by ratios to it.

Two runs share neither host nor hour, but each ran its cells within seconds of its own reference. What slows a whole
night slows the reference alike, and cancels out in the ratio.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from analysis.gate.sides import Figure, Side, SideCell
    from analysis.stats.criteria import Criteria
    from analysis.trial.records import Cell


GOES_WITH_HOST = 0.2
"""What slows all arms slows one more than another: ratios are allowed to go with the host's move by so much of it (in
logs). In docs/results/turns.md zstd lost 17 % against snappy where the machine was a fifth slower."""


class Reference(NamedTuple):
    """The pinned engine with the baseline arm; one cell per dataset and platform."""

    engine: str
    arm: str

    @classmethod
    def of(cls, criteria: Criteria) -> Reference | None:
        """A campaign's reference; None: it names none."""
        return None if criteria.reference_engine is None else cls(criteria.reference_engine, criteria.baseline)

    def holds(self, cell: Cell) -> bool:
        """Whether a cell is the reference of its dataset and platform."""
        return (cell.engine, cell.arm) == self

    def __str__(self) -> str:
        return f"{self.engine}, {self.arm}"


class Level(Part):
    """How the reference's own figure moved between runs: the host's doing, and no verdict."""

    dataset: str
    platform: str
    metric: str
    ratio: float = Field(description="Candidate ÷ mean of the earlier runs.")

    @property
    def leaning(self) -> float:
        """Standard deviation (log) of how far ratios to the reference went with it."""
        return GOES_WITH_HOST * abs(math.log(self.ratio))


def reference_facts(side: Side, reference: Reference) -> dict[str, JsonValue]:
    """What must be the same of the reference in two runs, as facts; without a trial of it nothing is known."""
    cell = next((one for one in side.cells if reference.holds(one.cell)), None)
    if cell is None:
        return {}
    told = {"version": cell.version, "git_version": cell.git_version, "write_concern": cell.write_concern}
    return {f"reference.{key}": value for key, value in (told | cell.settings.model_dump(mode="json")).items()}


def relative(side: Side, reference: Reference) -> Side:
    """The side with each figure as its ratio to the reference's in the same block; what has none there is left out.

    Where either reads zero the ratio is 0, which stands for none.
    """
    held = {
        (_place(side.cells[one.cell]), one.block, one.metric): one
        for one in side.figures
        if reference.holds(side.cells[one.cell].cell)
    }
    paired = ((one, held.get((_place(side.cells[one.cell]), one.block, one.metric))) for one in side.figures)
    return side.model_copy(update={"figures": tuple(_ratio(one, to) for one, to in paired if to is not None)})


def _place(one: SideCell) -> tuple[str, str]:
    return one.cell.dataset, one.cell.platform


def _ratio(one: Figure, to: Figure) -> Figure:
    if one.value <= 0 or to.value <= 0:
        return one._replace(value=0.0)
    ratio = one.value / to.value
    return one._replace(
        value=ratio,
        resolution=ratio * math.hypot(one.resolution / one.value, to.resolution / to.value),
        too_few=max(one.too_few, to.too_few),
    )


def levels(candidate: Side, earlier: Sequence[Side], reference: Reference) -> Iterator[Level]:
    """How far the reference's own figures lie from those of the earlier runs."""
    ours = _means(candidate, reference)
    theirs = [_means(side, reference) for side in earlier]
    for (place, metric), mean in ours.items():
        before = [means[place, metric] for means in theirs if (place, metric) in means]
        if before:
            dataset, platform = place
            yield Level(dataset=dataset, platform=platform, metric=metric, ratio=math.exp(mean - fmean(before)))


def _means(side: Side, reference: Reference) -> Mapping[tuple[tuple[str, str], str], float]:
    """Mean log of the reference's figures by place and metric, where all are above zero."""
    found: dict[tuple[tuple[str, str], str], list[float]] = {}
    for one in side.figures:
        if reference.holds(side.cells[one.cell].cell):
            found.setdefault((_place(side.cells[one.cell]), one.metric), []).append(one.value)
    return {key: fmean(map(math.log, values)) for key, values in found.items() if min(values) > 0}
