"""What a phase of a trial did, and what it cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from analysis.trial.records.bounded import Counters, Few
from core.bounds import (
    LARGEST_INT,
    Amount,
    Bytes,
    Count,
    Figure,
    Message,
    Name,
    Rate,
    Seconds,
    Text,
    UnixTime,
    Word,
)
from core.model import Part

_Histogram = Annotated[str, StringConstraints(max_length=2**20)]
_Steps = Annotated[tuple[tuple[Amount, Count], ...], Field(max_length=1000)]
_Counts = Annotated[dict[Word, Count], Few]
_Statuses = Annotated[dict[Word, _Counts], Few]
_MOST_SECONDS = Field(max_length=600_000)  # a phase lasts a few days at most
_PerSecond = Annotated[tuple[Rate, ...], _MOST_SECONDS]


class Latency(Part):
    """One operation's latencies within a phase's measured window, in microseconds."""

    operation: Word = Field(description="YCSB's name, e.g. `INSERT`, `READ-MODIFY-WRITE`.")
    kind: Literal["actual", "intended"] = Field(
        description="`intended` counts from the time at which the schedule asked for the operation (corrects for "
        "coordinated omission)."
    )
    count: Count
    mean_us: Amount
    p50_us: Amount
    p90_us: Amount
    p95_us: Amount
    p99_us: Amount
    p999_us: Amount
    p9999_us: Amount
    max_us: Amount
    histogram: _Histogram = Field(description="HdrHistogram V2 compressed, base64; merge these, never percentiles.")


class Cost(Part):
    """What a phase cost, from its start until its data was checkpointed, for all its operations."""

    mongod_cpu_s: Seconds | None
    closing_cpu_s: Seconds | None = Field(
        None, description="The part of `mongod_cpu_s` that the closing checkpoints took."
    )
    client_cpu_s: Seconds | None
    disk_read_bytes: Bytes | None = Field(description="By mongod, at the block layer.")
    disk_written_bytes: Bytes | None = Field(description="By mongod, at the block layer.")


class ClientPart(Part):
    """One client process's part of a phase."""

    name: Word = Field(description="The client's host, with a number where the host runs several clients.")
    started_at_s: UnixTime = Field(description="Unix time at which the client began to measure, by its host's clock.")
    throughput_per_s: Amount = Field(description="Throughput in the measured window.")
    cpu_share: Amount | None = Field(description="Share of the cores that the client's threads can use, 0 to 1.")
    gc_pause_s: Seconds
    longest_stall_s: Seconds = Field(
        description="Longest time without an answer to any of the client's threads, in the whole phase."
    )
    retransmission_timeouts: Count | None = Field(
        None, description="TCP retransmission timeouts of the client's host in the phase."
    )
    longest_interval_s: Seconds | None = Field(
        None, description="Longest time between two of the client's counts; normally about 1."
    )
    cpus: Text | None = Field(None, description="Cores that the client may use, read back from its kernel.")


class Turn(Part):
    """One measured turn of a phase, in which only this trial worked."""

    round: Count = Field(description="Round of the phase; in each round every trial of the block has one turn.")
    started_at_s: UnixTime = Field(description="Unix time from which the turn was measured.")
    measured_s: Seconds
    operations: Count = Field(description="Operations measured in the turn.")
    mongod_cpu_s: Seconds | None = Field(description="mongod's CPU while the turn was measured.")
    frozen_cpu_s: Seconds | None = Field(
        description="CPU that mongod used since its turn before, while it was frozen; should be about 0."
    )


class Window(Part):
    """What the measured window alone cost, warm-up and closing checkpoints left out.

    The client's part is from its own account, all else from mongod's diagnostic data; None where that has no figure.
    """

    client_cpu_s: Seconds | None
    mongod_cpu_s: Seconds | None = None
    host_cpu_s: Seconds | None = Field(None, description="CPU of all processes on the database's host.")
    host_idle_s: Seconds | None = Field(None, description="Idle time of all its cores, waiting for the disk included.")
    pages_read: Figure | None = Field(None, description="Pages read into WiredTiger's cache.")
    disk_read_bytes: Figure | None = Field(
        None, description="Bytes read from the host's disk; None where it has several disks."
    )
    checkpoints: Figure | None = Field(
        None,
        description="Checkpoints begun within the window, by the samples in it; in turns from the first to the "
        "last sample.",
    )
    counters: Counters = Field(
        default_factory=dict,
        description="Change of the server's engine counters; at its end by the samples within it, so that nothing of "
        "the forced checkpoints after it is in them. Empty in records that were made before they were read.",
    )


