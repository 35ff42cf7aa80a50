"""How each metric is read from a record: its value, and how finely it could be measured.

A reader returns None where the record lacks the figure; it never invents a 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from analysis.trial.latency import LatencyField, fewest_operations, latency_us, phase_latency
from analysis.trial.records import Maintenance, Phase, Sizes, TrialRecord, Window
from analysis.trial.settings import SYNC_PERIOD_S

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
    too_few: int = 0
    """Of a percentile, the operations that it takes, where the trial measured fewer."""


Reader = Callable[[TrialRecord, Phase], Reading | None]


def _sizes(record: TrialRecord, phase: Phase) -> Sizes | None:
    """Sizes after the phase; only those with documents and stored bytes can be divided by."""
    moment = "loaded" if phase.kind == "load" else f"after-{phase.name}"
    return next((s for s in record.sizes if s.moment == moment and s.documents and s.storage_size_bytes), None)


def _maintained(record: TrialRecord, phase: Phase) -> Maintenance | None:
    """What was done to the data before the phase, to the first mongod that it was done to."""
    return next((one for one in record.maintenance if one.workload == phase.name), None)


def _compression(data_bytes: float, stored_bytes: float) -> Reading | None:
    if data_bytes <= 0 or stored_bytes <= 0:
        return None
    ratio = data_bytes / stored_bytes
    return Reading(ratio, ratio * ALLOCATION_BYTES / stored_bytes)


def compression_ratio(record: TrialRecord, phase: Phase) -> Reading | None:
    """dataSize ÷ storageSize after the phase."""
    sizes = _sizes(record, phase)
    return _compression(sizes.data_size_bytes, sizes.storage_size_bytes) if sizes else None


def compression_ratio_without_free(record: TrialRecord, phase: Phase) -> Reading | None:
    """dataSize ÷ the bytes in use, free space left out."""
    sizes = _sizes(record, phase)
    if sizes is None or sizes.free_storage_size_bytes is None:
        return None
    return _compression(sizes.data_size_bytes, sizes.storage_size_bytes - sizes.free_storage_size_bytes)


def achieved_over_expected(record: TrialRecord, phase: Phase) -> Reading | None:
    """The ratio achieved ÷ the one expected of the corpus."""
    reading = compression_ratio(record, phase)
    if reading is None or not record.expected_ratio:
        return None
    return Reading(reading.value / record.expected_ratio, reading.resolution / record.expected_ratio)


def _per_document(sizes: Sizes | None) -> Reading | None:
    if sizes is None or not sizes.documents:
        return None
    stored = sizes.storage_size_bytes + sizes.secondary_index_size_bytes
    return Reading(stored / sizes.documents, ALLOCATION_BYTES / sizes.documents)


def storage_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of the collection's file and of secondary indexes, which no block compressor touches."""
    return _per_document(_sizes(record, phase))


def maintained_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """The same of the mongod whose data had its maintenance before the phase."""
    done = _maintained(record, phase)
    return _per_document(done.sizes) if done else None


def maintenance_s(record: TrialRecord, phase: Phase) -> Reading | None:
    """Seconds that the maintenance before the phase took."""
    done = _maintained(record, phase)
    return Reading(done.seconds, CLOCK_S) if done else None


def secondary_indexes_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of all indexes but that on `_id`; None where there are none."""
    sizes = _sizes(record, phase)
    if sizes is None or not sizes.secondary_index_size_bytes:
        return None
    return Reading(sizes.secondary_index_size_bytes / sizes.documents, ALLOCATION_BYTES / sizes.documents)


def total_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of the collection's file and of all indexes; of normalised documents, with their dictionary's."""
    sizes = _sizes(record, phase)
    if sizes is None:
        return None
    return Reading((sizes.storage_size_bytes + sizes.index_size_bytes) / sizes.documents, _finest(sizes))


