"""Archives of mongodump: many collections in one file, in segments that alternate.

The format is mongo-tools' `common/archive/spec.md`: a magic number; a header; a document about each collection; a
terminator; then segments, each a document that names the collection, documents, and a terminator. A segment of its own,
with EOF set, ends each collection and has the CRC of all its documents.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bson
from bson.errors import BSONError

from datasets.collections.files.bson_file import checked, read_document
from datasets.collections.files.checks import OPTIONS
from datasets.collections.files.crc64 import Crc64
from datasets.collections.files.metadata import Metadata, parse_metadata
from datasets.collections.files.streams import opened
from datasets.collections.records import Record
from datasets.errors import DatasetError

MAGIC = (0x8199E26D).to_bytes(4, "little")
_TERMINATOR = b"\xff\xff\xff\xff"
_MOST_COLLECTIONS = 100_000


@dataclass(frozen=True)
class ArchivedCollection:
    """One collection of an archive."""

    path: Path
    namespace: str
    """Database and collection: `shop.orders`."""

    def __iter__(self) -> Iterator[Record]:
        """Give its documents in stored order; at their end, their checksum has been compared."""
        with opened(self.path, links=True) as stream:
            reader = _Reader(stream, self.path)
            reader.prelude()
            yield from reader.documents(self.namespace)

    def document(self, record: Record) -> bytes:
        """Give a document, checked."""
        return checked(self.path, record)


def archived(path: Path) -> Mapping[str, str]:
    """Give the metadata of each collection of an archive, as text, by its namespace. Raises DatasetError."""
    with opened(path, links=True) as stream:
        return _Reader(stream, path).prelude()


def archived_metadata(path: Path, namespace: str, text: str) -> Metadata:
    """Read what the archive says about a collection. Raises DatasetError."""
    return parse_metadata(text, f"dataset {path}, metadata of {namespace}") if text else Metadata()


class _Reader:
    """Reads an archive from its beginning on."""

    def __init__(self, stream: io.BufferedReader, path: Path) -> None:
        self._stream = stream
        self._path = path
        self._at = 0

    def prelude(self) -> dict[str, str]:
        """Read what comes before the first segment."""
        magic = self._stream.read(len(MAGIC))
        if magic != MAGIC:
            raise DatasetError(f"dataset {self._path}: is no archive of mongodump")
        self._at += len(MAGIC)
        self._fields(self._document("the archive's header"))
        found = dict[str, str]()
        while raw := self._document("the archive's table of collections"):
            if len(found) >= _MOST_COLLECTIONS:
                raise DatasetError(f"dataset {self._path}: names more than {_MOST_COLLECTIONS:,} collections")
            fields = self._fields(raw)
            found[_namespace(fields)] = str(fields.get("metadata", ""))
        return found

    def documents(self, namespace: str) -> Iterator[Record]:
        """Give a collection's documents, and compare their checksum."""
        number, sum_ = 0, Crc64()
        while raw := self._segment():
            header = self._fields(raw)
            wanted = _namespace(header) == namespace
            begins = self._at
            while raw := self._document(f"document {number + 1} of {namespace}"):
                if wanted:
                    number += 1
                    sum_.update(raw)
                    yield Record(number, begins, raw)
                begins = self._at
            if wanted and header.get("EOF") is True:
                if not sum_.agrees(int(header.get("CRC", 0))):
                    raise DatasetError(
                        f"dataset {self._path}: the checksum of {namespace} is another than the archive says, so some "
                        "of its documents are damaged; copy or dump it again"
                    )
                return
        raise DatasetError(
            f"dataset {self._path}: ends after {number:,} documents of {namespace} and {self._at:,} bytes, before that "
            "collection does (cut off?); copy or dump it again"
        )

    def _segment(self) -> bytes:
        """Read the document that begins a segment; nothing at the end of the file."""
        return self._document("a segment's header") if self._stream.peek(1) else b""

    def _document(self, what: str) -> bytes:
        """Read a document; nothing where there is a terminator instead."""
        where = f"dataset {self._path}, byte {self._at}, {what}"
        head = self._stream.read(4)
        raw = b"" if head == _TERMINATOR else read_document(self._stream, head, where)
        self._at += len(raw) or len(head)
        return raw

    def _fields(self, raw: bytes) -> dict[str, Any]:
        try:
            return bson.decode(raw, OPTIONS)
        except (BSONError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise DatasetError(
                f"dataset {self._path}: the archive is damaged before byte {self._at} ({error}); copy or dump it again"
            ) from None


def _namespace(fields: Mapping[str, Any]) -> str:
    return f"{fields.get('db', '')}.{fields.get('collection', '')}"
