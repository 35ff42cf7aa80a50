"""Histograms, against HdrHistogram's own library and the law of their layout."""

import base64
import math
import struct
import zlib

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from workloads import Histogram, YcsbOutputError

HOUR_US = 3_600_000_000
LATENCIES = st.lists(st.one_of(st.integers(0, 5000), st.integers(0, 2**31 - 1)), max_size=60)


def theirs(latencies: list[int]) -> HdrHistogram:
    histogram = HdrHistogram(1, HOUR_US, 3)
    for latency in latencies:
        histogram.record_value(latency)
    return histogram


def ours(latencies: list[int]) -> Histogram:
    return Histogram.decode(theirs(latencies).encode())


@given(LATENCIES)
def test_reads_what_the_library_writes(latencies: list[int]) -> None:
    histogram, reference = ours(latencies), theirs(latencies)
    assert histogram.count == len(latencies)
    if latencies:
        assert histogram.mean_us == pytest.approx(reference.get_mean_value())
        assert histogram.max_us == reference.get_max_value()
        ranked = sorted(latencies)
        for percent in (50, 90, 95, 99, 99.9, 99.99, 100):
            rank = max(1, math.ceil(percent * len(latencies) / 100))
            assert histogram.percentile_us(percent) == reference.get_highest_equivalent_value(ranked[rank - 1])


@given(LATENCIES)
def test_the_library_reads_what_is_written(latencies: list[int]) -> None:
    encoded = ours(latencies).encode()
    assert Histogram.decode(encoded) == ours(latencies)
    reference = HdrHistogram(1, HOUR_US, 3)
    reference.decode_and_add(encoded)
    assert reference.get_total_count() == len(latencies)
    assert reference.get_max_value() == theirs(latencies).get_max_value()


@given(st.lists(LATENCIES, max_size=5))
def test_merging_is_recording_together(parts: list[list[int]]) -> None:
    together = ours([latency for part in parts for latency in part])
    assert Histogram.merged(map(ours, parts)) == together
    assert hash(Histogram.merged(map(ours, parts))) == hash(together)


def test_no_percentile_is_too_low_or_far_too_high() -> None:
    for latency in (0, 1, 2047, 2048, 2049, 4095, 4096, 123_456, 2**31 - 1):
        assert latency <= ours([latency]).percentile_us(50) <= latency * 1.001 + 1


def test_an_empty_histogram_has_no_figures() -> None:
    empty = Histogram.merged([])
    assert empty.count == 0
    figures = (empty.mean_us, empty.max_us, empty.percentile_us(99))
    assert all(math.isnan(figure) for figure in figures)
    assert Histogram.decode(empty.encode()) == empty


@pytest.mark.parametrize("percent", [-1, 100.5, math.nan])
def test_impossible_percentiles_are_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        ours([1]).percentile_us(percent)


@given(LATENCIES, st.data())
def test_damage_is_an_error_or_another_histogram(latencies: list[int], data: st.DataObject) -> None:
    """A flipped bit under the checksum of zlib is always noticed; one in base64's padding may change nothing."""
    encoded = bytearray(theirs(latencies).encode())
    at = data.draw(st.integers(0, len(encoded) - 1))
    encoded[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        assert Histogram.decode(bytes(encoded)) == ours(latencies)
    except YcsbOutputError:
        return


@given(LATENCIES, st.data())
def test_a_cut_is_noticed(latencies: list[int], data: st.DataObject) -> None:
    encoded = ours(latencies).encode()
    cut = data.draw(st.integers(0, len(encoded.rstrip("=")) - 1))
    with pytest.raises(YcsbOutputError):
        Histogram.decode(encoded[:cut])


def packed(body: bytes, **changed: float) -> bytes:
    """Encode any body as a histogram with a header of the right form."""
    header = {"cookie": 0x1C849313, "length": len(body), "offset": 0, "digits": 3, "lowest": 1, "highest": HOUR_US}
    deflated = zlib.compress(struct.pack(">iiiiqqd", *(header | changed).values(), 1.0) + body)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(deflated)) + deflated)


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"not base64!",
        b"AAAA",
        packed(b"\x02", cookie=1),
        packed(b"\x02", digits=2),
        packed(b"\x02", digits=255),
        packed(b"\x02", lowest=1000),
        packed(b"\x02", offset=7),
        packed(b"\x02", length=2**30),
        packed(b"\x82"),
        packed(b"\x82" * 9 + b"\x01"),
        packed(b"\xff\xff\xff\xff\x7f\x02"),
        packed(b"\x02" * 100_000),
        packed(bytes(50_000_000)),
    ],
    ids=lambda encoded: encoded[:12],
)
def test_hostile_input_is_refused(encoded: bytes) -> None:
    with pytest.raises(YcsbOutputError):
        Histogram.decode(encoded)


@given(st.binary(max_size=300))
def test_any_body_is_read_or_refused(body: bytes) -> None:
    try:
        histogram = Histogram.decode(packed(body))
    except YcsbOutputError:
        return
    assert histogram.counts.sum() == histogram.count
    assert (histogram.counts > 0).all()
    assert (np.diff(histogram.buckets) > 0).all()
