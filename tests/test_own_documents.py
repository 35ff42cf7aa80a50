"""A campaign on documents of one's own: nested, with two indexes, updated on two paths, in turns and in cycles."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from harness.ledger.run_json import read_manifest
from harness.ledger.runs import find_run
from tests.campaigns import collection, small
from tests.harness.commands import HOME, await_operations, left_running, start

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real
PORT = 27345
TEMPLATES, RECORDS = 1500, 4000
INDEXES = [{"key": {"status": 1, "placed": -1}}, {"key": {"lines.sku": 1}, "sparse": True}]


def orders(path: Path) -> Path:
    """Orders as JSON Lines, with dates as `_id`."""
    chance = random.Random(17)
    with path.open("w", encoding="utf-8") as file:
        for number in range(TEMPLATES):
            lines = [{"sku": chance.randrange(500), "n": chance.randrange(9)} for _ in range(chance.randrange(1, 6))]
            order = {
                "_id": {"$date": {"$numberLong": str(1_700_000_000_000 + 977 * number)}},
                "status": chance.choice(["new", "paid", "sent", {"returned": "broken"}, None]),
                "placed": {"$numberLong": str(chance.randrange(10**12))},
                "customer": {"name": f"Zoë {number % 97}", "address": {"city": chance.choice(["Rome", "Oslo"])}},
                "lines": lines,
            }
            file.write(json.dumps(order) + "\n")
    return path


def test_documents_of_ones_own_end_to_end(tmp_path: Path) -> None:
    """Every document of every trial is verified; one byte that is flipped in one of them voids its trial alone."""
    dataset = {
        "recipe": "documents",
        "path": str(orders(tmp_path / "orders.jsonl")),
        "update": ["status", "customer.address.city"],
        "indexes": INDEXES,
    }
    changes: dict[str, Any] = {
        "arms": {"snappy": {"block_compressor": "snappy"}, "zstd": {"block_compressor": "zstd"}},
        "datasets": {"orders": dataset},
        "records": RECORDS,
        "turns": {"seconds": 1.0, "cut_s": 0.2},
        "workloads": {"rmw": {"threads": 2, "warmup_s": 0, "measure_s": 8}},
    }
    running = start("run", small(tmp_path / "own.yaml", PORT, **changes), "--results", tmp_path, "--plain")
    await_operations(running, tmp_path / "own/latest/trials", ".*-zstd.partial/rmw.status.log")
    _flip_a_byte(tmp_path / "own/latest/trials")
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 4, out + err
    assert left_running(HOME) == []
    records = {record.cell.arm: record for record in find_run(tmp_path / "own/latest").records()}
    assert [record.sharing for record in records.values()] == [2, 2]
    assert records["snappy"].counts, records["snappy"].void
    (reason,) = records["zstd"].void
    assert reason.code == "documents-altered"
    assert "customer.name" in reason.message
    for record in records.values():
        assert record.verification is not None
        assert (record.verification.checked, record.verification.missing) == (RECORDS, 0)
        assert record.verification.version_sum > 100
        assert record.in_force is not None
        assert [one["name"] for one in json.loads(record.in_force.indexes or "")] == [
            "status_1_placed_-1",
            "lines.sku_1",
        ]
        assert all(size.secondary_index_size_bytes > 0 for size in record.sizes)
    kept = read_manifest(find_run(tmp_path / "own/latest").folder, "orders")
    assert (kept["documents"], kept["ids"]["kind"], kept["update"]) == (TEMPLATES, "date", dataset["update"])
    assert "Zoë" not in json.dumps(kept, ensure_ascii=False)


def _flip_a_byte(trials: Path) -> None:
    """In a document of the trial under zstd, where no update writes."""
    (told,) = trials.glob(".*-zstd.partial/rmw.properties")
    found = re.search(r"/clients/t(\d+)/uri", told.read_text(encoding="utf-8"))
    assert found
    documents = collection(int(found[1]))
    one = documents.find_one({}, {"customer.name": 1})
    assert one
    name = one["customer"]["name"]
    flipped = name[:-1] + chr(ord(name[-1]) ^ 1)
    assert documents.update_one({"_id": one["_id"]}, {"$set": {"customer.name": flipped}}).modified_count == 1
