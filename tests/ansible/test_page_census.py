"""A collection's pages, read from its file: one of mongod 6.0.5's, in which checkpoints have left stale pages, too."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge.mongods.page_census import NotReadableError, census, page_sizes

RECORDED = Path(__file__).parent / "recorded/collection.wt.gz"
DOCUMENTS, LIVE_BYTES = 600, 180_224


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "collection.wt"
    path.write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return path


def test_each_document_is_on_one_page(file: Path) -> None:
    found = census(file)
    assert sum(documents for *_, documents in found.leaves) == DOCUMENTS
    assert all(disk % 4096 == 0 and 0 < disk <= memory + 4096 for memory, disk, _ in found.leaves)


def test_the_pages_are_what_mongod_counts_as_live(file: Path) -> None:
    """`checkpoint size` of its statistics, which leaves the root out; as much again is stale or free in this file."""
    found = census(file)
    assert sum(disk for _, disk, _ in found.leaves) + found.internal_bytes == LIVE_BYTES + 4096
    assert file.stat().st_size > 1.9 * LIVE_BYTES


def test_a_summary_tells_how_pages_differ(file: Path) -> None:
    found = page_sizes(file)
    assert found is not None
    assert found["leaf_pages"] == len(census(file).leaves)
    assert 2000 < found["memory_bytes_p10"] < found["memory_bytes_p90"] < 16384
    assert found["disk_bytes"] == 180_224
    file.write_bytes(b"")
    assert page_sizes(file) is None


def test_pages_come_in_stored_order(file: Path) -> None:
    """The first pages were written anew, with one field more: their documents are larger."""
    each = [memory / documents for memory, _, documents in census(file).leaves]
    assert each[0] > sum(each) / len(each)


@pytest.mark.parametrize("size", [0, 1, 4096, 5000, 8192])
def test_a_file_without_a_checkpoint_is_told(tmp_path: Path, size: int) -> None:
    path = tmp_path / "collection.wt"
    path.write_bytes(gzip.decompress(RECORDED.read_bytes())[:size])
    with pytest.raises(NotReadableError, match=r"collection\.wt"):
        census(path)


def test_damaged_files_are_read_as_an_earlier_checkpoint_or_told(file: Path) -> None:
    whole = file.read_bytes()
    draw = random.Random(7)
    for _ in range(200):
        damaged = bytearray(whole[: draw.randrange(4096, len(whole))] if draw.random() < 0.3 else whole)
        for _ in range(draw.choice([1, 20, 2000])):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        file.write_bytes(damaged)
        try:
            assert census(file).leaves
        except NotReadableError:
            continue
