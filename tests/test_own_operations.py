"""A mix of every kind of operation on made-up orders: two arms in turns, two phases, and every document verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from harness.spec.mixes.operations import KINDS, Transaction
from tests.campaigns import small
from tests.harness.commands import HOME, left_running, start

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real
RECORDS, OPERATIONS, REPEATED = 600, 1500, 700
SHOP = """\
keys: {distribution: zipfian, exponent: 0.99}
operations:
  - {kind: find, weight: 20, fields: [status, customer.name]}
  - {kind: find-by-index, weight: 8, index: [customer.id, placed], equal: 1, sort: -1, limit: 20}
  - {kind: find-by-index, weight: 4, index: [status, placed], range: true, sort: 1, limit: 10, fields: [number]}
  - {kind: find-by-index, weight: 4, index: [items.sku], limit: 5}
  - {kind: insert, weight: 5}
  - {kind: insert, weight: 2, documents: 5, deleted: true}
  - {kind: update, weight: 15, set: [status]}
  - {kind: update, weight: 10, set: [shipping.city], inc: [number], push: [history]}
  - {kind: replace, weight: 3}
  - {kind: delete, weight: 6}
  - {kind: upsert, weight: 3}
  - {kind: count, weight: 3, index: [customer.id]}
  - {kind: aggregate, weight: 3, index: [customer.id], group: status}
  - {kind: aggregate, weight: 1, group: channel}
  - {kind: scan, weight: 3, limit: 50}
  - {kind: scan-all, weight: 1}
  - {kind: read-modify-write, weight: 6}
"""


def test_every_kind_of_operation_is_done_checked_and_verified(tmp_path: Path) -> None:
    (tmp_path / "shop.mix.yaml").write_text(SHOP, encoding="utf-8")
    written = ["status", "shipping.city", "number", "history"]
    workload = {"mix": "shop", "threads": 4, "warmup_s": 0, "measure_s": None}
    spec = small(
        tmp_path / "shop.yaml",
        27351,
        arms={name: {"block_compressor": name} for name in ("snappy", "zstd")},
        datasets={"orders": {"recipe": "faker-orders", "documents": 250, "update": written}},
        records=RECORDS,
        turns={"seconds": 1, "cut_s": 0.2},
        workloads={
            "shop": {**workload, "operations": OPERATIONS},
            "again": {**workload, "operations": REPEATED},
        },
    )
    running = start("run", spec, "--results", tmp_path / "results", "--plain")
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 0, out + err
    assert left_running(HOME) == []
    records = find_run(tmp_path / "results/shop/latest").records()
    assert len(records) == 2
    for record in records:
        assert record.counts, record.void
        shop = record.phases[1].statuses
        assert set(shop) == {str(kind.model_fields["kind"].default).upper() for kind in KINDS if kind != Transaction}
        assert {status for found in shop.values() for status in found} == {"OK"}
        assert [phase.acknowledged for phase in record.phases[1:]] == [OPERATIONS, REPEATED]
        assert {one.operation for one in record.phases[1].latencies} >= set(shop)
        found = record.verification
        assert found is not None
        assert (found.checked, found.missing, found.altered, found.surplus) == (found.expected, 0, 0, 0)
        assert 0 < found.write_sum < OPERATIONS + REPEATED
        assert "updates-not-added-up" in {flag.code for flag in record.flags}
