"""Read `diagnostic.data`, which every mongod writes anyway: once a second serverStatus and the host's CPU and disks.

`metrics.<UTC time>-<number>` are the archive, chunks of up to 300 samples; `metrics.interim` holds the chunk that is
not full yet and is written anew every 10 samples. A mongod that is shut down cleanly moves all it has into the
archive, to the last second; one that is killed loses up to 10 samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis.trial.engine.ftdc_format import FtdcError, chunk_columns, document, document_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

__all__ = ["FtdcError", "Samples", "in_order", "read"]

MAX_VALUES = 20_000_000
"""Samples × columns of one reading (160 MB): a day of a hundred columns is nine million."""

_METADATA, _METRICS, _METADATA_DELTA = 0, 1, 2
_TIME = "start"
_LATEST_MS = 253_402_300_799_999  # the end of the year 9999


@dataclass(frozen=True)
class Samples:
    """Samples in order of their time.

    `at_ms`: UTC in ms since 1970, when the server began to take the sample; strictly increasing. `values`: for each
    dotted path found, a float64 per sample (exact up to 2**53), NaN in samples that lack it. `notes`: what was left
    out, and why.
    """

    at_ms: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    notes: tuple[str, ...] = ()


def in_order(names: Iterable[str]) -> list[str]:
    """The metrics files among the names of a directory, in the order in which they are read."""
    metrics = (name for name in names if name.startswith("metrics.") and not name.endswith(".temp"))
    return sorted(metrics)  # an archive's name begins with its time, and every digit sorts before "interim"


def read(files: Iterable[tuple[str, bytes]], wanted: Collection[str]) -> Samples:
    """Read the wanted metrics of some files, given as name and content, in order.

    A wanted metric is a dotted path, e.g. `serverStatus.opcounters.insert`; one that ends in `.*` stands for all
    below it. A path that no sample has is absent from the values. A last document that is cut off (mongod was killed,
    the disk full) is left out and noted; any other damage raises FtdcError.
    """
    reading = _Reading(wanted)
    for name, content in files:
        reading.add(name, content)
    return reading.samples()


class _Reading:
    """The chunks read so far."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._exact = frozenset(path for path in wanted if not path.endswith(".*")) | {_TIME}
        self._below = tuple(path.removesuffix("*") for path in wanted if path.endswith(".*"))
        self._chunks: list[dict[str, NDArray[np.int64]]] = []
        self._values = 0
        self._notes: list[str] = []

    def add(self, name: str, content: bytes) -> None:
        offset = 0
        unknown = 0
        while offset < len(content):
            try:
                size = document_size(content, offset)
                if size is None or size > len(content) - offset:
                    rest = len(content) - offset
                    self._notes.append(f"{name}: cut off within its last document, {rest} bytes left out")
                    break
                fields = document(content[offset : offset + size])
                kind = fields.get("type")
                if kind == _METRICS:
                    self._add_chunk(fields.get("data"))
                elif kind not in (_METADATA, _METADATA_DELTA):
                    unknown += 1
            except FtdcError as error:
                raise FtdcError(error.why, f"{name}, document at byte {offset}") from error
            offset += size
        if unknown:
            self._notes.append(f"{name}: {unknown} documents of a type that is not known left out")

    def _add_chunk(self, data: object) -> None:
        if not isinstance(data, bytes):
            raise FtdcError("a metric chunk without binary data")
        columns = chunk_columns(data, self._chosen)
        if _TIME not in columns:
            raise FtdcError("a metric chunk without a start time")
        at_ms = columns[_TIME]
        if at_ms.min() < 0 or at_ms.max() > _LATEST_MS:
            raise FtdcError("a metric chunk with a time outside of 1970 to 9999")
        self._values += len(columns) * at_ms.size
        if self._values > MAX_VALUES:
            raise FtdcError(f"more than {MAX_VALUES} values: ask for fewer metrics, or read fewer files")
        self._chunks.append(columns)

    def _chosen(self, path: str) -> bool:
        return path in self._exact or path.startswith(self._below)

    def samples(self) -> Samples:
        at_ms = np.concatenate([np.zeros(0, np.int64), *(chunk[_TIME] for chunk in self._chunks)])
        kept = np.diff(np.maximum.accumulate(at_ms), prepend=-1) > 0
        if left_out := int(at_ms.size - kept.sum()):
            self._notes.append(
                f"{left_out} samples left out: not later than those before (a file read twice, or the clock set back)"
            )
        paths = dict.fromkeys(path for chunk in self._chunks for path in chunk if path != _TIME)
        return Samples(at_ms[kept], {path: self._column(path)[kept] for path in paths}, tuple(self._notes))

    def _column(self, path: str) -> NDArray[np.float64]:
        absent = (np.full(chunk[_TIME].size, np.nan) for chunk in self._chunks)
        return np.concatenate(
            [
                chunk[path].astype(np.float64) if path in chunk else gap
                for chunk, gap in zip(self._chunks, absent, strict=True)
            ]
        )
