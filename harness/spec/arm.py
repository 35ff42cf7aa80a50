"""An arm: the compressor, and all else of engine and clients that a campaign may compare."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from analysis.trial.records import Compressor, DocumentModel
from core.model import Part
from core.sizes import Size
from harness.spec.knobs import Connection, Eviction, ReadConcern, ReadPreference, WriteConcern

_KNOWN_HASHES = 100_000
_OF_REFERENCES = {"hash_bits": 64, "known_hashes": _KNOWN_HASHES}
ParameterName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.]{0,99}$")]
ParameterText = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]
Parameters = dict[ParameterName, bool | int | float | ParameterText]


class Arm(Part):
    """A named compressor setting."""

    block_compressor: Compressor = Field(description="Block compressor of the collections.")
    zstd_level: Annotated[int, Field(ge=1, le=22)] | None = Field(
        None, description="For zstd only, on engines from 5.0; the engine's default is 6."
    )
    zlib_level: Annotated[int, Field(ge=0, le=9)] | None = Field(
        None, description="For zlib only; the engine's default is zlib's own, 6."
    )
    journal_compressor: Compressor = Field(
        Compressor.SNAPPY, description="Compressor of the journal (the write-ahead log)."
    )
    leaf_page_max: Size | None = Field(None, description="Largest leaf page on disk; the engine's default is 32KiB.")
    memory_page_image_max: Size | None = Field(
        None,
        description="Most that one leaf page on disk holds before compression; the engine's default is 4 × "
        "leaf_page_max, and it has no less than that page. Pages of a load are of many sizes up to it; at "
        "leaf_page_max they are alike.",
    )
    internal_page_max: Size | None = Field(None, description="Largest internal page; the engine's default is 4KiB.")
    memory_page_max: Size | None = Field(
        None, description="Largest page in the cache before it is split or evicted; mongod's own is 10MiB."
    )
    allocation_size: Size | None = Field(
        None, description="What blocks in the collection's file are multiples of; the engine's default is 4KiB."
    )
    index_leaf_page_max: Size | None = Field(
        None, description="Largest leaf page of the indexes, that on `_id` included; mongod's own is 16KiB."
    )
    index_prefix_compression: bool | None = Field(
        None,
        description="Whether keys in the indexes' pages leave out what they begin with alike; mongod's own is yes.",
    )
    eviction: Eviction | None = Field(None, description="When and by how many threads the cache is evicted.")
    collection_config: Annotated[str, Field(max_length=4096)] | None = Field(
        None, description="Further WiredTiger options of the collection, as a configuration string."
    )
    engine_config: Annotated[str, Field(max_length=4096)] | None = Field(
        None, description="Further WiredTiger options of the whole engine, e.g. `eviction_dirty_target=10`."
    )
    parameters: Annotated[Parameters, Field(max_length=100)] | None = Field(
        None, description="mongod's `setParameter` options by name, as set at its start."
    )
    sync_period_s: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        None, description="Seconds between checkpoints; the engine's default is 60."
    )
    journal_commit_interval_ms: Annotated[int, Field(ge=1, le=500)] | None = Field(
        None, description="Most milliseconds between two writes of the journal to the disk; mongod's own is 100."
    )
    oplog_size: Size | None = Field(
        None, description="Largest size of each member's oplog, in whole MiB. For replica sets."
    )
    cache_size: Size | None = Field(None, description="Size of WiredTiger's cache, if it differs from the campaign's.")
    write_concern: WriteConcern | None = Field(None, description="Write concern, if it differs from the campaign's.")
    connection: Connection | None = Field(None, description="Wire compression, if it differs from the campaign's.")
    retry_writes: bool | None = Field(None, description="Retryable writes, if it differs from the campaign's.")
    read_concern: ReadConcern | None = Field(None, description="Read concern, if it differs from the campaign's.")
    read_preference: ReadPreference | None = Field(
        None, description="Read preference, if it differs from the campaign's."
    )
    cpu_limit: Annotated[float, Field(ge=0.05, le=1024)] | None = Field(
        None, description="CPU time that mongod may use, in CPUs, on hosts with control groups; unlimited if left out."
    )

    model: DocumentModel = Field(
        DocumentModel.EMBEDDED,
        description="How documents of text lie in the database. `embedded`: with their values. `normalised`: each "
        "value once in a dictionary collection, and references to it in the documents.",
    )
    hash_bits: Literal[64, 128] | None = Field(
        None, description="For normalised only: the bits of the hash that is a value's reference; 64 if left out."
    )
    known_hashes: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        None,
        description="For normalised only: how many hashes each client remembers at most, so as not to send their "
        f"values again; {_KNOWN_HASHES:,} if left out.",
    )

    @model_validator(mode="before")
    @classmethod
    def _normalised_in_full(cls, given: Any) -> Any:
        """What an arm of normalised documents leaves out is stated, so that no client's default applies."""
        if isinstance(given, dict) and given.get("model") == DocumentModel.NORMALISED:
            stated = {key: given.get(key) for key in _OF_REFERENCES}
            return given | {key: _OF_REFERENCES[key] if value is None else value for key, value in stated.items()}
        return given

    @model_validator(mode="after")
    def _references_are_of_normalised_documents(self) -> Arm:
        for key in _OF_REFERENCES:
            if self.model is not DocumentModel.NORMALISED and getattr(self, key) is not None:
                raise ValueError(f"{key} is of normalised documents; leave it out, or set model: normalised")
        return self

    @model_validator(mode="after")
    def _level_fits_compressor(self) -> Arm:
        for compressor in Compressor:
            level = self._level_of(compressor)
            if level is not None and self.block_compressor is not compressor:
                raise ValueError(
                    f"{compressor}_level {level} has no effect on block_compressor {self.block_compressor}; "
                    f"leave it out, or set block_compressor: {compressor}"
                )
        return self

    def _level_of(self, compressor: Compressor) -> int | None:
        level: int | None = getattr(self, f"{compressor}_level", None)
        return level

    @property
    def level(self) -> int | None:
        """The block compressor's level; None: the engine's default, or it has no levels."""
        return self._level_of(self.block_compressor)
