"""The record of one trial: what was asked, what was in force, what was measured, and whether it counts.

Records are immutable and versioned. They hold figures that were read from the trial's raw artefacts
(YCSB's interval histograms, serverStatus, dbStats) and never figures that were computed across trials.
A figure that could not be read is ``None``, never 0.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]
Bytes = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


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


class Part(BaseModel):
    """Base of all parts of a record: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(Part):
    """What is compared: one combination of the campaign's factors."""

    engine: str = Field(description="Name of the engine in the campaign, e.g. `6.0.5`.")
    arm: str = Field(description="Name of the compressor setting in the campaign, e.g. `zstd-6`.")
    dataset: str = Field(description="Name of the dataset in the campaign, e.g. `sentences`.")
    platform: str = Field("", description="Name of the hosts' platform in the inventory; empty where it names none.")


class Settings(Part):
    """Engine settings that were asked for. `None` means: the engine's default."""

    block_compressor: Compressor
    zstd_level: int | None = None
    zlib_level: int | None = None
    journal_compressor: Compressor = Compressor.SNAPPY
    cache_size_bytes: Bytes
    leaf_page_max_bytes: Bytes | None = None
    collection_config: str | None = Field(None, description="Further WiredTiger options of the collection.")
    sync_period_s: int | None = Field(None, description="storage.syncPeriodSecs")
    memory_limit_bytes: Bytes | None = Field(None, description="Of mongod, file cache included; None: no limit.")
    cpu_limit: float | None = Field(None, description="CPUs' worth of time that mongod may use; None: no limit.")
    tls: bool = Field(False, description="Whether all that reaches mongod is encrypted.")


class InForce(Part):
    """What the running server said of itself before the load."""

    version: str
    git_version: str | None
    feature_compatibility_version: str | None
    block_compressor: str | None = Field(description="From the collection's creationString.")
    zstd_level: int | None = Field(description="From log line 22315; None: the engine's default.")
    zlib_level: int | None = Field(description="From the parsed options; None: the engine's default.")
    journal_compressor: str | None
    cache_size_bytes: Bytes | None
    memory_limit_bytes: Bytes | None = Field(None, description="From mongod's control groups; None: no limit.")
    cpu_limit: float | None = Field(None, description="From mongod's control groups; None: no limit.")
    leaf_page_max: str | None = Field(description="From the creationString, e.g. `32KB`.")
    creation_string: str
    opening_config: str = Field(description="What mongod passed to WiredTiger (log line 22315).")
    sync_period_s: float | None = Field(None, description="Seconds between checkpoints, from the server's parameters.")
    tls_mode: str | None = Field(None, description="From the options as the server parsed them, e.g. `requireTLS`.")
    write_concern: str | None = Field(None, description='What the clients\' driver sent, e.g. `{"w": 1, "j": false}`.')


class Sizes(Part):
    """Sizes at one moment, after two forced checkpoints."""

    moment: str = Field(description="`loaded`, or `after-<phase>`.")
    documents: Count
    data_size_bytes: Bytes = Field(description="Uncompressed BSON, as the engine counts it.")
    storage_size_bytes: Bytes = Field(description="Collection files, free space included.")
    free_storage_size_bytes: Bytes | None = Field(description="What the collection files could reuse.")
    index_size_bytes: Bytes
    files_bytes: dict[str, Bytes] = Field(description="Bytes on disk by class of file: collection, index, ...")


class MemberMoment(Part):
    """A replica set as one of its members saw it at a moment, with that member's own sizes and counters."""

    moment: str
    term: Count = Field(description="Of the election; a new one means another, or the same, primary was elected.")
    primary: str | None
    states: dict[str, str] = Field(description="Member -> its state, e.g. `SECONDARY`.")
    rollback_id: Count = Field(description="Moves with every roll-back.")
    sizes: Sizes
    counters: dict[str, float | None] = Field(description="Engine counters since the moment before; None: missing.")


class Member(Part):
    """One member of a replica set, through the trial."""

    name: str = Field(description="Its host and port.")
    moments: tuple[MemberMoment, ...]


class Latency(Part):
    """One operation's latencies within a phase's measured window, in microseconds."""

    operation: str = Field(description="YCSB's name, e.g. `INSERT`, `READ-MODIFY-WRITE`.")
    kind: Literal["actual", "intended"] = Field(
        description="`intended` counts from the moment the schedule asked for (coordinated omission accounted for)."
    )
    count: Count
    mean_us: float
    p50_us: float
    p90_us: float
    p95_us: float
    p99_us: float
    p999_us: float
    p9999_us: float
    max_us: float
    histogram: str = Field(description="HdrHistogram V2 compressed, base64; merge histograms, never percentiles.")


class Cost(Part):
    """What a phase cost, from its start until its data was checkpointed, for all its operations."""

    mongod_cpu_s: Seconds | None
    client_cpu_s: Seconds | None
    disk_read_bytes: Bytes | None = Field(description="By mongod, at the block layer.")
    disk_written_bytes: Bytes | None = Field(description="By mongod, at the block layer.")


class ClientPart(Part):
    """One client process's part of a phase."""

    name: str = Field(description="Its host, and where that runs several its number.")
    started_at_s: float = Field(description="Unix time at which it began to measure, by its host's clock.")
    throughput_per_s: float = Field(ge=0, description="In the measured window.")
    cpu_share: float | None = Field(description="Of the cores its threads can use, 0 to 1.")
    gc_pause_s: Seconds
    longest_stall_s: Seconds = Field(description="Without an answer to any of its threads, whole phase.")
    retransmission_timeouts: Count | None = Field(None, description="TCP's, of its host, in the phase.")
    longest_interval_s: Seconds | None = Field(None, description="Between two of its counts; about 1.")


