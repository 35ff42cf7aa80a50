"""The record of one trial: what was asked, what was in force, what was measured, and whether it counts.

Records are immutable and versioned. They hold figures that were read from the trial's raw artefacts
(YCSB's interval histograms, serverStatus, dbStats) and never figures that were computed across trials.
A figure that could not be read is ``None``, never 0.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from core.bounds import (
    LARGEST_INT,
    Amount,
    Block,
    Bytes,
    Count,
    Figure,
    Message,
    Name,
    NameOrNone,
    Positive,
    Rate,
    Seconds,
    Text,
    UnixTime,
    Word,
)
from core.model import Part

_Few = Field(max_length=100)
_Level = Annotated[int, Field(ge=-100, le=100)]
_Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Folder = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
_Histogram = Annotated[str, StringConstraints(max_length=2**20)]
_Path = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^/\x00-\x1f][^\x00-\x1f]*$")]
_Sizes = Annotated[dict[Word, Bytes], _Few]


def _as_json(value: object) -> object:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


_Counters = Annotated[dict[Word, Figure | None], Field(max_length=500)]
_Steps = Annotated[tuple[tuple[Amount, Count], ...], Field(max_length=1000)]
_Statuses = Annotated[dict[Word, Annotated[dict[Word, Count], _Few]], _Few]
_MOST_SECONDS = Field(max_length=600_000)  # a phase lasts a few days at most
_PerSecond = Annotated[tuple[Rate, ...], _MOST_SECONDS]


def _with_total(steps_s: dict[str, float]) -> dict[str, float]:
    if "total" not in steps_s:
        raise ValueError("the trial's whole length is missing")
    return steps_s


class Compressor(StrEnum):
    """WiredTiger's block (and journal) compressors."""

    NONE = "none"
    SNAPPY = "snappy"
    ZLIB = "zlib"
    ZSTD = "zstd"


class Regime(StrEnum):
    """Whether a trial's data fits the cache."""

    ANY = "any"
    IN_CACHE = "in-cache"
    OUT_OF_CACHE = "out-of-cache"


class Cell(Part):
    """A cell: one combination of the campaign's factors. Cells are what is compared."""

    engine: Name = Field(description="Name of the engine in the campaign, e.g. `6.0.5`.")
    arm: Name = Field(description="Name of the compressor setting in the campaign, e.g. `zstd-6`.")
    dataset: Name = Field(description="Name of the dataset in the campaign, e.g. `sentences`.")
    platform: NameOrNone = Field(
        "", description="Name of the hosts' platform in the inventory; empty where it names none."
    )


class Settings(Part):
    """Engine settings that were asked for. `None` means: the engine's default."""

    block_compressor: Compressor
    zstd_level: _Level | None = None
    zlib_level: _Level | None = None
    journal_compressor: Compressor = Compressor.SNAPPY
    cache_size_bytes: Bytes
    leaf_page_max_bytes: Bytes | None = None
    memory_page_image_max_bytes: Bytes | None = None
    collection_config: Text | None = Field(None, description="Further WiredTiger options of the collection.")
    engine_config: Text | None = Field(None, description="Further WiredTiger options of the whole engine.")
    parameters: Annotated[Text, BeforeValidator(_as_json)] | None = Field(
        None, description="Server parameters by name, as JSON."
    )
    sync_period_s: Count | None = Field(None, description="storage.syncPeriodSecs")
    memory_limit_bytes: Bytes | None = Field(
        None, description="Memory that mongod may use, file cache included; None: no limit."
    )
    cpu_limit: Amount | None = Field(None, description="CPU time that mongod may use, in CPUs; None: no limit.")
    tls: bool = Field(False, description="Whether all connections to mongod are encrypted.")
    indexes: Text | None = Field(
        None, description="The collection's indexes beside that on `_id`, as JSON; None: there are none."
    )
    wire_compressor: Compressor | None = Field(
        None, description="The one compressor that mongod offers for messages; `none`: it offers none."
    )