def dictionary_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of the dictionary's file and index; None where documents hold their values."""
    sizes = _sizes(record, phase)
    if sizes is None or sizes.dictionary is None:
        return None
    stored = sizes.dictionary.storage_size_bytes + sizes.dictionary.index_size_bytes
    return Reading(stored / sizes.documents, _finest(sizes))


def _finest(sizes: Sizes) -> float:
    return ALLOCATION_BYTES / sizes.documents


def known_share(_: TrialRecord, phase: Phase) -> Reading | None:
    """Of the values written in the whole phase, those that a client knew to be in the dictionary, and did not send."""
    used = phase.dictionary
    values = used.hits + used.misses if used else 0
    return Reading(used.hits / values, 1 / values) if used and values else None


def reusable_share(record: TrialRecord, phase: Phase) -> Reading | None:
    """The part of the collection's file that is free for what is written next."""
    sizes = _sizes(record, phase)
    if sizes is None or sizes.free_storage_size_bytes is None:
        return None
    stored = sizes.storage_size_bytes
    return Reading(sizes.free_storage_size_bytes / stored, ALLOCATION_BYTES / stored)


def index_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of all indexes."""
    sizes = _sizes(record, phase)
    return Reading(sizes.index_size_bytes / sizes.documents, ALLOCATION_BYTES / sizes.documents) if sizes else None


def files_per_document(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of all files, journal included."""
    sizes = _sizes(record, phase)
    if sizes is None or not sizes.files_bytes:
        return None
    return Reading(sum(sizes.files_bytes.values()) / sizes.documents, ALLOCATION_BYTES / sizes.documents)


def file_bytes(kind: str) -> Reader:
    """Bytes of the files of one class after the phase."""

    def read(record: TrialRecord, phase: Phase) -> Reading | None:
        sizes = _sizes(record, phase)
        if sizes is None or kind not in sizes.files_bytes:
            return None
        return Reading(sizes.files_bytes[kind], ALLOCATION_BYTES)

    return read


def oplog_bytes(record: TrialRecord, phase: Phase) -> Reading | None:
    """Bytes of the primary's oplog after the phase."""
    sizes = _sizes(record, phase)
    return Reading(sizes.oplog.storage_size_bytes, ALLOCATION_BYTES) if sizes and sizes.oplog else None


def oplog_compression_ratio(record: TrialRecord, phase: Phase) -> Reading | None:
    """Uncompressed bytes of the primary's oplog ÷ the bytes that it takes."""
    sizes = _sizes(record, phase)
    if sizes is None or sizes.oplog is None:
        return None
    return _compression(sizes.oplog.data_size_bytes, sizes.oplog.storage_size_bytes)


def throughput(_: TrialRecord, phase: Phase) -> Reading | None:
    """Acknowledged operations per second."""
    if phase.measured_s <= 0:
        return None
    return Reading(phase.throughput_per_s, phase.throughput_per_s * CLOCK_S / phase.measured_s + 1 / phase.measured_s)


def latency(field: LatencyField, operation: str | None = None) -> Reader:
    """A reader of one latency of the phase, or of one kind of its operations, in microseconds."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        found = phase_latency(phase, operation)
        if not found:
            return None
        value, fewest = latency_us(found, field), fewest_operations(field)
        too_few = fewest if sum(one.count for one in found) < fewest else 0
        return Reading(value, max(value * HISTOGRAM_RESOLUTION, 1.0), too_few)

    return read


def per_operation(amount: Callable[[Phase], float | None], scale: float, resolution: float) -> Reader:
    """An amount of a phase divided by all its acknowledged operations; `scale` converts it to the metric's unit."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        total = amount(phase)
        if total is None or not phase.acknowledged:
            return None
        return Reading(total * scale / phase.acknowledged, resolution / phase.acknowledged)

    return read


whole_mongod_cpu = per_operation(lambda phase: phase.cost.mongod_cpu_s, 1e6, CPU_TICK_US)
"""mongod's CPU time of the whole phase and its closing checkpoints, in us for each of its operations."""


