"""The seconds of a trial: FTDC samples under names of our own, as a frame and as the change over a window.

A counter only grows; it comes as `<name>_per_s`, its mean rate since the sample before. A gauge says what is.
What a server or host does not have is NaN throughout; nothing is ever filled with 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from analysis.trial.engine.counters import COUNTERS, Counter, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from analysis.trial.engine.ftdc import Samples

_SECTOR_BYTES = 512  # the kernel counts in these whatever the disk's own sectors are
_DISKS = "systemMetrics.disks."
_LUMPS = ("checkpoints", "checkpoint_time")
_LEAST_REACHED = 0.5
_IDLE_MODES = ("idle", "iowait")
_CPU_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")  # guest time is part of user


@dataclass(frozen=True)
class Series:
    """One figure: our name, its unit in it, where FTDC has it, and what to multiply it by."""

    name: str
    place: Counter | str
    """An engine's counter, which a version may have elsewhere; or a path that is the same in all."""
    scale: float = 1.0
    gauge: bool = False

    @property
    def column(self) -> str:
        """Its column in the frame."""
        return self.name if self.gauge else f"{self.name}_per_s"

    def ways(self, version: str, disk: str) -> list[tuple[str, ...]]:
        """The paths that add up to it, in each way that a server may have it, this version's own first."""
        if isinstance(self.place, str):
            return [(self.place.replace("<data disk>", disk),)]
        above = f"serverStatus.{self.place.in_status}"
        return [tuple(f"{above}.{path}" for path in place.paths) for place in self.place.ways(version)]


def _named(counter: Counter) -> str:
    return counter.key if counter.unit == "count" else f"{counter.key}_{counter.unit}"


def _engine(counter: Counter) -> Series:
    return Series(_named(counter), counter, gauge=counter.gauge)


def _counter(name: str, path: str, scale: float = 1.0) -> Series:
    return Series(name, path, scale)


CHECKPOINT_STATE = Counter(
    # 0 when no checkpoint runs; 8.0 tells its stages apart by numbers above 0
    "checkpoint_state", "State of the checkpoint", "count", "server",
    (
        Place(("transaction",), ("transaction checkpoint currently running",)),
        Place(("checkpoint",), ("progress state",), since=(8, 0)),
    ),
    gauge=True,
)  # fmt: skip

SERIES: tuple[Series, ...] = (
    _counter("inserts", "serverStatus.opcounters.insert"),
    _counter("queries", "serverStatus.opcounters.query"),
    _counter("updates", "serverStatus.opcounters.update"),
    _counter("deletes", "serverStatus.opcounters.delete"),
    _counter("getmores", "serverStatus.opcounters.getmore"),
    _counter("commands", "serverStatus.opcounters.command"),
    *(_engine(counter) for counter in COUNTERS if counter.in_status),
    _engine(CHECKPOINT_STATE),
    _counter("mongod_user_cpu_s", "serverStatus.extra_info.user_time_us", 1e-6),
    _counter("mongod_system_cpu_s", "serverStatus.extra_info.system_time_us", 1e-6),
    *(_counter(f"host_{mode}_cpu_s", f"systemMetrics.cpu.{mode}_ms", 1e-3) for mode in _CPU_MODES),
    _counter("disk_reads", f"{_DISKS}<data disk>.reads"),
    _counter("disk_read_bytes", f"{_DISKS}<data disk>.read_sectors", _SECTOR_BYTES),
)
"""The order of the frame's columns."""


class Change(NamedTuple):
    """How much a counter grew between two moments, in its unit.

    `value` is interpolated between samples; as the counter only grows, the truth lies from `at_least` to `at_most`
    (but for the few ms between the time of a sample and the reading of its counters).
    """

    value: float
    at_least: float
    at_most: float


def wanted(version: str) -> frozenset[str]:
    """The metrics to ask `ftdc.read` for."""
    paths = (path for series in SERIES for way in series.ways(version, "") for path in way)
    return frozenset(f"{_DISKS}*" if path.startswith(_DISKS) else path for path in paths)


def disks(samples: Samples) -> tuple[str, ...]:
    """The names of the disks (whole ones, not partitions) that the samples know."""
    return tuple(
        path.removeprefix(_DISKS).removesuffix(".reads")
        for path in samples.values
        if path.startswith(_DISKS) and path.endswith(".reads")
    )


def frame(samples: Samples, version: str) -> pd.DataFrame:
    """A row a sample, indexed by its UTC time; every series of SERIES, and what follows from several.

    `version` is the server's, e.g. "6.0.5". The disk's series are of the host's only one: NaN where it has several.
    `interval_s` is the time since the sample before, which rates are over: NaN in the first row, more than about 1
    where the server was too busy to sample.
    """
    interval_s = np.diff(samples.at_ms, prepend=samples.at_ms[:1]) / 1000
    interval_s[:1] = np.nan
    columns: dict[str, NDArray[np.float64]] = {"interval_s": interval_s}
    for series, values in _found(samples, version):
        columns[series.column] = values if series.gauge else _growth(values) / interval_s
    table = pd.DataFrame(columns, index=pd.DatetimeIndex(samples.at_ms.view("datetime64[ms]"), tz="UTC", name="at"))
    state = table["checkpoint_state"]
    table["checkpoint_running"] = (state > 0).astype("float64").where(state.notna())
    return table


