"""Every metric, declared once: key, label, unit, direction, where in the record it comes from, whether it is primary.

Summary, comparison, chart and gate derive from these declarations. A declaration's key is a template: metrics of a
workload are `<workload>.<name>`, where the workload of the load phase is `insert` and that of a run phase its name
(so no run workload may be called `insert`).

A reader returns a `Reading` (value and the resolution of its measurement, in the metric's unit), or None where the
record lacks the figure; it never invents a 0.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from analysis.latency import LatencyField, latency_us, phase_latency
from analysis.quantities import Better, Unit
from analysis.records import Cost, Phase, Sizes, TrialRecord, Window

INSERT = "insert"
"""The workload name of the load phase."""

ALLOCATION_BYTES = 4096
"""WiredTiger's allocation unit: a stored size can't be known, or vary, more finely."""

CPU_TICK_US = 10_000
"""Process CPU times in /proc are counted in ticks of 1/100 s."""

HISTOGRAM_RESOLUTION = 1e-3
"""HdrHistogram with 3 significant digits: a recorded latency is known to one part in a thousand."""

CLOCK_S = 1e-3
"""The bounds of the measured window are known to a millisecond."""

DISK_BLOCK_BYTES = 4096
"""The block layer writes pages."""


class Reading(NamedTuple):
    """A measured value and how finely it could be measured, both in the metric's unit."""

    value: float
    resolution: float


class Scope(Enum):
    """Which phases a metric exists for."""

    LOADED = "the trial, after its load"
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


Reader = Callable[[TrialRecord, Phase], Reading | None]


@dataclass(frozen=True)
class Declaration:
    """One kind of metric. `primary` says for which phases it is primary unless the spec chooses."""

    name: str
    label: str
    unit: Unit
    better: Better
    scope: Scope
    primary: Scope | None
    read: Reader | None

    def exists_for(self, phase: Phase) -> bool:
        """Whether the phase has this metric."""
        return _covers(self.scope, is_load=phase.kind == "load")

    def of(self, workload: str) -> Metric:
        """The metric of one workload. Metrics of the loaded data have no workload in their key."""
        if self.scope in (Scope.LOADED, Scope.DERIVED):
            return Metric(self.name, self.label, self.unit, self.better, self.primary is not None, INSERT)
        primary = self.primary is not None and _covers(self.primary, is_load=workload == INSERT)
        return Metric(f"{workload}.{self.name}", f"{workload} {self.label}", self.unit, self.better, primary, workload)


def _covers(scope: Scope, *, is_load: bool) -> bool:
    if is_load:
        return scope in (Scope.LOADED, Scope.LOAD_AND_RUN)
    return scope in (Scope.RUN, Scope.LOAD_AND_RUN)


def workload_of(phase: Phase) -> str:
    """The workload a phase runs: `insert` for the load, else the phase's name."""
    return INSERT if phase.kind == "load" else phase.name


# ---- readers -------------------------------------------------------------------------------------------------------


def _sizes(record: TrialRecord, phase: Phase) -> Sizes | None:
    """Sizes after the phase; only those with documents and stored bytes can be divided by."""
    moment = "loaded" if phase.kind == "load" else f"after-{phase.name}"
    return next((s for s in record.sizes if s.moment == moment and s.documents and s.storage_size_bytes), None)


def _compression(data_bytes: float, stored_bytes: float) -> Reading | None:
    if data_bytes <= 0 or stored_bytes <= 0:
        return None
    ratio = data_bytes / stored_bytes
    return Reading(ratio, ratio * ALLOCATION_BYTES / stored_bytes)


def _compression_ratio(record: TrialRecord, phase: Phase) -> Reading | None:
    sizes = _sizes(record, phase)
    return _compression(sizes.data_size_bytes, sizes.storage_size_bytes) if sizes else None


def _compression_ratio_without_free(record: TrialRecord, phase: Phase) -> Reading | None:
    sizes = _sizes(record, phase)
    if sizes is None or sizes.free_storage_size_bytes is None:
        return None
    return _compression(sizes.data_size_bytes, sizes.storage_size_bytes - sizes.free_storage_size_bytes)


def _achieved_over_expected(record: TrialRecord, phase: Phase) -> Reading | None:
    reading = _compression_ratio(record, phase)
    if reading is None or not record.expected_ratio:
        return None
    return Reading(reading.value / record.expected_ratio, reading.resolution / record.expected_ratio)


def _storage_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    sizes = _sizes(record, phase)
    if sizes is None:
        return None
    return Reading(sizes.storage_size_bytes / sizes.documents, ALLOCATION_BYTES / sizes.documents)


