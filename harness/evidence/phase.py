"""One phase's evidence: the measured window of the client's interval histograms, and what it cost both sides."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from analysis.trial import time_series
from analysis.trial.records import ClientPart, Cost, Latency, Phase, Window
from core.stored import stored_names
from harness.evidence.steps import read_json
from workloads.client_file import FLUSH, ClientFile, of_all, read_client_file
from workloads.interval_log import Interval, IntervalLog, merge, read_interval_log

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from analysis.trial.ftdc import Samples
    from harness.spec.campaign import Client


RMW = "READ-MODIFY-WRITE"
# YCSB times the read and the update within a read-modify-write under their own names, too.
_WITHIN_RMW = ("READ", "UPDATE")
_OPERATION = "[A-Z-]+"  # all that may stand between a phase's name and the ending: names may go on after a dot


@dataclass(frozen=True)
class PhaseEvidence:
    """A phase of the record, and the client's own account behind it."""

    phase: Phase
    client: ClientFile

    def with_engine(self, samples: Samples, version: str) -> PhaseEvidence:
        """The same, with what its window cost the engine and its host, by mongod's diagnostic data."""
        phase = self.phase
        if phase.window is None or phase.started_at_s is None:
            return self
        start = phase.started_at_s + phase.warmup_s
        told = time_series.window(samples, version, start, start + phase.measured_s)
        window = phase.window.model_copy(update=told)
        return PhaseEvidence(phase.model_copy(update={"window": window}), self.client)


def read_phase(
    clients: Mapping[str, Path],
    name: str,
    asked: Client,
    counters: dict[str, float | None],
    before: dict[str, Any],
    after: dict[str, Any],
) -> PhaseEvidence:
    """Read the phase called `name` from its clients' folders, by the clients' names, and the snapshots around it.

    Raises:
        YcsbOutputError: a client left no readable account or histograms.
    """
    parts = [_read_part(label, folder, name) for label, folder in clients.items()]
    account = of_all(part.account for part in parts)
    known = {operation for part in parts for operation in part.logs}
    main = [operation for operation in account.operations if operation in known and operation != FLUSH]
    inner = [operation for operation in main if operation in _WITHIN_RMW] if RMW in main else []
    began = min(part.began for part in parts)
    windows = _windows(parts, main, asked.warmup_s)
    start, end = min(one[0] for one in windows), max(one[1] for one in windows)
    done = [
        part.operations(main, *window) - len(inner) * part.operations([RMW], *window)
        for part, window in zip(parts, windows, strict=True)
    ]
    rates = [
        count / (until - since) if until > since else 0.0 for count, (since, until) in zip(done, windows, strict=True)
    ]
    measured, throughput = sum(done), sum(rates)
    operation = FLUSH if FLUSH in account.operations else RMW if inner else "+".join(main)
    spent = [_cpu_s(part.account, *window) for part, window in zip(parts, windows, strict=True)]
    shares = [
        None if cpu_s is None else cpu_s / (until - since) / part.usable_cores(asked, len(parts))
        for part, (since, until), cpu_s in zip(parts, windows, spent, strict=True)
    ]
    phase = Phase(
        name=name,
        kind="load" if name == "load" else "run",
        operation=operation,
        started_at_s=began,
        warmup_s=round(start - began, 3),
        measured_s=round(measured / throughput if throughput else end - start, 3),
        measured_operations=measured,
        throughput_per_s=throughput,
        series_per_s=_series(
            [part.logs[one] for part in parts for one in main if one in part.logs],
            [part.logs[RMW] for part in parts for _ in inner if RMW in part.logs],
        ),
        acknowledged=account.acknowledged,
        failed=account.failed,
        statuses={operation: one.by_status for operation, one in account.operations.items()},
        latencies=_latencies(parts, windows, main, operation),
        cost=_cost(account, before, after),
        counters=counters,
        target_per_s=asked.target_per_s,
        client_cpu_share=max((share for share in shares if share is not None), default=None),
        client_gc_pause_s=account.gc.total_ms / 1000,
        clients=tuple(part.told(rate, share) for part, rate, share in zip(parts, rates, shares, strict=True)),
        start_skew_s=round(max(part.began for part in parts) - began, 3) if len(parts) > 1 else None,
        window=Window(client_cpu_s=None if None in spent else sum(cpu_s or 0.0 for cpu_s in spent)),
    )
    return PhaseEvidence(phase, account)


