"""What a mongod's files held at the moments of a trial, and how the members of a replica set stood."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from analysis.trial.records.bounded import Counters, Few
from analysis.trial.records.configured import InForce
from core.bounds import Bytes, Count, Name, Seconds, Word
from core.model import Part

_Sizes = Annotated[dict[Word, Bytes], Few]


class Pages(Part):
    """The leaf pages of a collection, from their headers in its file."""

    leaf_pages: Count
    memory_bytes: Bytes = Field(description="Bytes that all leaf pages hold, before compression.")
    disk_bytes: Bytes = Field(description="Bytes that all leaf pages take in the file.")
    memory_bytes_p10: Bytes = Field(description="10th percentile of the bytes that a page holds.")
    memory_bytes_p90: Bytes


class Oplog(Part):
    """What a replica set's member keeps of the writes, for others to follow."""

    data_size_bytes: Bytes = Field(description="Uncompressed BSON.")
    storage_size_bytes: Bytes = Field(description="Its file, free space included.")
    free_storage_size_bytes: Bytes | None = Field(description="Free space in the file that can be reused.")


class DictionarySizes(Part):
    """The dictionary of normalised documents at one moment."""

    entries: Count
    data_size_bytes: Bytes
    storage_size_bytes: Bytes
    index_size_bytes: Bytes


class Sizes(Part):
    """Sizes at one moment, after two forced checkpoints; of normalised documents, with their dictionary."""

    moment: Word = Field(description="`loaded`, `before-<phase>` (after its maintenance), or `after-<phase>`.")
    documents: Count
    data_size_bytes: Bytes = Field(description="Uncompressed BSON, as the engine counts it.")
    storage_size_bytes: Bytes = Field(description="Collection files, free space included.")
    free_storage_size_bytes: Bytes | None = Field(description="Free space in the collection files that can be reused.")
    index_size_bytes: Bytes = Field(description="Of all indexes, that on `_id` included.")
    free_index_size_bytes: Bytes | None = Field(
        None,
        description="Free space in the indexes' files that can be reused; None: not known, or not read at the time.",
    )
    secondary_index_size_bytes: Bytes = Field(
        0, description="Of all indexes but that on the documents' `_id`; a dictionary's own is one of them."
    )
    files_bytes: _Sizes = Field(description="Bytes on disk by class of file: collection, index, ...")
    pages: Pages | None = Field(None, description="None: not read, e.g. of files larger than 1 GiB.")
    oplog: Oplog | None = Field(None, description="None: there is none, as the mongod is no replica set's.")
    dictionary: DictionarySizes | None = Field(None, description="Its part of the figures above; None: there is none.")


class MemberMoment(Part):
    """A replica set as one of its members saw it at a moment, with that member's own sizes and counters."""

    moment: Word
    term: Count = Field(
        description="Election term; a new one means that a primary was elected, be it another or the same."
    )
    primary: Word | None
    states: Annotated[dict[Word, Word], Few] = Field(description="Member -> its state, e.g. `SECONDARY`.")
    rollback_id: Count = Field(description="Changes with every rollback.")
    sizes: Sizes
    counters: Counters = Field(description="Engine counters since the moment before; None: missing.")


class Member(Part):
    """One member of a replica set, through the trial."""

    name: Word = Field(description="The member's host and port.")
    in_force: InForce | None = Field(
        None,
        description="What it reported about itself; None: of the primary, whose settings are the record's, and in "
        "records that were made before it was kept.",
    )
    moments: Annotated[tuple[MemberMoment, ...], Few]


class Maintenance(Part):
    """What was done to one mongod's data before a workload."""

    workload: Name
    kind: Literal["compact", "initial-sync"]
    member: Word = Field(description="The mongod's host and port.")
    seconds: Seconds
    sizes: Sizes = Field(description="The mongod's own, after it.")
    compacted: Count | None = Field(None, description="Tables that the engine went through; None: not what was done.")
    skipped: Count | None = Field(None, description="How often it found nothing, or nothing more, to gain.")
    failed: Count | None = Field(None, description="Tables that the engine failed to compact.")
    bytes_freed: Bytes | None = Field(None, description="By the engine's own word, where its version has one.")
