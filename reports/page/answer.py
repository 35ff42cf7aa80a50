"""The first screen: the decision, the constraints, what is open, what went wrong, and every arm at a glance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.decide import sentences
from analysis.decide.constraints import State
from analysis.decide.recommendation import Status
from analysis.stats import quantities
from analysis.stats.effects import Group
from analysis.stats.metrics import metric
from analysis.stats.quantities import block_number
from analysis.stats.verdicts import Family, Verdict
from reports.charts.base import direction
from reports.tables import ABSENT
from reports.theme import VERDICTS, ArmStyle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.decide.constraints import ArmCheck
    from analysis.decide.recommendation import Choice
    from analysis.stats.verdicts import Effect
    from reports.material import Material

_FRESH, _AGED = "storage_bytes_per_document", "storage_bytes_per_document_aged"
STATES = {State.SATISFIED: "✓", State.VIOLATED: "✗", State.UNDECIDED: "?"}


@dataclass(frozen=True)
class Check:
    """One constraint in words."""

    glyph: str
    state: str
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
class Notice:
    """Something that spoils or limits the run, as one line; its single cases behind it."""

    level: str
    """`serious` or `caveat`."""
    text: str
    details: tuple[str, ...] = ()


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


def undecided(material: Material) -> Notice | None:
    """How many primary comparisons are open."""
    decision = material.decision
    effects = [one for one in decision.every_effect if one.family is Family.PRIMARY]
    still = material.decision.undecided
    if not still:
        return None
    number = "Every" if len(still) == len(effects) else f"{len(still)} of {len(effects)}"
    noun = "primary comparison is" if len(still) in (1, len(effects)) else "primary comparisons are"
    return Notice("caveat", f"{number} {noun} undecided", still)


_SUMMARIES = {
    "void-trials": "{n} void trial{s}: kept and shown, not counted",
    "flagged-trials": "{n} trial{s} counted, but flagged",
    "missing-blocks": "{n} arm{s} without a valid trial in some block",
    "moved-block": "{n} block{s} may have run on a faster or slower host: a canary moved",
    "standing-out": "{n} effect{s} with a block far from the others",
}
_SERIOUS = {"no-trials", "void-trials", "mixed-data", "few-blocks"}


def notices(material: Material) -> tuple[Notice, ...]:
    """What does not verify, missing trials and all caveats, one line a kind, the serious ones first."""
    found = [*_unverified(material), *_missing(material)]
    by_code: dict[str, list[str]] = {}
    for caveat in material.decision.caveats:
        by_code.setdefault(caveat.code, []).append(caveat.message)
    reasons = _reasons(material)
    for code, messages in by_code.items():
        level = "serious" if code in _SERIOUS else "caveat"
        if code in _SUMMARIES and (len(messages) > 1 or code in reasons):
            text = _SUMMARIES[code].format(n=len(messages), s="" if len(messages) == 1 else "s")
            found.append(Notice(level, text, reasons.get(code, tuple(messages))))
        else:
            found += [Notice(level, message.rstrip(".")) for message in dict.fromkeys(messages)]
    return tuple(sorted(found, key=lambda notice: notice.level != "serious"))


def _reasons(material: Material) -> dict[str, tuple[str, ...]]:
    """The full reasons of void and flagged trials, where the caveats give only their codes."""
    found: dict[str, tuple[str, ...]] = {}
    for code, pairs in (
        ("void-trials", [(record.trial, record.void) for record in material.records]),
        ("flagged-trials", [(record.trial, record.flags) for record in material.counting]),
    ):
        lines = tuple(f"{trial}: {'; '.join(reason.message for reason in why)}" for trial, why in pairs if why)
        if lines:
            found[code] = lines
    return found


def _unverified(material: Material) -> Iterable[Notice]:
    """That the report is made from files that are not as they were recorded."""
    if faults := material.run.faults:
        number = "one thing is" if len(faults) == 1 else f"{len(faults)} things are"
        yield Notice("serious", f"This run does not verify: {number} not as recorded", faults)


def _missing(material: Material) -> Iterable[Notice]:
    """Planned trials without any record, by arm; an arm that never ran is named as such."""
    present = {(record.block, record.cell) for record in material.run.records}
    absent = [(block, cell) for block, cell in material.run.planned_trials if (block, cell) not in present]
    if not absent:
        return
    planned = Counter(cell.arm for _, cell in material.run.planned_trials)
    missing = Counter(cell.arm for _, cell in absent)
    never = [arm for arm, count in missing.items() if count == planned[arm]]
    if never and len(never) < len(planned):
        verb = "has" if len(never) == 1 else "have"
        yield Notice("serious", f"{sentences.listed(never)} {verb} no trial at all")
    total = len(material.run.planned_trials)
    details = tuple(f"block {block_number(block)}: {cell.arm} ({Group.of(cell).label})" for block, cell in absent)
    yield Notice("serious", f"{len(absent)} of {total} planned trials are missing", details)


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
    return Glance(tuple(columns), rows)


def _at_a_glance(material: Material) -> tuple[str, ...]:
    """The primary metrics, and beside the storage after the load that after the workloads, whatever the spec chose."""
    keys = list(material.decision.primary)
    if _FRESH in keys and _AGED not in keys and any(key == _AGED for *_, key in material.figures):
        keys.insert(keys.index(_FRESH) + 1, _AGED)
    return tuple(keys)


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
