"""What a source of documents looks like to those who read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from datasets.collections.files.metadata import Metadata


class Record(NamedTuple):
    """A document as its source has it: cheap to come by, neither parsed nor checked."""

    number: int
    """Its place in stored order, from 1."""
    at: int
    """Line of the text, or byte of the BSON, where it begins."""
    raw: bytes


class Records(Protocol):
    """The documents of one collection, in stored order."""

    def __iter__(self) -> Iterator[Record]:
        """Give them once, streamed. Raises DatasetError where the source ends too early or can't be told apart."""

    def document(self, record: Record) -> bytes:
        """Give a record as checked BSON. Raises DatasetError, which names the place."""


@dataclass(frozen=True)
class Collection:
    """A source that was found, and what is known of it."""

    path: Path
    name: str
    """What the collection is called, or the file's name."""
    records: Records
    sizes_are_bson: bool
    """Whether a raw record is as long as its document."""
    metadata: Metadata