class Window(Part):
    """What the measured window alone cost, warm-up and closing checkpoints left out.

    The client's part is from its own account, all else from mongod's diagnostic data; None where that has no figure.
    """

    client_cpu_s: Seconds | None
    mongod_cpu_s: Seconds | None = None
    host_cpu_s: Seconds | None = Field(None, description="Of all processes on the database's host.")
    host_idle_s: Seconds | None = Field(None, description="Of all its cores, waiting for the disk included.")
    pages_read: float | None = Field(None, description="Into WiredTiger's cache.")
    disk_read_bytes: float | None = Field(None, description="From the host's disk; None where it has several.")
    checkpoints: float | None = Field(None, description="Begun within the window, by the samples that lie in it.")


class Phase(Part):
    """One phase: the load (measured as the insert workload) or one run workload."""

    name: str = Field(description="`load`, or the workload's name in the campaign.")
    kind: Literal["load", "run"]
    operation: str = Field(
        description="What its latencies are of, e.g. `READ-MODIFY-WRITE`; in a batched load `FLUSH`, a bulk write."
    )
    started_at_s: float | None = Field(None, description="Unix time at which the client began to measure.")
    warmup_s: Seconds = Field(description="Left out of the measured window.")
    measured_s: Seconds = Field(description="Length of the measured window; of several clients, while all work.")
    measured_operations: Count = Field(description="Within the measured window; of a batched load its documents.")
    throughput_per_s: float = Field(ge=0, description="measured_operations / measured_s")
    series_per_s: tuple[float, ...] = Field(description="Operations per second, one figure a second, warm-up included.")
    acknowledged: Count = Field(description="Operations acknowledged in the whole phase, warm-up included.")
    failed: Count = Field(description="Operations that did not return OK, in the whole phase.")
    statuses: dict[str, dict[str, Count]] = Field(description="Operation -> status -> count, in the whole phase.")
    latencies: tuple[Latency, ...]
    cost: Cost
    counters: dict[str, float | None] = Field(description="Change of engine counters over the phase; None: missing.")
    target_per_s: float | None = Field(description="Offered load; None: closed loop, as fast as it goes.")
    client_cpu_share: float | None = Field(None, description="Of the busiest client: of the cores it may use, 0 to 1.")
    client_gc_pause_s: Seconds | None = Field(None, description="Of all clients together.")
    clients: tuple[ClientPart, ...] = Field((), description="Each client process; the figures above are of all.")
    start_skew_s: Seconds | None = Field(None, description="Between the first and the last of several clients.")
    window: Window | None = Field(None, description="None: in records of before it was read.")


class Verification(Part):
    """Stored documents, recomputed from the generator and compared."""

    expected: Count
    counted: Count
    checked: Count
    missing: Count
    altered: Count
    surplus: Count
    version_sum: Count = Field(description="Sum of all versions found; equals the acknowledged read-modify-writes.")
    content_hash: str
    examples: tuple[str, ...] = ()


class UpgradeStep(Part):
    """One engine on the way of an in-place upgrade, and the documents as that engine gave them back."""

    version: str
    feature_compatibility_version: str | None = Field(description="Raised to; None: the engine of the load.")
    stop_s: Seconds | None = Field(description="Of the engine before it; None: the engine of the load.")
    start_s: Seconds | None = Field(description="On the same files, until it listened.")
    verification: Verification


class Reason(Part):
    """Why a trial is void."""

    code: str = Field(description="Stable, for machines, e.g. `compressor-mismatch`.")
    message: str = Field(description="For people: what, where, why.")


class Artefact(Part):
    """A raw file of the trial."""

    path: str = Field(description="Relative to the trial's folder.")
    size_bytes: Bytes
    blake3: str


class TrialRecord(Part):
    """One arm, once: a fresh data directory, a load, the run workloads, verification, stop."""

    format_version: Literal[1] = 1
    trial: str = Field(description="Its folder's name, e.g. `0007-2-zstd`.")
    index: Count = Field(description="Place in the plan's order, from 0.")
    attempt: Annotated[int, Field(ge=1)] = 1
    block: Count
    cell: Cell
    seed: int = Field(description="Of the documents; the same in every trial of a campaign and dataset.")
    started_at: str = Field(description="UTC, ISO 8601.")
    ended_at: str
    steps_s: dict[str, float] = Field(
        description="Seconds by step of the trial, and in all as `total`; the rest is the executor's."
    )
    regime: Regime = Field(Regime.ANY, description="What was asked; engine counters prove it, or the trial is void.")
    asked: Settings
    in_force: InForce | None
    corpus: str = Field(description="BLAKE3 digest of the corpus file.")
    expected_ratio: float | None = Field(None, description="From the manifest, for the arm's codec and level.")
    sizes: tuple[Sizes, ...]
    phases: tuple[Phase, ...]
    members: tuple[Member, ...] = Field((), description="Of a replica set; the figures above are the primary's.")
    verification: Verification | None
    upgrades: tuple[UpgradeStep, ...] = Field(
        (), description="In-place: the engine of the load, then each that took the files over."
    )
    void: tuple[Reason, ...] = Field((), description="Empty: the trial counts.")
    flags: tuple[Reason, ...] = Field((), description="Caveats that do not void the trial, e.g. a busy client.")
    artefacts: tuple[Artefact, ...]

    @property
    def counts(self) -> bool:
        """Whether the trial's figures may be used."""
        return not self.void
