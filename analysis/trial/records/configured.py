"""What a trial was asked to be set to, and what was in force."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from core.bounds import Amount, Bytes, Count, Text, Word
from core.model import Part
from core.sizes import Size, show_size

_Level = Annotated[int, Field(ge=-100, le=100)]
_MOST_PER_S = 2**32 - 1  # a control group of version 1 counts operations in 32 bits
_OperationsPerS = Annotated[int, Field(ge=1, le=_MOST_PER_S)]


def _as_json(value: object) -> object:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, Part) else value


class Compressor(StrEnum):
    """WiredTiger's block (and journal) compressors."""

    NONE = "none"
    SNAPPY = "snappy"
    ZLIB = "zlib"
    ZSTD = "zstd"


class DocumentModel(StrEnum):
    """How documents lie in the database."""

    EMBEDDED = "embedded"
    NORMALISED = "normalised"


class DiskLimit(Part):
    """What mongod may ask of its data's disk in a second, as a control group limits it; `None`: any amount."""

    read_bytes_per_s: Annotated[Size, Field(ge=4096)] | None = Field(None, description="Bytes read, e.g. `125MiB`.")
    write_bytes_per_s: Annotated[Size, Field(ge=4096)] | None = Field(
        None, description="Bytes written. Only by control groups of version 2."
    )
    read_ops_per_s: _OperationsPerS | None = Field(None, description="Reads, e.g. 3000.")
    write_ops_per_s: _OperationsPerS | None = Field(None, description="Writes. Only by control groups of version 2.")

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("a disk limit limits something: bytes or operations per second, read or written")
        return self

    def __str__(self) -> str:
        told = {
            f"{show_size(self.read_bytes_per_s or 0)}/s read": self.read_bytes_per_s,
            f"{show_size(self.write_bytes_per_s or 0)}/s written": self.write_bytes_per_s,
            f"{self.read_ops_per_s} reads/s": self.read_ops_per_s,
            f"{self.write_ops_per_s} writes/s": self.write_ops_per_s,
        }
        return ", ".join(words for words, limit in told.items() if limit is not None)


class Settings(Part):
    """Settings of the engine and its clients that were asked for. `None` means: the engine's default."""

    block_compressor: Compressor
    zstd_level: _Level | None = None
    zlib_level: _Level | None = None
    journal_compressor: Compressor = Compressor.SNAPPY
    cache_size_bytes: Bytes
    leaf_page_max_bytes: Bytes | None = None
    memory_page_image_max_bytes: Bytes | None = None
    internal_page_max_bytes: Bytes | None = None
    memory_page_max_bytes: Bytes | None = None
    allocation_size_bytes: Bytes | None = None
    index_leaf_page_max_bytes: Bytes | None = None
    index_prefix_compression: bool | None = None
    eviction: Annotated[Text, BeforeValidator(_as_text)] | None = Field(
        None, description="WiredTiger's options for eviction, as a configuration string."
    )
    collection_config: Text | None = Field(None, description="Further WiredTiger options of the collection.")
    engine_config: Text | None = Field(None, description="Further WiredTiger options of the whole engine.")
    parameters: Annotated[Text, BeforeValidator(_as_json)] | None = Field(
        None, description="Server parameters by name, as JSON."
    )
    sync_period_s: Count | None = Field(None, description="storage.syncPeriodSecs")
    journal_commit_interval_ms: Count | None = None
    oplog_size_bytes: Bytes | None = Field(None, description="Of each member of a replica set.")
    memory_limit_bytes: Bytes | None = Field(
        None, description="Memory that mongod may use, file cache included; None: no limit."
    )
    cpu_limit: Amount | None = Field(None, description="CPU time that mongod may use, in CPUs; None: no limit.")
    disk_limit: DiskLimit | None = Field(None, description="What mongod may ask of its data's disk; None: no limit.")
    tls: bool = Field(False, description="Whether all connections to mongod are encrypted.")
    indexes: Text | None = Field(
        None, description="The collection's indexes beside that on `_id`, as JSON; None: there are none."
    )
    model: DocumentModel = Field(
        DocumentModel.EMBEDDED, description="Whether documents hold their values, or references to a dictionary's."
    )
    hash_bits: Count | None = Field(None, description="Of a reference; None: there are none.")
    known_hashes: Count | None = Field(None, description="Hashes that a client knows at most; None: there are none.")
    retry_writes: bool = Field(False, description="Whether the clients' writes can be retried by their driver.")
    read_concern: Word | None = Field(None, description="Of the clients' reads; None: they name none.")
    read_preference: Word = Field("primary", description="Which members the clients read from.")
    wire_compressor: Compressor | None = Field(
        None, description="The one compressor that mongod offers for messages; `none`: it offers none."
    )
    client_compression: Word | None = Field(
        None, description="What the clients ask for, with its level if there is one, e.g. `zlib 9`; None: nothing."
    )


