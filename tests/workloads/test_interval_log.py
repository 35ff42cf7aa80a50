"""Interval logs that a real client recorded: whole, paced, all failed, with the server killed."""

import shutil
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workloads.summaries import summary_of
from workloads import Histogram, IntervalLog, YcsbOutputError, merge, read_interval_log

RECORDED = Path(__file__).parent / "recorded"
LOGS = sorted(RECORDED.glob("*.hdr"))
RMW = RECORDED / "rmw.READ-MODIFY-WRITE.hdr"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_agrees_with_hdrhistograms_own_reader(path: Path) -> None:
    reader = HistogramLogReader(str(path), HdrHistogram(1, 3_600_000_000, 3))
    log = read_interval_log(path)
    for interval in log.intervals:
        reference = reader.get_next_interval_histogram()
        assert interval.count == reference.get_total_count()
        assert interval.start_s * 1000 == pytest.approx(reference.get_start_time_stamp())
        assert interval.end_s * 1000 == pytest.approx(reference.get_end_time_stamp())
        if interval.count:
            assert interval.histogram.max_us == reference.get_max_value()
            assert interval.histogram.mean_us == pytest.approx(reference.get_mean_value())
    assert reader.get_next_interval_histogram() is None
    reader.close()


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_all_intervals_together_are_the_summary(path: Path) -> None:
    """YCSB adds the same intervals up in Java: every percentile must be the very same number."""
    phase, series = path.name.removesuffix(".hdr").split(".", 1)
    summary = summary_of(phase, series)
    histogram = read_interval_log(path).merged()
    assert histogram.count == summary["Operations"]
    if histogram.count:
        assert histogram.mean_us == pytest.approx(summary["AverageLatency(us)"])
        assert histogram.max_us == summary["MaxLatency(us)"]
        percentiles = {
            float(name.partition("Percentile")[0].removesuffix("th")): value
            for name, value in summary.items()
            if "Percentile" in name
        }
        assert sorted(percentiles) == [50, 90, 95, 99, 99.9, 99.99]
        for percent, value in percentiles.items():
            assert histogram.percentile_us(percent) == value


def test_intervals_are_seconds_without_gaps() -> None:
    log = read_interval_log(RMW)
    assert (log.operation, log.intended) == ("READ-MODIFY-WRITE", False)
    for one, following in zip(log.intervals, log.intervals[1:], strict=False):
        assert following.start_s == pytest.approx(one.end_s, abs=0.002)


def test_intended_latencies_are_told_apart() -> None:
    actual = read_interval_log(RECORDED / "paced.READ-MODIFY-WRITE.hdr")
    intended = read_interval_log(RECORDED / "paced.Intended-READ-MODIFY-WRITE.hdr")
    assert (intended.operation, intended.intended) == (actual.operation, True)
    assert intended.merged().count == actual.merged().count
    assert intended.merged().percentile_us(99) >= actual.merged().percentile_us(99)


def test_a_window_leaves_the_warm_up_out() -> None:
    log = read_interval_log(RMW)
    second, last = log.intervals[1], log.intervals[-1]
    window = log.within(second.start_s, last.start_s)
    assert window.intervals == log.intervals[1:-1]
    assert log.merged(second.start_s, last.start_s).count == sum(one.count for one in log.intervals[1:-1])
    assert log.within(second.start_s + 0.1, second.end_s + 0.1).intervals == ()
    assert log.merged(to_s=0) == Histogram.merged([])


def test_clients_merge_as_histograms() -> None:
    log = read_interval_log(RMW)
    both = merge([log, log])
    assert both.merged().count == 2 * log.merged().count
    assert both.merged().percentile_us(99) == log.merged().percentile_us(99)
    assert both.merged(log.intervals[1].start_s).count == 2 * log.merged(log.intervals[1].start_s).count


@pytest.mark.parametrize("names", [[], ["rmw.READ", "rmw.UPDATE"], ["paced.READ-MODIFY-WRITE", "paced.Intended-*"]])
def test_different_series_do_not_merge(names: list[str]) -> None:
    logs: list[IntervalLog] = [read_interval_log(next(RECORDED.glob(f"{name}.hdr"))) for name in names]
    with pytest.raises(YcsbOutputError, match="one operation"):
        merge(logs)


def changed(old: bytes, new: bytes) -> bytes:
    text = RMW.read_bytes()
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read (No such file"),
        (b"", "lacks the operation's name"),
        (RMW.read_bytes()[:-1], "cut off in the middle of a line"),
        (changed(b"#[Logging for", b"#[Lodging for"), "lacks the operation's name"),
        (changed(b"#[StartTime: 1", b"#[StartTime: x"), "lacks the start time"),
        (changed(b",HISTFAAAA", b",HISTFABAA"), "line 5: histogram"),
        (changed(b",HISTFAAAA", b";HISTFAAAA"), "line 5: not an interval"),
        (changed(b"\n0.041,0", b"\nnan,0"), "line 5: not an interval"),
        (changed(b"\n0.041,0", b"\n0.000,-0"), "the client's clock was set back"),
    ],
)
def test_a_bad_log_is_refused(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rmw.READ.hdr"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(YcsbOutputError) as caught:
        read_interval_log(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_any_damage_is_an_error_or_harmless(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / RMW.name
    shutil.copy(RMW, path)
    text = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(text[: data.draw(st.integers(0, len(text)))])
    try:
        log = read_interval_log(path)
    except YcsbOutputError:
        return
    assert log.merged().count <= read_interval_log(RMW).merged().count
