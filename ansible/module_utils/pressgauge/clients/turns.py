"""A trial's turns on this host: it asks the harness for the floor, runs while it has it, and is frozen otherwise.

All trials of a block are alive at once; the harness gives the floor to one at a time, and answers on a socket in its
folder. What freezes a mongod is SIGSTOP: it is one process, so a control group's freezer would stop no more, and is not
to be had on every host.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host.processes import Process

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LEAVE = "at the end"
"""The stage in which a trial ends, well or not; it is let through out of turn."""
TURNS: dict[str, Any] = {
    "type": "dict",
    "options": {
        "socket": {"type": "path", "required": True},
        "trial": {"type": "str", "required": True},
        "instances": {"type": "list", "elements": "path", "required": True},
    },
}
"""The argument by which modules are told how a trial takes turns; see their documentation."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)  # of /proc/stat's first line: idle and waiting for the disk


@dataclass(frozen=True)
class Grant:
    """The floor, as the harness gave it."""

    round: int
    seconds: float | None
    """None: for as long as the step takes."""
    cut_s: float
    """Left out at the turn's beginning."""
    measured: bool
    last: bool
    pace_per_s: float | None


@dataclass(frozen=True)
class Turns:
    """The harness, as one trial speaks to it."""

    path: Path
    trial: str

    @classmethod
    def of(cls, turns: Mapping[str, Any]) -> Turns:
        """The floor that a module was told of."""
        return cls(Path(turns["socket"]), turns["trial"])

    def ask(self, stage: str) -> Grant:
        """Wait for the floor. Raises Failure (harness) when nobody gives it any more."""
        return Grant(**self._say(stage=stage, ask=True))

    def over(self, stage: str, *, finished: bool, operations: int = 0, seconds: float = 0.0) -> None:
        """Give the floor back; `finished`: the trial has no more turns in this stage.

        `operations` were done in the turn's measured `seconds`.
        """
        self._say(stage=stage, ask=False, finished=finished, operations=operations, seconds=seconds)

    def _say(self, **what: Any) -> dict[str, Any]:
        try:
            with near(self.path) as name, socket.socket(socket.AF_UNIX) as line:
                line.connect(name)
                line.sendall(json.dumps({"trial": self.trial, **what}).encode() + b"\n")
                answer = line.makefile("rb").readline()
                return dict(json.loads(answer))
        except (OSError, ValueError) as error:
            raise Failure("harness", f"{self.path}: the turn keeper is gone ({error})") from error


@contextmanager
def alone(turns: Mapping[str, Any] | None, stage: str) -> Iterator[None]:
    """A step for which the trial has the floor, its mongods frozen after it; at once where it takes no turns."""
    if turns is None:
        yield
        return
    begin(turns, stage)
    try:
        yield
    finally:
        end(turns, stage)


def begin(turns: Mapping[str, Any], stage: str) -> None:
    """Return with the mongods thawed, when the trial is let into a step, for itself or with all others of its block."""
    Turns.of(turns).ask(stage)
    Mongods.of(turns["instances"]).thaw()


def end(turns: Mapping[str, Any], stage: str) -> None:
    """Freeze the mongods, and give the floor back."""
    Mongods.of(turns["instances"]).freeze()
    Turns.of(turns).over(stage, finished=True)


@contextmanager
def near(path: Path) -> Iterator[str]:
    """A name for a socket that fits the 107 bytes a socket's name may have, whatever its folder is called."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


@dataclass(frozen=True)
class Mongods:
    """The mongods of one trial on this host, by their instance directories."""

    directories: tuple[Path, ...]

    @classmethod
    def of(cls, directories: Sequence[str]) -> Mongods:
        """The mongods of these instance directories."""
        return cls(tuple(Path(one) for one in directories))

    def freeze(self) -> None:
        """Let them do nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def used(self) -> dict[str, float | None]:
        """What they have used so far, all together: CPU seconds, bytes read and written; None where it can't be read.

        And of the whole host: CPU seconds busy and idle.
        """
        counted = [process.counters() for process in self._processes()]

        def sum_of(*names: str) -> float | None:
            values = [one[name] for one in counted for name in names]
            return None if None in values or not values else sum(values)

        busy, idle = _host_cpu_s()
        return {
            "cpu_s": sum_of("user_cpu_s", "system_cpu_s"),
            "read_bytes": sum_of("read_bytes"),
            "written_bytes": sum_of("written_bytes"),
            "host_cpu_s": busy,
            "host_idle_s": idle,
        }

    def _processes(self) -> list[Process]:
        found = (Process.recorded(directory / "mongod.pid") for directory in self.directories)
        return [process for process in found if process]

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes():
            with suppress(ProcessLookupError):  # it ended by itself in between
                os.kill(process.pid, number)


def _host_cpu_s() -> tuple[float, float]:
    """CPU seconds of all cores since the host started: busy, and idle or waiting for the disk."""
    with Path("/proc/stat").open("rb") as file:
        modes = [int(value) / _TICKS_PER_S for value in file.readline().split()[1:9]]  # guests are counted in user
    idle = sum(modes[mode] for mode in _IDLE)
    return sum(modes) - idle, idle
