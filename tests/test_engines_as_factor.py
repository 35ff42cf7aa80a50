"""Engines side by side and one after the other on the same files: real mongods of three major releases, under TLS."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from harness.ledger.runs import find_run
from harness.spec.load import CAMPAIGNS
from tests.harness.commands import HOME, harness, left_running

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.real, pytest.mark.beside]


def reduced(campaign: str, path: Path, port: int) -> Path:
    """A campaign of ours at smoke size: its engines, one arm, one block."""
    spec = yaml.safe_load((CAMPAIGNS / f"{campaign}.yaml").read_text(encoding="utf-8"))
    spec |= {
        "blocks": 1,
        "arms": {"snappy": {"block_compressor": "snappy"}},
        "datasets": {"sentences": {"recipe": "faker-sentences", "sentences": 1000}},
        "records": 3000,
        "cache_size": "256MiB",
        "load": {"threads": 2, "batch": 100, "warmup_s": 0},
        "workloads": {"rmw": {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": 2000}},
        "instance": {"port": port, "tls": "always"},
        "limits": {"attempts": 1},
    }
    path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    return path


def test_three_major_releases_and_the_way_through_them_on_the_same_files(tmp_path: Path) -> None:
    spec = reduced("upgrade-major", tmp_path / "major.yaml", 27500)
    ran = harness("run", spec, "--results", tmp_path / "results", "--quiet")
    assert ran.code == 0, ran.out + ran.err
    ledger = find_run(tmp_path / "results/major/latest")
    records = {record.cell.engine: record for record in ledger.records()}
    assert {name: record.in_force and record.in_force.version for name, record in records.items()} == {
        "4.4.2": "4.4.2", "5.0.4": "5.0.4", "6.0.27": "6.0.27", "in-place": "6.0.27",
    }  # fmt: skip
    assert {record.in_force and record.in_force.tls_mode for record in records.values()} == {"requireTLS"}
    assert all(record.counts for record in records.values()), [record.void for record in records.values()]
    steps = records["in-place"].upgrades
    assert [(step.version, step.feature_compatibility_version) for step in steps] == [
        ("4.4.2", None),
        ("5.0.4", "5.0"),
        ("6.0.27", "6.0"),
    ]
    for step in steps:
        found = step.verification
        assert (found.checked, found.missing, found.altered, found.surplus) == (3000, 0, 0, 0)
    assert len({step.verification.content_hash for step in steps}) == 1
    after = records["in-place"].verification
    assert after is not None
    assert after.version_sum > 0, "the workload wrote under the last engine"
    force = records["in-place"].in_force
    assert force is not None
    assert force.feature_compatibility_version == "6.0"
    phase = next(one for one in records["in-place"].phases if one.name == "rmw")
    assert phase.counters["pages_written"] is not None, "counted from the last engine's start"
    decision = json.loads((ledger.report_folder / "decision.json").read_text())
    assert [one["engine"] for one in decision["upgrades"]] == ["5.0.4", "6.0.27", "in-place"]
    assert left_running(HOME) == []
