"""The bytes of FTDC, MongoDB's full-time diagnostic data capture: one metric chunk to columns of numbers.

A file of `diagnostic.data` is a row of BSON documents {_id, type, …}. Type 0 and 2 hold metadata, which is not read
here; type 1 holds a chunk of samples in `data`: the uncompressed size (uint32, little-endian) and a zlib stream of

    reference document (BSON: the first sample)   uint32 metrics   uint32 deltas   the deltas, metric after metric

A metric is a field that holds a number, a truth value or a date; a timestamp makes two. Each delta is the difference
to the sample before, modulo 2**64, as a little-endian base-128 varint; a zero is followed by how many more zeros
follow it, and such a run may reach over several metrics.
"""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING, Any

import bson
import numpy as np
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.datetime_ms import DatetimeMS
from bson.decimal128 import Decimal128
from bson.errors import BSONError
from bson.timestamp import Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MAX_DOCUMENT_BYTES = 16 * 2**20 + 16 * 2**10
"""The largest BSON document of a server."""

MAX_INFLATED_BYTES = 10_000_000
"""The server's own limit for a chunk."""

MAX_CELLS = 2**22
"""Metrics × deltas of a chunk: four times what a server writes (300 deltas of some 3,500 metrics)."""

_MAX_DEPTH = 16
_MAX_VARINT_BYTES = 10
_INT64 = (-(2**63), 2**63 - 1)
_UINT64_MASK = 2**64 - 1


class FtdcError(Exception):
    """Diagnostic data that can't be read: why, and where (file and byte) once that is known."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(f"{where}: {why}" if where else why)
        self.why = why
        self.where = where


class _Fields(dict[str, Any]):
    """A decoded document that keeps every field in its order, even a name that comes twice: columns are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, Any]] = []

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.pairs.append((name, value))


_OPTIONS: CodecOptions[_Fields] = CodecOptions(
    document_class=_Fields,
    datetime_conversion=DatetimeConversion.DATETIME_MS,  # dates are numbers here, and may be out of any calendar
    unicode_decode_error_handler="replace",  # texts are not read
)


def document_size(data: bytes, offset: int) -> int | None:
    """How many bytes the document at an offset has; None where the data ends before it can say so."""
    if len(data) - offset < 4:
        return None
    size = int.from_bytes(data[offset : offset + 4], "little")
    if not 5 <= size <= MAX_DOCUMENT_BYTES:
        raise FtdcError(f"a document of {size} bytes can't be: the file is damaged")
    return size


def document(data: bytes) -> _Fields:
    """Decode one whole BSON document."""
    try:
        return bson.decode(data, _OPTIONS)
    except BSONError as error:
        raise FtdcError(f"not a BSON document: {error}") from error


def chunk_columns(data: bytes, chosen: Callable[[str], bool]) -> dict[str, NDArray[np.int64]]:
    """The columns of a chunk whose dotted path is chosen: int64 of one value per sample, the reference first.

    Of a path that comes twice the first column stands. Raises FtdcError.
    """
    raw = _inflate(data)
    size = document_size(raw, 0)
    if size is None or len(raw) < size + 8:
        raise FtdcError("the chunk ends within its reference document")
    names, reference = _metrics(document(raw[:size]))
    metrics = int.from_bytes(raw[size : size + 4], "little")
    deltas = int.from_bytes(raw[size + 4 : size + 8], "little")
    if metrics != len(names):
        raise FtdcError(f"the chunk claims {metrics} metrics, its reference document has {len(names)}")
    if metrics * deltas > MAX_CELLS:
        raise FtdcError(f"the chunk claims {metrics} × {deltas} deltas, more than {MAX_CELLS}")
    stream = np.frombuffer(raw, np.uint8, offset=size + 8)
    positions, changes = _nonzero_deltas(_varints(stream, 2 * metrics * deltas), metrics * deltas)
    wanted: dict[str, int] = {}
    for metric, name in enumerate(names):
        if chosen(name):
            wanted.setdefault(name, metric)
    columns = np.zeros((len(wanted), deltas + 1), np.uint64)
    for row, metric in enumerate(wanted.values()):
        first, end = np.searchsorted(positions, (metric * deltas, (metric + 1) * deltas))
        columns[row, 0] = reference[metric]
        columns[row, positions[first:end] - metric * deltas + 1] = changes[first:end]
    np.cumsum(columns, axis=1, out=columns)
    return dict(zip(wanted, columns.view(np.int64), strict=True))


