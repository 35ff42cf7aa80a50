"""An offered load that is the same for every arm, from the second block on, with intended latencies beside actual."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real


def test_every_arm_is_offered_half_of_the_slowest_ones_maximum(tmp_path: Path) -> None:
    workloads = {
        "rmw": {"threads": 2, "warmup_s": 1, "measure_s": 2},
        "steady": {"mix": "rmw", "threads": 4, "pace": {"of": "rmw", "fraction": 0.5}, "warmup_s": 1, "measure_s": 3},
    }
    arms = {name: {"block_compressor": name} for name in ("snappy", "zlib")}
    spec = small(tmp_path / "paced.yaml", 27312, blocks=2, arms=arms, workloads=workloads)
    ran = harness("run", spec, "--results", tmp_path / "results", "--plain")
    assert ran.code == 0, ran.out + ran.err
    records = find_run(tmp_path / "results/paced/latest").records()
    first, later = ([record for record in records if record.block == block] for block in (0, 1))
    assert all([phase.name for phase in record.phases] == ["load", "rmw"] for record in first)
    slowest = min(record.phases[1].throughput_per_s for record in first)
    for record in later:
        steady = record.phases[-1]
        assert (steady.name, steady.target_per_s) == ("steady", round(slowest / 2))
        assert steady.throughput_per_s == pytest.approx(slowest / 2, rel=0.2)
        rmw = {latency.kind: latency for latency in steady.latencies if latency.operation == "READ-MODIFY-WRITE"}
        assert rmw.keys() == {"actual", "intended"}
        assert rmw["intended"].p99_us >= rmw["actual"].p99_us