class InForce(Part):
    """What the running server reported about itself before the load."""

    version: Word
    git_version: Word | None
    feature_compatibility_version: Word | None
    block_compressor: Word | None = Field(description="From the collection's creationString.")
    zstd_level: _Level | None = Field(description="From log line 22315; None: the engine's default.")
    zlib_level: _Level | None = Field(description="From log line 22315; None: the engine's default.")
    journal_compressor: Word | None
    cache_size_bytes: Bytes | None
    memory_limit_bytes: Bytes | None = Field(None, description="From mongod's control groups; None: no limit.")
    cpu_limit: Amount | None = Field(None, description="From mongod's control groups; None: no limit.")
    leaf_page_max: Word | None = Field(description="From the creationString, e.g. `32KB`.")
    memory_page_image_max: Word | None = Field(
        None, description="From the creationString; `0`: the engine's own, 4 × leaf_page_max."
    )
    creation_string: Text
    opening_config: Text = Field(description="What mongod passed to WiredTiger (log line 22315).")
    parameters: Text | None = Field(
        None, description="The server parameters that were asked for, as JSON; null: the server has no such parameter."
    )
    sync_period_s: Amount | None = Field(None, description="Seconds between checkpoints, from the server's parameters.")
    tls_mode: Word | None = Field(None, description="From the options as the server parsed them, e.g. `requireTLS`.")
    indexes: Text | None = Field(
        None, description="The collection's indexes beside that on `_id`, as JSON; None: none were asked for."
    )
    wire_compressors: Text | None = Field(
        None, description="From the options as the server parsed them, e.g. `zstd`; None: mongod offers its own."
    )
    write_concern: Text | None = Field(None, description='What the clients\' driver sent, e.g. `{"w": 1, "j": false}`.')
    client_compression: Text | None = Field(
        None,
        description="What the clients' driver asked for, with its level if it was told one, e.g. `zlib 9`; "
        "None: it asked for none.",
    )


class Pages(Part):
    """The leaf pages of a collection, from their headers in its file."""

    leaf_pages: Count
    memory_bytes: Bytes = Field(description="Bytes that all leaf pages hold, before compression.")
    disk_bytes: Bytes = Field(description="Bytes that all leaf pages take in the file.")
    memory_bytes_p10: Bytes = Field(description="10th percentile of the bytes that a page holds.")
    memory_bytes_p90: Bytes


class Oplog(Part):
    """What a replica set's member keeps of the writes, for others to follow."""

    data_size_bytes: Bytes = Field(description="Uncompressed BSON.")
    storage_size_bytes: Bytes = Field(description="Its file, free space included.")
    free_storage_size_bytes: Bytes | None = Field(description="Free space in the file that can be reused.")


class Sizes(Part):
    """Sizes at one moment, after two forced checkpoints."""

    moment: Word = Field(description="`loaded`, `before-<phase>` (after its maintenance), or `after-<phase>`.")
    documents: Count
    data_size_bytes: Bytes = Field(description="Uncompressed BSON, as the engine counts it.")
    storage_size_bytes: Bytes = Field(description="Collection files, free space included.")
    free_storage_size_bytes: Bytes | None = Field(description="Free space in the collection files that can be reused.")
    index_size_bytes: Bytes = Field(description="Of all indexes, that on `_id` included.")
    secondary_index_size_bytes: Bytes = Field(0, description="Of all indexes but that on `_id`.")
    files_bytes: _Sizes = Field(description="Bytes on disk by class of file: collection, index, ...")
    pages: Pages | None = Field(None, description="None: not read, e.g. of files larger than 1 GiB.")
    oplog: Oplog | None = Field(None, description="None: there is none, as the mongod is no replica set's.")


class MemberMoment(Part):
    """A replica set as one of its members saw it at a moment, with that member's own sizes and counters."""

    moment: Word
    term: Count = Field(
        description="Election term; a new one means that a primary was elected, be it another or the same."
    )
    primary: Word | None
    states: Annotated[dict[Word, Word], _Few] = Field(description="Member -> its state, e.g. `SECONDARY`.")
    rollback_id: Count = Field(description="Changes with every rollback.")
    sizes: Sizes
    counters: _Counters = Field(description="Engine counters since the moment before; None: missing.")


