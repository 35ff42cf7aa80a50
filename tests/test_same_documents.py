"""One seed stores byte-identical documents, whatever the number of client threads.

Under every compressor, too: each verification recomputes every document from the seed (`test_smoke` has all four).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.real, pytest.mark.beside]


def content(folder: Path, threads: int, compressor: str) -> str:
    """The hash of all documents that a load by so many threads stored."""
    folder.mkdir()
    arms, load = {compressor: {"block_compressor": compressor}}, {"threads": threads, "warmup_s": 0}
    decision = {"baseline": compressor}
    spec = small(folder / "same.yaml", 27520, arms=arms, load=load, workloads={}, decision=decision)
    ran = harness("run", spec, "--results", folder / "results", "--quiet")
    assert ran.code == 0, ran.out + ran.err
    (record,) = find_run(folder / "results/same/latest").records()
    assert record.verification is not None
    assert record.verification.checked == 2000
    return record.verification.content_hash


def test_one_seed_means_the_same_bytes(tmp_path: Path) -> None:
    assert content(tmp_path / "1", 1, "none") == content(tmp_path / "16", 16, "zstd")
