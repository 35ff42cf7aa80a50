"""Mixes of every kind of operation on made-up orders, in two arms in turns; what two phases leave is verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from harness.spec.mixes.operations import KINDS, Transaction
from tests.campaigns import small
from tests.harness.commands import HOME, left_running, start

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord

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


BANK = """\
keys: {distribution: zipfian, exponent: 0.8}
operations:
  - {kind: transaction, weight: 3, reads: 2, updates: 2}
  - {kind: read-modify-write}
  - {kind: update, set: [status]}
"""


def run(tmp_path: Path, spec: Path) -> tuple[TrialRecord, ...]:
    """The records of a campaign, all of which count."""
    running = start("run", spec, "--results", tmp_path / "results", "--plain")
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 0, out + err
    assert left_running(HOME) == []
    records = tuple(find_run(tmp_path / "results" / spec.stem / "latest").records())
    assert [record.void for record in records if not record.counts] == []
    return records


def test_transactions_of_a_replica_set_add_up(tmp_path: Path) -> None:
    (tmp_path / "bank.mix.yaml").write_text(BANK, encoding="utf-8")
    spec = small(
        tmp_path / "bank.yaml",
        27352,
        datasets={"orders": {"recipe": "faker-orders", "documents": 250}},
        records=RECORDS,
        topology={"kind": "replica-set", "members": 1},
        workloads={"bank": {"threads": 4, "warmup_s": 0, "measure_s": None, "operations": 500}},
    )
    (record,) = run(tmp_path, spec)
    bank = record.phases[1].statuses
    assert {status for found in bank.values() for status in found} == {"OK"}
    assert record.verification is not None
    assert record.verification.write_sum == 500 + bank["TRANSACTION"]["OK"]


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
    records = run(tmp_path, spec)
    assert len(records) == 2
    for record in records:
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
