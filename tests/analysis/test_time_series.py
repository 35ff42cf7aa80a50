"""Samples under our own names: recorded, made up, and of a mongod that runs now."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from analysis.trial.engine import ftdc, time_series
from analysis.trial.engine.ftdc import Samples
from analysis.trial.engine.time_series import SERIES, Change, between, changes, disks, frame, wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORDED = Path(__file__).parent / "recorded" / "ftdc"
VERSIONS = ("4.4.2", "5.0.4", "6.0.5", "6.0.27")
FEW = settings(max_examples=60)
PORT = 27267


def read(folder: Path, version: str, *more: str) -> Samples:
    names = ftdc.in_order(path.name for path in folder.iterdir())
    return ftdc.read(((name, (folder / name).read_bytes()) for name in names), wanted(version) | {*more})


def recorded(version: str) -> Samples:
    return read(RECORDED / version, version)


def moments(version: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((RECORDED / version / "moments.json").read_text(encoding="utf-8"))
    return found


def made_up(values: Mapping[str, Sequence[float]], at_s: Sequence[float] | None = None) -> Samples:
    length = len(next(iter(values.values())))
    at_ms = np.array([1000 * second for second in at_s or range(length)], np.int64)
    return Samples(at_ms, {path: np.array(column, np.float64) for path, column in values.items()})


INSERTS = "serverStatus.opcounters.insert"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_series_is_found_in_every_version(version: str) -> None:
    table = frame(recorded(version), version)
    assert not [series.name for series in time_series.SERIES if table[series.column].isna().all()]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_frame_of_a_recording(version: str) -> None:
    samples = recorded(version)
    table = frame(samples, version)
    assert len(table) == len(samples.at_ms)
    assert isinstance(table.index, pd.DatetimeIndex)
    assert str(table.index.tz) == "UTC"
    assert table.index[0].timestamp() == samples.at_ms[0] / 1000
    told = table.iloc[1:]
    assert told["interval_s"].between(0.8, 1.2).all()
    assert (told["cache_max_bytes"] == 2**28).all()
    assert (told["cache_dirty_bytes"] <= told["cache_used_bytes"]).all()
    assert told["mongod_user_cpu_s_per_s"].between(0, os.cpu_count() or 64).all()
    assert set(told["checkpoint_running"]) <= {0.0, 1.0}
    assert (told["checkpoints_per_s"] > 0).any()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_rates_add_up_to_the_growth(version: str) -> None:
    table = frame(recorded(version), version)
    inserted = (table["inserts_per_s"] * table["interval_s"]).sum()
    assert inserted == moments(version)[-1]["values"][INSERTS] > 10_000


@pytest.mark.parametrize("version", VERSIONS)
def test_the_change_between_two_known_moments_is_within_its_bounds(version: str) -> None:
    samples, (_, first, second, _) = recorded(version), moments(version)
    found = changes(samples, version, first["after_s"], second["before_s"])
    for name, path, scale, off in (
        ("inserts", INSERTS, 1, 0.05),
        ("updates", "serverStatus.opcounters.update", 1, 0.05),
        ("mongod_user_cpu_s", "serverStatus.extra_info.user_time_us", 1e-6, 0.05),
        ("log_written_bytes", "serverStatus.wiredTiger.log.log bytes written", 1, 0.1),
        ("block_written_bytes", "serverStatus.wiredTiger.block-manager.bytes written", 1, 0.2),  # comes in bursts
    ):
        truth = (second["values"][path] - first["values"][path]) * scale
        change = found[name]
        assert change is not None
        assert change.at_least <= truth <= change.at_most, name
        assert change.value == pytest.approx(truth, rel=off), name


def test_what_the_server_lacks_is_nan_and_never_zero() -> None:
    samples = made_up({INSERTS: [1, 2, 3]})
    table = frame(samples, "6.0.5")
    assert table["inserts_per_s"].iloc[1:].tolist() == [1, 1]
    others = table.drop(columns=["inserts_per_s", "interval_s"])
    assert others.isna().all(axis=None)
    assert changes(samples, "6.0.5", 0, 2)["updates"] is None


def test_no_samples_are_an_empty_frame() -> None:
    table = frame(Samples(np.zeros(0, np.int64), {}), "6.0.5")
    assert table.empty
    assert between(table, 0, 9).empty
    assert "checkpoint_running" in table.columns


def test_rates_are_over_the_time_that_passed() -> None:
    table = frame(made_up({INSERTS: [0, 10, 40, 45]}, at_s=[0, 1, 4, 4.5]), "6.0.5")
    assert table["inserts_per_s"].iloc[1:].tolist() == [10, 10, 10]


def test_a_restart_is_no_rate_and_no_change() -> None:
    samples = made_up({INSERTS: [5, 9, 2, 6]})
    assert np.isnan(frame(samples, "6.0.5")["inserts_per_s"].to_numpy()).tolist() == [True, False, True, False]
    assert changes(samples, "6.0.5", 0, 3)["inserts"] is None
    assert changes(samples, "6.0.5", 2, 3)["inserts"] == Change(4, 4, 4)


def test_the_data_disk_is_the_only_one() -> None:
    one = {"systemMetrics.disks.vda.reads": [0, 4], "systemMetrics.disks.vda.read_sectors": [0, 8]}
    two = one | {"systemMetrics.disks.vdb.reads": [0, 9]}
    assert disks(made_up(two)) == ("vda", "vdb")
    assert frame(made_up(one), "6.0.5")["disk_reads_per_s"].iloc[1] == 4
    assert frame(made_up(one), "6.0.5")["disk_read_bytes_per_s"].iloc[1] == 4096
    assert np.isnan(frame(made_up(two), "6.0.5")["disk_reads_per_s"].iloc[1])


@pytest.mark.parametrize(("version", "since_8"), [("6.0.5", False), ("7.0.14", False), ("8.0.4", True)])
def test_what_8_0_calls_otherwise(version: str, *, since_8: bool) -> None:
    (state,) = (series for series in SERIES if series.name == "checkpoint_state")
    assert (state.ways(version, "")[0] == ("serverStatus.wiredTiger.checkpoint.progress state",)) is since_8
    assert {path for way in state.ways(version, "") for path in way} <= wanted(version)


def test_the_state_of_a_checkpoint_is_running_or_not() -> None:
    table = frame(made_up({"serverStatus.wiredTiger.checkpoint.progress state": [0, 3, np.nan]}), "8.0.4")
    assert table["checkpoint_running"].tolist()[:2] == [0, 1]
    assert np.isnan(table["checkpoint_running"].iloc[2])


def test_between_keeps_rows_whose_interval_lies_within_the_window() -> None:
    table = frame(made_up({INSERTS: [0, 1, 2, 3, 4, 5]}), "6.0.5")
    assert [moment.timestamp() for moment in between(table, 1, 4).index] == [2, 3, 4]
    assert [moment.timestamp() for moment in between(table, 1.001, 3.999).index] == [3]
    assert between(between(table, 1, 4), 1, 4).equals(between(table, 1, 4))
    assert between(table, -5, 0).empty


def test_a_change_is_interpolated_and_says_how_far_it_can_be_off() -> None:
    samples = made_up({INSERTS: [0, 100, 300, 600]})
    assert changes(samples, "6.0.5", 1, 3)["inserts"] == Change(500, 500, 500)
    assert changes(samples, "6.0.5", 0.5, 2.5)["inserts"] == Change(400, 200, 600)
    assert changes(samples, "6.0.5", 1.25, 1.75)["inserts"] == Change(100, 0, 200)


def test_checkpoints_forced_after_a_window_are_none_of_it() -> None:
    begun = "serverStatus.wiredTiger.transaction.transaction checkpoints"
    samples = made_up({begun: [1, 1, 2, 2, 4]})
    assert time_series.window(samples, "6.0.5", 0.5, 3.9)["checkpoints"] == 1
    assert time_series.window(samples, "6.0.5", 2.5, 3.9)["checkpoints"] == 0
    assert time_series.window(samples, "6.0.5", 0.5, 4.1)["checkpoints"] is None


WRITTEN = "serverStatus.wiredTiger.block-manager.bytes written"
BEGUN = "serverStatus.wiredTiger.transaction.transaction checkpoints"


def test_counters_within_spans_hold_nothing_of_what_comes_right_after_them() -> None:
    samples = made_up({WRITTEN: [0, 100, 200, 300, 90_300], BEGUN: [1, 1, 2, 2, 4]})

    def within(*spans: tuple[float, float]) -> tuple[float | None, float | None]:
        found = time_series.counters_within(samples, "6.0.5", spans, (spans[0][0], spans[-1][1]))
        return found["block_written"], found["checkpoints"]

    assert within((0.5, 3.0)) == (250, 1)
    assert within((0.5, 3.5)) == pytest.approx((300, 1))
    assert within((0.5, 1.5), (2.5, 3.5)) == pytest.approx((200, 1))
    assert within((3.4, 3.9)) == (None, None), "less than half of it is known"
    assert within((2.0, 2.0)) == (None, None)


def test_nothing_is_extrapolated() -> None:
    samples = made_up({INSERTS: [0, 100]})
    assert changes(samples, "6.0.5", -0.001, 1)["inserts"] is None
    assert changes(samples, "6.0.5", 0, 1.001)["inserts"] is None
    assert changes(made_up({INSERTS: [0, np.nan, 5]}), "6.0.5", 0, 2)["inserts"] is None
    with pytest.raises(ValueError, match="ends before it begins"):
        changes(samples, "6.0.5", 1, 0)


@FEW
@given(
    st.lists(st.integers(0, 10**9), min_size=2, max_size=20),
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_changes_add_up_and_stay_within_their_bounds(growth: list[int], shares: list[float]) -> None:
    values = np.cumsum(growth)
    samples = made_up({INSERTS: values.tolist()})
    start, middle, end = (share * (len(values) - 1) for share in shares)
    whole, first, second = (
        changes(samples, "6.0.5", *window)["inserts"] for window in ((start, end), (start, middle), (middle, end))
    )
    assert whole is not None
    assert first is not None
    assert second is not None
    assert first.value + second.value == pytest.approx(whole.value, rel=1e-9, abs=1e-3)
    for change in (whole, first, second):
        assert change.at_least - 1e-3 <= change.value <= change.at_most + 1e-3


@pytest.fixture
def mongod(tmp_path: Path, engine: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A mongod with default diagnostics, on a folder of its own."""
    (tmp_path / "data").mkdir()
    command = [
        str(engine),
        "--dbpath",
        "data",
        "--port",
        str(PORT),
        "--bind_ip",
        "127.0.0.1",
        "--logpath",
        "mongod.log",
    ]
    process = subprocess.Popen([*command, "--wiredTigerCacheSizeGB", "0.25"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    yield tmp_path / "data" / "diagnostic.data", process
    process.kill()
    process.wait()


@pytest.mark.real
def test_server_status_at_known_moments_lies_between_the_samples(
    mongod: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    folder, process = mongod
    said = []
    with MongoClient[dict[str, Any]]("127.0.0.1", PORT, serverSelectionTimeoutMS=30_000) as client:
        version = client.server_info()["version"]
        ended = time.monotonic() + 8
        while time.monotonic() < ended:
            client.test.texts.insert_many([{"text": "a text " * 100} for _ in range(100)])
            before_s = time.time()
            status = client.admin.command("serverStatus")
            said.append((before_s, time.time(), status))
        time.sleep(1.5)
    asked_s = time.time()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=600) == 0

    samples = read(folder, version, "serverStatus.start", "serverStatus.end")
    assert not samples.notes
    assert samples.at_ms[-1] / 1000 > asked_s - 2.5, "a clean shutdown moves all samples into the archive"
    begun_ms, ended_ms = samples.values["serverStatus.start"], samples.values["serverStatus.end"] + 1  # cut to ms
    within = [one for one in said if ended_ms[0] <= one[0] * 1000 and one[1] * 1000 <= begun_ms[-1]]
    assert len(within) > 2
    for before_s, after_s, status in within:
        before, after = ended_ms <= before_s * 1000, begun_ms >= after_s * 1000
        for path, value in grown_only(status).items():
            assert samples.values[path][before][-1] <= value <= samples.values[path][after][0], path
    (first_s, _, first), (last_s, _, last) = within[0], within[-1]
    change = changes(samples, version, first_s, last_s)["inserts"]
    assert change is not None
    assert change.at_least <= last["opcounters"]["insert"] - first["opcounters"]["insert"] <= change.at_most


def grown_only(status: Mapping[str, Any]) -> dict[str, float]:
    tiger = status["wiredTiger"]
    return {
        INSERTS: status["opcounters"]["insert"],
        "serverStatus.extra_info.user_time_us": status["extra_info"]["user_time_us"],
        "serverStatus.wiredTiger.block-manager.bytes written": tiger["block-manager"]["bytes written"],
        "serverStatus.wiredTiger.log.log bytes written": tiger["log"]["log bytes written"],
    }
