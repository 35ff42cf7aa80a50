"""Latency histograms: HdrHistogram's layout and encoding with three significant digits, the form that YCSB writes.

The layout: values below 2048 µs have a sub-bucket each; above, every power of two is cut into 1024 sub-buckets of
equal width. The encoding is HdrHistogram's "V2 compressed" in base64, which its library reads in any language. It
is decoded here rather than by a library, since the output of a broken run must end in an error and never in a
crash or in all memory used, and since one report reads hundreds of thousands of intervals.
"""

import base64
import math
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from workloads.errors import YcsbOutputError

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]

_DIGITS = 3
_HALF_BITS = 10  # 2^10 sub-buckets a power of two keep three digits
_HALF = 1 << _HALF_BITS
_HIGHEST_BITS = 32  # YCSB's latencies are 32-bit numbers of microseconds
_COUNTS_LENGTH = (_HIGHEST_BITS - _HALF_BITS + 1) * _HALF
_HOUR_US = 3_600_000_000

_COMPRESSED_COOKIE = 0x1C849314
_COOKIE = 0x1C849313
_ENVELOPE = struct.Struct(">ii")  # cookie, bytes that follow
_HEADER = struct.Struct(">iiiiqqd")  # cookie, bytes that follow, offset, digits, lowest, highest, ratio
_LARGEST_VARINT_BYTES = 5  # counts up to 2^34, so that no sum can overflow
_LARGEST_PAYLOAD_BYTES = _HEADER.size + _COUNTS_LENGTH * _LARGEST_VARINT_BYTES


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each latency occurred, in microseconds: the sub-buckets in use, in order, and their counts.

    Merge histograms, never percentiles. Figures are those that HdrHistogram itself gives: percentiles and the
    maximum are the highest value of their sub-bucket, at most 0.1 % too high. Of no values, they are NaN.
    """

    buckets: Integers = field(repr=False)
    counts: Integers = field(repr=False)

    @classmethod
    def merged(cls, histograms: Iterable["Histogram"]) -> "Histogram":
        """Add up histograms; of none comes an empty one."""
        total = np.zeros(_COUNTS_LENGTH, dtype=np.int64)
        for histogram in histograms:
            total[histogram.buckets] += histogram.counts
        buckets = np.flatnonzero(total)
        return cls(buckets, total[buckets])

    @classmethod
    def decode(cls, text: str | bytes) -> "Histogram":
        """Read HdrHistogram's V2 compressed encoding in base64. Raises YcsbOutputError for anything else."""
        try:
            packed = base64.b64decode(text, validate=True)
            cookie, length = _ENVELOPE.unpack_from(packed)
            if (cookie, length) != (_COMPRESSED_COOKIE, len(packed) - _ENVELOPE.size):
                raise YcsbOutputError("histogram: cut off, or not in HdrHistogram's V2 compressed encoding")
            payload = _inflated(packed[_ENVELOPE.size :])
            header = _HEADER.unpack_from(payload)
        except (ValueError, struct.error, zlib.error) as error:
            raise YcsbOutputError(f"histogram: damaged ({error})") from None
        if header[:5] != (_COOKIE, len(payload) - _HEADER.size, 0, _DIGITS, 1):
            raise YcsbOutputError("histogram: not as YCSB writes it, with 3 digits from 1 µs on")
        return _placed(_varints(np.frombuffer(payload, np.uint8, offset=_HEADER.size)))

    def encode(self) -> str:
        """Give the encoding that `decode` and HdrHistogram's own library read."""
        # a negative number stands for so many sub-buckets without values
        gaps = np.diff(self.buckets, prepend=-1) - 1
        numbers = np.stack([-gaps, self.counts], axis=1).ravel()
        body = b"".join(_varint(number) for number in numbers.tolist() if number)
        header = _HEADER.pack(_COOKIE, len(body), 0, _DIGITS, 1, max(_HOUR_US, int(self._highest.max(initial=0))), 1)
        packed = zlib.compress(header + body)
        return base64.b64encode(_ENVELOPE.pack(_COMPRESSED_COOKIE, len(packed)) + packed).decode()

    @cached_property
    def count(self) -> int:
        """How many values there are."""
        return int(self.counts.sum())

    @property
    def mean_us(self) -> float:
        """The mean, every value taken as the middle of its sub-bucket."""
        if not self.count:
            return math.nan
        return float(np.dot(self._lowest + (1 << self._shift) // 2, self.counts) / self.count)

    @property
    def max_us(self) -> float:
        """The highest value of the last sub-bucket in use."""
        return float(self._highest[-1]) if self.count else math.nan

    def percentile_us(self, percent: float) -> float:
        """Give the latency that `percent` (0 to 100) of all values do not exceed."""
        if not 0 <= percent <= 100:
            raise ValueError(f"a percentile lies between 0 and 100, not at {percent}")
        if not self.count:
            return math.nan
        exact = math.nextafter(percent, 0) * self.count / 100  # a hair less, lest rounding reach the next value
        rank = max(1, math.ceil(exact))
        return float(self._highest[np.searchsorted(self._cumulated, rank)])

    @cached_property
    def _cumulated(self) -> Integers:
        return np.cumsum(self.counts)

    @cached_property
    def _shift(self) -> Integers:
        """Give the base-2 logarithm of each sub-bucket's width."""
        return np.maximum(self.buckets // _HALF - 1, 0)

    @cached_property
    def _lowest(self) -> Integers:
        lowest: Integers = (self.buckets - self._shift * _HALF) << self._shift
        return lowest

    @cached_property
    def _highest(self) -> Integers:
        return self._lowest + (1 << self._shift) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.buckets, other.buckets) and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.buckets.tobytes(), self.counts.tobytes()))


def _inflated(packed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    payload = inflater.decompress(packed, _LARGEST_PAYLOAD_BYTES)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("cut off, or larger than any histogram")
    return payload


def _varints(octets: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Integers:
    """Decode zigzag numbers of 7 bits a byte, least significant first; a set top bit says that more follow."""
    ends = np.flatnonzero(octets < 0x80)
    if not len(octets):
        return ends
    if octets[-1] >= 0x80:
        raise YcsbOutputError("histogram: damaged (cut off within a number)")
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > _LARGEST_VARINT_BYTES:
        raise YcsbOutputError("histogram: damaged (a count beyond any run's)")
    place = np.arange(len(octets)) - np.repeat(starts, lengths)
    zigzag = np.add.reduceat((octets & 0x7F).astype(np.int64) << 7 * place, starts)
    numbers: Integers = (zigzag >> 1) ^ -(zigzag & 1)
    return numbers


def _varint(number: int) -> bytes:
    rest = number * 2 if number >= 0 else -number * 2 - 1
    encoded = bytearray()
    while rest >= 0x80:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)


def _placed(numbers: Integers) -> Histogram:
    """Place counts one after the other into sub-buckets; a negative number leaves so many of them out."""
    after = np.cumsum(np.where(numbers < 0, -numbers, 1))  # at most 2^17 numbers below 2^34: no overflow
    if len(after) and after[-1] > _COUNTS_LENGTH:
        raise YcsbOutputError("histogram: damaged (values beyond any latency)")
    filled = numbers > 0
    return Histogram(after[filled] - 1, numbers[filled])
