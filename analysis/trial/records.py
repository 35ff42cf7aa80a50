"""The record of one trial: what was asked, what was in force, what was measured, and whether it counts.

Records are immutable and versioned. They hold figures that were read from the trial's raw artefacts
(YCSB's interval histograms, serverStatus, dbStats) and never figures that were computed across trials.
A figure that could not be read is ``None``, never 0.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

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
from core.sizes import Size, show_size

_Few = Field(max_length=100)
_Level = Annotated[int, Field(ge=-100, le=100)]
_Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Folder = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]
_Histogram = Annotated[str, StringConstraints(max_length=2**20)]
_Path = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^/\x00-\x1f][^\x00-\x1f]*$")]
_Sizes = Annotated[dict[Word, Bytes], _Few]


def _as_json(value: object) -> object:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, Part) else value


_Counters = Annotated[dict[Word, Figure | None], Field(max_length=500)]
_Steps = Annotated[tuple[tuple[Amount, Count], ...], Field(max_length=1000)]
_Counts = Annotated[dict[Word, Count], _Few]
_Statuses = Annotated[dict[Word, _Counts], _Few]
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


class DocumentModel(StrEnum):
    """How documents lie in the database."""

    EMBEDDED = "embedded"
    NORMALISED = "normalised"


class Cell(Part):
    """A cell: one combination of the campaign's factors. Cells are what is compared."""

    engine: Name = Field(description="Name of the engine in the campaign, e.g. `6.0.5`.")
    arm: Name = Field(description="Name of the compressor setting in the campaign, e.g. `zstd-6`.")
    dataset: Name = Field(description="Name of the dataset in the campaign, e.g. `sentences`.")
    platform: NameOrNone = Field(
        "", description="Name of the hosts' platform in the inventory; empty where it names none."
    )


_MOST_PER_S = 2**32 - 1  # a control group of version 1 counts operations in 32 bits
_OperationsPerS = Annotated[int, Field(ge=1, le=_MOST_PER_S)]


class DiskLimit(Part):
    """What mongod may ask of its data's disk in a second, as a control group limits it; `None`: any amount."""

    read_bytes_per_s: Annotated[Size, Field(ge=4096)] | None = Field(None, description="Bytes read, e.g. `125MiB`.")
    write_bytes_per_s: Annotated[Size, Field(ge=4096)] | None = Field(
        None, description="Bytes written. Only by control groups of version 2."
    )
    read_ops_per_s: _OperationsPerS | None = Field(None, description="Reads, e.g. 3000.")
    write_ops_per_s: _OperationsPerS | None = Field(None, description="Writes. Only by control groups of version 2.")

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("a disk limit limits something: bytes or operations per second, read or written")
        return self

    def __str__(self) -> str:
        told = {
            f"{show_size(self.read_bytes_per_s or 0)}/s read": self.read_bytes_per_s,
            f"{show_size(self.write_bytes_per_s or 0)}/s written": self.write_bytes_per_s,
            f"{self.read_ops_per_s} reads/s": self.read_ops_per_s,
            f"{self.write_ops_per_s} writes/s": self.write_ops_per_s,
        }
        return ", ".join(words for words, limit in told.items() if limit is not None)


