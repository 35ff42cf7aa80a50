"""Did the upgrade change anything: the answer for each engine, and every comparison behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.metrics import metric
from analysis.verdicts import Family
from reports.answer import effect_cell
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from analysis.decision import Decision
    from analysis.verdicts import Effect


@dataclass(frozen=True)
class EngineStep:
    """One engine against the baseline engine."""

    engine: str
    baseline: str
    sentence: str
    reasons: tuple[str, ...]
    primary: Table
    exploratory: Table


def engine_steps(decision: Decision) -> tuple[EngineStep, ...]:
    """One step an engine beside the baseline engine; none where engines are not compared."""
    return tuple(
        EngineStep(
            engine=one.engine,
            baseline=one.baseline,
            sentence=one.sentence,
            reasons=one.reasons,
            primary=_table(_of(decision, one.engine, primary=True)),
            exploratory=_table(_of(decision, one.engine, primary=False)),
        )
        for one in decision.upgrades
    )


def _of(decision: Decision, engine: str, *, primary: bool) -> list[Effect]:
    return [
        one for one in decision.engine_effects if one.candidate == engine and (one.family is Family.PRIMARY) is primary
    ]


def _table(effects: list[Effect]) -> Table:
    columns = ("metric", "arm, dataset", "change", "interval", "blocks", "verdict")
    return Table(columns, tuple(_row(one) for one in effects), labels=2)


def _row(effect: Effect) -> tuple[str, ...]:
    head = (metric(effect.metric).label, effect.group.label)
    if effect.ratio is None:
        return (*head, ABSENT, ABSENT, str(effect.n), "◇ undecided")
    cell = effect_cell(effect)
    return (*head, cell.change, cell.interval, str(effect.n), f"{cell.glyph} {cell.verdict}")
