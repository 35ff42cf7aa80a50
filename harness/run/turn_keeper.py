"""Gives the floor to one trial of a block at a time. The trials' tasks ask for it over a socket, and give it back."""

from __future__ import annotations

import json
import os
import selectors
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from harness.plan.turns import LEAVE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harness.plan.turns import Stage

_LOOK_S = 0.2
_LONGEST_LINE = 4096


@dataclass
class Floor:
    """Who has the floor, who waits for it, and who is next: the trials go through the stages together. Pure.

    `order` tells the trials' order in a round of a stage, by the stage's number.
    """

    stages: Sequence[Stage]
    trials: Sequence[str]
    order: Callable[[int, int], Sequence[str]]
    holder: str | None = None
    at: int = 0
    """The stage."""
    round: int = -1
    measured_from: int | None = None
    """The first round of the stage that is measured; None: it is not warm yet."""
    warmed: dict[str, int] = field(default_factory=dict)
    """Trial -> operations before that round."""
    queue: list[str] = field(default_factory=list)
    """Whose turns of this round are to come."""
    waiting: dict[str, str] = field(default_factory=dict)
    """Trial -> the stage it asks the floor for."""
    through: set[str] = field(default_factory=set)
    """Trials that have had their last turn of this stage."""
    gone: set[str] = field(default_factory=set)
    """Trials that have no more stages."""
    offered: dict[str, int] = field(default_factory=dict)
    """Paced phase -> operations a second."""
    done: dict[str, dict[str, tuple[int, float]]] = field(default_factory=dict)
    """Phase -> trial -> operations and seconds of its measured turns."""

    def ask(self, trial: str, stage: str) -> None:
        """A trial asks for the floor. Raises KeyError for a stage that there is not: it would wait for ever."""
        if stage != LEAVE and stage not in {one.name for one in self.stages}:
            raise KeyError(stage)
        self.waiting[trial] = stage

    def over(self, trial: str, stage: str, *, finished: bool, operations: int, seconds: float) -> None:
        """A trial gives the floor back; `finished`: it has no more turns in the stage."""
        if self.holder != trial:
            return
        self.holder = None
        if stage == LEAVE:
            self.gone.add(trial)
            return
        if finished:
            self.through.add(trial)
        now = self.stages[self.at]
        if stage != now.name or now.seconds is None:
            return
        if self.measured_from is None:
            self.warmed[trial] = self.warmed.get(trial, 0) + operations
        else:
            before = self.done.setdefault(stage, {}).get(trial, (0, 0.0))
            self.done[stage][trial] = before[0] + operations, before[1] + seconds

    def leave(self, trial: str) -> None:
        """A trial is no more."""
        self.gone.add(trial)
        self.waiting.pop(trial, None)
        if self.holder == trial:
            self.holder = None

    def next(self) -> tuple[str, Stage | None, int] | None:
        """Who has the floor from now on, for which stage and round; None where nobody gets it now.

        A trial that ends is let through at once: it may have failed, and others wait for it in vain.
        """
        for trial, stage in self.waiting.items():
            if stage == LEAVE and self.holder in (None, trial):
                return self._give(trial, None)
        if self.holder is not None:
            return None
        while self.at < len(self.stages):
            self.through |= self._ahead()
            self.queue = [trial for trial in self.queue if trial not in self.gone | self.through]
            if self.queue and self.stages[self.at].together:
                return self._give_beside(self.stages[self.at])
            if self.queue:
                ready = self.waiting.get(self.queue[0]) == self.stages[self.at].name
                return self._give(self.queue.pop(0), self.stages[self.at]) if ready else None
            self._next_round()
        return None

    def _next_round(self) -> None:
        left, stage = set(self.trials) - self.gone - self.through, self.stages[self.at]
        if not left or stage.is_last(self.round, self.measured_from):
            self.at, self.round, self.through = self.at + 1, -1, set()
            self.measured_from, self.warmed = None, {}
        else:
            self.round += 1
            fewest = min(self.warmed.get(trial, 0) for trial in left)
            if self.measured_from is None and stage.is_warm(self.round, fewest):
                self.measured_from = self.round
            self.queue = [trial for trial in self.order(self.at, self.round) if trial in left]

    def _ahead(self) -> set[str]:
        """Trials that ask for a later stage: they have nothing to do in this one."""
        later = {stage.name for stage in self.stages[self.at + 1 :]}
        return {trial for trial, stage in self.waiting.items() if stage in later}

    def _give_beside(self, stage: Stage) -> tuple[str, Stage | None, int] | None:
        """Let the next trial of the round into a stage for all together, once all have come to it; none holds it."""
        if any(self.waiting.get(trial) != stage.name for trial in self.queue):
            return None
        trial = self.queue[0]
        del self.waiting[trial]
        self.through.add(trial)
        return trial, stage, self.round

    def _give(self, trial: str, stage: Stage | None) -> tuple[str, Stage | None, int]:
        del self.waiting[trial]
        self.holder = trial
        if stage is None:
            self.gone.add(trial)
        return trial, stage, self.round

    def pace_per_s(self, stage: Stage) -> int | None:
        """What a paced stage is offered: a fraction of the slowest trial's maximum in the phase it follows."""
        if stage.pace is None:
            return None
        if stage.name not in self.offered:
            done = self.done.get(stage.pace.of, {}).values()
            slowest = min((operations / seconds for operations, seconds in done if seconds), default=0.0)
            self.offered[stage.name] = max(stage.threads, round(stage.pace.fraction * slowest))
        return self.offered[stage.name]


