"""How the trials of a block ran, and what shows that those without their turn stood still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.stats.quantities import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.trial.records import TrialRecord
    from reports.material import Material

_CLOCK_S = 0.01


@dataclass(frozen=True)
class HowRun:
    """Whether trials took turns, in sentences; the last two are empty where none did."""

    turns: bool
    sentence: str
    frozen: str
    """What CPU frozen mongods used."""
    checkpoints: str
    """Why the time between checkpoints is another than the one asked for."""


def how_run(material: Material) -> HowRun:
    """Of all records, void ones included."""
    together = [record for record in material.records if record.sharing > 1]
    if not together:
        where = "on each platform " if len(material.run.platforms) > 1 else ""
        said = f"The trials of a block ran {where}one after the other."
        return HowRun(turns=False, sentence=said, frozen="", checkpoints="")
    return HowRun(
        turns=True,
        sentence=_sentence(material, together),
        frozen=_frozen(together),
        checkpoints=f"The time between checkpoints is {_range(together)} times the time asked for, because mongod's "
        "clock keeps running while it is frozen: in its own time, checkpoints come as often as asked.",
    )


def _range(together: Sequence[TrialRecord]) -> str:
    """How many took turns with each other: `4`, or `2 to 4`."""
    sharing = sorted({record.sharing for record in together})
    return str(sharing[0]) if len(sharing) == 1 else f"{sharing[0]} to {sharing[-1]}"


def _sentence(material: Material, together: Sequence[TrialRecord]) -> str:
    length = f" of {material.run.turn_s:g} s" if material.run.turn_s else ""
    where = ", on each platform" if len(material.run.platforms) > 1 else ""
    others = "the other was" if _range(together) == "2" else "the others were"
    dataset = " and dataset" if len(material.run.datasets) > 1 else ""
    said = f"The {_range(together)} trials of a block{dataset} took turns{length}{where}: one ran, {others} frozen."
    alone = len(material.records) - len(together)
    return (
        f"{said} {alone} trial{' ran alone' if alone == 1 else 's ran alone, one after the other'}." if alone else said
    )


def _frozen(together: Sequence[TrialRecord]) -> str:
    """The most in one pause, how many pauses had none, and the share of all."""
    turns = [turn for record in together for phase in record.phases for turn in phase.turns]
    known = [turn for turn in turns if turn.frozen_cpu_s is not None]
    if not known:
        return "How much CPU frozen mongods used was not recorded."
    used = [turn.frozen_cpu_s or 0.0 for turn in known]
    still = sum(one < _CLOCK_S / 2 for one in used)
    if still == len(used):
        return (
            f"In none of {len(used)} pauses did a frozen mongod use CPU that the kernel's clock ({_CLOCK_S} s) shows."
        )
    at_work = sum(turn.mongod_cpu_s or 0.0 for turn in known)
    share = f", {number(100 * sum(used) / at_work, 2)} % of what the turns used" if at_work else ""
    return (
        f"Between its turns, a frozen mongod used at most {max(used):.2f} s of CPU; in {still} of {len(used)} pauses "
        f"none that the kernel's clock ({_CLOCK_S} s) shows. All pauses together: {sum(used):.2f} s{share}."
    )