class Settings(Part):
    """Settings of the engine and its clients that were asked for. `None` means: the engine's default."""

    block_compressor: Compressor
    zstd_level: _Level | None = None
    zlib_level: _Level | None = None
    journal_compressor: Compressor = Compressor.SNAPPY
    cache_size_bytes: Bytes
    leaf_page_max_bytes: Bytes | None = None
    memory_page_image_max_bytes: Bytes | None = None
    internal_page_max_bytes: Bytes | None = None
    memory_page_max_bytes: Bytes | None = None
    allocation_size_bytes: Bytes | None = None
    index_leaf_page_max_bytes: Bytes | None = None
    index_prefix_compression: bool | None = None
    eviction: Annotated[Text, BeforeValidator(_as_text)] | None = Field(
        None, description="WiredTiger's options for eviction, as a configuration string."
    )
    collection_config: Text | None = Field(None, description="Further WiredTiger options of the collection.")
    engine_config: Text | None = Field(None, description="Further WiredTiger options of the whole engine.")
    parameters: Annotated[Text, BeforeValidator(_as_json)] | None = Field(
        None, description="Server parameters by name, as JSON."
    )
    sync_period_s: Count | None = Field(None, description="storage.syncPeriodSecs")
    journal_commit_interval_ms: Count | None = None
    oplog_size_bytes: Bytes | None = Field(None, description="Of each member of a replica set.")
    memory_limit_bytes: Bytes | None = Field(
        None, description="Memory that mongod may use, file cache included; None: no limit."
    )
    cpu_limit: Amount | None = Field(None, description="CPU time that mongod may use, in CPUs; None: no limit.")
    disk_limit: DiskLimit | None = Field(None, description="What mongod may ask of its data's disk; None: no limit.")
    tls: bool = Field(False, description="Whether all connections to mongod are encrypted.")
    indexes: Text | None = Field(
        None, description="The collection's indexes beside that on `_id`, as JSON; None: there are none."
    )
    model: DocumentModel = Field(
        DocumentModel.EMBEDDED, description="Whether documents hold their values, or references to a dictionary's."
    )
    hash_bits: Count | None = Field(None, description="Of a reference; None: there are none.")
    known_hashes: Count | None = Field(None, description="Hashes that a client knows at most; None: there are none.")
    retry_writes: bool = Field(False, description="Whether the clients' writes can be retried by their driver.")
    read_concern: Word | None = Field(None, description="Of the clients' reads; None: they name none.")
    read_preference: Word = Field("primary", description="Which members the clients read from.")
    wire_compressor: Compressor | None = Field(
        None, description="The one compressor that mongod offers for messages; `none`: it offers none."
    )
    client_compression: Word | None = Field(
        None, description="What the clients ask for, with its level if there is one, e.g. `zlib 9`; None: nothing."
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
    disk_limit: DiskLimit | None = Field(None, description="From mongod's control groups; None: no limit.")
    leaf_page_max: Word | None = Field(description="From the creationString, e.g. `32KB`.")
    memory_page_image_max: Word | None = Field(
        None, description="From the creationString; `0`: the engine's own, 4 × leaf_page_max."
    )
    internal_page_max: Word | None = Field(None, description="From the creationString.")
    memory_page_max: Word | None = Field(None, description="From the creationString.")
    allocation_size: Word | None = Field(None, description="From the creationString.")
    index_leaf_page_max: Word | None = Field(
        None, description="From the creationStrings of all indexes; where they differ, each value."
    )
    index_prefix_compression: Word | None = Field(None, description="Likewise.")
    eviction: Text | None = Field(None, description="From log line 22315, all options for eviction.")
    creation_string: Text
    opening_config: Text = Field(description="What mongod passed to WiredTiger (log line 22315).")
    parameters: Text | None = Field(
        None, description="The server parameters that were asked for, as JSON; null: the server has no such parameter."
    )
    sync_period_s: Amount | None = Field(None, description="Seconds between checkpoints, from the server's parameters.")
    journal_commit_interval_ms: Amount | None = Field(None, description="From the server's parameters.")
    oplog_size_bytes: Bytes | None = Field(None, description="Largest size of the oplog; None: there is none.")
    tls_mode: Word | None = Field(None, description="From the options as the server parsed them, e.g. `requireTLS`.")
    indexes: Text | None = Field(
        None, description="The collection's indexes beside that on `_id`, as JSON; None: none were asked for."
    )
    wire_compressors: Text | None = Field(
        None, description="From the options as the server parsed them, e.g. `zstd`; None: mongod offers its own."
    )
    allocator: Word | None = Field(None, description="The library that mongod has its memory from, by its own word.")
    per_cpu_caches: bool | None = Field(
        None, description="Whether the allocator has caches for each CPU; None: it does not say, as before 8.0."
    )
    glibc_tunables: Text | None = Field(None, description="GLIBC_TUNABLES in mongod's environment; None: not set.")
    model: Word | None = Field(None, description="How the clients stored documents.")
    hash_bits: Count | None = Field(None, description="Of a reference, as the clients wrote it; None: there are none.")
    known_hashes: Count | None = Field(None, description="Hashes that a client knew at most; None: there are none.")
    write_concern: Text | None = Field(None, description='What the clients\' driver sent, e.g. `{"w": 1, "j": false}`.')
    retry_writes: Word | None = Field(None, description="What the clients' driver said of itself, `yes` or `no`.")
    read_concern: Word | None = Field(None, description="Likewise; `none named`: the server's own, `local`.")
    read_preference: Word | None = Field(None, description="Likewise.")
    client_compression: Word | None = Field(None, description="Likewise, e.g. `zlib 9`; `none`: it asked for none.")


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


class DictionarySizes(Part):
    """The dictionary of normalised documents at one moment."""

    entries: Count
    data_size_bytes: Bytes
    storage_size_bytes: Bytes
    index_size_bytes: Bytes


class Sizes(Part):
    """Sizes at one moment, after two forced checkpoints; of normalised documents, with their dictionary."""

    moment: Word = Field(description="`loaded`, `before-<phase>` (after its maintenance), or `after-<phase>`.")
    documents: Count
    data_size_bytes: Bytes = Field(description="Uncompressed BSON, as the engine counts it.")
    storage_size_bytes: Bytes = Field(description="Collection files, free space included.")
    free_storage_size_bytes: Bytes | None = Field(description="Free space in the collection files that can be reused.")
    index_size_bytes: Bytes = Field(description="Of all indexes, that on `_id` included.")
    secondary_index_size_bytes: Bytes = Field(
        0, description="Of all indexes but that on the documents' `_id`; a dictionary's own is one of them."
    )
    files_bytes: _Sizes = Field(description="Bytes on disk by class of file: collection, index, ...")
    pages: Pages | None = Field(None, description="None: not read, e.g. of files larger than 1 GiB.")
    oplog: Oplog | None = Field(None, description="None: there is none, as the mongod is no replica set's.")
    dictionary: DictionarySizes | None = Field(None, description="Its part of the figures above; None: there is none.")


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
    in_force: InForce | None = Field(
        None,
        description="What it reported about itself; None: of the primary, whose settings are the record's, and in "
        "records that were made before it was kept.",
    )
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
    examples: Annotated[tuple[Message, ...], _Few] = ()

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
    dictionary: DictionaryUse | None = Field(None, description="None: documents hold their values.")
    turns: Annotated[tuple[Turn, ...], Field(max_length=100_000)] = Field(
        (), description="Measured turns; empty where the trial ran alone."
    )
    replayed: Replayed | None = Field(None, description="None: it is no replay.")


class DictionaryFound(Part):
    """The dictionary of normalised documents, and the references to it that were followed."""

    entries: Count
    referenced: Count = Field(description="Entries to which the documents that were read refer.")
    dangling: Count = Field(description="References that lead nowhere.")
    surplus: Count | None = Field(
        description="Entries without a reference: of values overwritten since, and of writes that failed. None: only "
        "some of the documents were read."
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
    dictionary: DictionaryFound | None = Field(None, description="None: documents hold their values.")


class Maintenance(Part):
    """What was done to one mongod's data before a workload."""

    workload: Name
    kind: Literal["compact", "initial-sync"]
    member: Word = Field(description="The mongod's host and port.")
    seconds: Seconds
    sizes: Sizes = Field(description="The mongod's own, after it.")
    compacted: Count | None = Field(None, description="Tables that the engine went through; None: not what was done.")
    skipped: Count | None = Field(None, description="How often it found nothing, or nothing more, to gain.")
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
