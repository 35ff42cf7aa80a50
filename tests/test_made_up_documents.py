"""The shipped campaign on made-up orders, with few of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from harness.ledger.runs import find_run
from harness.spec.load import ROOT
from tests.harness.commands import HOME, left_running, start

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real
ORDERS, RECORDS = 400, 1000


def test_orders_are_made_up_loaded_updated_and_verified(tmp_path: Path) -> None:
    spec = yaml.safe_load((ROOT / "campaigns/orders.yaml").read_text(encoding="utf-8"))
    spec["datasets"]["orders"]["documents"] = ORDERS
    spec["arms"] = {"snappy": spec["arms"]["snappy"]}
    spec |= {"records": RECORDS, "blocks": 1, "cache_size": "256MiB", "instance": {"port": 27347}}
    spec["load"] |= {"threads": 2, "warmup_s": 0}
    spec["workloads"] = {"rmw": {"threads": 1, "warmup_s": 0, "measure_s": None, "operations": 2000}}  # two may meet
    path = tmp_path / "orders.yaml"
    path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    running = start("run", path, "--results", tmp_path / "results", "--plain")
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 0, out + err
    assert left_running(HOME) == []
    (record,) = find_run(tmp_path / "results/orders/latest").records()
    assert record.counts, record.void
    assert record.verification is not None
    assert (record.verification.checked, record.verification.missing) == (RECORDS, 0)
    assert record.verification.version_sum == 2000
    assert record.in_force is not None
    assert len(json.loads(record.in_force.indexes or "")) == 3
    assert all(size.secondary_index_size_bytes > 0 for size in record.sizes)