class Served(Part):
    """What mongod itself counted of a phase's operations on the collection, warm-up included."""

    operations: dict[Word, Count] = Field(max_length=100, description="By kind: find, insert, update, delete, command.")
    latency_us: dict[Word, _Steps] = Field(
        max_length=100,
        description="Of reads and of writes, in the server: the lowest latency of each step in microseconds, and its "
        "operations.",
    )


class DictionaryUse(Part):
    """What writing normalised documents asked of the dictionary, in the whole phase, of all clients together."""

    hits: Count = Field(description="Values whose hash a client knew, which were not sent.")
    misses: Count = Field(description="Values that were sent.")
    met: Count = Field(description="Of those, values that were there: of other clients, or forgotten.")


class Replayed(Part):
    """How the answers of a replay compare with the recorded ones, in the whole phase."""

    compared: Count = Field(description="Answers that were compared in kind and count.")
    not_recorded: Count = Field(description="Answers of which the recording has nothing to compare them with.")
    unequal: _Counts = Field(description="Operation -> answers that differ from the recorded ones.")
    documents_added: Annotated[int, Field(ge=-LARGEST_INT, le=LARGEST_INT)] = Field(
        description="Documents inserted less those deleted, by the answers."
    )
    examples: Annotated[tuple[Message, ...], Few] = ()

    @property
    def all_unequal(self) -> int:
        """Answers that differ, of all operations."""
        return sum(self.unequal.values())


class Phase(Part):
    """One phase: the load (measured as the insert workload) or one run workload."""

    name: Name = Field(description="`load`, or the workload's name in the campaign.")
    kind: Literal["load", "run"]
    operation: Word = Field(
        description="The operation that its latencies are of, e.g. `READ-MODIFY-WRITE`; in a batched load "
        "`FLUSH`, a bulk write."
    )
    started_at_s: UnixTime | None = Field(None, description="Unix time at which the client began to measure.")
    warmup_s: Seconds = Field(description="Warm-up, left out of the measured window.")
    warmup_operations: Count | None = Field(
        None, description="Operations before the measured window, by the client with the fewest."
    )
    measured_s: Seconds = Field(
        description="Length of the measured window; with several clients, while all of them work."
    )
    measured_operations: Count = Field(
        description="Operations within the measured window; documents in a batched load."
    )
    throughput_per_s: Amount = Field(description="measured_operations / measured_s")
    series_per_s: _PerSecond = Field(description="Operations per second, one figure per second, warm-up included.")
    p99_series_us: Annotated[tuple[Figure | None, ...], _MOST_SECONDS] = Field(
        (),
        description="The 99th percentile of each of these seconds, of the latencies that the phase is judged by; None: "
        "no operation ended in it. Empty in records that were made before it was read.",
    )
    acknowledged: Count = Field(description="Operations acknowledged in the whole phase, warm-up included.")
    failed: Count = Field(description="Operations that did not return OK, in the whole phase.")
    statuses: _Statuses = Field(description="Operation -> status -> count, in the whole phase.")
    latencies: Annotated[tuple[Latency, ...], Few]
    cost: Cost
    counters: Counters = Field(description="Change of engine counters over the phase; None: missing.")
    target_per_s: Amount | None = Field(description="Offered load; None: closed loop, as fast as it goes.")
    client_cpu_share: Amount | None = Field(
        None, description="CPU share of the busiest client: of the cores that it may use, 0 to 1."
    )
    client_gc_pause_s: Seconds | None = Field(None, description="Garbage collection pauses of all clients together.")
    clients: tuple[ClientPart, ...] = Field(
        (), max_length=1000, description="Each client process; the figures above are of all clients together."
    )
    start_skew_s: Seconds | None = Field(None, description="Time between the starts of the first and the last client.")
    window: Window | None = Field(None, description="None in records that were made before it was read.")
    served: Served | None = Field(
        None, description="None in records that were made before it was read, and where mongod was restarted."
    )
    dictionary: DictionaryUse | None = Field(None, description="None: documents hold their values.")
    turns: Annotated[tuple[Turn, ...], Field(max_length=100_000)] = Field(
        (), description="Measured turns; empty where the trial ran alone."
    )
    replayed: Replayed | None = Field(None, description="None: it is no replay.")
