"""Whether the baseline arm is like the deployment that the campaign mirrors. Pure; what can't be told is not passed."""

from __future__ import annotations

from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

from pydantic import Field

from analysis.stats.effects import Group
from analysis.stats.mirrored import KINDS, Mirrors
from analysis.trial.engine.served import operations, pages_per_operation, shape
from core.bounds import Figure, Word
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from analysis.trial.records import Phase, Sizes, TrialRecord

    _Read = Callable[["TrialRecord", "Phase"], float | None]

LEFT_OUT = ("compression_ratio", "index_bytes_per_document", "cache_ratio", "pages_read_per_operation")
"""Figures that a mirror may lack."""


class State(StrEnum):
    """Whether figures agree."""

    LIKE = "like"
    UNLIKE = "unlike"
    UNKNOWN = "unknown"


class Compared(Part):
    """One figure of the deployment and of the baseline arm."""

    group: Group
    figure: Word = Field(description="As in the spec's `mirrors`, e.g. `mix.find`.")
    deployment: Figure
    trials: Figure | None = Field(description="Median over the baseline's trials that count; None: they lack it.")
    least: Figure = Field(description="What is still within the tolerance.")
    most: Figure

    @property
    def state(self) -> State:
        """Whether it is within the tolerance."""
        if self.trials is None:
            return State.UNKNOWN
        return State.LIKE if self.least <= self.trials <= self.most else State.UNLIKE


class Fidelity(Part):
    """How the baseline arm compares with the deployment."""

    state: State = Field(
        description="`like`: every figure is within its tolerance. `unlike`: one is beyond. `unknown`: none is beyond, "
        "but trials lack one, or there was none to compare."
    )
    of: Word = Field(description="The deployment, as the spec names it.")
    compared: tuple[Compared, ...]
    left_out: tuple[Word, ...] = Field(description="What the deployment did not show, so that nothing was compared.")

    @property
    def passes(self) -> bool:
        """Whether the decision is one about the deployment."""
        return self.state is State.LIKE

    @property
    def several(self) -> bool:
        """Whether figures have to say of which group they are."""
        return len({one.group for one in self.compared}) > 1

    def those(self, state: State) -> tuple[Compared, ...]:
        """The figures that are in this state."""
        return tuple(one for one in self.compared if one.state is state)


def fidelity(records: Iterable[TrialRecord], mirrors: Mirrors, baseline: str) -> Fidelity:
    """Judge the baseline's trials that count, of every group, against what the deployment showed."""
    counting = [record for record in records if record.counts and record.cell.arm == baseline]
    groups = dict.fromkeys(Group.of(record.cell) for record in counting)
    compared = tuple(
        one
        for group in groups
        for one in _compared(group, [record for record in counting if group.holds(record.cell)], mirrors)
    )
    states = {one.state for one in compared}
    worst = next((one for one in (State.UNLIKE, State.UNKNOWN, State.LIKE) if one in states), State.UNKNOWN)
    return Fidelity(state=worst, of=mirrors.of, compared=compared, left_out=tuple(_left_out(mirrors)))


def _left_out(mirrors: Mirrors) -> Iterator[str]:
    yield from (name for name in LEFT_OUT if getattr(mirrors, name) is None)
    if not mirrors.mix:
        yield "mix"
    if not mirrors.latency_shape:
        yield "latency_shape"


def _compared(group: Group, records: Sequence[TrialRecord], mirrors: Mirrors) -> Iterator[Compared]:
    for figure, deployment, read, least, most in _figures(mirrors):
        found = [value for record in records if (value := _of(record, mirrors.workload, read)) is not None]
        told = median(found) if len(found) == len(records) else None
        yield Compared(group=group, figure=figure, deployment=deployment, trials=told, least=least, most=most)


def _of(record: TrialRecord, workload: str, read: _Read) -> float | None:
    phase = next((phase for phase in record.phases if phase.name == workload), None)
    return read(record, phase) if phase else None


def _figures(mirrors: Mirrors) -> Iterator[tuple[str, float, _Read, float, float]]:
    """Each figure's name, the deployment's value, how a trial's is read, and what is still like it."""
    allowed = mirrors.tolerances
    of_sizes: tuple[tuple[str, float | None, _Read, float], ...] = (
        ("compression_ratio", mirrors.compression_ratio, _compression, allowed.compression_percent),
        ("index_bytes_per_document", mirrors.index_bytes_per_document, _indexes, allowed.index_percent),
        ("cache_ratio", mirrors.cache_ratio, _cache, allowed.cache_percent),
    )
    for name, value, read, percent in of_sizes:
        if value is not None:
            yield name, value, read, value * (1 - percent / 100), value * (1 + percent / 100)
    if (pages := mirrors.pages_read_per_operation) is not None:
        beside, factor = allowed.pages_beside, allowed.pages_factor
        least, most = min(pages / factor, pages - beside), max(pages * factor, pages + beside)
        yield "pages_read_per_operation", pages, lambda _, phase: pages_per_operation(phase), least, most
    if mirrors.mix:
        points = allowed.mix_points / 100
        for kind in KINDS:
            share = mirrors.mix.get(kind, 0.0)
            yield f"mix.{kind}", share, _share(kind), share - points, share + points
    for side, told in mirrors.latency_shape.items():
        for name, value in told:
            factor = allowed.latency_factor
            yield f"latency_shape.{side}.{name}", value, _shape(side, name), value / factor, value * factor


def _sizes(record: TrialRecord, moment: str) -> Sizes | None:
    return next((one for one in record.sizes if one.moment == moment and one.documents), None)


def _aged(record: TrialRecord, phase: Phase) -> Sizes | None:
    """Sizes after the workload: a deployment's documents have been written for longer than since a load."""
    return _sizes(record, f"after-{phase.name}")


def _compression(record: TrialRecord, phase: Phase) -> float | None:
    sizes = _aged(record, phase)
    if sizes is None or sizes.free_storage_size_bytes is None:
        return None
    used = sizes.storage_size_bytes - sizes.free_storage_size_bytes
    return sizes.data_size_bytes / used if used > 0 else None


def _indexes(record: TrialRecord, phase: Phase) -> float | None:
    sizes = _aged(record, phase)
    if sizes is None or sizes.free_index_size_bytes is None:
        return None
    return (sizes.index_size_bytes - sizes.free_index_size_bytes) / sizes.documents


def _cache(record: TrialRecord, _: Phase) -> float | None:
    """Of the loaded documents: how many a workload inserts depends on how long it runs."""
    sizes, cache = _sizes(record, "loaded"), record.in_force.cache_size_bytes if record.in_force else None
    return cache / sizes.data_size_bytes if sizes and sizes.data_size_bytes and cache else None


def _share(kind: str) -> _Read:
    def read(_: TrialRecord, phase: Phase) -> float | None:
        counted = operations(phase)
        return counted.get(kind, 0) / sum(counted.values()) if counted else None

    return read


def _shape(side: str, quantile: str) -> _Read:
    def read(_: TrialRecord, phase: Phase) -> float | None:
        found = shape(phase, side)
        return found.get(quantile) if found else None

    return read
