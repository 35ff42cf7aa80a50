"""Walks through BSON without decoding it, so that sizes and values are those that are stored."""

from collections.abc import Iterator
from typing import NamedTuple

_FIXED_BYTES = {0x01: 8, 0x06: 0, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16}
_FIXED_BYTES |= {0x7F: 0, 0xFF: 0}
DOCUMENT, LIST, _BINARY, _REGEX, _POINTER, _CODE_WITH_SCOPE = 0x03, 0x04, 0x05, 0x0B, 0x0C, 0x0F
TYPES = {
    0x01: "double",
    0x02: "string",
    DOCUMENT: "object",
    LIST: "array",
    _BINARY: "binData",
    0x06: "undefined",
    0x07: "objectId",
    0x08: "bool",
    0x09: "date",
    0x0A: "null",
    _REGEX: "regex",
    _POINTER: "dbPointer",
    0x0D: "javascript",
    0x0E: "symbol",
    _CODE_WITH_SCOPE: "javascriptWithScope",
    0x10: "int",
    0x11: "timestamp",
    0x12: "long",
    0x13: "decimal",
    0x7F: "maxKey",
    0xFF: "minKey",
}
"""What `$type` calls the types."""


class Element(NamedTuple):
    """A field of a document, or an entry of a list, wherever it is nested."""

    path: bytes
    """Names joined by dots; all entries of a list have the list's path and `[]`."""
    kind: int
    """Byte of its type."""
    value: bytes
    """Its value as it is stored."""
    at: int
    """Byte of the outermost document where the value begins."""


class Field(NamedTuple):
    """A field of one level of a document, or an entry of a list, by its bytes within the whole document."""

    name: bytes
    kind: int
    """Byte of its type."""
    at: int
    """Where that byte is; the name follows, and a zero."""
    start: int
    """Where its value begins."""
    end: int


def fields(document: bytes, start: int = 0) -> Iterator[Field]:
    """Give the fields of the document that begins at a byte of one that is known to be valid."""
    end = start + int.from_bytes(document[start : start + 4], "little") - 1
    at = start + 4
    while at < end:
        kind = document[at]
        name_end = document.index(0, at + 1)
        value_end = name_end + 1 + _value_bytes(document, kind, name_end + 1)
        yield Field(document[at + 1 : name_end], kind, at, name_end + 1, value_end)
        at = value_end


def elements(document: bytes, start: int = 0, prefix: bytes = b"", *, of_list: bool = False) -> Iterator[Element]:
    """Give all elements of a document that is known to be valid, each before those that it holds."""
    for one in fields(document, start):
        path = prefix + b"[]" if of_list else prefix + b"." * bool(prefix) + one.name
        yield Element(path, one.kind, document[one.start : one.end], one.start)
        if one.kind in (DOCUMENT, LIST):
            yield from elements(document, one.start, path, of_list=one.kind == LIST)


def _value_bytes(document: bytes, kind: int, at: int) -> int:
    """Tell how long a value is that begins at a byte."""
    fixed = _FIXED_BYTES.get(kind)
    if fixed is not None:
        return fixed
    if kind == _REGEX:
        return document.index(0, document.index(0, at) + 1) + 1 - at
    length = int.from_bytes(document[at : at + 4], "little")
    if kind in (DOCUMENT, LIST, _CODE_WITH_SCOPE):
        return length
    return length + {_BINARY: 5, _POINTER: 16}.get(kind, 4)
