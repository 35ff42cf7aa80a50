"""Which cell of the candidate stands against which of the baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.gate.sides import Figure, Moved, Side, SideCell
    from analysis.stats.effects import Factor
    from analysis.trial.records import Cell

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
    cells: tuple[Cell, Cell]
    """Of the baseline, of the candidate."""
    baseline: Figures
    candidate: Figures
    baseline_counters: Counters
    candidate_counters: Counters


def pair_cells(baseline: Side, candidate: Side, selection: Selection) -> list[Pair]:
    """Pairs of cells that agree in dataset, and in engine, arm and platform as far as these do not differ on purpose.

    Within one run a factor differs on purpose where its baseline is named: by the selection, or else the campaign's
    baseline engine is it. Between two runs it does where, of the chosen cells, each side has one level of it: naming a
    level on one side only chooses cells.

    Raises:
        PairingError: there is no pair.
    """
    same_run = baseline.identity() == candidate.identity()
    chosen = _within_one_run(baseline, selection) if same_run else selection
    theirs = _chosen(baseline, chosen.baseline_engine, chosen.baseline_arm, "baseline")
    ours = _chosen(candidate, chosen.engine, chosen.arm, "candidate")
    named: dict[Factor, str | None] = {
        "engine": chosen.baseline_engine, "arm": chosen.baseline_arm, "platform": None,
    }  # fmt: skip
    alike = [
        factor for factor, level in named.items() if (level is None if same_run else not _single(theirs, ours, factor))
    ]
    pairs = [
        _pair(baseline, candidate, before, after)
        for after in ours
        for before in theirs
        if after.cell.dataset == before.cell.dataset
        and all(getattr(after.cell, factor) == getattr(before.cell, factor) for factor in alike)
        and not (same_run and after.cell == before.cell)
    ]
    if not pairs:
        told = f"the baseline has {_listed(theirs)}; the candidate has {_listed(ours)}"
        raise PairingError(f"no cell of the candidate matches a cell of the baseline: {told}")
    return pairs


def _within_one_run(side: Side, selection: Selection) -> Selection:
    if selection.baseline_engine or selection.baseline_arm:
        return selection
    if side.criteria.baseline_engine is None:
        raise PairingError(
            "baseline and candidate are the same run, and its campaign has no `decision.baseline_engine`: "
            "name the baseline's cells with --baseline-engine or --baseline-arm"
        )
    return selection.model_copy(update={"baseline_engine": side.criteria.baseline_engine})


def _chosen(side: Side, engine: str | None, arm: str | None, which: str) -> list[SideCell]:
    found = [one for one in side.cells if engine in (None, one.cell.engine) and arm in (None, one.cell.arm)]
    if not found:
        wanted = ", ".join(part for part in (engine, arm) if part)
        raise PairingError(f"the {which} has no cell of {wanted}; it has {_listed(side.cells)}")
    return found


def _single(theirs: Sequence[SideCell], ours: Sequence[SideCell], factor: Factor) -> bool:
    """Whether each side has one level of the factor only: then they may be of different names."""
    return all(len({getattr(one.cell, factor) for one in cells}) == 1 for cells in (theirs, ours))


def _listed(cells: Iterable[SideCell]) -> str:
    return "; ".join(", ".join(filter(None, _levels(one.cell))) for one in cells)


def _pair(baseline: Side, candidate: Side, before: SideCell, after: SideCell) -> Pair:
    theirs, ours = baseline.cells.index(before), candidate.cells.index(after)
    return Pair(
        label=_label(before, after),
        cells=(before.cell, after.cell),
        baseline=_figures(baseline.figures, theirs),
        candidate=_figures(candidate.figures, ours),
        baseline_counters=_counters(baseline.counters, theirs),
        candidate_counters=_counters(candidate.counters, ours),
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
