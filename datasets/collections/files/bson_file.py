"""Documents one after the other, as `mongodump` writes a collection."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from datasets.collections.files.checks import LARGEST_DOCUMENT_BYTES, check
from datasets.collections.files.streams import opened
from datasets.collections.records import Record
from datasets.errors import DatasetError

_SMALLEST_BYTES = 5


@dataclass(frozen=True)
class BsonFile:
    """A `.bson` file, gzip or not."""

    path: Path
    links: bool

    def __iter__(self) -> Iterator[Record]:
        """Give the documents in stored order."""
        with opened(self.path, links=self.links) as stream:
            at = 0
            number = 1
            while head := stream.read(4):
                raw = read_document(stream, head, at_byte(self.path, number, at))
                yield Record(number, at, raw)
                number += 1
                at += len(raw)

    def document(self, record: Record) -> bytes:
        """Give a document, checked."""
        return checked(self.path, record)


def checked(path: Path, record: Record) -> bytes:
    """Give a document of a binary file, once it is known that a server would take it. Raises DatasetError."""
    check(record.raw, at_byte(path, record.number, record.at))
    return record.raw


def at_byte(path: Path, number: int, at: int) -> str:
    """Say where a document of a binary file is."""
    return f"dataset {path}, document {number}, byte {at}"


def read_document(stream: io.BufferedReader, head: bytes, where: str) -> bytes:
    """Read on to the end of the document that begins with the four bytes of `head`. Raises DatasetError."""
    length = int.from_bytes(head, "little", signed=True)
    if len(head) < 4:
        raise DatasetError(f"{where}: the file ends within a document; copy or dump it again")
    if not _SMALLEST_BYTES <= length <= LARGEST_DOCUMENT_BYTES:
        raise DatasetError(
            f"{where}: says that it is {length:,} bytes long, and documents have 5 bytes to 16 MiB; "
            "the file is damaged or no BSON: dump it again"
        )
    rest = stream.read(length - 4)
    if len(rest) < length - 4:
        raise DatasetError(f"{where}: the file ends within a document of {length:,} bytes; copy or dump it again")
    if rest[-1]:
        raise DatasetError(f"{where}: is longer or shorter than it says ({length:,} bytes); dump it again")
    return head + rest