def between(table: pd.DataFrame, start_unix_s: float, end_unix_s: float) -> pd.DataFrame:
    """The rows of a frame whose whole interval, from the sample before to their own, lies within a window."""
    at_s = pd.DatetimeIndex(table.index).as_unit("ms").asi8 / 1000
    begun_s = (at_s - table["interval_s"]).round(3)
    within: pd.DataFrame = table[(begun_s >= start_unix_s) & (at_s <= end_unix_s)]
    return within


def changes(samples: Samples, version: str, start_unix_s: float, end_unix_s: float) -> dict[str, Change | None]:
    """How much each counter grew from one moment to another, by its name.

    None where the server lacks it, where the samples do not reach from before the start to after the end (nothing is
    extrapolated), and where it went backwards in between (the server was restarted).
    """
    window_ms = (start_unix_s * 1000, end_unix_s * 1000)
    return {
        series.name: _change(samples.at_ms, values, window_ms)
        for series, values in _found(samples, version)
        if not series.gauge
    }


def window(samples: Samples, version: str, start_unix_s: float, end_unix_s: float) -> dict[str, float | None]:
    """The figures of `records.Window` that the samples tell."""
    found = changes(samples, version, start_unix_s, end_unix_s)

    def grown(*names: str) -> float | None:
        values = [found[name] for name in names]
        return None if None in values else sum(change.value for change in values if change)

    return {
        "mongod_cpu_s": grown("mongod_user_cpu_s", "mongod_system_cpu_s"),
        "host_cpu_s": grown(*(f"host_{mode}_cpu_s" for mode in _CPU_MODES if mode not in _IDLE_MODES)),
        "host_idle_s": grown(*(f"host_{mode}_cpu_s" for mode in _IDLE_MODES)),
        "pages_read": grown("pages_read"),
        "disk_read_bytes": grown("disk_read_bytes"),
        # Whole ones: across the window's end lie the forced ones, which interpolation would count in part.
        "checkpoints": None if (begun := found["checkpoints"]) is None else begun.at_least,
    }


def counters_within(
    samples: Samples, version: str, spans: Sequence[tuple[float, float]], whole: tuple[float, float]
) -> dict[str, float | None]:
    """How much each of the server's COUNTERS grew within spans of Unix time (s) together, by its key.

    Directly after the last span come forced checkpoints, so no sample from behind it is used: what the samples within
    do not reach is taken to have gone on at their mean rate, except for checkpoints, which come in lumps. Of those
    count all of `whole`, from the first span to the last. None as for `changes`, and where less than half is reached.
    """
    kept = samples.at_ms <= spans[-1][1] * 1000
    inside = replace(samples, at_ms=samples.at_ms[kept], values={k: v[kept] for k, v in samples.values.items()})
    series = {one.name: values for one, values in _found(inside, version)}
    found: dict[str, float | None] = {}
    for counter in COUNTERS:
        if counter.in_status and not counter.gauge:
            lumps = counter.key in _LUMPS
            grown, reached = _reached(inside.at_ms, series[_named(counter)], [whole] if lumps else spans)
            found[counter.key] = None if grown is None else grown if lumps else grown / reached
    return found


def _reached(
    at_ms: NDArray[np.int64], values: NDArray[np.float64], spans: Sequence[tuple[float, float]]
) -> tuple[float | None, float]:
    """The growth within spans (s), and the share of their length up to the last sample."""
    ends = [(start, min(end, at_ms[-1] / 1000)) if at_ms.size else (start, start) for start, end in spans]
    there = [(start, end) for start, end in ends if end > start]
    asked_s, reached_s = (sum(end - start for start, end in each) for each in (spans, there))
    share = reached_s / asked_s if asked_s > 0 else 0.0
    if share < _LEAST_REACHED:
        return None, share
    parts = [_change(at_ms, values, (start * 1000, end * 1000)) for start, end in there]
    return (None if None in parts else sum(part.value for part in parts if part)), share


def _change(at_ms: NDArray[np.int64], values: NDArray[np.float64], window_ms: tuple[float, float]) -> Change | None:
    start_ms, end_ms = window_ms
    if start_ms > end_ms:
        raise ValueError(f"a window from {start_ms / 1000} to {end_ms / 1000} ends before it begins")
    if not at_ms.size or start_ms < at_ms[0] or end_ms > at_ms[-1]:
        return None
    first = int(np.searchsorted(at_ms, start_ms, side="right")) - 1
    last = int(np.searchsorted(at_ms, end_ms, side="left"))
    around = values[first : last + 1]
    if np.isnan(around).any() or (np.diff(around) < 0).any():
        return None
    at_start, at_end = np.interp(window_ms, at_ms[first : last + 1], around)
    after_start = values[int(np.searchsorted(at_ms, start_ms, side="left"))]
    before_end = values[int(np.searchsorted(at_ms, end_ms, side="right")) - 1]
    return Change(
        float(at_end - at_start),
        float(max(before_end - after_start, 0.0)),
        float(values[last] - values[first]),
    )


def _found(samples: Samples, version: str) -> Iterator[tuple[Series, NDArray[np.float64]]]:
    """Each series with its values in its own unit: NaN where a sample, or the server, lacks it."""
    known = disks(samples)
    disk = known[0] if len(known) == 1 else ""
    absent = np.full(samples.at_ms.size, np.nan)
    for series in SERIES:
        ways = (way for way in series.ways(version, disk) if all(path in samples.values for path in way))
        found = [samples.values[path] for path in next(ways, ())]
        yield series, (np.sum(found, axis=0) if found else absent) * series.scale


def _growth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The growth since the sample before; NaN for the first one and where the counter began anew."""
    grown = np.diff(values, prepend=np.nan)[: values.size]
    return np.where(grown >= 0, grown, np.nan)
