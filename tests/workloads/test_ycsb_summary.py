"""Summaries that a real client wrote, and what can go wrong with them."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workloads import YcsbOutputError, read_summary

RECORDED = Path(__file__).parent / "recorded"
WHOLE = (RECORDED / "rmw.summary.json").read_bytes()


def test_a_load() -> None:
    summary = read_summary(RECORDED / "load.summary.json")
    insert = summary.operations["INSERT"]
    assert (insert.operations, insert.statuses, insert.failed) == (3000, {"OK": 3000}, 0)
    assert summary.throughput_per_s == pytest.approx(3000 / summary.run_time_s)
    assert insert.min_us is not None
    assert insert.mean_us is not None
    assert insert.max_us is not None
    assert 0 < insert.min_us < insert.percentiles_us[50] < insert.mean_us * 3 < insert.max_us * 3
    assert summary.gc_count is not None
    assert summary.gc_time_s is not None
    assert 0 <= summary.gc_time_s < summary.run_time_s


def test_a_read_modify_write_phase() -> None:
    operations = read_summary(RECORDED / "rmw.summary.json").operations
    for name in ("READ", "UPDATE", "READ-MODIFY-WRITE"):
        assert operations[name].operations == 4000
        assert operations[name].statuses["OK"] == 4000
    assert list(operations["READ"].percentiles_us) == [50, 90, 95, 99, 99.9, 99.99]


def test_a_paced_phase_has_both_latencies() -> None:
    operations = read_summary(RECORDED / "paced.summary.json").operations
    assert operations["Intended-READ"].operations == operations["READ"].operations == 1500


def test_a_phase_in_which_everything_failed() -> None:
    read = read_summary(RECORDED / "failed.summary.json").operations["READ"]
    assert (read.operations, read.failed, read.statuses) == (0, 10, {"NOT_FOUND": 10})
    assert (read.mean_us, read.min_us, read.max_us, read.percentiles_us) == (None, None, None, {})


def test_a_phase_whose_server_was_killed() -> None:
    rmw = read_summary(RECORDED / "killed.summary.json").operations["READ-MODIFY-WRITE"]
    assert rmw.operations == rmw.statuses["OK"] > 0
    assert rmw.failed == rmw.statuses["CONNECTION_LOST"] + rmw.statuses["UNREACHABLE"] == 10


def test_the_core_s_own_marks_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    rows = [
        ("OVERALL", "RunTime(ms)", 1000),
        ("OVERALL", "Throughput(ops/sec)", "Infinity"),
        ("READ", "Operations", 0),
        ("READ", "AverageLatency(us)", "NaN"),
        ("READ", "MinLatency(us)", 2**63 - 1),
        ("READ", "MaxLatency(us)", 0),
        ("READ", "Return=ERROR", 5),
        ("SCAN", "Operations", 2),
        ("SCAN", "AverageLatency(us)", "NaN"),
        ("SCAN", "MinLatency(us)", 2**63 - 1),
    ]
    path.write_text(json.dumps([{"metric": m, "measurement": n, "value": v} for m, n, v in rows]))
    summary = read_summary(path)
    assert (summary.throughput_per_s, summary.gc_count, summary.gc_time_s) == (None, None, None)
    assert (summary.operations["READ"].mean_us, summary.operations["READ"].failed) == (None, 5)
    assert (summary.operations["SCAN"].mean_us, summary.operations["SCAN"].min_us) == (None, None)
    assert "OVERALL" not in summary.operations


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read (No such file"),
        (b"", "cut off or damaged"),
        (WHOLE[:-20], "cut off or damaged"),
        (b"\xff\xfe\x00", "cut off or damaged"),
        (b"[" * 100_000, "cut off or damaged"),
        (b"{}", "not a JSON array"),
        (b"[1]", "row 1 is no measurement"),
        (b'[{"metric": "A", "measurement": "B"}]', "row 1 is no measurement"),
        (b'[{"metric": "A", "measurement": "B", "value": null}]', "row 1 is no measurement"),
        (b'[{"metric": "A", "measurement": "B", "value": 1' + b"0" * 5000 + b"}]", "cut off or damaged"),
        (b"[]", "lacks the overall run time"),
    ],
)
def test_a_bad_summary_is_refused(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rmw.summary.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(YcsbOutputError) as caught:
        read_summary(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_any_damage_is_an_error_or_a_summary(tmp_path: Path, data: st.DataObject) -> None:
    text = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(0, 5))):
        text[data.draw(st.integers(0, len(text) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path / "summary.json"
    path.write_bytes(text[: data.draw(st.integers(0, len(text)))])
    try:
        assert read_summary(path).run_time_s >= 0
    except YcsbOutputError:
        return
