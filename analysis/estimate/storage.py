"""What a collection takes on disk, from the pages that loads of its sample left. Pure.

Where a collection's pages may hold no more than they take on disk (memory_page_image_max = leaf_page_max), all are
filled alike, and the sample's pages stand for the collection's. Elsewhere WiredTiger adapts what a page holds to what
the last ones compressed to. It does so once for each page in memory, which becomes many on disk, and swings between
both ends: a load of few such pages says little of one of many. So the sample is loaded several times over, and what
counts is how far pairs of such stretches differ. docs/own-data.md says what that came to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.estimate.records import Range
from analysis.stats.inference import t_quantile_of

Pages = NDArray[np.int64]
"""Of each leaf page, or a few neighbours, in stored order: bytes in memory, bytes on disk, documents, pages."""

FILE_BYTES = 16 * 2**10
"""What a collection's file holds beside its pages: its description, and the lists of its last checkpoints."""
INTERNAL_BYTES_PER_LEAF = 21
"""Measured: an internal page of 4 KiB points to some 195 leaf pages."""
STRETCH_BYTES = 8 * 2**20
"""A page in memory is split when it takes so much: 80 % of memory_page_max."""
BESIDE_DOCUMENT_BYTES = 85
"""What a document takes there beside itself; measured 73 to 97."""
MOST_CLUSTERS = 24
_FLOOR = 0.003
"""Relative standard error that no sample undercuts: loads of the same documents differ by as much."""
_FEW_STRETCHES = 4
_LAST_NUMBERS = (63, *(8255 + 256**size for size in range(1, 8)))
"""The last record number of 1, 2, 3 … bytes, as WiredTiger packs them."""


@dataclass(frozen=True)
class Whole:
    """The collection that the sample is of."""

    documents: int
    bytes: float
    """BSON."""
    sample_documents: int
    sample_bytes: float

    @property
    def unseen(self) -> float:
        """The share of its documents that the sample does not hold."""
        return max(0.0, 1 - self.sample_documents / self.documents)


@dataclass(frozen=True)
class Scatter:
    """A relative standard error and its degrees of freedom."""

    se: float
    df: float


def per_document(pages: Pages, whole: Whole, sampling: Scatter, swing: Scatter | None = None) -> Range:
    """Bytes on disk for each document of the whole collection, with the 95 % interval.

    What the pages tell is the ratio of disk to memory; how large documents are the source says of all of them.
    """
    loaded = int(pages[:, 2].sum())
    if swing:
        used = settled(pages).astype(float)
        numbers = _mean_number_bytes(loaded - int(used[:, 2].sum()), loaded)
    else:
        used, numbers = _as_in_whole(pages, whole)
    memory, disk, documents, count = used.sum(axis=0)
    leaf = (disk + INTERNAL_BYTES_PER_LEAF * count) / memory
    # What a document takes in memory beside its BSON does not grow with it, but with its number
    beside = memory / documents - whole.sample_bytes / whole.sample_documents
    beside += number_bytes(whole.documents) - numbers
    value = leaf * (whole.bytes / whole.documents + beside) + FILE_BYTES / whole.documents
    combined = _combined([sampling, *([swing] if swing else []), Scatter(_FLOOR, np.inf)])
    half = float(t_quantile_of(combined.df, 0.975)) * combined.se
    return Range(value=value, low=value * np.exp(-half), high=value * np.exp(half))


def _as_in_whole(pages: Pages, whole: Whole) -> tuple[NDArray[np.float64], float]:
    """The pages, each counted as often as its like are in the whole collection; and how long record numbers then are.

    Pages of short record numbers are compressed a little otherwise: they are many of a sample, and few of the whole.
    """
    loaded = int(pages[:, 2].sum())
    before = np.cumsum(pages[:, 2]) - pages[:, 2]
    for last in sorted(_LAST_NUMBERS, reverse=True):
        late = before >= last
        if last < whole.documents and 2 * late.sum() >= len(pages):
            early = int(pages[~late, 2].sum())
            share = min(early, whole.documents) / whole.documents
            often = np.where(late, (1 - share) * loaded / (loaded - early), share * loaded / max(1, early))
            numbers = (1 - share) * _mean_number_bytes(early, loaded)
            return pages.astype(float) * often[:, None], numbers + (share * number_bytes(early) if early else 0.0)
    return pages.astype(float), number_bytes(loaded)


