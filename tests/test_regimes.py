"""Regimes for real: memory is limited, counters prove what a trial was, and a trial in the wrong regime is void."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from analysis.records import Regime
from analysis.regimes import reads
from harness.canaries import read_canaries
from harness.ledger import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from analysis.records import TrialRecord

pytestmark = pytest.mark.real
MIB = 2**20


def run(tmp_path: Path, port: int, **changes: Any) -> tuple[TrialRecord, int]:
    """The record of a small campaign's only trial, and the exit code."""
    spec = small(tmp_path / "regime.yaml", port, **changes)
    ran = harness("run", spec, "--results", tmp_path / "results", "--plain")
    if ran.code == 3 and "control group" in ran.err:
        pytest.skip("this host lets nobody here limit memory by a control group")
    assert ran.code in {0, 4}, ran.out + ran.err
    (record,) = find_run(tmp_path / "results/regime/latest").records()
    return record, ran.code


def test_out_of_cache_and_a_workload_that_was_not(tmp_path: Path) -> None:
    """Uniform reads of 750 MB under 512 MiB go to the disk; reads of what was stored last find it in the cache."""
    four_seconds = {"mix": "read", "threads": 4, "warmup_s": 1, "measure_s": 4}
    record, code = run(
        tmp_path,
        27273,
        regime="out-of-cache",
        memory_limit="512MiB",
        document={"fields": 10, "field_length": "1000B"},
        records=75_000,
        workloads={"uniform": four_seconds, "hot": four_seconds | {"distribution": "latest"}},
    )
    assert record.regime is Regime.OUT_OF_CACHE
    assert record.in_force is not None
    assert record.asked.memory_limit_bytes == record.in_force.memory_limit_bytes == 512 * MIB
    uniform, hot = (reads(phase) for phase in record.phases if phase.kind == "run")
    assert uniform is not None
    assert hot is not None
    assert uniform.pages > 0.5 > hot.pages
    assert uniform.disk_bytes > 4096
    assert code == 4
    assert [(reason.code, str(hot) in reason.message) for reason in record.void] == [("wrong-regime", True)]
    assert not list(Path("/sys/fs/cgroup").rglob("pressgauge-t27273"))


def test_in_cache_with_canaries_beside_the_block(tmp_path: Path) -> None:
    record, code = run(tmp_path, 27274, regime="in-cache")
    assert (record.void, code) == ((), 0)
    assert record.regime is Regime.IN_CACHE
    found = reads(record.phases[-1])
    assert found is not None
    assert found.pages < 0.01
    canaries = read_canaries(tmp_path / "results/regime/latest")
    assert [(one.block, one.moment) for one in canaries] == [(0, "before"), (0, "after")]
    assert all(one.disk_bytes_per_s and one.cpu_bytes_per_s > MIB for one in canaries)