def _latencies(
    parts: list[_Part], windows: list[tuple[float, float]], main: list[str], judged: str
) -> tuple[Latency, ...]:
    """The latencies that mean something; `judged` is the operation that the phase is judged by.

    An insert into a batch takes no time that means anything; the bulk write does. A mix is judged by the latencies of
    all its operations together.
    """
    logs, intended = (_merged(parts, windows, kind) for kind in ("logs", "intended"))
    timed = {FLUSH} if judged == FLUSH else {*logs, judged}
    if len(main) > 1 and judged not in (FLUSH, RMW):
        logs[judged] = _merged_mix(judged, [logs[one] for one in main])
        if all(one in intended for one in main):
            intended[judged] = _merged_mix(judged, [intended[one] for one in main])
    found = [_latency(name, "actual", log) for name, log in logs.items() if name in timed]
    found += [_latency(name, "intended", log) for name, log in intended.items() if name in timed]
    return tuple(latency for latency in found if latency is not None)


@dataclass(frozen=True)
class _Part:
    """What one client process left of a phase."""

    name: str
    account: ClientFile
    logs: dict[str, IntervalLog]
    intended: dict[str, IntervalLog]
    timeouts: int | None
    cpu_limit: float | None

    @property
    def began(self) -> float:
        return min((interval.start_s for log in self.logs.values() for interval in log.intervals), default=0.0)

    def operations(self, names: list[str], since: float, until: float) -> int:
        return sum(self.logs[one].merged(since, until).count for one in names if one in self.logs)

    def usable_cores(self, asked: Client, clients: int) -> float:
        """The cores that this client's threads can use at most: a control group may allow parts of one."""
        return min(max(1, asked.threads // clients), self.account.cores, self.cpu_limit or math.inf)

    def told(self, rate: float, share: float | None) -> ClientPart:
        lengths = [interval.end_s - interval.start_s for log in self.logs.values() for interval in log.intervals]
        return ClientPart(
            name=self.name,
            started_at_s=self.began,
            throughput_per_s=rate,
            cpu_share=share,
            gc_pause_s=self.account.gc.total_ms / 1000,
            longest_stall_s=round(self.account.longest_stall_s, 3),
            longest_interval_s=round(max(lengths), 3) if lengths else None,
            retransmission_timeouts=self.timeouts,
        )


def _read_part(label: str, folder: Path, name: str) -> _Part:
    lost, process = (_read_if_there(folder / one) for one in (f"network.{name}.json", f"{name}.process.json"))
    return _Part(
        name=label,
        account=read_client_file(folder / f"{name}.client.json"),
        logs=_logs(folder, name, ""),
        intended=_logs(folder, name, "Intended-"),
        timeouts=lost.get("retransmission_timeouts"),
        cpu_limit=process.get("cpu_limit"),
    )


def _read_if_there(path: Path) -> Any:
    return read_json(path) if path.name in stored_names(path.parent) else {}


def _logs(folder: Path, name: str, prefix: str) -> dict[str, IntervalLog]:
    """The phase's interval logs by operation; CLEANUP is the client's own."""
    of_phase = re.compile(rf"{re.escape(name)}\.{prefix}({_OPERATION})\.hdr")
    named = {folder / file: of_phase.fullmatch(file) for file in stored_names(folder)}
    operations = {path: match[1] for path, match in named.items() if match}
    return {one: read_interval_log(path) for path, one in operations.items() if one != "CLEANUP"}


def _windows(parts: list[_Part], main: list[str], warmup_s: float) -> list[tuple[float, float]]:
    """Each client's measured window in Unix time: whole intervals of its own within the time in which all work.

    Where that time holds no whole interval of some client, as in short phases, every window is all of the phase.
    """
    own = [[interval for one in main if one in part.logs for interval in part.logs[one].intervals] for part in parts]
    windows = [_window(intervals, part.began, warmup_s) for part, intervals in zip(parts, own, strict=True)]
    if len(parts) == 1:
        return windows
    since, until = max(one[0] for one in windows), min(one[1] for one in windows)
    common = [[one for one in intervals if since <= one.start_s and one.end_s <= until] for intervals in own]
    if all(common):
        return [(min(one.start_s for one in each), max(one.end_s for one in each)) for each in common]
    every = [interval for intervals in own for interval in intervals]
    began = min((part.began for part in parts), default=0.0)
    whole = (min((one.start_s for one in every), default=began), max((one.end_s for one in every), default=began))
    return [whole] * len(parts)


def _window(intervals: list[Interval], began: float, warmup_s: float) -> tuple[float, float]:
    """The whole intervals after the warm-up; a short phase keeps all of it."""
    if not intervals:
        return began, began
    first, end = min(one.start_s for one in intervals), max(one.end_s for one in intervals)
    earliest = first + warmup_s if end - first > warmup_s + 1 else first
    return min((one.start_s for one in intervals if one.start_s >= earliest), default=end), end


def _merged(
    parts: list[_Part], windows: list[tuple[float, float]], kind: Literal["logs", "intended"]
) -> dict[str, IntervalLog]:
    """All clients' logs within their windows, by operation."""
    found: dict[str, list[IntervalLog]] = {}
    for part, window in zip(parts, windows, strict=True):
        for operation, log in getattr(part, kind).items():
            found.setdefault(operation, []).append(log.within(*window))
    return {operation: merge(logs) for operation, logs in found.items()}


def _merged_mix(operation: str, logs: list[IntervalLog]) -> IntervalLog:
    """The intervals of several operations of one phase, as one operation's."""
    intervals = sorted((one for log in logs for one in log.intervals), key=lambda one: one.start_s)
    return IntervalLog(operation, logs[0].intended, tuple(intervals))


def _series(logs: list[IntervalLog], counted_twice: list[IntervalLog]) -> tuple[float, ...]:
    """Operations per second, one figure for each interval of the logs, which tick together."""
    lengths: dict[int, float] = {}
    counts: dict[int, int] = {}
    for sign, part in ((1, logs), (-1, counted_twice)):
        for interval in (interval for log in part for interval in log.intervals):
            second = round(interval.start_s)
            lengths[second] = max(lengths.get(second, 0.0), interval.end_s - interval.start_s)
            counts[second] = max(0, counts.get(second, 0) + sign * interval.count)
    return tuple(round(counts[second] / max(lengths[second], 0.05), 1) for second in sorted(counts))


def _latency(operation: str, kind: str, log: IntervalLog) -> Latency | None:
    histogram = log.merged()
    if histogram.count == 0:
        return None
    at = histogram.percentile_us
    return Latency(
        operation=operation,
        kind="intended" if kind == "intended" else "actual",
        count=histogram.count,
        mean_us=histogram.mean_us,
        p50_us=at(50),
        p90_us=at(90),
        p95_us=at(95),
        p99_us=at(99),
        p999_us=at(99.9),
        p9999_us=at(99.99),
        max_us=histogram.max_us,
        histogram=histogram.encode(),
    )


def _cost(account: ClientFile, before: dict[str, Any], after: dict[str, Any]) -> Cost:
    """From the end of the checkpoint before the phase to the end of the one after it: all that the phase caused."""
    start, end = before["counters_after_checkpoint"]["process"], after["counters_after_checkpoint"]["process"]

    def grown(*keys: str) -> float | None:
        values = [(start.get(key), end.get(key)) for key in keys]
        return None if any(a is None or b is None for a, b in values) else sum(b - a for a, b in values)

    read, written = grown("read_bytes"), grown("written_bytes")
    return Cost(
        mongod_cpu_s=grown("user_cpu_s", "system_cpu_s"),
        client_cpu_s=account.cpu_s,
        disk_read_bytes=None if read is None else int(read),
        disk_written_bytes=None if written is None else int(written),
    )


def _cpu_s(account: ClientFile, start_s: float, end_s: float) -> float | None:
    """A client's CPU in a window, interpolated between its samples."""
    at_s, cpu_s = [sample[0] for sample in account.samples], [sample[2] for sample in account.samples]
    if len(at_s) < 2 or end_s <= start_s:
        return None
    spent_by = np.interp((start_s, end_s), at_s, cpu_s)
    return float(spent_by[1] - spent_by[0])
