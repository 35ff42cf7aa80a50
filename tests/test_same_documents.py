"""One seed stores byte-identical documents, under every compressor and whatever the number of client threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.records import Compressor
from harness.ledger import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real


def contents(folder: Path, threads: int, *compressors: Compressor) -> list[str]:
    """The hashes of all documents that loads by so many threads stored, under each of the compressors."""
    folder.mkdir()
    arms = {one.value: {"block_compressor": one.value} for one in compressors}
    decision = {"baseline": compressors[0].value}
    load = {"threads": threads, "warmup_s": 0}
    spec = small(folder / "same.yaml", 27311, arms=arms, load=load, workloads={}, decision=decision)
    ran = harness("run", spec, "--results", folder / "results", "--quiet")
    assert ran.code == 0, ran.out + ran.err
    verified = [record.verification for record in find_run(folder / "results/same/latest").records()]
    assert [found and found.checked for found in verified] == [2000] * len(compressors)
    return [found.content_hash for found in verified if found]


def test_one_seed_means_the_same_bytes(tmp_path: Path) -> None:
    by_one = contents(tmp_path / "1", 1, Compressor.NONE, Compressor.ZSTD)
    by_sixteen = contents(tmp_path / "16", 16, Compressor.SNAPPY, Compressor.ZLIB)
    assert len({*by_one, *by_sixteen}) == 1
