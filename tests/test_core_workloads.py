"""YCSB's core workloads A to F run with text values, and leave the right number of right documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.trial.records import Regime
from analysis.trial.regimes import reads
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.real, pytest.mark.beside]
EXPECTED = {
    "a": {"READ", "UPDATE"},
    "b": {"READ", "UPDATE"},
    "c": {"READ"},
    "d": {"READ", "INSERT"},
    "e": {"SCAN", "INSERT"},
    "f": {"READ", "READ-MODIFY-WRITE"},
}
HOTSPOT = {
    "hotspot": {
        "mix": "f",
        "distribution": "hotspot",
        "threads": 4,
        "warmup_s": 0,
        "measure_s": None,
        "operations": 500,
    }
}


def test_core_workloads_leave_right_documents(tmp_path: Path) -> None:
    bounded = {"threads": 4, "warmup_s": 0, "measure_s": None, "operations": 600}
    workloads = dict.fromkeys(EXPECTED, bounded) | HOTSPOT
    spec = small(tmp_path / "core.yaml", 27303, workloads=workloads, regime="in-cache")
    ran = harness("run", spec, "--results", tmp_path / "results", "--plain")
    assert ran.code == 0, ran.out + ran.err
    (record,) = find_run(tmp_path / "results/core/latest").records()
    assert record.void == ()
    assert record.regime is Regime.IN_CACHE
    phases = {phase.name: phase for phase in record.phases}
    for name, operations in EXPECTED.items():
        assert phases[name].statuses.keys() == operations, name
        assert phases[name].acknowledged == 600
        assert 200 < phases[name].measured_operations <= 600, name  # until a thread is through; nothing counted twice
        assert any(latency.operation == phases[name].operation for latency in phases[name].latencies), name
        assert phases[name].failed == 0
        from_disk = reads(phases[name])
        assert from_disk is not None
        assert from_disk.pages < 0.01
    assert phases["hotspot"].acknowledged == 500
    inserted = sum(phase.statuses.get("INSERT", {}).get("OK", 0) for phase in record.phases if phase.kind == "run")
    assert inserted > 0
    assert record.verification is not None
    assert record.verification.checked == record.verification.counted == 2000 + inserted
