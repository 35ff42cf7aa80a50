"""What a phase's turns were, by the account that `ycsb_phase` keeps of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from analysis.trial.engine import time_series
from analysis.trial.engine.ftdc import Samples
from core.bounds import Count, Seconds, UnixTime
from core.model import Part
from core.stored import read_stored, stored_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

_LARGEST_BYTES = 64 * 2**20
_ENDING = ".json"
_BEGINNING = "turns."


class Used(Part):
    """What the trial's mongods, and all of their host, had used by a moment."""

    cpu_s: Seconds | None
    read_bytes: Count | None
    written_bytes: Count | None
    host_cpu_s: Seconds
    host_idle_s: Seconds


class TurnTaken(Part):
    """One turn: the moments at which mongod was thawed, the clients let through, stopped, and mongod frozen."""

    round: Count
    measured: bool
    thawed_s: UnixTime
    opened_s: UnixTime | None = None
    measured_s: UnixTime | None = None
    closed_s: UnixTime | None = None
    frozen_s: UnixTime
    open_s: Seconds = 0.0
    operations: Count = 0
    at_thaw: Used
    at_mark: Used | None = None
    at_close: Used | None = None
    at_freeze: Used

    def used(self, what: Literal["cpu_s", "read_bytes", "host_cpu_s", "host_idle_s"]) -> float | None:
        """How much of it was used while the turn was measured; None where it can't be known."""
        if self.at_mark is None or self.at_close is None:
            return None
        before, after = getattr(self.at_mark, what), getattr(self.at_close, what)
        return None if before is None or after is None else max(0.0, after - before)


class _Account(Part):
    format_version: Literal[1]
    turns: Annotated[tuple[TurnTaken, ...], Field(max_length=100_000)]


def read_turns(folder: Path, phase: str) -> tuple[TurnTaken, ...]:
    """A phase's turns; none where its trial ran alone.

    Raises:
        OSError, ValueError: the account can't be read, or is damaged.
    """
    name = f"{_BEGINNING}{phase}{_ENDING}"
    if name not in stored_names(folder):
        return ()
    return _Account.model_validate_json(read_stored(folder / name, _LARGEST_BYTES)).turns


def frozen_before(turns: Sequence[TurnTaken]) -> tuple[float | None, ...]:
    """CPU seconds that mongod used between the turn before and each; None for the first, or where it is not known."""
    found: list[float | None] = [None]
    for before, after in pairwise(turns):
        then, now = before.at_freeze.cpu_s, after.at_thaw.cpu_s
        found.append(None if then is None or now is None else max(0.0, now - then))
    return tuple(found[: len(turns)])


class OwnTime:
    """A trial's own time: Unix time without the spans in which it was frozen."""

    def __init__(self, turns: Iterable[TurnTaken]) -> None:
        ordered = sorted(turns, key=lambda turn: turn.thawed_s)
        spans = [(a.frozen_s, b.thawed_s) for a, b in pairwise(ordered) if b.thawed_s > a.frozen_s]
        self._starts = np.array([start for start, _ in spans])
        self._lengths = np.array([end - start for start, end in spans])

    def of(self, unix_s: ArrayLike) -> NDArray[np.float64]:
        """The same moments in own time; within a span, its beginning."""
        at = np.asarray(unix_s, dtype=np.float64)
        since = at[..., np.newaxis] - self._starts
        lost: NDArray[np.float64] = np.clip(since, 0.0, self._lengths).sum(axis=-1)
        return np.asarray(at - lost)

    def unix(self, own_s: ArrayLike) -> NDArray[np.float64]:
        """Own moments as Unix time again; one at which the trial was frozen, as the beginning of that span."""
        at = np.asarray(own_s, dtype=np.float64)
        frozen_at = self.of(self._starts)
        gone: NDArray[np.float64] = np.where(at[..., np.newaxis] > frozen_at, self._lengths, 0.0).sum(axis=-1)
        return np.asarray(at + gone)

    def samples(self, samples: Samples) -> Samples:
        """The engine's samples at their own times; of those that fall together, the last stays."""
        at_ms = np.round(self.of(samples.at_ms / 1000) * 1000).astype(np.int64)
        kept = np.append(np.diff(at_ms) > 0, True)[: at_ms.size]
        return Samples(at_ms[kept], {path: values[kept] for path, values in samples.values.items()}, samples.notes)


def window_of_turns(samples: Samples, version: str, taken: Sequence[TurnTaken]) -> dict[str, Any]:
    """The figures of `records.Window` but the client's, of the measured turns together.

    What the account holds is exact; the rest is from the engine's samples in the trial's own time, in which a sample
    before a freeze and the next one after it are neighbours.
    """
    own = OwnTime(taken)
    at_own_times = own.samples(samples)
    found: list[dict[str, float | None]] = []
    measured = [(one, one.measured_s, one.closed_s) for one in taken if one.measured_s and one.closed_s]
    for turn, measured_s, closed_s in measured:
        start, end = own.of((measured_s, closed_s))
        of_engine = time_series.window(at_own_times, version, float(start), float(end))
        found.append(
            {
                **of_engine,
                "mongod_cpu_s": turn.used("cpu_s"),
                "host_cpu_s": turn.used("host_cpu_s"),
                "host_idle_s": turn.used("host_idle_s"),
                "disk_read_bytes": turn.used("read_bytes"),
            }
        )
    if not found:
        return {}
    # A checkpoint that fell due while mongod was frozen begins as it is thawed, in the part of a turn that is cut.
    thawed, closed = own.of((measured[0][0].thawed_s, measured[-1][2]))
    whole = time_series.window(at_own_times, version, float(thawed), float(closed))
    spans = [(float(own.of(start)), float(own.of(end))) for _, start, end in measured]
    return {name: _sum([one[name] for one in found]) for name in found[0]} | {
        "checkpoints": whole["checkpoints"],
        "counters": time_series.counters_within(at_own_times, version, spans, (float(thawed), float(closed))),
    }


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
