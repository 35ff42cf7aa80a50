"""What another engine, or another platform, changed: the answer for each, and every comparison behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.stats.metrics import metric
from analysis.stats.verdicts import Family
from reports.page.answer import effect_cell
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.decide.contrasts import Contrast
    from analysis.decide.decision import Decision
    from analysis.stats.verdicts import Effect


@dataclass(frozen=True)
class Step:
    """One engine against the baseline engine, or one platform against the first."""

    to: str
    baseline: str
    sentence: str
    reasons: tuple[str, ...]
    primary: Table
    exploratory: Table


def engine_steps(decision: Decision) -> tuple[Step, ...]:
    """One step an engine beside the baseline engine; none where engines are not compared."""
    return tuple(_step(one, one.engine, "arm, dataset", decision.engine_effects) for one in decision.upgrades)


def platform_steps(decision: Decision) -> tuple[Step, ...]:
    """One step a platform beside the first; none where there is one platform."""
    within = "engine, arm, dataset"
    return tuple(_step(one, one.platform, within, decision.platform_effects) for one in decision.platforms)


def _step(found: Contrast, to: str, within: str, effects: Sequence[Effect]) -> Step:
    ours = [one for one in effects if one.candidate == to]
    return Step(
        to=to,
        baseline=found.baseline,
        sentence=found.sentence,
        reasons=found.reasons,
        primary=_table(within, [one for one in ours if one.family is Family.PRIMARY]),
        exploratory=_table(within, [one for one in ours if one.family is not Family.PRIMARY]),
    )


def _table(within: str, effects: Sequence[Effect]) -> Table:
    columns = ("metric", within, "change", "interval", "blocks", "verdict")
    return Table(columns, tuple(_row(one) for one in effects), labels=2)


def _row(effect: Effect) -> tuple[str, ...]:
    head = (metric(effect.metric).label, effect.group.label)
    if effect.ratio is None:
        return (*head, ABSENT, ABSENT, str(effect.n), "◇ undecided")
    cell = effect_cell(effect)
    return (*head, cell.change, cell.interval, str(effect.n), f"{cell.glyph} {cell.verdict}")
