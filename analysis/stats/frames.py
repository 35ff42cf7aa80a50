"""Records as tables: `trials`, a row per trial, and `measurements`, a row per figure. Others export them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from analysis.stats.metrics import Metric, metric, readings
from analysis.trial.records import Cell, Compressor, DocumentModel, TrialRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from analysis.stats.metrics.readers import Reading
    from analysis.trial.records import Settings


class Row(NamedTuple):
    """A row of `measurements`."""

    trial: str
    counts: bool
    block: int
    arm: str
    engine: str
    dataset: str
    platform: str
    workload: str
    phase: str
    metric: str
    value: float
    unit: str
    resolution: float
    """How finely the value could be measured, in its unit."""
    too_few: int
    """Of a percentile, the operations that it takes, where the trial measured fewer; else 0."""


_DTYPES = {"counts": bool, "block": int, "value": float, "resolution": float, "too_few": int}
"""Stated, so that an empty table has them too."""


def once_per_cell(records: Iterable[TrialRecord]) -> list[TrialRecord]:
    """The records in plan order, each counting cell of a block once.

    A trial is repeated only because its first attempt was void; should two attempts count, the first one stands,
    so that no result can be replaced by a nicer one. Trials that took turns are repeated together, and compared with
    nothing else: of their attempts the one stands in which most count, the first of several.
    """
    ordered = sorted(records, key=lambda r: (r.block, r.index, r.attempt, r.trial))
    together = Counter((_group(record), record.attempt) for record in ordered if record.counts)
    stands: dict[tuple[object, ...], int] = {}
    for group, attempt in sorted(together, key=lambda one: (-together[one], one[1])):
        stands.setdefault(group, attempt)
    kept: list[TrialRecord] = []
    counted: set[tuple[int, Cell]] = set()
    for record in ordered:
        key = (record.block, record.cell)
        if record.counts:
            if key in counted or (record.sharing > 1 and stands[_group(record)] != record.attempt):
                continue
            counted.add(key)
        kept.append(record)
    return kept


def _group(record: TrialRecord) -> tuple[object, ...]:
    """What a record's trial took turns with."""
    return record.block, record.cell.dataset, record.cell.platform


def trials(records: Iterable[TrialRecord]) -> pd.DataFrame:
    """One row per trial, void ones included: where it stands in the plan, what was asked and in force, why void."""
    rows = []
    for record in once_per_cell(records):
        force = record.in_force
        rows.append(
            {
                "trial": record.trial,
                "index": record.index,
                "attempt": record.attempt,
                "block": record.block,
                "engine": record.cell.engine,
                "arm": record.cell.arm,
                "dataset": record.cell.dataset,
                "platform": record.cell.platform,
                "counts": record.counts,
                "void": ", ".join(reason.code for reason in record.void),
                "flags": ", ".join(reason.code for reason in record.flags),
                "started_at": record.started_at,
                "ended_at": record.ended_at,
                "version": force.version if force else None,
                "block_compressor": force.block_compressor if force else None,
                "corpus": record.corpus,
                "seed": record.seed,
                **{f"asked_{name}": value for name, value in record.asked.model_dump(mode="json").items()},
            }
        )
    return pd.DataFrame(rows)


def measurements(records: Iterable[TrialRecord]) -> pd.DataFrame:
    """One row per figure (columns: the fields of Row), void trials included and marked by `counts`.

    A metric that a record lacks has no row: absent is not 0.
    """
    kept = once_per_cell(records)
    rows = [_row(record, found, phase.name, reading) for record in kept for found, phase, reading in readings(record)]
    rows += _against_none(rows, {record.trial for record in kept if _is_plain(record.asked)})
    return pd.DataFrame(rows, columns=list(Row._fields)).astype(_DTYPES)


def _row(record: TrialRecord, found: Metric, phase: str, reading: Reading) -> Row:
    cell = record.cell
    return Row(
        record.trial, record.counts, record.block, cell.arm, cell.engine, cell.dataset, cell.platform, found.workload,
        phase, found.key, float(reading.value), str(found.unit), float(reading.resolution), reading.too_few,
    )  # fmt: skip


def _is_plain(asked: Settings) -> bool:
    return asked.block_compressor is Compressor.NONE and asked.model is DocumentModel.EMBEDDED


def _against_none(rows: Iterable[Row], plain: Collection[str]) -> list[Row]:
    """Storage of the uncompressed arm ÷ storage of each arm, within a block: what compression saves in the engine.

    dataSize ÷ storageSize of the uncompressed arm is not 1 (pages are rounded and padded); this ratio leaves that out.
    `plain` are the trials of arms without compression whose documents hold their values.
    """
    stored = [row for row in rows if row.metric == "storage_bytes_per_document"]
    uncompressed: dict[tuple[int, str, str, str], float] = {}
    for row in stored:
        if row.counts and row.trial in plain:
            uncompressed.setdefault((row.block, row.engine, row.dataset, row.platform), row.value)
    found = metric("compression_ratio_against_none")
    derived = []
    for row in stored:
        reference = uncompressed.get((row.block, row.engine, row.dataset, row.platform))
        if reference is not None:
            ratio = reference / row.value
            resolution = ratio * row.resolution / row.value
            derived.append(row._replace(metric=found.key, value=ratio, unit=str(found.unit), resolution=resolution))
    return derived
