"""What a profile leaves: `profile.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from analysis.estimate.records import Dictionary
from core.bounds import Amount, Bytes, Count, Positive, Seconds, Text, Word
from core.machine import Machine
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.estimate.records import Estimate

_SAME_SIZE = 0.05


class Source(Part):
    """What was profiled."""

    name: Text
    kind: Literal["documents", "bytes"]
    bytes: Bytes = Field(description="Of all there is; documents in BSON.")
    bytes_estimated: bool
    documents: Count | None = Field(description="None: it is profiled as bytes.")
    profiled_bytes: Bytes = Field(description="An even part of it, or all.")
    digest: Word = Field(description="BLAKE3 of the profiled bytes.")
    corpus: Word | None = Field(description="A known corpus, byte for byte: Silesia.")


class Speed(Part):
    """With so many processes at once: bytes before compression, of all together."""

    processes: Count
    compress_bytes_per_s: Positive
    decompress_bytes_per_s: Positive
    spread: Amount = Field(
        description="How far three measurements lay apart, as a share of the middle one, which is given: the larger "
        "of both directions."
    )
    cpu_share: Amount = Field(description="Of the time, how much of it the processes had a core.")


class Row(Part):
    """A codec at one size of blocks."""

    codec: Word = Field(description="`none` is a copy in memory, the ceiling.")
    level: int | None
    block_bytes: Bytes
    ratio: Positive = Field(description="Bytes before ÷ after.")
    stored_ratio: Positive = Field(description="The same in whole units of 4 KiB, as WiredTiger stores blocks.")
    achieved_ratio: Positive | None = Field(
        description="What mongod's pages of this size came to in an estimate of the same data; None: there is none."
    )
    speeds: tuple[Speed, ...]


class Profile(Part):
    """How codecs do on data."""

    format_version: Literal[1] = 1
    name: Word
    made_at: Word = Field(description="UTC.")
    machine: Machine
    load: Amount = Field(description="The machine's load average over a minute, before the profile began.")
    libraries: dict[str, Word] = Field(description="Versions of the codecs.")
    source: Source
    seconds_each: Positive = Field(description="Length of one measurement; there are three of each.")
    rows: tuple[Row, ...]
    dictionary: Dictionary | None = Field(description="None: bytes, or too few documents to train one.")
    seconds: Seconds = Field(description="That the profile took.")


def codec_name(row: Row) -> str:
    """Codec and level in words: `zstd 6`."""
    return row.codec if row.level is None else f"{row.codec} {row.level}"


def cpu_share(profile: Profile) -> float:
    """The smallest share of CPU that processes had, among numbers of processes, on average over codecs and blocks."""
    shares: dict[int, list[float]] = {}
    for row in profile.rows:
        for speed in row.speeds:
            shares.setdefault(speed.processes, []).append(speed.cpu_share)
    return min(sum(every) / len(every) for every in shares.values())


def achieved(estimate: Estimate) -> dict[tuple[str, int | None, int], float]:
    """Ratios by compressor, level and page size, of pages that are filled alike, as blocks are.

    Bytes of BSON ÷ bytes on disk: with what a page needs beside its documents.
    """
    each = estimate.source.bytes / estimate.source.documents
    return {
        (row.compressor.value, row.level, row.leaf_page_max): each / row.storage_bytes_per_document.value
        for row in estimate.rows
        if row.leaf_page_max == row.memory_page_image_max
    }


def same_source(estimate: Estimate, source: Source) -> bool:
    """Whether an estimate is of the same data, as far as its number of documents and its size, if estimated, tell."""
    near = abs(estimate.source.bytes - source.bytes) <= _SAME_SIZE * source.bytes
    return near and estimate.source.documents == source.documents


def processes(rows: Iterable[Row]) -> tuple[int, ...]:
    """The numbers of processes that were measured, ascending."""
    return tuple(speed.processes for speed in next(iter(rows)).speeds)
