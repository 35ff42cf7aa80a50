"""The FTDC reader against real recordings, against a writer and a plain reader, and against damage."""

import contextlib
import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bson
import numpy as np
import pytest
from bson.datetime_ms import DatetimeMS
from bson.decimal128 import Decimal128
from bson.timestamp import Timestamp
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.trial.engine import ftdc, ftdc_format
from analysis.trial.engine.ftdc import FtdcError, Samples, read
from tests.analysis.ftdc_writer import chunk_document, file_of, packed, plainly_read, raw_chunk

RECORDED = Path(__file__).parent / "recorded" / "ftdc"
RECORDINGS = sorted(path.name for path in RECORDED.iterdir())
ALL = ("serverStatus.*", "systemMetrics.*", "end")
INSERTS = "serverStatus.opcounters.insert"
FEW = settings(max_examples=60)


def recording(name: str) -> list[tuple[str, bytes]]:
    names = ftdc.in_order(path.name for path in (RECORDED / name).iterdir())
    return [(file, (RECORDED / name / file).read_bytes()) for file in names]


def seconds(*values: Any, name: str = "n") -> list[dict[str, Any]]:
    return [{"start": DatetimeMS(1000 * second), name: value} for second, value in enumerate(values)]


def read_one(content: bytes, *wanted: str) -> Samples:
    return read([("metrics.x", content)], wanted)


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_value_of_a_recording_is_the_plain_readers(name: str) -> None:
    samples = read(recording(name), ALL)
    plain = [sample for _, content in recording(name) for sample in plainly_read(content)]
    assert samples.at_ms.tolist() == [sample["start"] for sample in plain]
    assert samples.values.keys() == plain[0].keys() - {"start"}
    assert len(samples.values) > 1300
    for path, values in samples.values.items():
        assert values.tolist() == [float(sample[path]) for sample in plain], path
    assert not samples.notes


@pytest.mark.parametrize("name", RECORDINGS)
def test_samples_are_a_second_apart(name: str) -> None:
    samples = read(recording(name), [INSERTS])
    assert len(samples.at_ms) >= 20
    assert np.diff(samples.at_ms).tolist() == pytest.approx([1000] * (len(samples.at_ms) - 1), abs=150)


@pytest.mark.parametrize("name", RECORDINGS)
def test_what_server_status_said_lies_between_the_samples_around_it(name: str) -> None:
    moments = json.loads((RECORDED / name / "moments.json").read_text(encoding="utf-8"))
    compared = 0
    for moment in moments:
        samples = read(recording(name), list(moment["values"]))
        before = np.flatnonzero(samples.at_ms <= moment["before_s"] * 1000)
        after = np.flatnonzero(samples.at_ms >= moment["after_s"] * 1000)
        if not before.size or not after.size:
            continue
        for path, said in moment["values"].items():
            if (
                ".opcounters." in path
                or ".extra_info." in path
                or path.endswith(("bytes written", "log bytes written"))
            ):
                assert samples.values[path][before[-1]] <= said <= samples.values[path][after[0]], path
                compared += 1
    assert compared >= 20


def test_a_killed_mongods_last_samples_are_in_the_interim_file() -> None:
    archive, interim = recording("6.0.5-killed")
    assert interim[0] == "metrics.interim"
    assert read([archive], [INSERTS]).at_ms.size == 0
    assert read([archive, interim], [INSERTS]).at_ms.size == 21


def test_files_are_read_in_the_order_of_their_time_the_interim_last() -> None:
    names = [
        "metrics.interim",
        "metrics.2026-01-02T00-00-00Z-00000",
        "metrics.interim.temp",
        "metrics.2025-12-31T23-59-59Z-00000",
        "x",
    ]
    assert ftdc.in_order(names) == [names[3], names[1], "metrics.interim"]


NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-3, 3),
    st.booleans(),
    st.integers(-(2**40), 2**40).map(DatetimeMS),
    st.integers(-(2**53), 2**53).map(float),
)
PLACES = {
    "number": NUMBERS,
    "timestamp": st.builds(Timestamp, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)),
    "text": st.just("text"),
}
SHAPES = st.recursive(
    st.sampled_from(sorted(PLACES)),
    lambda inner: st.one_of(
        st.dictionaries(st.text("ab. é", max_size=3), inner, min_size=1, max_size=5),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=15,
)


@st.composite
def chunks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Samples of one shape; values often stay as they are, so that runs of zeros come about."""
    shape = draw(SHAPES)

    def next_value(place: Any, before: Any) -> Any:
        match place:
            case str():
                return before if before is not None and draw(st.booleans()) else draw(PLACES[place])
            case list():
                return [next_value(item, before and before[n]) for n, item in enumerate(place)]
            case _:
                return {name: next_value(item, before and before[name]) for name, item in place.items()}

    values = [next_value(shape, None)]
    for _ in range(draw(st.integers(0, 6))):
        values.append(next_value(shape, values[-1]))
    return seconds(*values, name="some")


@FEW
@given(chunks())
def test_what_was_written_is_read(samples: list[dict[str, Any]]) -> None:
    content = file_of(samples)
    found = read_one(content, "some", "some.*")
    plain = plainly_read(content)
    for path, values in found.values.items():
        assert values.tolist() == [float(sample[path]) for sample in plain]
    assert found.values.keys() == plain[0].keys() - {"start"}


@pytest.mark.parametrize(
    "values", [[0, 0], [0, 1, 0, 1], [5, 5, 5, 4], [1, 0, 0, 2, 0, 0, 0], [-(2**63), 2**63 - 1, 0]]
)
def test_runs_of_zeros_and_wraps(values: Sequence[int]) -> None:
    samples = [{"start": DatetimeMS(n), "a": v, "b": 7, "c": v, "d": {"e": v}} for n, v in enumerate(values)]
    found = read_one(file_of(samples), "a", "c", "d.*")
    for path in ("a", "c", "d.e"):
        assert found.values[path].tolist() == [float(value) for value in values]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (float("nan"), 0),
        (float("inf"), 2**63 - 1),
        (float("-inf"), -(2**63)),
        (1e300, 2**63 - 1),
        (2.9, 2),
        (-2.9, -2),
        (Decimal128("12.5"), 12),
        (Decimal128("NaN"), 0),
        (Decimal128("1E+6000"), 2**63 - 1),
    ],
)
def test_numbers_are_cast_as_the_server_casts_them(value: Any, number: int) -> None:
    reference = bson.encode({"start": DatetimeMS(0), "n": value}) + struct.pack("<II", 2, 0)
    assert read_one(chunk_document(packed(reference)), "n").values["n"].tolist() == [float(number)]


def test_a_name_that_comes_twice_does_not_shift_the_columns_after_it() -> None:
    twice = bson.encode({"start": DatetimeMS(0), "a": 1, "x": 2, "b": 3}).replace(b"x\x00", b"a\x00")
    found = read_one(chunk_document(packed(twice + struct.pack("<II", 4, 0))), "a", "b")
    assert {path: values.tolist() for path, values in found.values.items()} == {"a": [1.0], "b": [3.0]}


def test_a_metric_that_comes_and_goes_is_nan_where_it_is_absent_and_absent_where_it_never_was() -> None:
    late = [{"start": DatetimeMS(1000 * (5 + n)), "m": n} for n in range(2)]
    found = read_one(file_of(seconds(1, 2), late), "n", "m", "never")
    assert found.values["n"][:2].tolist() == [1, 2]
    assert np.isnan(found.values["n"][2:]).all()
    assert np.isnan(found.values["m"][:2]).all()
    assert "never" not in found.values


def test_samples_that_come_again_are_left_out_and_said_so() -> None:
    file = file_of(seconds(1, 2, 3))
    found = read([("a", file), ("b", file)], ["n"])
    assert found.values["n"].tolist() == [1, 2, 3]
    assert "3 samples left out" in found.notes[0]


def test_no_files_are_no_samples() -> None:
    assert read([], ["n"]).at_ms.size == 0
    assert read_one(b"", "n").values == {}


def test_the_last_document_cut_off_leaves_the_ones_before_it() -> None:
    whole, last = file_of(seconds(1, 2, 3)), chunk_document(packed(raw_chunk(seconds(4, 5))))
    for kept in (1, 4, 20, len(last) - 1):
        found = read_one(whole + last[:kept], "n")
        assert found.values["n"].tolist() == [1, 2, 3]
        assert found.notes == (f"metrics.x: cut off within its last document, {kept} bytes left out",)


def test_a_document_of_an_unknown_type_is_left_out_and_said_so() -> None:
    found = read_one(bson.encode({"_id": 1, "type": 7}) + file_of(seconds(1)), "n")
    assert found.values["n"].tolist() == [1]
    assert found.notes == ("metrics.x: 1 documents of a type that is not known left out",)


def damaged(reference: dict[str, Any], metrics: int, deltas: int, stream: bytes) -> bytes:
    return chunk_document(packed(bson.encode(reference) + struct.pack("<II", metrics, deltas) + stream))


REFERENCE = {"start": DatetimeMS(0), "n": 1}
BOMB = zlib.compress(bytes(2 * 10**7), 9)


def nested(depth: int) -> dict[str, Any]:
    return {"n": nested(depth - 1)} if depth else {"n": 1}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (bytes(100), "a document of 0 bytes"),
        (b"\xff\xff\xff\x7f" + bytes(100), "a document of 2147483647 bytes"),
        (b"\x08\x00\x00\x00\x01a\x00\x01", "not a BSON document"),
        (bson.encode({"type": 1, "data": "text"}), "without binary data"),
        (bson.encode({"type": 1}), "without binary data"),
        (chunk_document(b"\x01"), "can't be"),
        (chunk_document(b"\xff\xff\xff\xff" + BOMB), "claims 4294967295 bytes"),
        (chunk_document(struct.pack("<I", 1000) + BOMB), "has more"),
        (chunk_document(struct.pack("<I", 1000) + zlib.compress(b"abc")), "has fewer"),
        (chunk_document(struct.pack("<I", 3) + zlib.compress(b"abc")[:-2]), "has fewer"),
        (chunk_document(struct.pack("<I", 3) + b"no zlib stream"), "can't be decompressed"),
        (chunk_document(packed(bson.encode(REFERENCE) + bytes(7))), "ends within its reference document"),
        (damaged(REFERENCE, 3, 0, b""), "claims 3 metrics, its reference document has 2"),
        (damaged(REFERENCE, 2, 2**32 - 1, b""), "deltas, more than"),
        (damaged(REFERENCE, 2, 1, b"\x01"), "1 deltas where 2"),
        (damaged(REFERENCE, 2, 1, b"\x01\x01\x01"), "3 deltas where 2"),
        (damaged(REFERENCE, 2, 1, b"\x01\x01\x01\x01\x01"), "5 numbers where at most 4"),
        (damaged(REFERENCE, 2, 1, b"\x01\x81"), "end within a number"),
        (damaged(REFERENCE, 2, 1, b"\x01" + b"\x81" * 10 + b"\x01"), "more than 10 bytes"),
        (damaged(REFERENCE, 2, 1, b"\x01\x00"), "end within a run"),
        (damaged(REFERENCE, 2, 1, b"\x00" + b"\xff" * 9 + b"\x01"), "a run of 18446744073709551616 zeros among 2"),
        (damaged({"n": 1}, 1, 0, b""), "without a start time"),
        (damaged({"start": -1}, 1, 0, b""), "outside of 1970"),
        (damaged({"start": 2**62}, 1, 0, b""), "outside of 1970"),
        (damaged({"start": 1, "x": nested(30)}, 2, 0, b""), "nested deeper"),
    ],
)
def test_damage_is_one_error_that_says_where_and_why(content: bytes, why: str) -> None:
    whole = file_of(seconds(1, 2))
    with pytest.raises(FtdcError, match=why) as caught:
        read_one(whole + content, "n")
    assert str(caught.value).startswith(f"metrics.x, document at byte {len(whole)}: ")


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few bytes can hold millions of samples."""
    monkeypatch.setattr(ftdc, "MAX_VALUES", 10)
    assert read_one(file_of(seconds(1, 2, 3)), "n").at_ms.size == 3
    with pytest.raises(FtdcError, match="more than 10 values"):
        read_one(file_of(seconds(1, 2, 3), seconds(1, 2, 3)), "n")


REAL = (RECORDED / "6.0.5" / recording("6.0.5")[0][0]).read_bytes()


@FEW
@given(st.integers(0, len(REAL) - 1))
def test_a_file_cut_anywhere_gives_what_is_whole(length: int) -> None:
    found = read_one(REAL[:length], INSERTS)
    assert found.at_ms.size == 0
    assert bool(found.notes) == (length not in {0, document_end()})


def document_end() -> int:
    return int.from_bytes(REAL[:4], "little")


@FEW
@given(st.integers(0, 8 * len(REAL) - 1))
def test_a_flipped_bit_is_an_error_or_left_out_or_harmless(bit: int) -> None:
    flipped = bytearray(REAL)
    flipped[bit // 8] ^= 1 << bit % 8
    try:
        found = read_one(bytes(flipped), INSERTS)
    except FtdcError:
        return
    whole = read_one(REAL, INSERTS)
    if found.at_ms.size:  # the checksum of the stream admits no other values
        assert found.at_ms.tolist() == whole.at_ms.tolist()
        assert found.values[INSERTS].tolist() == whole.values[INSERTS].tolist()
    else:
        assert found.notes


@FEW
@given(st.data())
def test_damage_below_the_compression_is_an_error_or_numbers(data: st.DataObject) -> None:
    """The checksum was made after the damage, as by a defect of the server: anything but another exception."""
    raw = bytearray(
        raw_chunk([{"start": DatetimeMS(n), "a": {"b": n * n, "c": [True, 1.5]}, "t": "x"} for n in range(9)])
    )
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = read_one(chunk_document(packed(bytes(raw))), "a.*")
    except FtdcError:
        return
    assert all(values.size == found.at_ms.size for values in found.values.values())


@FEW
@given(st.binary(max_size=300))
def test_noise_is_an_error_or_nothing(noise: bytes) -> None:
    for content in (noise, chunk_document(noise), chunk_document(packed(noise))):
        with contextlib.suppress(FtdcError):
            assert read_one(content, "n.*").values == {}


def test_limits_leave_room_for_what_servers_write() -> None:
    assert ftdc_format.MAX_CELLS > 300 * 10_000
