"""One phase's evidence: the measured window of the client's interval histograms, and what it cost both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.trial.engine import served, time_series
from analysis.trial.records import Cost, DictionaryUse, Latency, Phase, Replayed, Turn, Window
from harness.evidence.client_part import RMW, Part, length_s, read_part, windows
from harness.evidence.turns import OwnTime, TurnTaken, frozen_before, read_turns, window_of_turns
from workloads.client_file import FLUSH, ClientFile, of_all
from workloads.histogram import Histogram
from workloads.interval_log import IntervalLog, merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from analysis.trial.engine.ftdc import Samples
    from harness.evidence.client_part import Kind
    from harness.evidence.client_part import Window as Spans
    from harness.plan.load.warming import WarmUp
    from harness.spec.phases import Client


# YCSB times the read and the update within a read-modify-write under their own names, too. A mix of one's own, which
# has no operation called READ, times the read-modify-write alone.
_READ = "READ"
_WITHIN_RMW = (_READ, "UPDATE")
_CPU = ("user_cpu_s", "system_cpu_s")


@dataclass(frozen=True)
class PhaseEvidence:
    """A phase of the record, and the client's own account behind it."""

    phase: Phase
    client: ClientFile
    taken: tuple[TurnTaken, ...] = ()

    def with_engine(self, samples: Samples, version: str) -> PhaseEvidence:
        """The same, with what its window cost the engine and its host, by mongod's diagnostic data."""
        phase = self.phase
        if phase.window is None or phase.started_at_s is None:
            return self
        if self.taken:
            told: dict[str, Any] = window_of_turns(samples, version, self.taken)
        else:
            start = phase.started_at_s + phase.warmup_s
            span = (start, start + phase.measured_s)
            told = {
                **time_series.window(samples, version, *span),
                "counters": time_series.counters_within(samples, version, [span], span),
            }
        window = phase.window.model_copy(update=told)
        return PhaseEvidence(phase.model_copy(update={"window": window}), self.client, self.taken)


def read_phase(
    clients: Mapping[str, Path],
    name: str,
    asked: Client,
    warm: WarmUp,
    counters: dict[str, float | None],
    before: dict[str, Any],
    after: dict[str, Any],
) -> PhaseEvidence:
    """Read the phase called `name` from its clients' folders, by the clients' names, and the snapshots around it.

    Raises:
        YcsbOutputError: a client left no readable account or histograms.
    """
    parts = [read_part(label, folder, name) for label, folder in clients.items()]
    taken = read_turns(next(iter(clients.values())), name)
    account = of_all(part.account for part in parts)
    known = {operation for part in parts for operation in part.logs}
    main = [operation for operation in account.operations if operation in known and operation != FLUSH]
    inner = [operation for operation in main if operation in _WITHIN_RMW] if RMW in main and _READ in known else []
    operation = FLUSH if FLUSH in account.operations else RMW if inner else "+".join(main)
    spans = windows(parts, main, warm)
    lengths = [length_s(window) for window in spans]
    done = [part.acknowledged(main, inner, window) for part, window in zip(parts, spans, strict=True)]
    rates = [count / length if length > 0 else 0.0 for count, length in zip(done, lengths, strict=True)]
    measured, throughput = sum(done), sum(rates)
    spent = [part.cpu_s(window) for part, window in zip(parts, spans, strict=True)]
    shares = [
        None if cpu_s is None else cpu_s / length / part.usable_cores(asked, len(parts))
        for part, length, cpu_s in zip(parts, lengths, spent, strict=True)
    ]
    own, began = OwnTime(taken), min(part.began for part in parts)
    rates_per_s = _series(
        [part.at_work(one) for part in parts for one in main if one in part.logs],
        [part.at_work(RMW) for part in parts for _ in inner if RMW in part.logs],
        own,
    )
    kind: Kind = "logs" if asked.target_per_s is None else "intended"
    judged = [operation] if operation in (FLUSH, RMW) else main
    tail_us = _p99_us([part.at_work(one, kind) for part in parts for one in judged if one in part.of_kind(kind)], own)
    start = min((since for window in spans for since, _ in window), default=began)
    done_before = (part.attempted(window[0][0]) for part, window in zip(parts, spans, strict=True) if window)
    phase = Phase(
        name=name,
        kind="load" if name == "load" else "run",
        operation=operation,
        started_at_s=began,
        warmup_s=round(max(0.0, float(own.of(start) - own.of(began))), 3),
        warmup_operations=min((count for count in done_before if count is not None), default=None),
        measured_s=round(measured / throughput if throughput else max(lengths), 3),
        measured_operations=measured,
        throughput_per_s=throughput,
        series_per_s=tuple(rates_per_s.values()),
        p99_series_us=tuple(tail_us.get(second) for second in rates_per_s),
        acknowledged=account.acknowledged,
        failed=account.failed,
        statuses={operation: one.by_status for operation, one in account.operations.items()},
        latencies=_latencies(parts, spans, main, operation),
        cost=_cost(account, before, after),
        counters=counters,
        target_per_s=asked.target_per_s,
        client_cpu_share=max((share for share in shares if share is not None), default=None),
        client_gc_pause_s=account.gc.total_ms / 1000,
        clients=tuple(part.told(rate, share) for part, rate, share in zip(parts, rates, shares, strict=True)),
        start_skew_s=round(max(part.began for part in parts) - began, 3) if len(parts) > 1 else None,
        window=Window(client_cpu_s=None if None in spent else sum(cpu_s or 0.0 for cpu_s in spent)),
        served=served.between(_last_served(before), after.get("served", {}).get("before")),
        dictionary=_dictionary(account),
        turns=tuple(_turns(taken, parts, main, inner)),
        replayed=Replayed(**account.answers.model_dump()) if account.answers else None,
    )
    return PhaseEvidence(phase, account, taken)


