"""Every metric, declared once: key, label, unit, direction, where it comes from, and where it is primary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.stats.metrics import readers
from analysis.stats.metrics.declaration import Declaration, Scope
from analysis.stats.quantities import Better, Unit
from analysis.trial.replayed import LATENESS

if TYPE_CHECKING:
    from analysis.trial.latency import LatencyField

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
