"""Every metric, declared once: key, label, unit, direction, where in the record it comes from, whether it is primary.

Summary, comparison, chart and gate derive from these declarations. A declaration's key is a template: metrics of a
workload are `<workload>.<name>`, where the workload of the load phase is `insert` and that of a run phase its name
(so no run workload may be called `insert`), and those of one kind of its operations `<workload>.<operation>.<name>`.

`analysis.stats.readers` reads them from a record.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from analysis.stats import readers
from analysis.stats.quantities import Better, Unit
from analysis.trial.replayed import LATENESS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.trial.latency import LatencyField
    from analysis.trial.records import Phase, TrialRecord

INSERT = "insert"
"""The workload name of the load phase."""


class Scope(Enum):
    """Which phases a metric exists for."""

    LOADED = "the trial, after its load"
    AGED = "the trial, after the last of run workloads that wrote"
    LOAD_AND_RUN = "every phase"
    RUN = "run phases"
    DERIVED = "computed from several trials or with prices"


@dataclass(frozen=True)
class Metric:
    """A metric of one workload (or of the loaded data): what a declaration becomes."""

    key: str
    label: str
    unit: Unit
    better: Better
    primary: bool
    workload: str
    """`insert` or the name of a run phase."""


@dataclass(frozen=True)
class Declaration:
    """One kind of metric. `primary` says for which phases it is primary unless the spec chooses."""

    name: str
    label: str
    unit: Unit
    better: Better
    scope: Scope
    primary: Scope | None
    read: readers.Reader | None

    def exists_for(self, record: TrialRecord, phase: Phase) -> bool:
        """Whether the record's phase has this metric."""
        if self.scope is Scope.AGED:
            return phase is next(filter(_has_written, reversed(record.phases)), None)
        return _covers(self.scope, is_load=phase.kind == "load")

    def of(self, workload: str) -> Metric:
        """The metric of one workload. Metrics of the trial have no workload in their key."""
        if self.scope in _OF_TRIAL:
            return Metric(self.name, self.label, self.unit, self.better, self.primary is not None, INSERT)
        primary = self.primary is not None and _covers(self.primary, is_load=workload == INSERT)
        return Metric(f"{workload}.{self.name}", f"{workload} {self.label}", self.unit, self.better, primary, workload)


_OF_TRIAL = (Scope.LOADED, Scope.AGED, Scope.DERIVED)
_WRITES = (
    "INSERT", "UPDATE", "READ-MODIFY-WRITE", "REPLACE", "DELETE", "UPSERT", "TRANSACTION", "FIND-AND-MODIFY",
)  # fmt: skip


def _has_written(phase: Phase) -> bool:
    return phase.kind == "run" and any(operation in phase.statuses for operation in _WRITES)


def _covers(scope: Scope, *, is_load: bool) -> bool:
    if is_load:
        return scope in (Scope.LOADED, Scope.LOAD_AND_RUN)
    return scope in (Scope.RUN, Scope.LOAD_AND_RUN)


def workload_of(phase: Phase) -> str:
    """The workload a phase runs: `insert` for the load, else the phase's name."""
    return INSERT if phase.kind == "load" else phase.name


# ---- declarations --------------------------------------------------------------------------------------------------

_HIGH, _LOW = Better.HIGHER, Better.LOWER
_JOURNAL_RECORD_BYTES = 128
"""WiredTiger pads what it writes to its journal."""
_OF_OPERATIONS: tuple[tuple[str, LatencyField], ...] = (("p50", "p50_us"), ("p99", "p99_us"))
_OF_LATENESS: tuple[tuple[str, str, LatencyField], ...] = (
    ("p50", "p50", "p50_us"), ("p99", "p99", "p99_us"), ("max", "highest", "max_us"),
)  # fmt: skip
_LOADED, _AGED, _ALL, _RUN = Scope.LOADED, Scope.AGED, Scope.LOAD_AND_RUN, Scope.RUN

OPERATIONS = (
    "READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "FIND", "FIND-BY-INDEX", "REPLACE", "DELETE", "UPSERT",
    "COUNT", "AGGREGATE", "SCAN-ALL", "TRANSACTION",
)  # fmt: skip
"""What mixes are made of: YCSB's operations as it calls them, and those that only mixes of one's own have; in keys in
small letters."""
RECORDED = ("GET-MORE", "FIND-AND-MODIFY", "DISTINCT")
"""What else a replay is made of."""