class TurnKeeper:
    """Answers the tasks of a block's trials on the socket `path`, in a thread of its own, until it is closed."""

    def __init__(self, path: Path, floor: Floor) -> None:
        self.path, self.floor = path, floor
        self.asking: dict[str, socket.socket] = {}
        self.lock = threading.Lock()
        self.closing = False
        self.listener = socket.socket(socket.AF_UNIX)
        self.thread = threading.Thread(target=self._serve, name="turns", daemon=True)

    def __enter__(self) -> Self:
        self.path.unlink(missing_ok=True)  # a killed harness's
        folder = os.open(self.path.parent, os.O_PATH | os.O_DIRECTORY)
        try:  # by way of the folder: a socket's name is 107 bytes at most
            self.listener.bind(f"/proc/self/fd/{folder}/{self.path.name}")
        finally:
            os.close(folder)
        self.path.chmod(0o600)
        self.listener.listen(len(self.floor.trials))
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing = True
        self.thread.join()
        self.listener.close()
        for line in self.asking.values():
            line.close()
        self.path.unlink(missing_ok=True)

    def gone(self, trial: str) -> None:
        """A trial's playbook has ended, however it did."""
        with self.lock:
            self.floor.leave(trial)
            if line := self.asking.pop(trial, None):
                line.close()
            self._give_on()

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self.listener, selectors.EVENT_READ)
            while not self.closing:
                for key, _ in selector.select(_LOOK_S):
                    if key.fileobj is self.listener:
                        selector.register(self.listener.accept()[0], selectors.EVENT_READ)
                    elif isinstance(key.fileobj, socket.socket):
                        selector.unregister(key.fileobj)
                        with self.lock:
                            self._hear(key.fileobj)

    def _hear(self, line: socket.socket) -> None:
        """Take in what a task says: a line that fits one packet."""
        try:
            said = json.loads(line.recv(_LONGEST_LINE))
            trial, stage = str(said["trial"]), str(said["stage"])
            if said["ask"]:
                self.floor.ask(trial, stage)
                self.asking[trial] = line
            else:
                finished, operations, seconds = said["finished"], int(said["operations"]), float(said["seconds"])
                self.floor.over(trial, stage, finished=finished, operations=operations, seconds=seconds)
                _answer(line, {})
        except (OSError, ValueError, KeyError, TypeError):
            line.close()  # a task that was killed in between
        self._give_on()

    def _give_on(self) -> None:
        while given := self.floor.next():
            trial, stage, round_ = given
            line = self.asking.pop(trial, None)
            if not line or not _answer(line, self._grant(stage, round_)):
                self.floor.leave(trial)  # nobody is there to take it

    def _grant(self, stage: Stage | None, round_: int) -> dict[str, Any]:
        stepping = stage is None or stage.seconds is None
        return {
            "round": max(round_, 0),
            "seconds": None if stepping or stage is None else stage.seconds,
            "cut_s": 0.0 if stage is None else stage.cut_s,
            "measured": not stepping and self.floor.measured_from is not None,
            "last": stage is None or stage.is_last(round_, self.floor.measured_from),
            "pace_per_s": None if stage is None else self.floor.pace_per_s(stage),
        }


def _answer(line: socket.socket, what: dict[str, Any]) -> bool:
    with suppress(OSError), line:
        line.sendall(json.dumps(what).encode() + b"\n")
        return True
    return False