def _index_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    sizes = _sizes(record, phase)
    return Reading(sizes.index_size_bytes / sizes.documents, ALLOCATION_BYTES / sizes.documents) if sizes else None


def _files_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    sizes = _sizes(record, phase)
    if sizes is None or not sizes.files_bytes:
        return None
    return Reading(sum(sizes.files_bytes.values()) / sizes.documents, ALLOCATION_BYTES / sizes.documents)


def _throughput(_: TrialRecord, phase: Phase) -> Reading | None:
    if phase.measured_s <= 0:
        return None
    return Reading(phase.throughput_per_s, phase.throughput_per_s * CLOCK_S / phase.measured_s + 1 / phase.measured_s)


def _latency(field: LatencyField) -> Reader:
    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        found = phase_latency(phase)
        if not found:
            return None
        value = latency_us(found, field)
        return Reading(value, max(value * HISTOGRAM_RESOLUTION, 1.0))

    return read


def _per_operation(amount: Callable[[Cost], float | None], scale: float, resolution: float) -> Reader:
    """A phase's cost divided by all its acknowledged operations; `scale` converts it to the metric's unit."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        total = amount(phase.cost)
        if total is None or not phase.acknowledged:
            return None
        return Reading(total * scale / phase.acknowledged, resolution / phase.acknowledged)

    return read


def _in_window(amount: Callable[[Window], float | None]) -> Reader:
    """CPU time of the measured window, in us for each operation measured in it."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        seconds = amount(phase.window) if phase.window else None
        if seconds is None or not phase.measured_operations:
            return None
        return Reading(seconds * 1e6 / phase.measured_operations, CPU_TICK_US / phase.measured_operations)

    return read


