"""Turns: the stages that the trials of a block go through together, and in which order they have the floor. Pure.

In a step, such as taking a checkpoint, each trial has the floor once, for as long as it takes. In a phase it has it for
some seconds at a time, round by round, so that what is compared runs within seconds of each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.plan.load.warming import warm_ups
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
    """Rounds that are not measured, at least."""
    warm_operations: int = 0
    """Each trial does as many before any of them is measured."""
    most_warm_ups: int = 0
    """More rounds are not waited for these operations."""
    rounds: int | None = 1
    """That are measured, or of a step; None: until the trial has done all its operations."""
    pace: Pace | None = None
    threads: int = 1
    together: bool = False
    """A step that all trials do at the same time, once each of them has come to it: nothing is measured any more."""

    def is_warm(self, round_: int, fewest: int) -> bool:
        """Whether this round is measured, where each trial has done so many operations before it."""
        return round_ >= self.warm_ups and (fewest >= self.warm_operations or round_ >= self.most_warm_ups)

    def is_last(self, round_: int, measured_from: int | None) -> bool:
        """Whether no round comes after this one; `measured_from` is the first that is measured, where it is known."""
        return self.rounds is not None and measured_from is not None and round_ + 1 >= measured_from + self.rounds


def stages(campaign: Campaign, workloads: Mapping[str, Workload], clients: int) -> tuple[Stage, ...]:
    """The stages of a block's trials, each with so many clients, in their order.

    A trial that has nothing to do in one asks for the next.
    """
    turns = campaign.turns
    found = [Stage("empty")]
    for name, warm in warm_ups(campaign, workloads, clients).items():
        phase = campaign.load if name == "load" else workloads[name]
        measured_s = getattr(phase, "measure_s", None)
        stage = Stage(
            name,
            turns.seconds,
            turns.cut_s,
            warm_ups=math.ceil(warm.seconds / turns.seconds),
            warm_operations=clients * warm.operations,
            most_warm_ups=math.ceil(warm.longest_s / turns.seconds),
            rounds=math.ceil(measured_s / turns.measured_s) if measured_s else None,
            pace=getattr(phase, "pace", None),
            threads=phase.threads,
        )
        if getattr(phase, "maintenance", None):
            found.append(Stage(f"before-{name}"))
        found += [stage, *([Stage("loaded"), Stage("upgrade")] if name == "load" else [Stage(f"after-{name}")])]
    return (*found, Stage("verify", together=True))


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