def _inflate(data: bytes) -> bytes:
    size = int.from_bytes(data[:4], "little")
    if len(data) < 4 or size > MAX_INFLATED_BYTES:
        raise FtdcError(f"a chunk of {len(data)} bytes that claims {size} bytes uncompressed can't be")
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(data[4:], size + 1)  # one byte more, so that a stream that is too long shows
    except zlib.error as error:
        raise FtdcError(f"the chunk can't be decompressed: {error}") from error
    if len(raw) != size or not stream.eof:
        raise FtdcError(f"the chunk claims {size} bytes uncompressed, but has {'more' if len(raw) > size else 'fewer'}")
    return raw


def _metrics(reference: _Fields) -> tuple[list[str], list[int]]:
    """Dotted path and value (modulo 2**64) of each metric of a document, in its order."""
    names: list[str] = []
    values: list[int] = []

    def walk(fields: list[tuple[str, Any]], prefix: str, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise FtdcError(f"the reference document is nested deeper than {_MAX_DEPTH} levels")
        for name, value in fields:
            if isinstance(value, _Fields):
                walk(value.pairs, f"{prefix}{name}.", depth + 1)
            elif isinstance(value, list):
                walk([(str(place), item) for place, item in enumerate(value)], f"{prefix}{name}.", depth + 1)
            elif isinstance(value, Timestamp):
                names.extend((prefix + name, f"{prefix}{name}.increment"))
                values.extend((value.time, value.inc))
            elif (number := _number(value)) is not None:
                names.append(prefix + name)
                values.append(number & _UINT64_MASK)

    walk(reference.pairs, "", 0)
    return names, values


def _number(value: object) -> int | None:
    """A value as the server casts it to int64: fractions cut off, what is too large cut to the limits, NaN 0."""
    if isinstance(value, Decimal128):
        value = float(value.to_decimal()) if not value.to_decimal().is_nan() else math.nan
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return _INT64[value > 0] if math.isinf(value) else min(max(int(value), _INT64[0]), _INT64[1])
    return int(value) if isinstance(value, int | DatetimeMS) else None


def _varints(stream: NDArray[np.uint8], at_most: int) -> NDArray[np.uint64]:
    """The varints of a stream; more of them than could be meant are an error before they take memory."""
    last = np.flatnonzero(stream < 0x80)
    if last.size > at_most:
        raise FtdcError(f"{last.size} numbers where at most {at_most} can be")
    if stream.size != (last[-1] + 1 if last.size else 0):
        raise FtdcError("the deltas end within a number")
    first = np.concatenate((np.zeros(1, np.int64), last[:-1] + 1))[: last.size]
    extra = last - first
    if extra.max(initial=0) >= _MAX_VARINT_BYTES:
        raise FtdcError(f"a number of more than {_MAX_VARINT_BYTES} bytes")
    numbers = (stream[first] & 0x7F).astype(np.uint64)
    longer = np.flatnonzero(extra)
    for byte in range(1, _MAX_VARINT_BYTES):
        longer = longer[extra[longer] >= byte]
        numbers[longer] |= (stream[first[longer] + byte] & 0x7F).astype(np.uint64) << np.uint64(7 * byte)
    return numbers


def _nonzero_deltas(tokens: NDArray[np.uint64], cells: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Undo the run-length encoding of zeros: positions (ascending, below `cells`) and values of the other deltas.

    Every zero takes the token after it as its count. As a count can be zero too, it is the place within a row of
    zero tokens that tells them apart: the first, third, … is a delta, the second, fourth, … a count.
    """
    zero = tokens == 0
    index = np.arange(tokens.size)
    before = np.maximum.accumulate(np.where(zero, -1, index))
    markers = np.flatnonzero(zero & ((index - before) % 2 == 1))
    if markers.size and markers[-1] + 1 == tokens.size:
        raise FtdcError("the deltas end within a run of zeros")
    more = tokens[markers + 1]
    if more.max(initial=0) >= max(cells, 1):
        raise FtdcError(f"a run of {int(more.max()) + 1} zeros among {cells} deltas")
    width = np.ones(tokens.size, np.int64)
    width[markers] += more.astype(np.int64)
    width[markers + 1] = 0
    end = np.cumsum(width)
    if (end[-1] if end.size else 0) != cells:
        raise FtdcError(f"{int(end[-1]) if end.size else 0} deltas where {cells} are announced")
    nonzero = np.flatnonzero(~zero & (width == 1))
    return end[nonzero] - 1, tokens[nonzero]