DECLARATIONS: tuple[Declaration, ...] = (
    Declaration(
        "compression_ratio", "compression ratio", Unit.RATIO, _HIGH, _LOADED, None, readers.compression_ratio,
    ),
    Declaration(
        "compression_ratio_without_free", "compression ratio without free space", Unit.RATIO, _HIGH, _LOADED, None,
        readers.compression_ratio_without_free,
    ),
    Declaration(
        "compression_ratio_against_none", "storage of the arm without compression ÷ storage", Unit.RATIO, _HIGH,
        Scope.DERIVED, None, None,
    ),
    Declaration(
        "achieved_over_expected", "compression ratio ÷ the corpus's expected ratio", Unit.RATIO, _HIGH, _LOADED,
        None, readers.achieved_over_expected,
    ),
    Declaration(
        "storage_bytes_per_document", "storage per document", Unit.BYTES_PER_DOCUMENT, _LOW, _LOADED, _LOADED,
        readers.storage_per_document,
    ),
    Declaration(
        "total_bytes_per_document", "storage and all indexes per document", Unit.BYTES_PER_DOCUMENT, _LOW, _LOADED,
        None, readers.total_per_document,
    ),
    Declaration(
        "dictionary_bytes_per_document", "of that the dictionary of normalised documents", Unit.BYTES_PER_DOCUMENT,
        _LOW, _LOADED, None, readers.dictionary_per_document,
    ),
    Declaration(
        "index_bytes_per_document", "index storage per document", Unit.BYTES_PER_DOCUMENT, _LOW, _LOADED, None,
        readers.index_per_document,
    ),
    Declaration(
        "secondary_index_bytes_per_document", "storage of secondary indexes per document", Unit.BYTES_PER_DOCUMENT,
        _LOW, _LOADED, None, readers.secondary_indexes_per_document,
    ),
    Declaration(
        "storage_reusable_share", "part of the storage that is free for reuse", Unit.SHARE, _LOW, _LOADED, None,
        readers.reusable_share,
    ),
    Declaration(
        "files_bytes_per_document", "all files, journal included, per document", Unit.BYTES_PER_DOCUMENT, _LOW,
        _LOADED, None, readers.files_per_document,
    ),
    Declaration(
        "storage_bytes_per_document_aged", "aged storage per document", Unit.BYTES_PER_DOCUMENT, _LOW,
        _AGED, _AGED, readers.storage_per_document,
    ),
    Declaration(
        "secondary_index_bytes_per_document_aged", "aged storage of secondary indexes per document",
        Unit.BYTES_PER_DOCUMENT, _LOW, _AGED, None, readers.secondary_indexes_per_document,
    ),
    Declaration(
        "total_bytes_per_document_aged", "aged storage and all indexes per document", Unit.BYTES_PER_DOCUMENT, _LOW,
        _AGED, None, readers.total_per_document,
    ),
    Declaration(
        "compression_ratio_aged", "aged compression ratio", Unit.RATIO, _HIGH, _AGED, None,
        readers.compression_ratio,
    ),
    Declaration(
        "storage_reusable_share_aged", "part of the aged storage that is free for reuse", Unit.SHARE, _LOW, _AGED, None,
        readers.reusable_share,
    ),
    Declaration("throughput", "throughput", Unit.PER_SECOND, _HIGH, _ALL, _ALL, readers.throughput),
    Declaration("mean", "mean latency", Unit.US, _LOW, _ALL, None, readers.latency("mean_us")),
    Declaration("p50", "p50 latency", Unit.US, _LOW, _ALL, None, readers.latency("p50_us")),
    Declaration("p95", "p95 latency", Unit.US, _LOW, _ALL, None, readers.latency("p95_us")),
    Declaration("p99", "p99 latency", Unit.US, _LOW, _ALL, _RUN, readers.latency("p99_us")),
    Declaration("p999", "p99.9 latency", Unit.US, _LOW, _ALL, None, readers.latency("p999_us")),
    Declaration("max", "highest latency", Unit.US, _LOW, _ALL, None, readers.latency("max_us")),
    *(
        Declaration(
            f"{operation.lower()}.{name}", f"{operation} {name} latency", Unit.US, _LOW, _RUN, None,
            readers.latency(field, operation),
        )
        for operation in (*OPERATIONS, *RECORDED)
        for name, field in _OF_OPERATIONS
    ),
    *(
        Declaration(
            f"lateness.{name}", f"{label} time by which operations began late", Unit.US, _LOW, _RUN, None,
            readers.latency(field, LATENESS),
        )
        for name, label, field in _OF_LATENESS
    ),
    Declaration(
        "answers_unequal", "answers that differ from the recorded ones", Unit.SHARE, _LOW, _RUN, None,
        readers.unequal_answers,
    ),
    Declaration(
        "mongod_cpu_us_per_operation", "mongod CPU per operation", Unit.US_PER_OPERATION, _LOW, _ALL, _RUN,
        readers.lasting_mongod_cpu,
    ),
    Declaration(
        "mongod_cpu_us_per_operation_of_phase", "mongod CPU per operation with all of the closing checkpoints",
        Unit.US_PER_OPERATION, _LOW, _RUN, None, readers.whole_mongod_cpu,
    ),
    Declaration(
        "mongod_capacity", "throughput that mongod's CPU alone allows", Unit.PER_SECOND, _HIGH, _ALL, None,
        readers.mongod_capacity,
    ),
    Declaration(
        "mongod_cpu_us_per_operation_in_window", "mongod CPU per operation without closing checkpoints",
        Unit.US_PER_OPERATION, _LOW, _ALL, None, readers.in_window(lambda window: window.mongod_cpu_s),
    ),
    Declaration(
        "client_cpu_us_per_operation", "client CPU per operation", Unit.US_PER_OPERATION, _LOW, _ALL, None,
        readers.in_window(lambda window: window.client_cpu_s),
    ),
    Declaration(
        "host_idle_share", "idle CPU of the database host", Unit.SHARE, _HIGH, _ALL, None,
        readers.of_host(lambda window: window.host_idle_s),
    ),
    Declaration(
        "mongod_share_of_host", "mongod's share of its host's CPU", Unit.SHARE, _HIGH, _ALL, None,
        readers.of_host(lambda window: window.mongod_cpu_s),
    ),
    Declaration(
        "disk_read_bytes_per_operation", "disk bytes read per operation", Unit.BYTES_PER_OPERATION, _LOW, _ALL, None,
        readers.per_operation(lambda phase: phase.cost.disk_read_bytes, 1, readers.DISK_BLOCK_BYTES),
    ),
    Declaration(
        "disk_written_bytes_per_operation", "disk bytes written per operation", Unit.BYTES_PER_OPERATION, _LOW, _ALL,
        None, readers.per_operation(lambda phase: phase.cost.disk_written_bytes, 1, readers.DISK_BLOCK_BYTES),
    ),
    Declaration(
        "known_share", "values that the dictionary was known to have", Unit.SHARE, _HIGH, _ALL, None,
        readers.known_share,
    ),
    Declaration(
        "wire_in_bytes_per_operation", "bytes to mongod on the wire per operation", Unit.BYTES_PER_OPERATION, _LOW,
        _ALL, None, readers.on_wire("wire_in"),
    ),
    Declaration(
        "wire_out_bytes_per_operation", "bytes from mongod on the wire per operation", Unit.BYTES_PER_OPERATION, _LOW,
        _ALL, None, readers.on_wire("wire_out"),
    ),
    Declaration("client_cpu_share", "client CPU in use", Unit.SHARE, _LOW, _ALL, None, readers.client_cpu_share),
    Declaration(
        "compression_ratio_after", "compression ratio after the workload", Unit.RATIO, _HIGH, _RUN, None,
        readers.compression_ratio,
    ),
    Declaration(
        "storage_bytes_per_document_after", "storage per document after the workload", Unit.BYTES_PER_DOCUMENT, _LOW,
        _RUN, None, readers.storage_per_document,
    ),
    Declaration(
        "storage_reusable_share_after", "part of the storage that is free for reuse after the workload", Unit.SHARE,
        _LOW, _RUN, None, readers.reusable_share,
    ),
    Declaration(
        "index_bytes_per_document_after", "index storage per document after the workload", Unit.BYTES_PER_DOCUMENT,
        _LOW, _RUN, None, readers.index_per_document,
    ),
    Declaration(
        "maintenance_s", "time of the maintenance before the workload", Unit.SECONDS, _LOW, _RUN, None,
        readers.maintenance_s,
    ),
    Declaration(
        "storage_bytes_per_document_maintained", "storage per document after the maintenance before the workload",
        Unit.BYTES_PER_DOCUMENT, _LOW, _RUN, None, readers.maintained_per_document,
    ),
    Declaration(
        "journal_bytes_per_operation", "bytes written to the journal per operation", Unit.BYTES_PER_OPERATION, _LOW,
        _ALL, None, readers.per_operation(lambda phase: phase.counters.get("log_written"), 1, _JOURNAL_RECORD_BYTES),
    ),
    Declaration(
        "journal_bytes_after", "journal files in use after the workload", Unit.BYTES, _LOW, _ALL, None,
        readers.file_bytes("journal"),
    ),
    Declaration(
        "journal_preallocated_bytes_after", "journal files set aside for later after the workload", Unit.BYTES, _LOW,
        _ALL, None, readers.file_bytes("journal_preallocated"),
    ),
    Declaration(
        "oplog_bytes_after", "oplog storage after the workload", Unit.BYTES, _LOW, _ALL, None, readers.oplog_bytes,
    ),
    Declaration(
        "oplog_compression_ratio_after", "compression ratio of the oplog after the workload", Unit.RATIO, _HIGH, _ALL,
        None, readers.oplog_compression_ratio,
    ),
    Declaration("monthly_cost", "monthly cost", Unit.MONEY_PER_MONTH, _LOW, Scope.DERIVED, None, None),
    Declaration(
        "cost_per_million_operations", "cost per million operations", Unit.MONEY_PER_MILLION, _LOW, Scope.DERIVED,
        None, None,
    ),
    Declaration(
        "cost_per_gb_month", "cost per stored GB and month", Unit.MONEY_PER_GB_MONTH, _LOW, Scope.DERIVED, None, None,
    ),
    Declaration("instance_hours", "instance hours per month", Unit.INSTANCE_HOURS, _LOW, Scope.DERIVED, None, None),
    Declaration("stored_gb", "storage of one replica", Unit.GB, _LOW, Scope.DERIVED, None, None),
)  # fmt: skip

