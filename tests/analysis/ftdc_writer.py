"""Writes FTDC, value by value and without a thought of speed: what the reader is tested against."""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import bson
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.datetime_ms import DatetimeMS
from bson.timestamp import Timestamp


def file_of(*chunks: Sequence[Mapping[str, Any]]) -> bytes:
    """A metrics file: metadata, then a chunk for each row of samples (documents of one shape)."""
    metadata = bson.encode({"_id": DatetimeMS(0), "type": 0, "doc": {"buildInfo": {"version": "6.0.5"}}})
    return metadata + b"".join(chunk_document(packed(raw_chunk(samples))) for samples in chunks)


def chunk_document(data: bytes) -> bytes:
    return bson.encode({"_id": DatetimeMS(0), "type": 1, "data": data})


def packed(raw: bytes) -> bytes:
    return struct.pack("<I", len(raw)) + zlib.compress(raw)


def raw_chunk(samples: Sequence[Mapping[str, Any]]) -> bytes:
    rows = [[value for _, value in metrics(sample)] for sample in samples]
    deltas = [
        (after[metric] - before[metric]) % 2**64 for metric in range(len(rows[0])) for before, after in pairwise(rows)
    ]
    counts = struct.pack("<II", len(rows[0]), len(rows) - 1)
    return bson.encode(samples[0]) + counts + b"".join(varint(number) for number in zeros_counted(deltas))


def metrics(sample: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Path and value of each metric, in order."""
    fields = sample.items() if isinstance(sample, Mapping) else ((str(n), item) for n, item in enumerate(sample))
    for name, value in fields:
        path = f"{prefix}{name}"
        if isinstance(value, Mapping | list):
            yield from metrics(value, f"{path}.")
        elif isinstance(value, Timestamp):
            yield path, value.time
            yield f"{path}.increment", value.inc
        elif isinstance(value, int | float | DatetimeMS):
            yield path, int(value)


def zeros_counted(deltas: Sequence[int]) -> Iterator[int]:
    """A run of n zeros as 0, n − 1."""
    zeros = 0
    for delta in deltas:
        if delta == 0:
            zeros += 1
            continue
        if zeros:
            yield from (0, zeros - 1)
            zeros = 0
        yield delta
    if zeros:
        yield from (0, zeros - 1)


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def plainly_read(content: bytes) -> list[dict[str, int]]:
    """Every sample of a whole file, one number after the other; of a path that comes twice the first counts."""
    samples: list[dict[str, int]] = []
    options: CodecOptions[dict[str, Any]] = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_MS)
    for document in bson.decode_all(content, options):
        if document["type"] != 1:
            continue
        raw = zlib.decompress(document["data"][4:])
        size = int.from_bytes(raw[:4], "little")
        names, values = zip(*_metrics_of(raw[:size]), strict=True)
        _, deltas = struct.unpack_from("<II", raw, size)
        numbers = _numbers(raw[size + 8 :])
        rows = [list(values)] + [[0] * len(names) for _ in range(deltas)]
        zeros = 0
        for metric in range(len(names)):
            for row in range(1, deltas + 1):
                delta = 0
                if zeros:
                    zeros -= 1
                elif (delta := next(numbers)) == 0:
                    zeros = next(numbers)
                rows[row][metric] = rows[row - 1][metric] + delta
        samples.extend(dict(zip(reversed(names), map(_signed, reversed(row)), strict=True)) for row in rows)
    return samples


_NUMBERS = {0x01: "<d", 0x08: "<?", 0x09: "<q", 0x10: "<i", 0x12: "<q"}


def _metrics_of(document: bytes, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Path and value of each metric of a BSON document, from its bytes: a dict would merge names that come twice."""
    at = 4
    while kind := document[at]:
        end = document.index(0, at + 1)
        path, at = prefix + document[at + 1 : end].decode(), end + 1
        if kind in _NUMBERS:
            yield path, int(struct.unpack_from(_NUMBERS[kind], document, at)[0])
            at += struct.calcsize(_NUMBERS[kind])
        elif kind == 0x11:
            increment, second = struct.unpack_from("<II", document, at)
            yield from ((path, second), (f"{path}.increment", increment))
            at += 8
        elif kind in {0x03, 0x04}:
            size = int.from_bytes(document[at : at + 4], "little")
            yield from _metrics_of(document[at : at + size], f"{path}.")
            at += size
        else:
            assert kind == 0x02, f"{path} has the unexpected type {kind}"
            at += 4 + int.from_bytes(document[at : at + 4], "little")


def _numbers(stream: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in stream:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0


def _signed(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63
