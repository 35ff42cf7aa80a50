"""A phase's evidence, from recordings of real clients."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.evidence_phase import read_phase

RECORDED = Path(__file__).parent / "recorded"
"""80,050 documents in batches of 100, by 4 threads on 2 cores."""
SNAPSHOT: dict[str, Any] = {"counters_after_checkpoint": {"process": {}}}


def batched(folder: Path = RECORDED, warmup_s: float = 0) -> Any:
    client: Any = SimpleNamespace(warmup_s=warmup_s, threads=4, target_per_s=None)
    return read_phase({"one": folder}, "load", client, {}, SNAPSHOT, SNAPSHOT).phase


def test_a_batched_load_is_timed_by_its_bulk_writes_and_counted_by_documents() -> None:
    phase = batched()
    assert phase.operation == "FLUSH"
    assert [(one.operation, one.count) for one in phase.latencies] == [("FLUSH", 804)]
    assert phase.measured_operations == phase.acknowledged == 80_050
    assert phase.throughput_per_s == pytest.approx(80_050 / phase.measured_s)
    assert sum(phase.series_per_s) > 80_050 / 2


def test_the_warm_up_of_a_batched_load_is_left_out_by_whole_intervals() -> None:
    phase = batched(warmup_s=0.5)
    assert 20_000 < phase.measured_operations < 60_000
    assert phase.latencies[0].count == pytest.approx(phase.measured_operations / 100, abs=8)  # 2 batches a thread


def test_documents_a_bulk_write_did_not_store_count_once(tmp_path: Path) -> None:
    shutil.copytree(RECORDED, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "load.client.json"
    account = json.loads(path.read_bytes())
    account["operations"]["FLUSH"] |= {"ok": 79_950, "by_status": {"OK": 79_950, "CONNECTION_LOST": 100}}
    account["operations"]["INSERT"] |= {"ok": 80_049, "by_status": {"BATCHED_OK": 80_049, "CONNECTION_LOST": 1}}
    path.write_text(json.dumps(account))
    phase = batched(tmp_path)
    assert (phase.acknowledged, phase.failed) == (79_950, 100)


def test_the_cpu_share_is_of_the_cores_that_threads_can_use() -> None:
    account = json.loads((RECORDED / "load.client.json").read_bytes())
    (began, _, cpu_s, _), *_, (ended, _, all_cpu_s, _) = account["samples"]
    share = batched().client_cpu_share
    assert account["cores"] == 2
    assert share == pytest.approx((all_cpu_s - cpu_s) / (ended - began) / 2, rel=0.5)
    assert 0 < share < 1
