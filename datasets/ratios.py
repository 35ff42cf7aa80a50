"""What each codec should make of a dataset, before any server has run: the yardstick for measured ratios."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import cramjam
from pydantic import BaseModel, ConfigDict, Field

from datasets.documents import Documents
from datasets.errors import DatasetError

LEAF_PAGE_BYTES = 32 * 2**10
SAMPLE_BYTES = 2**20
_BLOCK_BYTES = 4 * 2**10
_LARGEST_INPUT_BYTES = 4 * LEAF_PAGE_BYTES


@dataclass(frozen=True)
class Codec:
    """One of WiredTiger's block compressors."""

    compressed_bytes: Callable[[bytes, int], int]
    """How many bytes it makes of a page at a level."""
    levels: range = range(0)
    """Empty where it has none."""
    default_level: int = 0
    """mongod's."""


CODECS: Mapping[str, Codec] = {
    "none": Codec(lambda page, _: len(page)),
    "snappy": Codec(lambda page, _: len(cramjam.snappy.compress_raw(page))),
    # The classic library, as in mongod: others differ by a fifth at level 1.
    "zlib": Codec(lambda page, level: len(zlib.compress(page, level)), range(10), default_level=6),
    "zstd": Codec(lambda page, level: len(cramjam.zstd.compress(page, level)), range(-7, 23), default_level=6),
}


def codec_name(compressor: str, level: int | None = None) -> str:
    """Name a compressor with its level, or mongod's default level: `snappy`, `zlib-6`."""
    codec = CODECS[compressor]
    return f"{compressor}-{codec.default_level if level is None else level}" if codec.levels else compressor


DEFAULT_CODECS = tuple(map(codec_name, CODECS))


class ExpectedRatio(BaseModel):
    """What a codec should achieve, as uncompressed BSON ÷ compressed bytes; higher is better."""

    model_config = ConfigDict(frozen=True)

    codec: str = Field(description="`none`, `snappy`, `zlib-<level>` or `zstd-<level>`.")
    ratio: float = Field(description="On 32 KiB pages, the compressed bytes alone.")
    stored_ratio: float = Field(
        description="With what WiredTiger adds: pages as large as compress to 32 KiB (128 KiB at most), each "
        "stored in whole blocks of 4 KiB."
    )


def compressor(codec: str) -> Callable[[bytes], int]:
    """Give the function that says how many bytes a codec makes of a page. Raises DatasetError if unknown."""
    match = re.fullmatch(r"([a-z]\w*)(?:-(-?\d{1,2}))?", codec)
    known = CODECS.get(match[1]) if match else None
    if match and known and (int(match[2]) in known.levels if match[2] else not known.levels):
        level = int(match[2] or 0)
        return lambda page: known.compressed_bytes(page, level)
    allowed = [f"{name}-<{one.levels[0]} to {one.levels[-1]}>" if one.levels else name for name, one in CODECS.items()]
    raise DatasetError(f"codec {codec!r} is unknown; allowed are {', '.join(allowed)}")


def expected_ratios(documents: Documents, codecs: Iterable[str] = DEFAULT_CODECS) -> tuple[ExpectedRatio, ...]:
    """Compress a sample of the loaded documents, about 1 MiB of neighbours in the order of insertion, page by page.

    `ratio` leaves out all that WiredTiger does around the codec: page headers and record numbers, whole blocks
    of 4 KiB, and pages whose size before compression adapts to their ratio. `stored_ratio` models the last two,
    and that a page stays raw when compression saves no block. Both leave out partly filled pages, deleted space
    that a file keeps, the catalogue and what updates do to pages. In mongod 6.0.5 measured ratios lay 2 to 6 %
    below `stored_ratio`, and 12 % at zstd's level 19.
    """
    sample = documents.sample(SAMPLE_BYTES)
    return tuple(_expected(codec, sample) for codec in codecs)


def _expected(codec: str, documents: list[bytes]) -> ExpectedRatio:
    compressed_bytes = compressor(codec)
    pages = list(_pages(documents, LEAF_PAGE_BYTES))
    ratio = _total(pages) / sum(map(compressed_bytes, pages))
    adapted = list(_pages(documents, min(int(LEAF_PAGE_BYTES * ratio), _LARGEST_INPUT_BYTES)))
    stored = sum(_stored_bytes(len(page), compressed_bytes(page)) for page in adapted)
    return ExpectedRatio(codec=codec, ratio=round(ratio, 4), stored_ratio=round(_total(adapted) / stored, 4))


def _pages(documents: list[bytes], page_bytes: int) -> Iterator[bytes]:
    """Fill pages with whole documents; a document that is larger than a page has one of its own."""
    page: list[bytes] = []
    size = 0
    for one in documents:
        if page and size + len(one) > page_bytes:
            yield b"".join(page)
            page, size = [], 0
        page.append(one)
        size += len(one)
    yield b"".join(page)


def _stored_bytes(raw_bytes: int, compressed_bytes: int) -> int:
    """Round up to blocks; what saves none is stored raw."""
    return min(_blocks(raw_bytes), _blocks(compressed_bytes)) * _BLOCK_BYTES


def _blocks(size_bytes: int) -> int:
    return -(-size_bytes // _BLOCK_BYTES)


def _total(pages: list[bytes]) -> int:
    return sum(map(len, pages))
