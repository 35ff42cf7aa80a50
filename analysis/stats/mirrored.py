"""What a deployment showed that a campaign mirrors, and how far its trials may be from it (the spec's `mirrors`)."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from analysis.stats.criteria import Percent
from core.bounds import Amount, Name, Positive, Word
from core.model import Part

OperationKind = Literal["find", "insert", "update", "delete", "command"]
KINDS: tuple[OperationKind, ...] = get_args(OperationKind)
"""What a server counts of a collection; `command` is all else, such as counts and aggregations."""
Share = Annotated[float, Field(ge=0, le=1)]
Served = Literal["reads", "writes"]
_ALL = 1.0
_ROUNDED = 0.01


class Tolerances(Part):
    """How far a figure of the baseline arm may be from the deployment's."""

    compression_percent: Percent = Field(10.0, description="Of the compression ratio, in per cent.")
    index_percent: Percent = Field(20.0, description="Of the indexes' bytes per document, in per cent.")
    cache_percent: Percent = Field(5.0, description="Of the ratio of cache to data, in per cent.")
    mix_points: Percent = Field(2.0, description="Of the share of each kind of operation, in percentage points.")
    pages_factor: Annotated[float, Field(gt=1, le=1000)] = Field(
        2.0, description="By which the pages read for an operation may be fewer or more."
    )
    pages_beside: Positive = Field(
        0.05, description="Pages read for an operation that never matter, whatever the factor."
    )
    latency_factor: Annotated[float, Field(gt=1, le=1000)] = Field(
        3.0,
        description="By which a quantile ÷ the median may be lower or higher. Servers count latencies in steps of 1.5 "
        "to 2.",
    )


class LatencyShape(Part):
    """How much slower than the median the slow ones are, as the server counts."""

    p95: Positive = Field(description="95th percentile ÷ median.")
    p99: Positive = Field(description="99th percentile ÷ median.")


class Mirrors(Part):
    """What a deployment showed. The baseline arm is judged by it; a figure that is left out was not to be had."""

    of: Word = Field(description="Which collection, of which server, and when it was observed.")
    workload: Name = Field(description="The workload that stands for the deployment's own.")
    compression_ratio: Positive | None = Field(
        None, description="Bytes of BSON ÷ bytes of the collection's file, without what is free in it."
    )
    index_bytes_per_document: Amount | None = Field(
        None, description="Bytes of all indexes, without what is free in their files, ÷ documents."
    )
    cache_ratio: Positive | None = Field(None, description="Bytes of the cache ÷ bytes of BSON.")
    pages_read_per_operation: Amount | None = Field(
        None, description="Pages of the collection and its indexes read into the cache ÷ operations."
    )
    mix: dict[OperationKind, Share] = Field({}, description="Share of each kind of operation. The others have none.")
    latency_shape: dict[Served, LatencyShape] = Field({}, description="Of reads and of writes, in the server.")
    tolerances: Tolerances = Tolerances()

    @model_validator(mode="after")
    def _a_whole_mix(self) -> Self:
        if self.mix and abs(sum(self.mix.values()) - _ALL) > _ROUNDED:
            raise ValueError(f"the mix's shares add up to {sum(self.mix.values()):g}, not to 1")
        return self
