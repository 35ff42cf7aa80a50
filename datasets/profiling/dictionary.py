"""zstd with a trained dictionary, for each document alone: what MongoDB does not offer, to compare pages with."""

from collections.abc import Sequence
from dataclasses import dataclass

import zstandard

from datasets.profiling.data import Data

LARGEST_BYTES = 112_640
"""What `zstd --train` makes."""
LEVEL = 6
_LEAST_DOCUMENTS = 100
_OF_TRAINED = 10
"""A dictionary is no larger than this part of what it is trained on."""
_MOST_TRAINED_BYTES = 100 * LARGEST_BYTES
"""What the trainer's authors recommend for a dictionary of this size; more only takes longer."""


@dataclass(frozen=True)
class DictionaryRatio:
    """What each document of one half came to by itself."""

    documents: int
    dictionary_bytes: int
    ratio: float
    """With a dictionary that was trained on the other half. The dictionary itself is not counted."""
    ratio_without: float


def with_dictionary(data: Data) -> DictionaryRatio | None:
    """Train on the first half of the documents, and compress each one of the second half at level 6.

    None where there are no documents, or too few to train on.
    """
    every = list(data.documents())
    half = len(every) // 2
    if half < _LEAST_DOCUMENTS:
        return None
    step = 1 + sum(map(len, every[:half])) // _MOST_TRAINED_BYTES
    trained: list[bytes | bytearray | memoryview] = [*every[:half:step]]
    size = min(LARGEST_BYTES, sum(map(len, trained)) // _OF_TRAINED)
    try:
        dictionary = zstandard.train_dictionary(size, trained, k=1024, d=8)
    except zstandard.ZstdError:  # it found nothing that comes twice
        return None
    dictionary.precompute_compress(level=LEVEL)
    rest = every[half:]
    raw = sum(map(len, rest))
    return DictionaryRatio(
        documents=len(rest),
        dictionary_bytes=len(dictionary),
        ratio=raw / _compressed(rest, zstandard.ZstdCompressor(level=LEVEL, dict_data=dictionary)),
        ratio_without=raw / _compressed(rest, zstandard.ZstdCompressor(level=LEVEL)),
    )


def _compressed(documents: Sequence[bytes], codec: zstandard.ZstdCompressor) -> int:
    return sum(len(codec.compress(document)) for document in documents)
