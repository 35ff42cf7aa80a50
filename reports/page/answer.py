"""The first screen: the decision, the constraints, and every arm at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.decide import sentences
from analysis.decide.constraints import State
from analysis.decide.recommendation import Status
from analysis.stats import quantities
from analysis.stats.metrics import metric
from analysis.stats.verdicts import Verdict
from reports.charts.base import direction
from reports.tables import ABSENT
from reports.theme import VERDICTS, ArmStyle

if TYPE_CHECKING:
    from analysis.decide.constraints import ArmCheck
    from analysis.decide.recommendation import Choice
    from analysis.stats.effects import Group
    from analysis.stats.verdicts import Effect
    from reports.material import Material

_FRESH, _AGED = "storage_bytes_per_document", "storage_bytes_per_document_aged"
STATES = {State.SATISFIED: "✓", State.VIOLATED: "✗", State.UNDECIDED: "?"}


@dataclass(frozen=True)
class Check:
    """What a figure is held to, in words: a constraint, or what a deployment showed."""

    glyph: str
    state: str
    """`satisfied`, `violated` or `undecided`."""
    text: str


@dataclass(frozen=True)
class Answer:
    """The recommendation in one group."""

    label: str
    """Engine and dataset, e.g. `6.0.5, sentences`."""
    headline: str
    sentence: str
    status: str
    """`run`, `keep`, `undecided` or `none`, as in `decision.json`."""
    checks: tuple[Check, ...]
    """Of the recommended arm."""
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class GlanceCell:
    """One metric of one arm against the baseline; the baseline itself has its own figure."""

    change: str
    interval: str
    glyph: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class GlanceRow:
    """One arm."""

    style: ArmStyle
    role: str
    cells: tuple[GlanceCell, ...]
    constraints: Check | None


@dataclass(frozen=True)
class Glance:
    """All arms by all primary metrics."""

    columns: tuple[tuple[str, str], ...]
    """Label and direction."""
    rows: tuple[GlanceRow, ...]
    aged: str
    """What the state after the workloads is, by the baseline's; empty where there is none."""


def choice_of(material: Material, group: Group) -> Choice | None:
    """The group's choice; None where it has no trial at all."""
    return next((one.choice for one in material.decision.recommendations if one.choice.group == group), None)


def answer(material: Material, group: Group) -> Answer:
    """The decision of one group, headline first."""
    found = next((one for one in material.decision.recommendations if one.choice.group == group), None)
    if found is None:
        missing = "Nothing could be decided: not one trial was recorded."
        return Answer(group.label, "No recommendation", missing, Status.UNDECIDED, checks=(), reasons=())
    return Answer(
        label=group.label,
        headline=sentences.headline(found.choice),
        sentence=sentences.capital(sentences.why(found.choice, material.decision.baseline)),
        status=found.choice.status,
        checks=_checks(found.choice),
        reasons=found.reasons,
    )


def _checks(choice: Choice) -> tuple[Check, ...]:
    """The recommended arm's constraints; for the baseline they say nothing."""
    found = next((check for check in choice.checks if check.arm == choice.arm), None)
    if found is None or choice.status is not Status.RUN:
        return ()
    return tuple(
        Check(STATES[check.state], check.state.value, sentences.bound_and_figures(check)) for check in found.checks
    )


def glance(material: Material, group: Group) -> Glance:
    """Every arm's primary metrics, against the baseline's."""
    choice = choice_of(material, group)
    checks = {check.arm: check for check in choice.checks} if choice else {}
    keys = _at_a_glance(material)
    columns = []
    for key in keys:
        try:
            columns.append((metric(key).label, direction(metric(key).better)))
        except ValueError:  # a metric chosen by the spec that does not exist: a caveat says so
            columns.append((key, "unknown metric"))
    rows = tuple(
        GlanceRow(
            style=style,
            role=_role(arm, material.decision.baseline, choice),
            cells=tuple(_cell(material, group, arm, key) for key in keys),
            constraints=_state(checks.get(arm)),
        )
        for arm, style in material.styles.items()
    )
    return Glance(tuple(columns), rows, _aged(material, group) if _AGED in keys else "")


def _at_a_glance(material: Material) -> tuple[str, ...]:
    """The primary metrics, and beside the storage after the load that after the workloads, whatever the spec chose."""
    keys = list(material.decision.primary)
    if _FRESH in keys and _AGED not in keys and any(key == _AGED for *_, key in material.figures):
        keys.insert(keys.index(_FRESH) + 1, _AGED)
    return tuple(keys)


def _aged(material: Material, group: Group) -> str:
    """Why a deployment stores more than a load does, with the baseline's figures."""
    baseline = material.decision.baseline
    keys = ("compression_ratio", "compression_ratio_aged", "storage_reusable_share_aged")
    fresh, aged, free = (material.figures.get((group, baseline, key)) for key in keys)
    said = "Aged is after the workloads: what updates rewrite goes elsewhere in the file, and leaves room behind."
    if fresh is None or aged is None or free is None:
        return said
    ratios, room = (
        [quantities.quantity(one.value, one.unit) for one in (fresh, aged)],
        quantities.number(100 * free.value, 2),
    )
    return (
        f"{said} {baseline}'s compression ratio went from {ratios[0]} to {ratios[1]}, with {room} % of its file free."
    )


def _role(arm: str, baseline: str, choice: Choice | None) -> str:
    roles = ["baseline"] if arm == baseline else []
    if choice is not None and choice.arm == arm:
        roles.append("for now" if choice.status is Status.UNDECIDED else "recommended")
    return ", ".join(roles)


def _cell(material: Material, group: Group, arm: str, key: str) -> GlanceCell:
    if arm == material.decision.baseline:
        figure = material.figures.get((group, arm, key))
        return GlanceCell(quantities.quantity(figure.value, figure.unit) if figure else ABSENT, "")
    effect = material.effects.get((group, arm, key))
    if effect is None or effect.ratio is None:
        return GlanceCell(ABSENT, "not measured", VERDICTS[Verdict.UNDECIDED].glyph, "undecided")
    return effect_cell(effect)


def effect_cell(effect: Effect) -> GlanceCell:
    """A measured effect: change, interval and verdict."""
    ratio = effect.ratio
    assert ratio is not None
    spread = quantities.spread(ratio) or "one block, no interval"
    return GlanceCell(quantities.change(ratio.value), spread, VERDICTS[effect.verdict].glyph, effect.verdict.value)


def _state(check: ArmCheck | None) -> Check | None:
    if check is None or not check.checks:
        return None
    text = "; ".join(sentences.constraint(one) for one in check.checks)
    return Check(STATES[check.state], check.state.value, text)
