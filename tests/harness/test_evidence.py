"""A real trial's evidence (mongod 6.0.5, smoke campaign, snappy) becomes a record; damage to it voids the record."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from analysis.trial.records import Reason
from tests.harness.recorded_trial import TRIAL
from tests.harness.recorded_trial import read_recorded as read

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.unpack_archive(TRIAL, tmp_path)
    return tmp_path


RETRYING = {"retry_writes": True, "read_concern": None, "read_preference": "primary"}


def codes(record: TrialRecord) -> set[str]:
    return {reason.code for reason in record.void}


def test_a_real_trial_counts(folder: Path) -> None:
    record = read(folder)
    assert record.void == ()
    assert [phase.name for phase in record.phases] == ["load", "rmw"]
    assert [size.moment for size in record.sizes] == ["loaded", "after-rmw"]
    assert record.in_force is not None
    assert record.in_force.block_compressor == "snappy"
    assert record.in_force.cache_size_bytes == 256 * 2**20


def test_the_figures_are_those_of_the_raw_files(folder: Path) -> None:
    load, rmw = read(folder).phases
    client = json.loads((folder / "rmw.client.json").read_text())
    assert load.acknowledged == 2000
    assert rmw.acknowledged == client["operations"]["READ-MODIFY-WRITE"]["ok"]
    assert 0 < rmw.measured_operations < rmw.acknowledged  # the warm-up is left out
    assert rmw.throughput_per_s == pytest.approx(rmw.measured_operations / rmw.measured_s, rel=1e-3)
    spans = {latency.operation: latency for latency in rmw.latencies}
    assert spans["READ-MODIFY-WRITE"].count == rmw.measured_operations
    assert spans["READ"].p50_us < spans["READ-MODIFY-WRITE"].p50_us
    before = json.loads((folder / "snapshot.loaded.json").read_text())["counters_after_checkpoint"]["process"]
    after = json.loads((folder / "snapshot.after-rmw.json").read_text())["counters_after_checkpoint"]["process"]
    spent = sum(after[key] - before[key] for key in ("user_cpu_s", "system_cpu_s"))
    assert rmw.cost.mongod_cpu_s == pytest.approx(spent)


@pytest.mark.parametrize(
    ("file", "key", "value", "code"),
    [
        ("verify.json", "altered", 1, "documents-altered"),
        ("verify.json", "missing", 1, "documents-lost"),
        ("verify.json", "surplus", 1, "documents-surplus"),
        ("verify.json", "counted", 1999, "documents-lost"),
        ("verify.json", "version_sum", 1, "writes-lost"),
        ("in_force.json", "cache_max_bytes", 2**30, "cache-mismatch"),
        ("in_force.json", "version", "6.0.27", "engine-mismatch"),
        ("in_force.json", "creation_string", "block_compressor=zstd,leaf_page_max=32KB", "compressor-mismatch"),
        ("in_force.json", "creation_string", None, "compressor-mismatch"),
        ("in_force.json", "parameters", {"syncdelay": 5.0}, "sync-period-mismatch"),
        ("in_force.json", "parameters", {}, "sync-period-mismatch"),
        ("rmw.client.json", "write_concern", '{"w": "majority", "j": false}', "write-concern-mismatch"),
        ("load.client.json", "write_concern", None, "write-concern-mismatch"),
        ("rmw.client.json", "connections", [RETRYING], "retry-writes-mismatch"),
        ("in_force.json", "cmd_line_opts", {"net": {"tls": {"mode": "requireTLS"}}}, "tls-mismatch"),
        ("in_force.json", "cmd_line_opts", None, "tls-mismatch"),
        ("in_force.json", "opening_wiredtiger", "log=(enabled=true,compressor=zlib)", "journal-compressor-mismatch"),
    ],
)
def test_what_is_wrong_voids_the_trial(folder: Path, file: str, key: str, value: object, code: str) -> None:
    found = json.loads((folder / file).read_text())
    assert key in {*found, "connections"}  # which clients of before did not tell
    (folder / file).write_text(json.dumps(found | {key: value}))
    assert codes(read(folder)) == {code}


@pytest.mark.parametrize(
    ("told", "write_sum", "code"),
    [
        ({"writes_counted": 70}, 70, None),
        ({"writes_counted": 70}, 69, "writes-lost"),
        ({"writes_counted": 70}, 71, "writes-lost"),
        ({"writes_counted": 70, "writes_uncertain": 2}, 72, None),
        ({"writes_counted": 70, "documents_overwritten": 9}, 12, None),
        ({"writes_counted": 70, "documents_overwritten": 9}, 71, "writes-lost"),
        ({}, 1, "writes-lost"),
    ],
)
def test_updates_that_documents_have_counted_add_up(
    folder: Path, told: dict[str, int], write_sum: int, code: str | None
) -> None:
    for file, more in (("rmw.client.json", told), ("verify.json", {"write_sum": write_sum})):
        (folder / file).write_text(json.dumps(json.loads((folder / file).read_text()) | more))
    record = read(folder)
    assert codes(record) == ({code} if code else set())
    flagged = any(flag.code == "updates-not-added-up" for flag in record.flags)
    assert flagged == ("documents_overwritten" in told)


def test_without_diagnostic_data_its_figures_are_missing_and_never_zero(folder: Path) -> None:
    assert not (folder / "diagnostic.data").exists()
    rmw = read(folder).phases[-1]
    assert rmw.window is not None
    assert rmw.window.mongod_cpu_s is None
    assert rmw.window.client_cpu_s is not None
    assert 0 < rmw.window.client_cpu_s < 2 * rmw.measured_s


@pytest.mark.parametrize(("status", "code"), [("UNREACHABLE", "connection-lost"), ("ERROR_1", "operations-failed")])
def test_failed_operations_and_dead_threads_void_the_trial(folder: Path, status: str, code: str) -> None:
    path = folder / "rmw.client.json"
    found = json.loads(path.read_text())
    found["operations"]["READ-MODIFY-WRITE"]["attempted"] += 3
    found["operations"]["READ-MODIFY-WRITE"]["by_status"][status] = 3
    found["threads"]["died"] = [{"thread": 1, "why": "lost its connection"}]
    path.write_text(json.dumps(found))
    record = read(folder)
    assert codes(record) == {code, "client-thread-died"}
    assert any(f"3 × READ-MODIFY-WRITE {status}" in reason.message for reason in record.void)


def test_a_load_that_stopped_early_voids_the_trial(folder: Path) -> None:
    path = folder / "load.client.json"
    found = json.loads(path.read_text())
    found["operations"]["INSERT"] = {"attempted": 1999, "ok": 1999, "by_status": {"OK": 1999}}
    path.write_text(json.dumps(found))
    assert "load-incomplete" in codes(read(folder))


def test_what_was_done_before_a_workload_is_on_record_and_charged_to_no_phase(folder: Path) -> None:
    plain, snapshot = read(folder), json.loads((folder / "snapshot.loaded.json").read_text())
    snapshot["coll_stats"]["storageSize"] -= 4096
    snapshot["db_stats"]["storageSize"] -= 4096
    snapshot["counters_after_checkpoint"]["process"]["user_cpu_s"] += 0.25
    (folder / "snapshot.before-rmw.json").write_text(json.dumps(snapshot))
    told = {"format_version": 1, "kind": "compact", "seconds": 1.5, "compacted": 4, "skipped": 0, "failed": 0}
    (folder / "maintenance.rmw.json").write_text(json.dumps(told))
    record = read(folder, maintenance="compact")
    assert record.void == ()
    (done,) = record.maintenance
    assert (done.workload, done.kind, done.member, done.seconds) == ("rmw", "compact", "127.0.0.1:27117", 1.5)
    assert [size.moment for size in record.sizes] == ["loaded", "before-rmw", "after-rmw"]
    assert done.sizes == record.sizes[1]
    assert done.sizes.storage_size_bytes == plain.sizes[0].storage_size_bytes - 4096
    spent, spent_before = record.phases[1].cost.mongod_cpu_s, plain.phases[1].cost.mongod_cpu_s
    assert spent is not None
    assert spent_before is not None
    assert spent == pytest.approx(spent_before - 0.25)
    (folder / "maintenance.rmw.json").unlink()
    assert codes(read(folder, maintenance="compact")) == {"evidence-unreadable"}


def test_a_failed_trial_has_one_reason_not_two(folder: Path) -> None:
    (folder / "verify.json").unlink()
    failure = Reason(code="host-failed", message="the disk is full")
    assert read(folder, failure).void == (failure,)
    assert codes(read(folder)) == {"evidence-unreadable"}


def test_any_damage_ends_in_a_record(folder: Path) -> None:
    """Cut or flip every file in turn: the record appears all the same, and is void or has the figures it had."""
    draw, undamaged = random.Random(1), figures(read(folder))
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for damage in (whole[: len(whole) // 2], _flipped(whole, draw), b"", b"\x00\xff" * 50):
            path.write_bytes(damage)
            record = read(folder)
            assert record.void or figures(record) == undamaged, path
        path.write_bytes(whole)
    assert read(folder).void == ()


def figures(record: TrialRecord) -> object:
    return record.phases, record.sizes, record.verification


def _flipped(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return b"x"
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]
