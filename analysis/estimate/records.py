"""What an estimate leaves: `estimate.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from analysis.trial.records import Compressor
from core.bounds import Amount, Bytes, Count, Positive, Seconds, Text, Word
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterable


class Range(Part):
    """A figure with its 95 % interval."""

    value: Amount
    low: Amount
    high: Amount

    def times(self, factor: float) -> Range:
        """The range of so many times the figure."""
        return Range(value=self.value * factor, low=self.low * factor, high=self.high * factor)


class Row(Part):
    """What the collection takes under one setting."""

    compressor: Compressor
    level: int | None = Field(description="None: the compressor has none.")
    leaf_page_max: Bytes
    memory_page_image_max: Bytes
    default: bool = Field(description="Whether page settings and level are those that the engine has by itself.")
    storage_bytes_per_document: Range
    storage_bytes: Range = Field(description="Of the whole collection, without its indexes.")
    index_bytes: Amount = Field(description="Of all indexes of the whole collection; no block compressor touches them.")
    monthly_cost: Range | None = Field(description="Of both, on all replicas; None: no price was given.")
    load_cpu_s_per_gb: Amount | None = Field(
        description="mongod's CPU for 10⁹ bytes of documents, from one short load."
    )
    page_memory_bytes: Amount = Field(description="What a leaf page holds before compression, on average.")
    page_disk_bytes: Amount = Field(description="What it takes on disk.")
    config: Word = Field(description="WiredTiger's configuration string of such a collection.")


class Source(Part):
    """What was sampled."""

    name: Text
    documents: Count
    bytes: Bytes = Field(description="BSON.")
    bytes_estimated: bool
    sample_documents: Count
    sample_bytes: Bytes
    runs: Count = Field(description="Of neighbours, of which the sample is made.")


class Index(Part):
    """What an index of the whole collection takes."""

    name: Text
    bytes: Amount


class Dictionary(Part):
    """Documents compressed one by one with a dictionary, which MongoDB does not offer: bytes of BSON ÷ compressed."""

    level: int
    documents: Count = Field(description="Of the second half, which is compressed.")
    dictionary_bytes: Bytes = Field(description="Trained on the first half; not counted in the ratio.")
    ratio: Positive
    ratio_without: Positive = Field(description="Each document by itself, without a dictionary.")


class Price(Part):
    """What storage costs."""

    per_gb_month: Positive
    replicas: Annotated[int, Field(ge=1, le=50)]
    currency: Word


class Estimate(Part):
    """What a collection takes under each setting."""

    format_version: Literal[1] = 1
    name: Word
    made_at: Word = Field(description="UTC.")
    engine: Word = Field(description="mongod's version.")
    source: Source
    price: Price | None
    indexes: tuple[Index, ...]
    rows: tuple[Row, ...]
    dictionary: Dictionary | None = Field(None, description="None: too few documents to train one.")
    seconds: Seconds = Field(description="That the estimate took, reading the source included.")


def smallest(rows: Iterable[Row]) -> Row:
    """The setting that takes the least storage; of several that can't be told from it, the one with smaller pages."""
    every = list(rows)
    least = min(every, key=lambda row: row.storage_bytes_per_document.value).storage_bytes_per_document
    near = [row for row in every if row.storage_bytes_per_document.value <= least.high]
    return min(near, key=lambda row: (row.leaf_page_max, row.level or 0, row.storage_bytes_per_document.value))
