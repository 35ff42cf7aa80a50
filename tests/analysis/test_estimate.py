"""Estimates of storage, where the truth is known because the pages are made up here."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.estimate.records import smallest
from analysis.estimate.storage import (
    FILE_BYTES,
    INTERNAL_BYTES_PER_LEAF,
    STRETCH_BYTES,
    Pages,
    Whole,
    number_bytes,
    per_document,
    sampling_scatter,
    settled,
    stretches,
    swing_scatter,
)
from tests.reports.estimated import estimated

EACH = 1000
BESIDE = 5
Generator = np.random.Generator


def even(ratios: np.ndarray, per_page: int = 28) -> Pages:
    """Pages that hold as many documents each, compressed by these ratios."""
    memory = per_page * (EACH + BESIDE)
    disk = np.ceil(memory / ratios / 4096) * 4096
    return np.array([[memory, one, per_page, 1] for one in disk], dtype=np.int64)


def swinging(draw: Generator, count: int) -> Pages:
    """So many pages in memory, which become many small pages or few large ones, in no strict turn."""
    found = []
    small = True
    for _ in range(count):
        per_page, ratio = (28, 2.0) if small else (117, 2.3)
        number = int(0.915 * STRETCH_BYTES / (per_page * (EACH + BESIDE)))
        found.append(even(ratio * draw.normal(1, 0.01, number), per_page))
        small = draw.random() < (0.15 if small else 0.85)
    return np.concatenate(found)


def stored(pages: Pages) -> float:
    """Bytes on disk for each document."""
    return float((pages[:, 1].sum() + INTERNAL_BYTES_PER_LEAF * len(pages)) / pages[:, 2].sum())


def whole_of(pages: Pages, times: int) -> Whole:
    documents = int(pages[:, 2].sum())
    return Whole(times * documents, times * documents * EACH, documents, documents * EACH)


def test_pages_that_are_alike_are_told_as_they_are() -> None:
    pages = even(np.full(400, 2.0))
    whole = whole_of(pages, 1)
    found = per_document(pages, whole, sampling_scatter(pages, whole))
    assert found.value == pytest.approx(stored(pages) + FILE_BYTES / whole.documents)
    assert 0.003 < found.high / found.value - 1 < 0.007


def test_larger_documents_in_the_whole_than_in_the_sample_are_counted() -> None:
    pages = even(np.full(400, 2.0))
    whole = whole_of(pages, 100)
    larger = Whole(whole.documents, whole.bytes * 1.1, whole.sample_documents, whole.sample_bytes)
    first, second = (per_document(pages, one, sampling_scatter(pages, one)) for one in (whole, larger))
    assert second.value / first.value == pytest.approx(1.1, abs=0.001)


def test_record_numbers_grow_with_the_collection() -> None:
    assert number_bytes(1) == 1
    assert number_bytes(64) == (63 + 2) / 64
    assert number_bytes(8255) == pytest.approx(2, abs=0.01)
    assert number_bytes(50_000) == pytest.approx(2.83, abs=0.01)
    assert number_bytes(10**7) == pytest.approx(4, abs=0.02)
    assert number_bytes(10**9) == pytest.approx(5, abs=0.02)
    small = even(np.full(400, 2.0))
    few, many = (
        per_document(small, whole_of(small, times), sampling_scatter(small, whole_of(small, times)))
        for times in (1, 1000)
    )
    assert (many.value - FILE_BYTES / 11_200_000) / (few.value - FILE_BYTES / 11_200) == pytest.approx(
        1 + (number_bytes(11_200_000) - number_bytes(11_200)) / (EACH + BESIDE), abs=2e-5
    )


def test_pages_of_short_record_numbers_count_as_often_as_the_collection_has_them() -> None:
    pages = even(np.array([1.7] * 21 + [2.0] * 179), per_page=400)  # documents 1 to 8,400, of 80,000
    whole = whole_of(pages, 20)
    found = per_document(pages, whole, sampling_scatter(pages, whole))
    late = stored(pages[21:])
    assert stored(pages) / late > 1.015
    assert found.value / late == pytest.approx(1 + 8400 / (20 * 80_000) * 0.17, abs=0.002)
    alone = whole_of(pages, 1)
    assert per_document(pages, alone, sampling_scatter(pages, alone)).value == pytest.approx(stored(pages), rel=0.001)


def test_a_sample_that_is_the_whole_has_no_sampling_error() -> None:
    pages = even(np.random.default_rng(1).normal(2, 0.4, 400))
    assert sampling_scatter(pages, whole_of(pages, 1)).se == 0
    assert sampling_scatter(pages, whole_of(pages, 2)).se > 0.001


def test_the_first_page_in_memory_is_left_out_where_there_are_more() -> None:
    pages = swinging(np.random.default_rng(2), 12)
    kept = settled(pages)
    assert 0.9 * STRETCH_BYTES < pages[:, 0].sum() - kept[:, 0].sum() < STRETCH_BYTES
    assert len(stretches(kept)) == pytest.approx(11, abs=1)
    assert len(settled(pages[:50])) == 50


@pytest.mark.parametrize("regions", [1, 30])
def test_intervals_of_even_pages_cover_the_truth(regions: int) -> None:
    """Regions of the collection compress differently; each page of the sample is of one of many runs."""
    draw, covered = np.random.default_rng(3), 0
    for _ in range(300):
        levels = np.repeat(draw.normal(2.2, 0.25, 3000 // regions), regions)
        collection = even(levels * draw.normal(1, 0.02, len(levels)))
        starts = np.arange(0, len(collection), 30)[:100] + draw.integers(0, 29, 100)
        sample = collection[(starts[:, None] + np.arange(2)).ravel() % len(collection)]
        whole = whole_of(sample, len(collection) // len(sample))
        found = per_document(sample, whole, sampling_scatter(sample, whole))
        covered += found.low <= stored(collection) <= found.high
    assert covered >= 270


def test_intervals_of_pages_that_swing_cover_the_truth() -> None:
    draw, covered, errors = np.random.default_rng(4), 0, []
    for _ in range(200):
        load, collection = swinging(draw, 12), swinging(draw, 30)
        whole = Whole(30 * 7600, 30 * 7600 * EACH, 11_000, 11_000 * EACH)
        found = per_document(load, whole, sampling_scatter(load, whole), swing_scatter(load, whole))
        covered += found.low <= stored(collection) <= found.high
        errors.append(abs(found.value / stored(collection) - 1))
    assert covered >= 180
    assert np.median(errors) < 0.02


def test_a_load_of_one_page_in_memory_says_how_little_it_knows() -> None:
    load = swinging(np.random.default_rng(5), 1)
    whole = whole_of(load, 100)
    assert swing_scatter(load, whole).df == 1


def test_neighbours_that_were_merged_tell_the_same() -> None:
    pages = swinging(np.random.default_rng(6), 12)
    merged = np.array([part.sum(axis=0) for part in np.array_split(pages, 700)])
    whole = whole_of(pages, 20)
    first, second = (
        per_document(one, whole, sampling_scatter(pages, whole), swing_scatter(one, whole)) for one in (pages, merged)
    )
    assert second.value == pytest.approx(first.value, rel=0.005)
    assert second.high == pytest.approx(first.high, rel=0.02)


def test_of_settings_that_can_not_be_told_apart_smaller_pages_are_chosen() -> None:
    rows = estimated().rows
    assert smallest(rows).leaf_page_max == 128 * 2**10
    near = [row for row in rows if row.compressor == "zstd" and row.level == 6]
    assert [row.storage_bytes_per_document.value for row in near] == [265.0, 264.0]
    assert smallest(near).leaf_page_max == 32 * 2**10
