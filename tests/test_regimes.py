"""Regimes for real: memory is limited, counters prove what a trial was, and a trial in the wrong regime is void."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.trial.records import Regime
from analysis.trial.regimes import reads
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import harness

pytestmark = [pytest.mark.real, pytest.mark.beside]
MIB = 2**20


def test_out_of_cache_and_a_workload_that_was_not(tmp_path: Path) -> None:
    """Uniform reads of 750 MB under 512 MiB go to the disk; reads of what was stored last find it in the cache."""
    uniform = {"mix": "read", "threads": 4, "warmup_s": 1, "measure_s": 4}
    hot = uniform | {"distribution": "latest", "measure_s": None, "operations": 20_000}
    spec = small(
        tmp_path / "regime.yaml",
        27273,
        arms={"none": {"block_compressor": "none"}},  # stored as large as it is, however much the caches hold by then
        decision={"baseline": "none"},
        regime="out-of-cache",
        memory_limit="512MiB",
        document={"fields": 10, "field_length": "1000B"},
        records=75_000,
        workloads={"uniform": uniform, "hot": hot},
    )
    ran = harness("run", spec, "--results", tmp_path / "results", "--plain")
    if ran.code == 3 and "control group" in ran.err:
        pytest.skip("this host lets nobody here limit memory by a control group")
    assert ran.code == 4, ran.out + ran.err
    (record,) = find_run(tmp_path / "results/regime/latest").records()
    assert record.regime is Regime.OUT_OF_CACHE
    assert record.in_force is not None
    assert record.asked.memory_limit_bytes == record.in_force.memory_limit_bytes == 512 * MIB
    spread, near = (reads(phase) for phase in record.phases if phase.kind == "run")
    assert spread is not None
    assert near is not None
    assert spread.pages > 0.5 > near.pages
    assert spread.disk_bytes > 4096
    assert [(reason.code, str(near) in reason.message) for reason in record.void] == [("wrong-regime", True)]
    assert not list(Path("/sys/fs/cgroup").rglob("pressgauge-t27273"))
