"""Which cell of the candidate stands against which of the baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.records import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.records import Cell
    from analysis.sides import Figure, Moved, Side, SideCell

Figures = Mapping[str, Mapping[int, "Figure"]]
"""Metric -> block -> figure."""

Counters = Mapping[tuple[str, str], Mapping[int, float]]
"""Workload and counter -> block -> value per operation."""


class PairingError(ValueError):
    """Nothing can be set against each other; the message says what there is."""


class Selection(Part):
    """Cells to look at, by name; None: all."""

    baseline_engine: str | None = None
    baseline_arm: str | None = None
    engine: str | None = None
    arm: str | None = None


@dataclass(frozen=True)
class Pair:
    """A cell of the candidate against one of the baseline."""

    label: str
    baseline: Figures
    candidate: Figures
    baseline_counters: Counters
    candidate_counters: Counters
    differs: tuple[str, ...]
    """What is under test: version and settings, as `zstd_level 6 → 19`."""


def pair_cells(baseline: Side, candidate: Side, selection: Selection) -> list[Pair]:
    """Pairs of cells that agree in dataset, and in engine and arm as far as these are not what differs on purpose.

    Within one run a cell can't stand against itself: there the selection says which engine or arm is the baseline, or
    else the campaign's baseline engine does. Platforms are no matter of a gate: each stands against itself, unless
    both sides have but one.

    Raises:
        PairingError: there is no pair.
    """
    chosen = _within_one_run(baseline, selection) if baseline.identity() == candidate.identity() else selection
    theirs = _chosen(baseline, chosen.baseline_engine, chosen.baseline_arm, "baseline")
    ours = _chosen(candidate, chosen.engine, chosen.arm, "candidate")
    same_engine = not (chosen.baseline_engine or chosen.engine) and not _single(theirs, ours, "engine")
    same_arm = not (chosen.baseline_arm or chosen.arm) and not _single(theirs, ours, "arm")
    same_run = baseline.identity() == candidate.identity()
    same_platform = not _single(theirs, ours, "platform")
    pairs = [
        _pair(baseline, candidate, before, after)
        for after in ours
        for before in theirs
        if after.cell.dataset == before.cell.dataset
        and (not same_platform or after.cell.platform == before.cell.platform)
        and (not same_engine or after.cell.engine == before.cell.engine)
        and (not same_arm or after.cell.arm == before.cell.arm)
        and not (same_run and after.cell == before.cell)
        and (not same_run or _one_factor(chosen, before, after))
    ]
    if not pairs:
        told = f"the baseline has {_listed(theirs)}; the candidate has {_listed(ours)}"
        raise PairingError(f"no cell of the candidate stands against one of the baseline: {told}")
    return pairs


def _within_one_run(side: Side, selection: Selection) -> Selection:
    if selection.baseline_engine or selection.baseline_arm:
        return selection
    if side.criteria.baseline_engine is None:
        raise PairingError(
            "baseline and candidate are the same run, and its campaign has no `decision.baseline_engine`: "
            "say with --baseline-engine or --baseline-arm which of its cells are the baseline"
        )
    return selection.model_copy(update={"baseline_engine": side.criteria.baseline_engine})


def _one_factor(chosen: Selection, before: SideCell, after: SideCell) -> bool:
    """Within one run, cells differ only in the factor whose baseline was named."""
    return (chosen.baseline_engine is not None or before.cell.engine == after.cell.engine) and (
        chosen.baseline_arm is not None or before.cell.arm == after.cell.arm
    )


def _chosen(side: Side, engine: str | None, arm: str | None, which: str) -> list[SideCell]:
    found = [one for one in side.cells if engine in (None, one.cell.engine) and arm in (None, one.cell.arm)]
    if not found:
        wanted = ", ".join(part for part in (engine, arm) if part)
        raise PairingError(f"the {which} has no cell of {wanted}; it has {_listed(side.cells)}")
    return found


def _single(theirs: Sequence[SideCell], ours: Sequence[SideCell], factor: str) -> bool:
    """Whether each side has one level of the factor only: then they may be of different names."""
    return all(len({getattr(one.cell, factor) for one in cells}) == 1 for cells in (theirs, ours))


def _listed(cells: Iterable[SideCell]) -> str:
    return "; ".join(", ".join(filter(None, _levels(one.cell))) for one in cells)


def _pair(baseline: Side, candidate: Side, before: SideCell, after: SideCell) -> Pair:
    theirs, ours = baseline.cells.index(before), candidate.cells.index(after)
    return Pair(
        label=_label(before, after),
        baseline=_figures(baseline.figures, theirs),
        candidate=_figures(candidate.figures, ours),
        baseline_counters=_counters(baseline.counters, theirs),
        candidate_counters=_counters(candidate.counters, ours),
        differs=tuple(_differs(before, after)),
    )


def _label(before: SideCell, after: SideCell) -> str:
    """`6.0.5 → 6.0.27, zstd, sentences`."""
    levels = zip(_levels(before.cell), _levels(after.cell), strict=True)
    return ", ".join(
        ours if ours == theirs else f"{theirs or '–'} → {ours or '–'}" for theirs, ours in levels if theirs or ours
    )


def _levels(cell: Cell) -> tuple[str, ...]:
    """What names a cell; the platform last, which may have no name."""
    return cell.engine, cell.arm, cell.dataset, cell.platform


def _differs(before: SideCell, after: SideCell) -> Iterable[str]:
    if before.version != after.version:
        yield f"version {before.version} → {after.version}"
    asked, wanted = before.settings.model_dump(mode="json"), after.settings.model_dump(mode="json")
    for name, value in wanted.items():
        if asked[name] != value:
            yield f"{name} {_shown(asked[name])} → {_shown(value)}"


def _shown(value: object) -> str:
    return "default" if value is None else str(value)


def _figures(figures: Iterable[Figure], cell: int) -> Figures:
    found: dict[str, dict[int, Figure]] = {}
    for figure in figures:
        if figure.cell == cell:
            found.setdefault(figure.metric, {})[figure.block] = figure
    return found


def _counters(counters: Iterable[Moved], cell: int) -> Counters:
    found: dict[tuple[str, str], dict[int, float]] = {}
    for one in counters:
        if one.cell == cell:
            found.setdefault((one.workload, one.counter), {})[one.block] = one.value
    return found