class InForce(Part):
    """What the running server reported about itself before the load."""

    version: Word
    git_version: Word | None
    feature_compatibility_version: Word | None
    block_compressor: Word | None = Field(description="From the collection's creationString.")
    zstd_level: _Level | None = Field(description="From log line 22315; None: the engine's default.")
    zlib_level: _Level | None = Field(description="From log line 22315; None: the engine's default.")
    journal_compressor: Word | None
    cache_size_bytes: Bytes | None
    memory_limit_bytes: Bytes | None = Field(None, description="From mongod's control groups; None: no limit.")
    cpu_limit: Amount | None = Field(None, description="From mongod's control groups; None: no limit.")
    disk_limit: DiskLimit | None = Field(None, description="From mongod's control groups; None: no limit.")
    leaf_page_max: Word | None = Field(description="From the creationString, e.g. `32KB`.")
    memory_page_image_max: Word | None = Field(
        None, description="From the creationString; `0`: the engine's own, 4 × leaf_page_max."
    )
    internal_page_max: Word | None = Field(None, description="From the creationString.")
    memory_page_max: Word | None = Field(None, description="From the creationString.")
    allocation_size: Word | None = Field(None, description="From the creationString.")
    index_leaf_page_max: Word | None = Field(
        None, description="From the creationStrings of all indexes; where they differ, each value."
    )
    index_prefix_compression: Word | None = Field(None, description="Likewise.")
    eviction: Text | None = Field(None, description="From log line 22315, all options for eviction.")
    creation_string: Text
    opening_config: Text = Field(description="What mongod passed to WiredTiger (log line 22315).")
    parameters: Text | None = Field(
        None, description="The server parameters that were asked for, as JSON; null: the server has no such parameter."
    )
    sync_period_s: Amount | None = Field(None, description="Seconds between checkpoints, from the server's parameters.")
    journal_commit_interval_ms: Amount | None = Field(None, description="From the server's parameters.")
    oplog_size_bytes: Bytes | None = Field(None, description="Largest size of the oplog; None: there is none.")
    tls_mode: Word | None = Field(None, description="From the options as the server parsed them, e.g. `requireTLS`.")
    indexes: Text | None = Field(
        None, description="The collection's indexes beside that on `_id`, as JSON; None: none were asked for."
    )
    wire_compressors: Text | None = Field(
        None, description="From the options as the server parsed them, e.g. `zstd`; None: mongod offers its own."
    )
    allocator: Word | None = Field(None, description="The library that mongod has its memory from, by its own word.")
    per_cpu_caches: bool | None = Field(
        None, description="Whether the allocator has caches for each CPU; None: it does not say, as before 8.0."
    )
    glibc_tunables: Text | None = Field(None, description="GLIBC_TUNABLES in mongod's environment; None: not set.")
    model: Word | None = Field(None, description="How the clients stored documents.")
    hash_bits: Count | None = Field(None, description="Of a reference, as the clients wrote it; None: there are none.")
    known_hashes: Count | None = Field(None, description="Hashes that a client knew at most; None: there are none.")
    write_concern: Text | None = Field(None, description='What the clients\' driver sent, e.g. `{"w": 1, "j": false}`.')
    retry_writes: Word | None = Field(None, description="What the clients' driver said of itself, `yes` or `no`.")
    read_concern: Word | None = Field(None, description="Likewise; `none named`: the server's own, `local`.")
    read_preference: Word | None = Field(None, description="Likewise.")
    client_compression: Word | None = Field(None, description="Likewise, e.g. `zlib 9`; `none`: it asked for none.")
