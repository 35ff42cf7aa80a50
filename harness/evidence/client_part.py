"""One client process's part of a phase: its account, its interval logs, and the windows in which it is measured."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from analysis.trial.records import ClientPart
from core.cpus import cores_of
from core.stored import stored_names
from harness.evidence.steps import read_json
from workloads.client_file import ClientFile, read_client_file
from workloads.interval_log import Interval, IntervalLog, read_interval_log

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from harness.plan.load.warming import WarmUp
    from harness.spec.phases import Client

RMW = "READ-MODIFY-WRITE"
_ONE_CUT_S = 0.25  # between the ticks of one second's series lie some ms, of two seconds' about 1 s
_SHORT_S = 1.0  # a phase that is hardly longer is measured from end to end
_SHORTEST_S = 0.1  # what a bulk write may take: within less there may be nothing to count
_OPERATION = "[A-Z-]+"  # all that may stand between a phase's name and the ending: names may go on after a dot

Kind = Literal["logs", "intended"]
Window = tuple[tuple[float, float], ...]
"""Spans of Unix time, in s; of a trial that ran alone one, else one for each turn."""


@dataclass(frozen=True)
class Part:
    """What one client process left of a phase."""

    name: str
    account: ClientFile
    logs: dict[str, IntervalLog]
    intended: dict[str, IntervalLog]
    timeouts: int | None
    cpu_limit: float | None
    cpus: str | None

    def of_kind(self, kind: Kind) -> dict[str, IntervalLog]:
        """Its logs of actual or of intended latencies."""
        return self.logs if kind == "logs" else self.intended

    @property
    def began(self) -> float:
        """When its logs begin."""
        return min((interval.start_s for log in self.logs.values() for interval in log.intervals), default=0.0)

    def acknowledged(self, main: list[str], inner: list[str], window: Window) -> int:
        """The operations of a window; those that are timed within another one count once."""
        return self._count(main, window) - len(inner) * self._count([RMW], window)

    def _count(self, names: list[str], window: Window) -> int:
        logs = [self.logs[one] for one in names if one in self.logs]
        return sum(log.merged(*span).count for log in logs for span in window)

    def cpu_s(self, window: Window) -> float | None:
        """The client's CPU in a window, interpolated between its samples."""
        at_s, cpu_s = [sample[0] for sample in self.account.samples], [sample[2] for sample in self.account.samples]
        if len(at_s) < 2 or not length_s(window):
            return None
        spent_by = np.interp(np.array(window), at_s, cpu_s)
        return float((spent_by[:, 1] - spent_by[:, 0]).sum())

    def attempted(self, at_s: float) -> int | None:
        """The operations that it had attempted by a moment, interpolated between its samples."""
        moments, counts = self._progress
        return round(float(np.interp(at_s, moments, counts))) if moments else None

    def warm_at(self, warm: WarmUp) -> float:
        """From when on it is warm, whether or not it lasted so long."""
        moments, counts = self._progress
        done = self.began
        if warm.operations:
            enough = bool(counts) and counts[-1] >= warm.operations
            done = float(np.interp(warm.operations, counts, moments)) if enough else math.inf
        return min(max(self.began + warm.seconds, done), self.began + warm.longest_s)

    @property
    def _progress(self) -> tuple[list[float], list[float]]:
        """Moments, and the operations attempted by then."""
        return [sample[0] for sample in self.account.samples], [sample[1] for sample in self.account.samples]

    @property
    def open(self) -> Window:
        """The spans in which its operations were let through; none where it was not gated."""
        return tuple((turn.opened_s, turn.closed_s) for turn in self.account.turns)

    @property
    def turns(self) -> Window:
        """The measured spans of its turns; all of them where the phase was over as soon as it was measured."""
        measured = (turn.measured for turn in self.account.turns)
        spans = tuple(span for span in measured if span and span[1] > span[0])
        return spans if length_s(spans) >= _SHORTEST_S else self.open

    def usable_cores(self, asked: Client, clients: int) -> float:
        """The cores that this client's threads can use at most: a control group may allow parts of one."""
        return min(max(1, asked.threads // clients), self.account.cores, self.cpu_limit or math.inf)

    def _at_work(self, interval: Interval) -> bool:
        """Whether operations were let through in it."""
        spans = self.open
        return not spans or any(interval.start_s < until and since < interval.end_s for since, until in spans)

    def at_work(self, operation: str, kind: Kind = "logs") -> IntervalLog:
        """An operation's log without what came after not all threads worked any more; of turns, all."""
        log, until = self.of_kind(kind)[operation], self.account.all_until_s
        return log if until is None or until - self.began <= _SHORT_S else log.within(0, until)

    def told(self, rate: float, share: float | None) -> ClientPart:
        """What the record says of it."""
        at_work = [one for log in self.logs.values() for one in log.intervals if self._at_work(one)]
        lengths = [one.end_s - one.start_s for one in at_work]
        return ClientPart(
            name=self.name,
            started_at_s=self.began,
            throughput_per_s=rate,
            cpu_share=share,
            gc_pause_s=self.account.gc.total_ms / 1000,
            longest_stall_s=round(self.account.longest_stall_s, 3),
            longest_interval_s=round(max(lengths), 3) if lengths else None,
            retransmission_timeouts=self.timeouts,
            cpus=self.cpus,
        )


def read_part(label: str, folder: Path, name: str) -> Part:
    """What the client called `label` left of a phase in its folder.

    Raises:
        YcsbOutputError: it left no readable account or histograms.
    """
    lost, process = (_read_if_there(folder / one) for one in (f"network.{name}.json", f"{name}.process.json"))
    account = read_client_file(folder / f"{name}.client.json")
    logs, intended = _logs(folder, name, ""), _logs(folder, name, "Intended-")
    if not account.turns:  # at whose edges the client itself cut all series at one moment
        ticks = _ticks([*logs.values(), *intended.values()])
        logs, intended = ({one: _cut_at(ticks, log) for one, log in of_kind.items()} for of_kind in (logs, intended))
    return Part(
        name=label,
        account=account,
        logs=logs,
        intended=intended,
        timeouts=lost.get("retransmission_timeouts"),
        cpu_limit=process.get("cpu_limit"),
        cpus=_cores(process.get("cpus_allowed")),
    )


def _read_if_there(path: Path) -> Any:
    return read_json(path) if path.name in stored_names(path.parent) else {}


def _cores(told: Any) -> str | None:
    """A list of cores as it was read back; None where none was."""
    try:
        return told if isinstance(told, str) and cores_of(told) else None
    except ValueError:
        return None


def _logs(folder: Path, name: str, prefix: str) -> dict[str, IntervalLog]:
    """The phase's interval logs by operation; CLEANUP is the client's own."""
    of_phase = re.compile(rf"{re.escape(name)}\.{prefix}({_OPERATION})\.hdr")
    named = {folder / file: of_phase.fullmatch(file) for file in stored_names(folder)}
    operations = {path: match[1] for path, match in named.items() if match}
    return {one: read_interval_log(path) for path, one in operations.items() if one != "CLEANUP"}


def _ticks(logs: list[IntervalLog]) -> NDArray[np.float64]:
    """The moments at which a client cut its series: those of the one that has most."""
    longest = max(logs, key=lambda log: len(log.intervals), default=None)
    if longest is None or not longest.intervals:
        return np.empty(0)
    return np.array([longest.intervals[0].start_s, *(one.end_s for one in longest.intervals)])


def _cut_at(ticks: NDArray[np.float64], log: IntervalLog) -> IntervalLog:
    """The log as if it had been cut at these moments.

    A client's series tick one after the other within some ms. A bound of the window between two such ticks would leave
    out a second of one series, and keep it of another.
    """
    if not ticks.size:
        return log

    def moved(at_s: float) -> float:
        after = int(np.searchsorted(ticks, at_s))
        nearest = min(ticks[max(0, after - 1) : after + 1], key=lambda tick: abs(tick - at_s))
        return float(nearest) if abs(nearest - at_s) <= _ONE_CUT_S else at_s

    intervals = (replace(one, start_s=moved(one.start_s), end_s=moved(one.end_s)) for one in log.intervals)
    return replace(log, intervals=tuple(intervals))


def windows(parts: list[Part], main: list[str], warm: WarmUp) -> list[Window]:
    """Each client's measured window: its turns, or whole intervals of its own within the time in which all work.

    Where that time holds no whole interval of some client, as in short phases, every window is all of the phase.
    """
    if any(part.open for part in parts):
        return [part.turns for part in parts]
    own = [[interval for one in main if one in part.logs for interval in part.logs[one].intervals] for part in parts]
    spans = [_span(intervals, part, part.warm_at(warm)) for part, intervals in zip(parts, own, strict=True)]
    if len(parts) == 1:
        return [tuple(spans)]
    since, until = max(one[0] for one in spans), min(one[1] for one in spans)
    common = [[one for one in intervals if since <= one.start_s and one.end_s <= until] for intervals in own]
    if all(common):
        return [((min(one.start_s for one in each), max(one.end_s for one in each)),) for each in common]
    every = [interval for intervals in own for interval in intervals]
    began = min((part.began for part in parts), default=0.0)
    whole = (min((one.start_s for one in every), default=began), max((one.end_s for one in every), default=began))
    return [(whole,)] * len(parts)


def length_s(window: Window) -> float:
    """The length of a window's spans together."""
    return sum(until - since for since, until in window)


def _span(intervals: list[Interval], part: Part, warm_at: float) -> tuple[float, float]:
    """The whole intervals after the warm-up while all threads worked; a short phase keeps all of it."""
    if not intervals:
        return part.began, part.began
    first, end = min(one.start_s for one in intervals), max(one.end_s for one in intervals)
    until = part.account.all_until_s
    if until is not None and until - part.began > _SHORT_S:
        end = min(end, until)
    earliest = warm_at if end - warm_at > _SHORT_S else first
    return min((one.start_s for one in intervals if earliest <= one.start_s < end), default=end), end