def _last_served(snapshot: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the collection had been asked when a snapshot ended; None in those of before it was read."""
    found: dict[str, Any] | None = snapshot.get("served", {}).get("after")
    return found


def _dictionary(account: ClientFile) -> DictionaryUse | None:
    model = account.model
    return None if model.hash_bits is None else DictionaryUse(hits=model.hits, misses=model.misses, met=model.met)


def _turns(taken: Sequence[TurnTaken], parts: list[Part], main: list[str], inner: list[str]) -> Iterator[Turn]:
    """The measured turns of a phase, by mongod's account and the clients'."""
    for number, (turn, frozen_cpu_s) in enumerate(zip(taken, frozen_before(taken), strict=True)):
        moments = [part.account.turns[number] for part in parts if number < len(part.account.turns)]
        spans = [(one.measured,) for one in moments if one.measured is not None]
        if turn.measured and len(spans) == len(parts):
            yield Turn(
                round=turn.round,
                started_at_s=min(span[0][0] for span in spans),
                measured_s=round(max(length_s(span) for span in spans), 3),
                operations=sum(part.acknowledged(main, inner, span) for part, span in zip(parts, spans, strict=True)),
                mongod_cpu_s=turn.used("cpu_s"),
                frozen_cpu_s=frozen_cpu_s,
            )


def _latencies(parts: list[Part], spans: list[Spans], main: list[str], judged: str) -> tuple[Latency, ...]:
    """The latencies that mean something; `judged` is the operation that the phase is judged by.

    An insert into a batch takes no time that means anything; the bulk write does. A mix is judged by the latencies of
    all its operations together.
    """
    logs, intended = (_merged(parts, spans, kind) for kind in ("logs", "intended"))
    timed = {FLUSH} if judged == FLUSH else {*logs, judged}
    if len(main) > 1 and judged not in (FLUSH, RMW):
        logs[judged] = _merged_mix(judged, [logs[one] for one in main])
        if all(one in intended for one in main):
            intended[judged] = _merged_mix(judged, [intended[one] for one in main])
    found = [_latency(name, "actual", log) for name, log in logs.items() if name in timed]
    found += [_latency(name, "intended", log) for name, log in intended.items() if name in timed]
    return tuple(latency for latency in found if latency is not None)


def _merged(parts: list[Part], spans: list[Spans], kind: Kind) -> dict[str, IntervalLog]:
    """All clients' logs within their windows, by operation."""
    found: dict[str, list[IntervalLog]] = {}
    for part, window in zip(parts, spans, strict=True):
        for operation, log in part.of_kind(kind).items():
            found.setdefault(operation, []).extend(log.within(*span) for span in window)
    return {operation: merge(logs) for operation, logs in found.items() if logs}


def _merged_mix(operation: str, logs: list[IntervalLog]) -> IntervalLog:
    """The intervals of several operations of one phase, as one operation's."""
    intervals = sorted((one for log in logs for one in log.intervals), key=lambda one: one.start_s)
    return IntervalLog(operation, logs[0].intended, tuple(intervals))


def _series(logs: list[IntervalLog], counted_twice: list[IntervalLog], own: OwnTime) -> dict[int, float]:
    """Operations per second by the second of the trial's own time; all clients' logs tick about together."""
    lengths: dict[int, float] = {}
    counts: dict[int, int] = {}
    for sign, part in ((1, logs), (-1, counted_twice)):
        for log in part:
            of_log: dict[int, float] = {}
            for interval in log.intervals:
                start_s, end_s = own.of((interval.start_s, interval.end_s))
                second = round(start_s)
                of_log[second] = of_log.get(second, 0.0) + end_s - start_s
                counts[second] = max(0, counts.get(second, 0) + sign * interval.count)
            for second, length in of_log.items():
                lengths[second] = max(lengths.get(second, 0.0), length)
    return {second: round(counts[second] / max(lengths[second], 0.05), 1) for second in sorted(counts)}


def _p99_us(logs: list[IntervalLog], own: OwnTime) -> dict[int, float]:
    """The 99th percentile of each second of the trial's own time in which an operation ended, of all logs together."""
    parts: dict[int, list[Histogram]] = {}
    for log in logs:
        for interval in log.intervals:
            if interval.count:
                parts.setdefault(round(float(own.of(interval.start_s))), []).append(interval.histogram)
    return {second: Histogram.merged(found).percentile_us(99) for second, found in parts.items()}


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
    read, written = _grown(start, end, "read_bytes"), _grown(start, end, "written_bytes")
    return Cost(
        mongod_cpu_s=_grown(start, end, *_CPU),
        closing_cpu_s=_grown(after.get("counters_before_checkpoint", {}).get("process", {}), end, *_CPU),
        client_cpu_s=account.cpu_s,
        disk_read_bytes=None if read is None else int(read),
        disk_written_bytes=None if written is None else int(written),
    )


def _grown(start: dict[str, Any], end: dict[str, Any], *keys: str) -> float | None:
    """How much a process's counters grew together; None where one of them could not be read."""
    values = [(start.get(key), end.get(key)) for key in keys]
    known = [(a, b) for a, b in values if a is not None and b is not None]
    return sum(b - a for a, b in known) if len(known) == len(keys) else None