def _of_host(amount: Callable[[Window], float | None]) -> Reader:
    """A share of all the CPU time that the database's host had in the measured window."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        window = phase.window
        if window is None or window.host_cpu_s is None or window.host_idle_s is None:
            return None
        part, whole = amount(window), window.host_cpu_s + window.host_idle_s
        return None if part is None or whole <= 0 else Reading(part / whole, CPU_TICK_US / 1e6 / whole)

    return read


def _client_cpu_share(_: TrialRecord, phase: Phase) -> Reading | None:
    if phase.client_cpu_share is None or phase.measured_s <= 0:
        return None
    return Reading(phase.client_cpu_share, CPU_TICK_US / 1e6 / phase.measured_s)


# ---- declarations --------------------------------------------------------------------------------------------------

_HIGH, _LOW = Better.HIGHER, Better.LOWER
_LOADED, _ALL, _RUN = Scope.LOADED, Scope.LOAD_AND_RUN, Scope.RUN

DECLARATIONS: tuple[Declaration, ...] = (
    Declaration("compression_ratio", "compression ratio", Unit.RATIO, _HIGH, _LOADED, _LOADED, _compression_ratio),
    Declaration(
        "compression_ratio_without_free", "compression ratio without free space", Unit.RATIO, _HIGH, _LOADED, None,
        _compression_ratio_without_free,
    ),
    Declaration(
        "compression_ratio_against_none", "storage of the arm without compression ÷ storage", Unit.RATIO, _HIGH,
        Scope.DERIVED, None, None,
    ),
    Declaration(
        "achieved_over_expected", "compression ratio ÷ the one expected of the corpus", Unit.RATIO, _HIGH, _LOADED,
        None, _achieved_over_expected,
    ),
    Declaration(
        "storage_bytes_per_document", "storage per document", Unit.BYTES_PER_DOCUMENT, _LOW, _LOADED, _LOADED,
        _storage_per_document,
    ),
    Declaration(
        "index_bytes_per_document", "index storage per document", Unit.BYTES_PER_DOCUMENT, _LOW, _LOADED, None,
        _index_per_document,
    ),
    Declaration(
        "files_bytes_per_document", "all files, journal included, per document", Unit.BYTES_PER_DOCUMENT, _LOW,
        _LOADED, None, _files_per_document,
    ),
    Declaration("throughput", "throughput", Unit.PER_SECOND, _HIGH, _ALL, _ALL, _throughput),
    Declaration("mean", "mean latency", Unit.US, _LOW, _ALL, None, _latency("mean_us")),
    Declaration("p50", "p50 latency", Unit.US, _LOW, _ALL, None, _latency("p50_us")),
    Declaration("p95", "p95 latency", Unit.US, _LOW, _ALL, None, _latency("p95_us")),
    Declaration("p99", "p99 latency", Unit.US, _LOW, _ALL, _RUN, _latency("p99_us")),
    Declaration("p999", "p99.9 latency", Unit.US, _LOW, _ALL, None, _latency("p999_us")),
    Declaration("max", "highest latency", Unit.US, _LOW, _ALL, None, _latency("max_us")),
    Declaration(
        "mongod_cpu_us_per_operation", "mongod CPU per operation", Unit.US_PER_OPERATION, _LOW, _ALL, _RUN,
        _per_operation(lambda cost: cost.mongod_cpu_s, 1e6, CPU_TICK_US),
    ),
    Declaration(
        "mongod_cpu_us_per_operation_in_window", "mongod CPU per operation without closing checkpoints",
        Unit.US_PER_OPERATION, _LOW, _ALL, None, _in_window(lambda window: window.mongod_cpu_s),
    ),
    Declaration(
        "client_cpu_us_per_operation", "client CPU per operation", Unit.US_PER_OPERATION, _LOW, _ALL, None,
        _in_window(lambda window: window.client_cpu_s),
    ),
    Declaration(
        "host_idle_share", "database host's CPU left idle", Unit.SHARE, _HIGH, _ALL, None,
        _of_host(lambda window: window.host_idle_s),
    ),
    Declaration(
        "mongod_share_of_host", "mongod's share of its host's CPU", Unit.SHARE, _HIGH, _ALL, None,
        _of_host(lambda window: window.mongod_cpu_s),
    ),
    Declaration(
        "disk_read_bytes_per_operation", "disk bytes read per operation", Unit.BYTES_PER_OPERATION, _LOW, _ALL, None,
        _per_operation(lambda cost: cost.disk_read_bytes, 1, DISK_BLOCK_BYTES),
    ),
    Declaration(
        "disk_written_bytes_per_operation", "disk bytes written per operation", Unit.BYTES_PER_OPERATION, _LOW, _ALL,
        None, _per_operation(lambda cost: cost.disk_written_bytes, 1, DISK_BLOCK_BYTES),
    ),
    Declaration("client_cpu_share", "client CPU in use", Unit.SHARE, _LOW, _ALL, None, _client_cpu_share),
    Declaration(
        "compression_ratio_after", "compression ratio afterwards", Unit.RATIO, _HIGH, _RUN, None, _compression_ratio
    ),
    Declaration(
        "storage_bytes_per_document_after", "storage per document afterwards", Unit.BYTES_PER_DOCUMENT, _LOW, _RUN,
        None, _storage_per_document,
    ),
    Declaration("monthly_cost", "monthly cost", Unit.MONEY_PER_MONTH, _LOW, Scope.DERIVED, None, None),
    Declaration("instance_hours", "instance hours a month", Unit.INSTANCE_HOURS, _LOW, Scope.DERIVED, None, None),
    Declaration("stored_gb", "storage of one replica", Unit.GB, _LOW, Scope.DERIVED, None, None),
)  # fmt: skip

_BY_NAME = {declaration.name: declaration for declaration in DECLARATIONS}


class UnknownMetricError(ValueError):
    """A key that names no metric; the message says what was probably meant."""


def metric(key: str) -> Metric:
    """The metric of a key such as `compression_ratio` or `rmw.p99`.

    Raises UnknownMetricError for a key that no declaration covers. Whether a campaign has the workload is not checked.
    """
    workload, dot, name = key.rpartition(".")
    declaration = _BY_NAME.get(name)
    needs_workload = declaration is not None and declaration.scope in (Scope.LOAD_AND_RUN, Scope.RUN)
    absent = workload == INSERT and declaration is not None and declaration.scope is Scope.RUN
    if declaration is None or absent or needs_workload != bool(dot and workload):
        near = difflib.get_close_matches(key, keys([workload or "rmw"]), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownMetricError(f"no metric is called {key!r}{hint}")
    return declaration.of(workload)


def keys(workloads: Iterable[str]) -> list[str]:
    """The keys of all metrics of a campaign with these run workloads, in the order of declaration."""
    every = (INSERT, *dict.fromkeys(workload for workload in workloads if workload != INSERT))
    found = []
    for declaration in DECLARATIONS:
        if declaration.scope in (Scope.LOADED, Scope.DERIVED):
            found.append(declaration.name)
        else:
            found += [declaration.of(w).key for w in every if _covers(declaration.scope, is_load=w == INSERT)]
    return found


def readings(record: TrialRecord) -> Iterable[tuple[Metric, Phase, Reading]]:
    """Every metric that the record holds, with the phase it belongs to and its reading."""
    for phase in record.phases:
        workload = workload_of(phase)
        for declaration in DECLARATIONS:
            if declaration.read is None or not declaration.exists_for(phase):
                continue
            reading = declaration.read(record, phase)
            if reading is not None and math.isfinite(reading.value):
                yield declaration.of(workload), phase, reading
