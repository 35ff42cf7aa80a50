"""One seed stores byte-identical documents, under every compressor and whatever the number of client threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from analysis.records import Compressor
from harness.ledger import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real
EVERY_COMPRESSOR = {one.value: {"block_compressor": one.value} for one in Compressor}


def contents(folder: Path, threads: int, **changes: Any) -> dict[str, str]:
    """Arm -> hash of all documents that a load by so many threads stored."""
    folder.mkdir()
    load = {"threads": threads, "warmup_s": 0}
    spec = small(folder / "same.yaml", 27311, load=load, workloads={}, decision={"baseline": "snappy"}, **changes)
    ran = harness("run", spec, "--results", folder / "results", "--quiet")
    assert ran.code == 0, ran.out + ran.err
    found = {}
    for record in find_run(folder / "results/same/latest").records():
        assert record.verification is not None
        assert record.verification.checked == 2000
        found[record.cell.arm] = record.verification.content_hash
    return found


def test_one_seed_means_the_same_bytes(tmp_path: Path) -> None:
    found = contents(tmp_path / "4", 4, arms=EVERY_COMPRESSOR)
    assert found.keys() == EVERY_COMPRESSOR.keys()
    same = {*found.values(), *contents(tmp_path / "1", 1).values(), *contents(tmp_path / "16", 16).values()}
    assert len(same) == 1