def lasting_mongod_cpu(record: TrialRecord, phase: Phase) -> Reading | None:
    """mongod's CPU time of an operation, in us, as it would be if the phase went on for ever.

    What operations cost at once is the window's. What they put off is done by checkpoints, one in each interval: the
    window gets as many as its length is worth, each at the cost of the closing one, whether or not one fell into it. A
    load is as long as its documents in every arm, and writes each of them back once: it has all of its closing ones.
    """
    if phase.kind == "load":
        return whole_mongod_cpu(record, phase)
    window, closing_s = phase.window, phase.cost.closing_cpu_s
    if window is None or window.mongod_cpu_s is None or window.checkpoints is None or closing_s is None:
        return None
    missing = phase.measured_s / _between_checkpoints_s(record) - window.checkpoints
    seconds = window.mongod_cpu_s + missing * closing_s
    if seconds <= 0 or not phase.measured_operations:
        return None
    return Reading(seconds * 1e6 / phase.measured_operations, CPU_TICK_US / phase.measured_operations)


def _between_checkpoints_s(record: TrialRecord) -> float:
    """The trial's own time between two checkpoints: mongod's clock goes on while others have their turns."""
    in_force = record.in_force.sync_period_s if record.in_force else None
    return (in_force or record.asked.sync_period_s or record.sharing * SYNC_PERIOD_S) / record.sharing


def mongod_capacity(record: TrialRecord, phase: Phase) -> Reading | None:
    """Operations per second for which mongod's CPU would suffice with its host, or its limit, to itself.

    Only where a client took its part of that host: elsewhere the throughput itself says what a host can do.
    """
    cpu, window, limit = lasting_mongod_cpu(record, phase), phase.window, record.asked.cpu_limit
    if not record.clients_beside or cpu is None or window is None or phase.measured_s <= 0:
        return None
    if window.host_cpu_s is None or window.host_idle_s is None:
        return None
    cores = (window.host_cpu_s + window.host_idle_s) / phase.measured_s
    value = min(cores, limit or math.inf) * 1e6 / cpu.value
    return Reading(value, value * cpu.resolution / cpu.value)


def in_window(amount: Callable[[Window], float | None]) -> Reader:
    """CPU time of the measured window, in us for each operation measured in it."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        seconds = amount(phase.window) if phase.window else None
        if seconds is None or not phase.measured_operations:
            return None
        return Reading(seconds * 1e6 / phase.measured_operations, CPU_TICK_US / phase.measured_operations)

    return read


def on_wire(counter: str) -> Reader:
    """Bytes of messages as they went over the wire in the measured window, for each operation measured in it."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        total = phase.window.counters.get(counter) if phase.window else None
        if total is None or not phase.measured_operations or phase.measured_s <= 0:
            return None
        value = total / phase.measured_operations
        return Reading(value, max(value * CLOCK_S / phase.measured_s, 1 / phase.measured_operations))

    return read


def of_host(amount: Callable[[Window], float | None]) -> Reader:
    """A share of all the CPU time that the database's host had in the measured window."""

    def read(_: TrialRecord, phase: Phase) -> Reading | None:
        window = phase.window
        if window is None or window.host_cpu_s is None or window.host_idle_s is None:
            return None
        part, whole = amount(window), window.host_cpu_s + window.host_idle_s
        return None if part is None or whole <= 0 else Reading(part / whole, CPU_TICK_US / 1e6 / whole)

    return read


def unequal_answers(_: TrialRecord, phase: Phase) -> Reading | None:
    """Of a replay, the share of the compared answers that differ from the recorded ones."""
    if phase.replayed is None or not phase.replayed.compared:
        return None
    return Reading(phase.replayed.all_unequal / phase.replayed.compared, 1 / phase.replayed.compared)


def client_cpu_share(_: TrialRecord, phase: Phase) -> Reading | None:
    """Share of the cores that the client can use."""
    if phase.client_cpu_share is None or phase.measured_s <= 0:
        return None
    return Reading(phase.client_cpu_share, CPU_TICK_US / 1e6 / phase.measured_s)
