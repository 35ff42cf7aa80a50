"""Turns: the stages that the trials of a block go through together, and in which order they have the floor. Pure.

In a step, such as starting mongod, each trial has the floor once, for as long as it takes. In a phase it has it for
some seconds at a time, round by round, so that what is compared runs within seconds of each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.plan.trials import cells, drawn, williams_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.plan.trials import PlannedTrial
    from harness.spec.campaign import Campaign
    from harness.spec.phases import Pace, Workload

LEAVE = "at the end"
"""The stage in which a trial ends, well or not. Names of stages are agreed with `ansible/trial.yml`."""


@dataclass(frozen=True)
class Stage:
    """What the trials of a block do together before any of them goes on."""

    name: str
    seconds: float | None = None
    """Of a turn; None: a step, in which each trial has one turn that takes what it takes."""
    cut_s: float = 0.0
    """Left out at the beginning of each turn: what the switch brings."""
    warm_ups: int = 0
    """Rounds that are not measured."""
    rounds: int | None = 1
    """In all; None: until the trial has done all its operations."""
    pace: Pace | None = None
    threads: int = 1

    def is_last(self, round_: int) -> bool:
        """Whether no round comes after this one."""
        return self.rounds is not None and round_ + 1 >= self.rounds

    def measures(self, round_: int) -> bool:
        """Whether the turns of this round are measured."""
        return self.seconds is not None and round_ >= self.warm_ups


def stages(campaign: Campaign, workloads: Mapping[str, Workload]) -> tuple[Stage, ...]:
    """The stages of a block's trials, in their order."""
    turns = campaign.turns
    found = [Stage("before load")]
    for name, phase in {"load": campaign.load, **workloads}.items():
        warm_ups = math.ceil(phase.warmup_s / turns.seconds)
        measured_s = getattr(phase, "measure_s", None)
        rounds = warm_ups + math.ceil(measured_s / turns.measured_s) if measured_s else None
        pace = getattr(phase, "pace", None)
        found += [
            Stage(name, turns.seconds, turns.cut_s, warm_ups, rounds, pace, phase.threads),
            Stage(f"after {name}"),
        ]
    return tuple(found)


def order(campaign: Campaign, trials: Sequence[PlannedTrial], stage: int, round_: int) -> list[PlannedTrial]:
    """In which order the trials of a block have the floor: rows of Williams squares, of their own for each stage.

    Rounds go on from row to row, and each block begins one row later than the one before. So what has one round only is
    balanced, too, over as many blocks as there are trials.
    """
    square, row = divmod(trials[0].block, len(trials))
    draw = drawn(campaign, f"{trials[0].cell.dataset} stage {stage} square {square}")
    of_spec = {cell: place for place, cell in enumerate(cells(campaign))}
    letters = sorted(trials, key=lambda trial: of_spec[trial.cell.model_copy(update={"platform": ""})])
    return williams_row(letters, draw, row + round_)