def sampling_scatter(pages: Pages, whole: Whole) -> Scatter:
    """How far the ratio of disk to memory may lie from that of all documents: neighbouring pages are one cluster."""
    clusters = np.array_split(pages, min(MOST_CLUSTERS, len(pages)))
    scatter = _ratio_scatter([cluster.sum(axis=0, dtype=float) for cluster in clusters])
    return Scatter(scatter.se * np.sqrt(whole.unseen), scatter.df)


def swing_scatter(pages: Pages, whole: Whole) -> Scatter:
    """How far loads of the same documents differ where pages swing: the sample's load, and the collection's own."""
    found = stretches(settled(pages))
    pairs = [found[at] + found[at + 1] for at in range(0, len(found) - 1, 2)]
    if len(pairs) < 2:
        ratios = pages[:, 1] / pages[:, 0]
        return Scatter(float(np.ptp(np.quantile(ratios, [0.1, 0.9])) / ratios.mean() / 4), 1)
    scatter = _ratio_scatter(pairs)
    of_whole = max(1.0, whole.bytes / (2 * _stretch_bytes(pages)))
    return Scatter(scatter.se * np.sqrt(1 + len(pairs) / of_whole), scatter.df)


def settled(pages: Pages) -> Pages:
    """The pages without those of the first page in memory, when WiredTiger had not begun to adapt."""
    stretch = _stretch_bytes(pages)
    if pages[:, 0].sum() < _FEW_STRETCHES * stretch:
        return pages
    kept: Pages = pages[np.cumsum(pages[:, 0]) > stretch]
    return kept


def stretches(pages: Pages) -> list[NDArray[np.float64]]:
    """The sums of pages that became of one page in memory each, about; a last one that is not whole is left out."""
    number = (np.cumsum(pages[:, 0]) / _stretch_bytes(pages)).astype(int)
    return [pages[number == one].sum(axis=0, dtype=float) for one in range(int(number.max()))]


def number_bytes(count: int) -> float:
    """What the record numbers from 1 to `count` take on average, as WiredTiger packs them: 3 bytes of most, then 4."""
    total, begin = 0, 1
    for size, last in enumerate(_LAST_NUMBERS, 1):
        total += size * max(0, min(last, count) - begin + 1)
        begin = last + 1
    return total / count


def _mean_number_bytes(before: int, last: int) -> float:
    """The same from the number that follows `before` on."""
    earlier = number_bytes(before) * before if before else 0.0
    return (number_bytes(last) * last - earlier) / (last - before)


def _stretch_bytes(pages: Pages) -> float:
    each = pages[:, 0].sum() / pages[:, 2].sum()
    return float(STRETCH_BYTES * each / (each + BESIDE_DOCUMENT_BYTES))


def _ratio_scatter(clusters: list[NDArray[np.float64]]) -> Scatter:
    """The relative standard error of a ratio of sums, disk to memory."""
    sums = np.array(clusters)
    count = len(sums)
    if count < 2:
        return Scatter(0.0, 1)
    ratio = sums[:, 1].sum() / sums[:, 0].sum()
    residuals = sums[:, 1] - ratio * sums[:, 0]
    variance = count / (count - 1) * (residuals**2).sum()
    return Scatter(float(np.sqrt(variance) / sums[:, 1].sum()), count - 1)


def _combined(parts: list[Scatter]) -> Scatter:
    """Independent errors together, with Satterthwaite's degrees of freedom."""
    variance = sum(one.se**2 for one in parts)
    spent = sum(one.se**4 / one.df for one in parts)
    return Scatter(float(np.sqrt(variance)), float(variance**2 / spent) if spent else np.inf)