class Member(Part):
    """One member of a replica set, through the trial."""

    name: Word = Field(description="The member's host and port.")
    moments: Annotated[tuple[MemberMoment, ...], _Few]


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
    counters: _Counters = Field(
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
    latencies: Annotated[tuple[Latency, ...], _Few]
    cost: Cost
    counters: _Counters = Field(description="Change of engine counters over the phase; None: missing.")
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
    turns: Annotated[tuple[Turn, ...], Field(max_length=100_000)] = Field(
        (), description="Measured turns; empty where the trial ran alone."
    )


class Verification(Part):
    """Stored documents, recomputed from the generator and compared."""

    expected: Count
    counted: Count
    checked: Count
    missing: Count
    altered: Count
    surplus: Count
    version_sum: Count = Field(
        description="Sum of all versions found: one per read-modify-write, minus those that overlapping writes hid."
    )
    write_sum: Count = Field(
        0, description="Sum of the updates that documents have counted: those of mixes of one's own."
    )
    content_hash: Word
    examples: Annotated[tuple[Message, ...], _Few] = ()


class Maintenance(Part):
    """What was done to one mongod's data before a workload."""

    workload: Name
    kind: Literal["compact", "initial-sync"]
    member: Word = Field(description="The mongod's host and port.")
    seconds: Seconds
    sizes: Sizes = Field(description="The mongod's own, after it.")
    compacted: Count | None = Field(None, description="Tables that the engine compacted; None: not what was done.")
    skipped: Count | None = Field(None, description="Tables with nothing to gain, where the engine's version tells.")
    failed: Count | None = Field(None, description="Tables that the engine failed to compact.")
    bytes_freed: Bytes | None = Field(None, description="By the engine's own word, where its version has one.")


class UpgradeStep(Part):
    """One engine of an in-place upgrade, and the documents as that engine returned them."""

    version: Word
    feature_compatibility_version: Word | None = Field(
        description="The version that it was raised to; None: the engine of the load."
    )
    stop_s: Seconds | None = Field(description="Time to stop the engine before it; None: the engine of the load.")
    start_s: Seconds | None = Field(description="Time to start on the same files, until it listened.")
    verification: Verification


class Reason(Part):
    """Why a trial is void."""

    code: Word = Field(description="Stable code for programs, e.g. `compressor-mismatch`.")
    message: Message = Field(description="For people: what, where, why.")


class Artefact(Part):
    """A raw file of the trial."""

    path: _Path = Field(description="Relative to the trial's folder.")
    size_bytes: Bytes
    blake3: _Digest


class TrialRecord(Part):
    """One run of one arm: a fresh data directory, a load, the run workloads, verification, stop."""

    format_version: Literal[1] = 1
    trial: _Folder = Field(description="Name of the trial's folder, e.g. `0007-2-zstd`.")
    index: Count = Field(description="Place in the plan's order, from 0.")
    attempt: Annotated[int, Field(ge=1, le=LARGEST_INT)] = 1
    block: Block
    cell: Cell
    sharing: Count = Field(
        1, description="Trials of the block that were alive at once and took turns; 1: this trial ran alone."
    )
    seed: Annotated[int, Field(ge=-LARGEST_INT, le=LARGEST_INT)] = Field(
        description="Seed of the documents; the same in every trial of a campaign and dataset."
    )
    started_at: Word = Field(description="UTC, ISO 8601.")
    ended_at: Word
    steps_s: Annotated[dict[Word, Seconds], Field(max_length=1000), AfterValidator(_with_total)] = Field(
        description="Seconds per step of the trial, and for the whole trial as `total`; the rest is the executor's."
    )
    regime: Regime = Field(
        Regime.ANY, description="The regime that was asked for; engine counters prove it, or the trial is void."
    )
    asked: Settings
    in_force: InForce | None
    corpus: Word = Field(description="BLAKE3 digest of the corpus file.")
    expected_ratio: Positive | None = Field(None, description="From the manifest, for the arm's codec and level.")
    sizes: Annotated[tuple[Sizes, ...], _Few]
    phases: Annotated[tuple[Phase, ...], _Few]
    members: tuple[Member, ...] = Field(
        (), max_length=100, description="Members of a replica set; the figures above are the primary's."
    )
    maintenance: tuple[Maintenance, ...] = Field(
        (), max_length=1000, description="What was done to the data between workloads, each member's first to last."
    )
    verification: Verification | None
    clients_beside: bool | None = Field(
        None,
        description="Whether a client ran on a database's host; None in records that were made before it was kept.",
    )
    upgrades: tuple[UpgradeStep, ...] = Field(
        (),
        max_length=100,
        description="In-place upgrades: the engine of the load, then each engine that started on its files.",
    )
    void: tuple[Reason, ...] = Field((), max_length=10_000, description="Empty: the trial counts.")
    flags: tuple[Reason, ...] = Field(
        (), max_length=10_000, description="Caveats that do not void the trial, e.g. a busy client."
    )
    artefacts: Annotated[tuple[Artefact, ...], Field(max_length=100_000)]

    @property
    def counts(self) -> bool:
        """Whether the trial's figures may be used."""
        return not self.void
