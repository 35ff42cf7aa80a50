"""One phase's evidence: the measured window of the client's interval histograms, and what it cost both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.records import Cost, Latency, Phase
from workloads import IntervalLog, read_interval_log
from workloads.client_file import FLUSH, ClientFile, read_client_file

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec import Client


RMW = "READ-MODIFY-WRITE"
# YCSB times the read and the update within a read-modify-write under their own names, too.
_WITHIN_RMW = ("READ", "UPDATE")


@dataclass(frozen=True)
class PhaseEvidence:
    """A phase of the record, and the client's own account behind it."""

    phase: Phase
    client: ClientFile


def read_phase(
    folder: Path,
    name: str,
    client: Client,
    counters: dict[str, float | None],
    before: dict[str, Any],
    after: dict[str, Any],
) -> PhaseEvidence:
    """Read the phase called `name` from its files and the snapshots around it.

    Raises:
        YcsbOutputError: the client left no readable account or histograms.
    """
    account = read_client_file(folder / f"{name}.client.json")
    logs = _logs(folder, name, "")
    intended = _logs(folder, name, "Intended-")
    main = [operation for operation in account.operations if operation in logs and operation != FLUSH]
    inner = [operation for operation in main if operation in _WITHIN_RMW] if RMW in main else []
    began = min((interval.start_s for log in logs.values() for interval in log.intervals), default=0.0)
    start, end = _window([logs[operation] for operation in main], client.warmup_s, began)
    counts = {operation: logs[operation].merged(start, end).count for operation in main}
    measured = sum(counts.values()) - len(inner) * counts.get(RMW, 0)
    batched = FLUSH in account.operations
    # An insert into a batch takes no time that means anything; the bulk write does. Throughput still counts documents.
    timed = {FLUSH} if batched else logs.keys()
    operation = FLUSH if batched else RMW if inner else "+".join(main)
    if len(main) > 1 and not inner:  # a mix is judged by the latencies of all its operations together
        logs[operation] = _merged_mix(operation, [logs[one] for one in main])
        if all(one in intended for one in main):
            intended[operation] = _merged_mix(operation, [intended[one] for one in main])
    latencies = [_latency(name, "actual", log, start, end) for name, log in logs.items() if name in timed]
    latencies += [_latency(name, "intended", log, start, end) for name, log in intended.items() if name in timed]
    phase = Phase(
        name=name,
        kind="load" if name == "load" else "run",
        operation=operation,
        started_at_s=began,
        warmup_s=round(start - began, 3),
        measured_s=round(end - start, 3),
        measured_operations=measured,
        throughput_per_s=measured / (end - start) if end > start else 0.0,
        series_per_s=_series([logs[one] for one in main], [logs[RMW] for _ in inner]),
        acknowledged=account.acknowledged,
        failed=account.failed,
        statuses={operation: one.by_status for operation, one in account.operations.items()},
        latencies=tuple(latency for latency in latencies if latency is not None),
        cost=_cost(account, before, after),
        counters=counters,
        target_per_s=client.target_per_s,
        client_cpu_share=_cpu_share(account, start, min(client.threads, account.cores)),
        client_gc_pause_s=account.gc.total_ms / 1000,
    )
    return PhaseEvidence(phase, account)


def _logs(folder: Path, name: str, prefix: str) -> dict[str, IntervalLog]:
    """The phase's interval logs by operation; CLEANUP is the client's own."""
    found = {}
    for path in sorted(folder.glob(f"{name}.{prefix}*.hdr")):
        operation = path.name.removeprefix(f"{name}.{prefix}").removesuffix(".hdr")
        if operation != "CLEANUP" and not operation.startswith("Intended-"):
            found[operation] = read_interval_log(path)
    return found


def _window(logs: list[IntervalLog], warmup_s: float, began: float) -> tuple[float, float]:
    """The measured window in Unix time: the whole intervals after the warm-up; a short phase keeps all of it."""
    intervals = [interval for log in logs for interval in log.intervals]
    if not intervals:
        return began, began
    first, end = min(one.start_s for one in intervals), max(one.end_s for one in intervals)
    earliest = first + warmup_s if end - first > warmup_s + 1 else first
    return min((one.start_s for one in intervals if one.start_s >= earliest), default=end), end


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


def _latency(operation: str, kind: str, log: IntervalLog, start: float, end: float) -> Latency | None:
    histogram = log.merged(start, end)
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


def _cpu_share(account: ClientFile, start_s: float, cores: int) -> float | None:
    """The client's CPU in the window, of what its threads could use at most: so many cores."""
    samples = [sample for sample in account.samples if sample[0] >= start_s]
    if len(samples) < 2 or samples[-1][0] <= samples[0][0]:
        return None
    return (samples[-1][2] - samples[0][2]) / (samples[-1][0] - samples[0][0]) / cores
