"""MongoDB's messages: from the bytes of one to a command, or an answer, as one document. Bounded in memory."""

import struct
import zlib
from typing import Any, NamedTuple

import bson
import cramjam
import zstandard
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.errors import BSONError
from bson.raw_bson import RawBSONDocument

HEADER = struct.Struct("<iiii")
"""Length, the message's number, that of the one it answers, and what it is."""
LARGEST_MESSAGE_BYTES = 48_000_000
OP_MSG, OP_COMPRESSED = 2013, 2012
LEGACY = {1, 2004}
"""A reply and a query of old; drivers greet a server with them."""
MORE_TO_COME, CHECKSUM = 2, 1
RAW: CodecOptions[RawBSONDocument] = CodecOptions(
    document_class=RawBSONDocument, datetime_conversion=DatetimeConversion.DATETIME_MS
)
_COMPRESSED = struct.Struct("<iiB")
_NOOP, _SNAPPY, _ZLIB, _ZSTD = range(4)
_SMALLEST_DOCUMENT = 5


class MessageError(ValueError):
    """A message is not what it should be."""


class Message(NamedTuple):
    """One message, unpacked."""

    number: int
    answers: int
    """The number of the request; 0 for a request."""
    body: RawBSONDocument | None
    """With its sequences of documents as lists; None: one of old."""


def read_message(raw: bytes) -> Message:
    """Read a whole message. Raises MessageError."""
    if len(raw) < HEADER.size:
        raise MessageError("shorter than a message's header")
    length, number, answers, kind = HEADER.unpack_from(raw)
    if length != len(raw):
        raise MessageError(f"says that it has {length:,} bytes, and has {len(raw):,}")
    content = raw[HEADER.size :]
    if kind == OP_COMPRESSED:
        kind, content = _unpacked(content)
    if kind in LEGACY:
        return Message(number, answers, None)
    if kind != OP_MSG:
        raise MessageError(f"is of no kind that is known ({kind})")
    return Message(number, answers, _body(content))


def _unpacked(content: bytes) -> tuple[int, bytes]:
    if len(content) < _COMPRESSED.size:
        raise MessageError("its compressed part is cut off")
    kind, size, codec = _COMPRESSED.unpack_from(content)
    packed = content[_COMPRESSED.size :]
    if not 0 <= size <= LARGEST_MESSAGE_BYTES:
        raise MessageError(f"says that it unpacks to {size:,} bytes")
    try:
        if codec == _NOOP:
            unpacked = packed
        elif codec == _SNAPPY:
            unpacked = _snappy(packed, size)
        elif codec == _ZLIB:
            unpacked = zlib.decompressobj().decompress(packed, size + 1)
        elif codec == _ZSTD:
            with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
                unpacked = reader.read(size + 1)
        else:
            raise MessageError(f"is compressed by a codec that is not known ({codec})")
    except (zlib.error, zstandard.ZstdError, cramjam.DecompressionError) as error:
        raise MessageError(f"can't be unpacked ({error})") from None
    if len(unpacked) != size:
        raise MessageError(f"unpacks to another size than {size:,} bytes")
    return kind, unpacked


def _snappy(packed: bytes, size: int) -> bytes:
    """Unpack into a buffer of the size that is told: what would not fit is an error, and takes no memory."""
    buffer = bytearray(size)
    return bytes(buffer[: cramjam.snappy.decompress_raw_into(packed, buffer)])


def _body(content: bytes) -> RawBSONDocument:
    """A message's sections as one document, in which each sequence is a list by its name."""
    if len(content) < 4:
        raise MessageError("its flags are cut off")
    flags = int.from_bytes(content[:4], "little")
    end = len(content) - (4 if flags & CHECKSUM else 0)
    at, body, lists = 4, None, dict[str, list[RawBSONDocument]]()
    while at < end:
        kind, at = content[at], at + 1
        if kind == 0 and body is None:
            body, at = _document(content, at, end)
        elif kind == 1:
            name, documents, at = _sequence(content, at, end)
            lists[name] = documents
        else:
            raise MessageError("its sections are damaged")
    if body is None:
        raise MessageError("it has no body")
    return document({**fields_of(body), **lists}) if lists else body


def _sequence(content: bytes, at: int, end: int) -> tuple[str, list[RawBSONDocument], int]:
    size = int.from_bytes(content[at : at + 4], "little", signed=True)
    until = at + size
    name_end = content.find(b"\0", at + 4, until)
    if size < 5 or until > end or name_end < 0:
        raise MessageError("a sequence of documents in it is damaged")
    name, at, found = content[at + 4 : name_end].decode("utf-8", "replace"), name_end + 1, []
    while at < until:
        one, at = _document(content, at, until)
        found.append(one)
    return name, found, until


def _document(content: bytes, at: int, end: int) -> tuple[RawBSONDocument, int]:
    size = int.from_bytes(content[at : at + 4], "little", signed=True)
    if size < _SMALLEST_DOCUMENT or at + size > end:
        raise MessageError("a document in it is damaged")
    try:
        return RawBSONDocument(content[at : at + size], RAW), at + size
    except BSONError as error:
        raise MessageError(f"a document in it is damaged ({error})") from None


def fields_of(document: RawBSONDocument) -> dict[str, Any]:
    """The fields of a document, those that are documents raw. Raises MessageError."""
    try:
        return dict(document.items())
    except (BSONError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise MessageError(f"a document in it is damaged ({error})") from None


def document(fields: dict[str, Any]) -> RawBSONDocument:
    """A document of fields. Raises MessageError."""
    try:
        return RawBSONDocument(bson.encode(fields, codec_options=RAW), RAW)
    except (BSONError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise MessageError(f"a document in it is damaged ({error})") from None
