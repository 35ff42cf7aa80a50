"""A phase in turns: its clients and the mongods they drive run while the trial has the floor, and stand still else."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.clients.gates import ClientGoneError, Gate, wait_for
from ansible.module_utils.pressgauge.clients.java import Child, JavaRun, await_ends, started_together
from ansible.module_utils.pressgauge.files import write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ansible.module_utils.pressgauge.clients.turns import Grant, Mongods, Turns


@dataclass
class TurnTaking:
    """One phase of one trial, turn by turn."""

    stage: str
    harness: Turns
    mongods: Mongods
    account: Path
    """Where what happened in each turn is written when the phase ends, well or not."""
    turns: list[dict[str, Any]] = field(default_factory=list)

    def run(self, runs_of: Callable[[float | None], list[JavaRun]]) -> list[dict[str, Any]]:
        """Run the clients, made for the pace that the first turn brings, to their ends; each one's process record.

        Raises Failure as `run_together` does; the mongods are frozen and the floor is given back, either way.
        """
        grant = self._begin()
        try:
            with started_together(runs_of(grant.pace_per_s), gated=True) as children:
                try:
                    self._await_ready(children)
                    self._take_turns(grant, children)
                except ClientGoneError:
                    pass  # how it ended says why
                return await_ends(children)
        finally:
            self._end(finished=True)

    def _take_turns(self, grant: Grant, children: list[Child]) -> None:
        """Until the clients have finished, or had their last turn; they end while the trial has the floor."""
        while True:
            self._turn(grant, children)
            gates = [child.gate for child in children if child.gate]
            if grant.last or all(gate.finished for gate in gates):
                for gate in gates:
                    if not gate.finished:
                        gate.end()
                return
            self._end(finished=False)
            grant = self._begin()

    def _turn(self, grant: Grant, children: list[Child]) -> None:
        turn, gates = self.turns[-1], [child.gate for child in children if child.gate]
        before = sum(gate.operations for gate in gates)

        def each(act: Callable[[Gate, Callable[[], bool]], float | None]) -> float | None:
            moments = [act(child.gate, child.is_at_work) for child in children if child.gate]
            return max((moment for moment in moments if moment is not None), default=None)

        if grant.measured and not any(earlier["measured"] for earlier in self.turns[:-1]):
            for gate in gates:
                gate.pace()
        began = time.monotonic()
        turn["opened_s"] = each(Gate.open)
        if grant.measured:
            wait_for(gates, grant.cut_s)
            turn["at_mark"] = self.mongods.used()
            turn["measured_s"] = each(Gate.mark)
        wait_for(gates, (grant.seconds or 0.0) - (time.monotonic() - began))
        turn["at_close"] = self.mongods.used()  # what is in flight still counts to no turn's measured part
        closed = each(Gate.shut)
        turn["closed_s"] = closed or time.time()
        turn["operations"] = sum(gate.operations for gate in gates) - before
        turn["open_s"] = time.monotonic() - began

    def _begin(self) -> Grant:
        grant = self.harness.ask(self.stage)
        self.turns.append({"round": grant.round, "measured": grant.measured, "at_thaw": self.mongods.used()})
        self.mongods.thaw()
        self.turns[-1]["thawed_s"] = time.time()
        return grant

    def _end(self, *, finished: bool) -> None:
        turn = self.turns[-1]
        self.mongods.freeze()
        turn["frozen_s"] = time.time()
        turn["at_freeze"] = self.mongods.used()
        if finished:
            write_json(self.account, {"format_version": 1, "turns": self.turns})
        self.harness.over(
            self.stage,
            finished=finished,
            operations=turn.get("operations", 0),
            seconds=turn.get("open_s", 0.0),
        )

    def _await_ready(self, children: list[Child]) -> None:
        for child in children:
            if child.gate:
                child.gate.await_ready(child.is_at_work)
