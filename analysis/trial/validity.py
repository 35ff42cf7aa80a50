"""What makes a trial void, and what is only a caveat. Each rule gives a reason with a stable code."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from analysis.trial.latency import fewest_operations, phase_latency
from analysis.trial.records import Reason
from analysis.trial.replayed import replay_caveats
from core.bounds import Seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from analysis.trial.records import ClientPart, Maintenance, Phase, Sizes, Verification

# Against a database that answers at once (pressgauge.NoopBinding), 1 to 16 threads keep 0.95 to 1.02 of min(threads,
# cores) busy. Beside a mongod on the same two cores it is 0.3 to 0.4, in batched loads 0.6.
_BUSY_CLIENT = 0.85
_STOOD_STILL_S = 5.0
_RATIO_TOLERANCE = 0.15
_STEADY = 0.25  # checkpoints move a window's thirds by some 10 %; the JIT compiler's warm-up doubles throughput
_NO_CONNECTION = {"CONNECTION_LOST", "UNREACHABLE"}  # statuses of pressgauge.MongoBinding
_TOGETHER_S = 1.0
# An engine that stalls still has its packets acknowledged, by its kernel; only a link that fails leaves both traces.
_STALL_S = 3.0
# A database stands still where so many of the clients' counts in a row, one a second, are empty. A checkpoint holds it
# up for one or two, a thread is paced at an operation a second or more, and a client that itself stood still has one
# long count instead of several empty ones. Large bulk writes take seconds themselves: it has to last as some.
_STANDSTILL_S = 3
_BULK_WRITES = 3
_MOSTLY = 0.5
_NEARLY = 0.95  # operations before a moment are interpolated between the client's samples
# A clock tick is 0.01 s, and each freeze may let one through.
_TRACE_S = 0.1
_TRACE = 0.01


def phase_faults(phase: Phase, tolerated: int) -> Iterator[Reason]:
    """Failed operations beyond what the spec tolerates, phases that measured nothing, links that failed."""
    if phase.failed > tolerated:
        by_status = {
            f"{operation} {status}": count
            for operation, statuses in phase.statuses.items()
            for status, count in statuses.items()
            if status not in {"OK", "BATCHED_OK"}
        }
        unanswered = all(what.split()[-1] in _NO_CONNECTION for what in by_status)
        shown = ", ".join(f"{count} × {what}" for what, count in sorted(by_status.items()))
        yield Reason(
            code="connection-lost" if unanswered else "operations-failed",
            message=f"{phase.name}: {phase.failed} operations failed; at most {tolerated} may fail ({shown})",
        )
    if phase.measured_operations == 0:
        yield Reason(code="nothing-measured", message=f"{phase.name}: no operation was acknowledged in the window")
    idle_s, window_s = _idle_in_window(phase)
    if idle_s > _MOSTLY * window_s:
        yield Reason(
            code="window-stalled",
            message=f"{phase.name}: the database acknowledged nothing for {idle_s} s of the measured window's "
            f"{window_s} s, so the figures describe the stall, not the workload; mongod.log may show the cause",
        )
    frozen_s = [turn.frozen_cpu_s for turn in phase.turns if turn.frozen_cpu_s]
    if sum(frozen_s) > max(_TRACE_S, _TRACE * sum(turn.mongod_cpu_s or 0.0 for turn in phase.turns)):
        yield Reason(
            code="not-frozen",
            message=f"{phase.name}: mongod used {sum(frozen_s):.2f} s of CPU during other trials' turns, when it "
            "should have been frozen; the other trials' figures may have suffered",
        )
    for client in phase.clients:
        if client.longest_interval_s is not None and client.longest_interval_s > _STOOD_STILL_S:
            yield Reason(
                code="client-stood-still",
                message=f"{phase.name}: {client.longest_interval_s:.1f} s passed between two counts of {client.name}, "
                "which counts once per second: the client or its host stood still; run on a quieter host",
            )
        if _link_failed(client):
            yield Reason(
                code="link-failed",
                message=f"{phase.name}: {client.name} had no answer for {client.longest_stall_s:.1f} s while "
                f"{client.retransmission_timeouts} of its packets were not acknowledged: "
                "its link to the database failed",
            )


def document_faults(
    verification: Verification, versions: tuple[int, int] | None, writes: tuple[int, int] = (0, 0)
) -> Iterator[Reason]:
    """Documents that are lost, too many or other than the generator made them, and writes that left no trace.

    `versions`: what the stored ones may add up to, at least and at most; None where nothing is known of that. `writes`:
    likewise, the updates that documents have counted.
    """
    first = f" (first found: {'; '.join(verification.examples[:3])})" if verification.examples else ""
    for code, count, what in (
        ("documents-lost", verification.missing, "are missing"),
        ("documents-altered", verification.altered, "differ from what was written"),
        ("documents-surplus", verification.surplus, "were never written"),
    ):
        if count:
            yield Reason(code=code, message=f"{count} of {verification.checked} documents checked {what}{first}")
    dangling = verification.dictionary.dangling if verification.dictionary else 0
    if dangling:
        yield Reason(code="references-dangling", message=f"{dangling} references lead to no value{first}")
    if verification.counted != verification.expected:
        yield Reason(
            code="documents-lost",
            message=f"the collection counts {verification.counted} documents, "
            f"{verification.expected} were acknowledged",
        )
    complete = verification.checked == verification.expected
    if complete and versions is not None and not versions[0] <= verification.version_sum <= versions[1]:
        least, most = versions
        unsettled = f", of which {most - least} at most may lie beneath others that overlapped them" * (most > least)
        yield Reason(
            code="writes-lost",
            message=f"the stored versions add up to {verification.version_sum}, but {most} writes were acknowledged"
            + unsettled,
        )
    if complete and not writes[0] <= verification.write_sum <= writes[1]:
        yield Reason(
            code="writes-lost",
            message=f"the documents have counted {verification.write_sum} updates, but {writes[1]} were acknowledged",
        )


def maintenance_faults(done: Sequence[Maintenance]) -> Iterator[Reason]:
    """Collections that were to be compacted, and of which the engine's counters don't say so."""
    for one in done:
        if one.kind == "compact" and (one.failed or not (one.compacted or one.skipped)):
            yield Reason(
                code="not-compacted",
                message=f"before {one.workload}: {one.member} compacted {one.compacted or 0} tables and failed to "
                f"compact {one.failed or 0}, by its own counters; its mongod.log may show why",
            )


def _drift(phase: Phase) -> float:
    """How far throughput in the last third of the measured window lies from that in the first, as a share."""
    series = phase.series_per_s[round(phase.warmup_s) : -1]  # the last interval is a cut second
    third = len(series) // 3
    if third < 2 or not sum(series[:third]):
        return 0.0
    return abs(sum(series[-third:]) / sum(series[:third]) - 1)


class Stop(BaseModel):
    """How a mongod ended: the content of `stop.json`."""

    model_config = ConfigDict(frozen=True)

    was_running: bool
    killed: bool
    seconds: Seconds
    last_words: str = "(nothing)"


def stop_faults(stop: Stop) -> Iterator[Reason]:
    """A mongod that did not end when asked to: it may not have been in order before, either."""
    if stop.killed:
        message = f"mongod did not end within {stop.seconds:.0f} s and was killed"
    elif not stop.was_running:
        message = f"mongod had ended by itself. Its last output:\n{stop.last_words}"
    else:
        return
    yield Reason(code="not-stopped-cleanly", message=message)


def _standstills(phase: Phase) -> Iterator[tuple[int, int]]:
    """The database's standstills in a phase: the second from its start at which each begins, and its seconds.

    Where a link failed that is the reason, and nothing is known of the database; in a replay that nobody asked for
    anything.
    """
    if phase.replayed is not None:
        return
    bulk_write_us = max((one.p50_us for one in phase.latencies if one.operation == "FLUSH"), default=0.0)
    least = max(_STANDSTILL_S, _BULK_WRITES * bulk_write_us / 1e6)
    second = 0
    for idle, counts in groupby(phase.series_per_s, key=lambda per_s: per_s == 0):
        length = len(list(counts))
        if idle and length >= least and not any(map(_link_failed, phase.clients)):
            yield second, length
        second += length


def _link_failed(client: ClientPart) -> bool:
    return client.longest_stall_s > _STALL_S and bool(client.retransmission_timeouts)


def _idle_in_window(phase: Phase) -> tuple[int, int]:
    """Seconds of the measured window in which the database stood still, and all of its seconds."""
    start, end = round(phase.warmup_s), len(phase.series_per_s)
    idle_s = sum(max(0, second + length - max(second, start)) for second, length in _standstills(phase))
    return idle_s, max(0, end - start)


def _stalled(phase: Phase) -> Iterator[Reason]:
    for second, length in _standstills(phase):
        where = "in the warm-up" if second + length <= round(phase.warmup_s) else "in the measured window"
        yield Reason(
            code="stalled",
            message=f"{phase.name}: the database acknowledged nothing for {length} s, from second {second} of the "
            f"phase on, {where}; mongod.log may show the cause",
        )


def _busy_clients(phase: Phase) -> Iterator[Reason]:
    shares = {client.name: client.cpu_share for client in phase.clients} or {"": phase.client_cpu_share}
    for name, share in shares.items():
        if share is not None and share > _BUSY_CLIENT:
            which = f"the client {name}" if len(shares) > 1 else "the client"
            yield Reason(
                code="client-saturated",
                message=f"{phase.name}: {which} used {share:.0%} of the cores that its threads can use: "
                "the client, not the database, may limit the throughput",
            )


def _few_operations(phase: Phase) -> Iterator[Reason]:
    measured, fewest = sum(one.count for one in phase_latency(phase)), fewest_operations("p99_us")
    if phase.kind == "run" and 0 < measured < fewest:
        yield Reason(
            code="few-operations",
            message=f"{phase.name}: {measured} operations were measured, and a p99 takes {fewest:,}: it is shown, and "
            "compared with nothing; ask for more operations, or for more time to measure",
        )


def _kept_warm_up(phase: Phase, asked_s: float, operations: int) -> Iterator[Reason]:
    if phase.warmup_s >= asked_s:
        if phase.warmup_operations is not None and phase.warmup_operations < _NEARLY * operations:
            yield Reason(
                code="warm-up-short",
                message=f"{phase.name}: measuring began after {phase.warmup_operations:,} operations of a client, "
                f"which needs about {operations:,} to be warm, so the figures include a part of the warm-up; ask for a "
                f"longer warm-up, or for more {'documents' if phase.kind == 'load' else 'operations'}",
            )
    else:
        more = "documents" if phase.kind == "load" else "operations, or more time to measure"
        yield Reason(
            code="warm-up-kept",
            message=f"{phase.name}: the phase was too short to leave out its warm-up of {asked_s:g} s, so it was "
            "measured from its beginning. A slower arm may not be, so figures may not be comparable; ask for more "
            f"{more}, or for a shorter warm-up",
        )


def caveats(
    phases: Sequence[Phase],
    sizes: Sequence[Sizes],
    expected_ratio: float | None,
    warm_ups: Mapping[str, tuple[float, int]],
    overwritten: int = 0,
) -> Iterator[Reason]:
    """What the reader should know though the trial counts; `warm_ups`: seconds and operations asked for, by phase.

    `overwritten`: documents that were deleted or replaced.
    """
    if overwritten:
        yield Reason(
            code="updates-not-added-up",
            message=f"{overwritten:,} documents were deleted or replaced, and their counts of updates with them: a "
            "lost update could not show in the sum. Verified is that every document that must exist does, that no "
            "other does, and that each is one that the workloads can have left, byte for byte",
        )
    for phase in phases:
        yield from _stalled(phase)
        yield from _busy_clients(phase)
        yield from _few_operations(phase)
        yield from _kept_warm_up(phase, *warm_ups[phase.name])
        yield from replay_caveats(phase)
        if phase.start_skew_s is not None and phase.start_skew_s > _TOGETHER_S:
            yield Reason(
                code="clients-not-together",
                message=f"{phase.name}: the last client began {phase.start_skew_s:.1f} s after the first; "
                "the figures cover the time in which all clients worked",
            )
        # A load is as long as its documents: its compiler's warm-up is a part of it, in every arm. Recorded traffic
        # comes as it came.
        closed = phase.kind == "run" and phase.target_per_s is None and phase.replayed is None
        if closed and (drift := _drift(phase)) > _STEADY:
            yield Reason(
                code="not-steady",
                message=f"{phase.name}: throughput changed by {drift:.0%} from the first to the last third of the "
                "measured window; use a longer warm-up to measure the steady state",
            )
        if phase.target_per_s and phase.throughput_per_s < 0.95 * phase.target_per_s:
            yield Reason(
                code="target-missed",
                message=f"{phase.name}: the throughput was {phase.throughput_per_s:.0f}/s, below the "
                f"{phase.target_per_s:.0f}/s asked for",
            )
    loaded = next((size for size in sizes if size.moment == "loaded" and size.storage_size_bytes), None)
    if loaded and expected_ratio:
        achieved = loaded.data_size_bytes / loaded.storage_size_bytes
        if abs(achieved / expected_ratio - 1) > _RATIO_TOLERANCE:
            yield Reason(
                code="ratio-unexpected",
                message=f"the data compressed to {achieved:.2f}:1; {expected_ratio:.2f}:1 was expected for this corpus",
            )
