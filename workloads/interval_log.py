"""YCSB's interval logs (`<phase>.<OP>.hdr`): a histogram for each second of one operation in one client."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.stored import read_stored
from workloads.errors import YcsbOutputError
from workloads.histogram import Histogram

_INTENDED = "Intended-"
_HALF_A_MS = 0.0005
_LARGEST_FILE_BYTES = 256 * 2**20  # about a day of seconds
_LOGGING_FOR = re.compile(rb"#\[Logging for: ([\x21-\x7e]{1,100})\]")
_START_TIME = re.compile(rb"#\[StartTime: (\d{1,11}\.\d{1,9}) ")
_INTERVAL = re.compile(rb"(-?\d{1,9}\.\d{1,9}),(-?\d{1,9}\.\d{1,9}),\d+\.\d+,([A-Za-z0-9+/=]+)")


@dataclass(frozen=True)
class Interval:
    """The latencies of the operations that ended between two moments (Unix time in seconds)."""

    start_s: float
    end_s: float
    histogram: Histogram

    @property
    def count(self) -> int:
        """How many operations ended in the interval."""
        return self.histogram.count


@dataclass(frozen=True)
class IntervalLog:
    """All intervals of one operation, in order of their start; about a second each, the last one shorter.

    `intended` latencies count from the moment the schedule asked for an operation; they mean something only
    where a rate was offered. Every operation's log starts, and ticks, at its own moments, some ms beside the others'.
    """

    operation: str
    intended: bool
    intervals: tuple[Interval, ...] = field(repr=False)

    def within(self, from_s: float, to_s: float) -> "IntervalLog":
        """Keep the intervals that lie wholly within a window, e.g. without the warm-up; by whole ms, as in the log."""
        since, until = from_s - _HALF_A_MS, to_s + _HALF_A_MS
        inside = (one for one in self.intervals if since <= one.start_s and one.end_s <= until)
        return IntervalLog(self.operation, self.intended, tuple(inside))

    def merged(self, from_s: float = float("-inf"), to_s: float = float("inf")) -> Histogram:
        """Give one histogram of all intervals that lie wholly within a window."""
        return Histogram.merged(one.histogram for one in self.within(from_s, to_s).intervals)


def read_interval_log(path: Path) -> IntervalLog:
    """Read an interval log, compressed or not. Raises YcsbOutputError if it is missing, cut off or damaged anywhere."""
    try:
        lines = read_stored(path, _LARGEST_FILE_BYTES).split(b"\n")
    except OSError as error:
        raise _fault(path, 0, f"cannot be read ({error.strerror})") from None
    if lines.pop():
        raise _fault(path, len(lines) + 1, "cut off in the middle of a line")
    name = _header(path, lines, _LOGGING_FOR, "the operation's name").decode()
    origin_s = float(_header(path, lines, _START_TIME, "the start time"))
    operation = name.removeprefix(_INTENDED)
    return IntervalLog(operation, operation != name, tuple(_intervals(path, lines, origin_s)))


def merge(logs: Iterable[IntervalLog]) -> IntervalLog:
    """Put the logs of several clients together: the same operation, the same kind, at least one log.

    Clients' seconds need not begin together; `merged` of the result is right for any window all the same, while
    rates are the sum of the clients' own. Raises YcsbOutputError if the logs are of different series.
    """
    parts = list(logs)
    series = sorted({f"{_INTENDED if part.intended else ''}{part.operation}" for part in parts})
    if len(series) != 1:
        named = ", ".join(series) or "none at all"
        raise YcsbOutputError(f"interval logs of one operation are needed to merge, not of {named}; choose others")
    intervals = sorted((one for part in parts for one in part.intervals), key=lambda one: one.start_s)
    return IntervalLog(parts[0].operation, parts[0].intended, tuple(intervals))


def _header(path: Path, lines: list[bytes], pattern: re.Pattern[bytes], what: str) -> bytes:
    found = next((match[1] for line in lines[:10] if (match := pattern.match(line))), None)
    if found is None:
        raise _fault(path, 0, f"its header lacks {what}")
    return found


def _intervals(path: Path, lines: list[bytes], origin_s: float) -> Iterator[Interval]:
    for number, line in enumerate(lines, 1):
        if line.startswith((b"#", b'"StartTimestamp"')):
            continue
        match = _INTERVAL.fullmatch(line)
        if match is None:
            raise _fault(path, number, "not an interval")
        start_s, length_s = origin_s + float(match[1]), float(match[2])
        if length_s < 0:
            raise _fault(path, number, "an interval ends before it starts: the client's clock was set back")
        try:
            yield Interval(start_s, start_s + length_s, Histogram.decode(match[3]))
        except YcsbOutputError as error:
            raise _fault(path, number, str(error)) from None


def _fault(path: Path, line: int, why: str) -> YcsbOutputError:
    place = f"{path}, line {line}" if line else str(path)
    return YcsbOutputError(f"interval log {place}: {why}; see the client's status log beside it and run again")
