"""What spoils or limits a run, a line each that a newcomer understands, the full words and single cases behind it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.decide import sentences
from analysis.stats.effects import Group
from analysis.stats.quantities import block_number
from analysis.stats.verdicts import Family

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.trial.canaries import Moved
    from reports.material import Material


@dataclass(frozen=True)
class Notice:
    """Something that spoils or limits the run, as one line; its single cases behind it."""

    level: str
    """`serious` or `caveat`."""
    text: str
    details: tuple[str, ...] = ()


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
    "unbalanced": "Not every arm has as many blocks as the others: each comparison uses what both sides have",
    "few-blocks": "Too few blocks to be sure of much: intervals need two, and are wide below five",
    "standing-out": "{n} effect{s} with a block far from the others",
    "unknown-metric": "{n} metric{s} asked for that no trial has",
    "mixed-data": "Trials of one dataset loaded different documents",
    "no-cost": "No cost could be computed",
    "adding-blocks": "More blocks belong into a new run: adding them to this one until it decides misleads",
    "control-differs": "Arms with the same settings differ: something else acts on the trials",
    "shared-host": "Clients shared mongod's machine, so arms look more alike in throughput than they are",
    "looked": "This run could end early, by what it showed: its intervals allow for that",
    "unsteady-arm": "{n} arm{s} that stall{v} now and then",
}
_SERIOUS = {"no-trials", "void-trials", "mixed-data", "few-blocks"}
_SPELLED_OUT = {"void-trials", "flagged-trials", "missing-blocks", "standing-out", "unknown-metric"}
"""Of one case, the caveat's own words are as short."""
LONGEST = 100
"""Characters of a line that fits a page's width."""


def notices(material: Material) -> tuple[Notice, ...]:
    """What does not verify, missing trials and all caveats, one line a kind, the serious ones first."""
    found = [*_unverified(material), *_missing(material)]
    by_code: dict[str, list[str]] = {}
    for caveat in material.decision.caveats:
        by_code.setdefault(caveat.code, []).append(caveat.message)
    reasons = _reasons(material)
    for code, messages in by_code.items():
        level = "serious" if code in _SERIOUS else "caveat"
        single = messages[0].rstrip(".") if len(set(messages)) == 1 and code not in reasons else ""
        if single and (code in _SPELLED_OUT or code not in _SUMMARIES) and len(single) <= LONGEST:
            found.append(Notice(level, single))
        else:
            details = reasons.get(code, tuple(dict.fromkeys(messages)))
            found.append(Notice(level, _line(material, code, messages), details))
    return tuple(sorted(found, key=lambda notice: notice.level != "serious"))


def _line(material: Material, code: str, messages: Sequence[str]) -> str:
    """One line for all caveats of a kind."""
    if code == "moved-block" and material.run.moved:
        return _of_canaries(material.run.moved)
    one = len(messages) == 1
    known = _SUMMARIES.get(code, messages[0].rstrip("."))
    return known.format(n=len(messages), s="" if one else "s", v="s" if one else "")


def _of_canaries(moved: Sequence[Moved]) -> str:
    """Around which blocks the hosts were slower or faster than usual."""
    blocks = sorted({block_number(one.block) for one in moved})
    where = f"around block{'' if len(blocks) == 1 else 's'} {sentences.listed([str(block) for block in blocks])}"
    ways = {one.percent < 0 for one in moved}
    if len(ways) > 1:
        return f"The machine's speed changed {where}"
    return f"The machine was {'slower' if ways.pop() else 'faster'} than usual {where}"


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