_BY_NAME = {declaration.name: declaration for declaration in DECLARATIONS}


class UnknownMetricError(ValueError):
    """A key that names no metric; the message says what was probably meant."""


def metric(key: str) -> Metric:
    """The metric of a key such as `compression_ratio` or `rmw.p99`.

    Raises UnknownMetricError for a key that no declaration covers. Whether a campaign has the workload is not checked.
    """
    workload, dot, name = _parts(key)
    declaration = _BY_NAME.get(name)
    needs_workload = declaration is not None and declaration.scope in (Scope.LOAD_AND_RUN, Scope.RUN)
    absent = workload == INSERT and declaration is not None and declaration.scope is Scope.RUN
    if declaration is None or absent or needs_workload != bool(dot and workload):
        near = difflib.get_close_matches(key, keys([workload or "rmw"]), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownMetricError(f"no metric is called {key!r}{hint}")
    return declaration.of(workload)


def operation_of(key: str) -> tuple[str, str] | None:
    """The workload and the kind of operation that a key is of; None for a metric of all operations."""
    workload, _, name = _parts(key)
    return (workload, name.partition(".")[0]) if "." in name else None


def _parts(key: str) -> tuple[str, str, str]:
    """The workload, a dot and the name, which has a dot itself where it is of one kind of operation."""
    workload, dot, name = key.rpartition(".")
    inner, _, operation = workload.rpartition(".")
    longer = f"{operation}.{name}"
    return (inner, dot, longer) if inner and longer in _BY_NAME else (workload, dot, name)


def keys(workloads: Iterable[str]) -> list[str]:
    """The keys of all metrics of a campaign with these run workloads, in the order of declaration."""
    every = (INSERT, *dict.fromkeys(workload for workload in workloads if workload != INSERT))
    found = []
    for declaration in DECLARATIONS:
        if declaration.scope in _OF_TRIAL:
            found += [declaration.name] if declaration.scope is not Scope.AGED or len(every) > 1 else []
        else:
            found += [declaration.of(w).key for w in every if _covers(declaration.scope, is_load=w == INSERT)]
    return found


def readings(record: TrialRecord) -> Iterable[tuple[Metric, Phase, readers.Reading]]:
    """Every metric that the record holds, with the phase it belongs to and its reading."""
    for phase in record.phases:
        workload = workload_of(phase)
        for declaration in DECLARATIONS:
            if declaration.read is None or not declaration.exists_for(record, phase):
                continue
            reading = declaration.read(record, phase)
            if reading is not None and math.isfinite(reading.value):
                yield declaration.of(workload), phase, reading
