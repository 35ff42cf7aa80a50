"""Sources of documents, the first of them the value function: what every field holds, as a pure function of the corpus.

This is the twin of the load generator's Java code and agrees with it bit by bit, so that a document can be
recomputed and compared without having been stored. All arithmetic is on unsigned 64-bit numbers that wrap.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd
from types import MappingProxyType
from typing import Literal, Protocol

import bson
from pydantic import BaseModel, ConfigDict, Field

from datasets.corpus import Corpus

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio: the step of SplitMix64
_FNV_OFFSET_BASIS = 0xCBF29CE484222325
_FNV_PRIME = 1099511628211


class DocumentShape(BaseModel):
    """Fields of a document beside its `_id`: how many, and how long each is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    field_count: int = Field(10, ge=1, le=10_000, description="Fields of a document, beside its `_id`.")
    field_length_bytes: int = Field(
        100, ge=16, le=1_000_000, description="Length of each field in bytes of UTF-8."
    )  # 16 bytes hold the version marker of any count of updates that a run can reach


DocumentSource = Literal["text"]
"""Names of the sources below, as a spec gives them and Java's `Documents.of` knows them."""


NO_VERSIONS: Mapping[int, int] = MappingProxyType({})


class Documents(Protocol):
    """A source of documents: what every record holds in every version, as a pure function of their numbers.

    Its Java twin is the interface of the same name, which also checks what is stored.
    """

    def document(self, record: int, versions: Mapping[int, int] = NO_VERSIONS) -> bytes:
        """Give a document's BSON as it is stored when updates have left these versions of fields, by their places."""

    def sample(self, size_bytes: int) -> list[bytes]:
        """Give loaded documents of about so many bytes in all, neighbours beside each other."""


def mix(z: int) -> int:
    """Scramble 64 bits (the finaliser of SplitMix64)."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def draw(seed: int, key: int, field: int, version: int) -> int:
    """Draw 64 bits that depend on all four numbers; a negative seed counts as its two's complement."""
    h = seed & _MASK
    for x in (key, field, version):
        h = mix(h + _GOLDEN * (x + 1) & _MASK)
    return h


def marker(version: int) -> bytes:
    """Give what a value of this version begins with; the loaded version 0 has no marker."""
    return b"#%d " % version if version else b""


def value(corpus: Corpus, seed: int, key: int, field: int, version: int, length: int) -> bytes:
    """Give the value of a field: exactly `length` bytes of valid UTF-8.

    `key` is the record's number, `field` the field's. Raises ValueError if `length` cannot hold the marker.
    """
    return value_from(corpus, _below(draw(seed, key, field, version), len(corpus.starts)), version, length)


def _below(drawn: int, n: int) -> int:
    """Map a draw's upper 32 bits evenly onto 0 to n - 1."""
    return (drawn >> 32) * n >> 32


def unit_once(seed: int, place: int, version: int, units: int) -> int:
    """Give the unit at which the value of a place begins, where each begins one of any `units` neighbouring places.

    `place` counts the fields of all records. Neighbours are far apart, so that pages hold no text twice by that.
    """
    step = max(1, units * (_GOLDEN >> 32) >> 32)
    while gcd(step, units) > 1:
        step += 1
    return (_below(draw(seed, 0, 0, version), units) + place % units * step) % units


def value_from(corpus: Corpus, unit: int, version: int, length: int) -> bytes:
    """Give the value of a version that begins at a unit, as `value` does."""
    head = marker(version)
    if length < len(head):
        raise ValueError(f"{length} bytes cannot hold the marker of version {version}")
    return head + _whole_characters(corpus.bytes_from(corpus.starts[unit], length - len(head)))


def _whole_characters(text: bytes) -> bytes:
    """Replace by spaces the bytes of a character that the cut at the end has split."""
    cut = next((i for i in range(1, min(4, len(text)) + 1) if text[-i] & 0xC0 != 0x80), 0)
    if not cut:
        return text
    lead = text[-cut]
    needed = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return text if cut == needed else text[:-cut] + b" " * cut


def key_name(record: int) -> str:
    """Give the `_id` that YCSB makes of a record's number (hashed insert order, no padding)."""
    h = _FNV_OFFSET_BASIS
    for octet in (record & _MASK).to_bytes(8, "little"):
        h = (h ^ octet) * _FNV_PRIME & _MASK
    return f"user{min(h, 2**64 - h)}"  # the absolute value of the signed number


@dataclass(frozen=True)
class TextDocuments:
    """Documents of a corpus's text; `seed` is a signed 64-bit number.

    Without `repeat`, each unit begins one value before any begins a second.
    """

    corpus: Corpus
    seed: int
    shape: DocumentShape
    repeat: bool = True

    def value(self, record: int, field: int, version: int) -> bytes:
        """Give the value of a field, as the function `value` does."""
        if self.repeat:
            return value(self.corpus, self.seed, record, field, version, self.shape.field_length_bytes)
        place = record * self.shape.field_count + field
        unit = unit_once(self.seed, place, version, len(self.corpus.starts))
        return value_from(self.corpus, unit, version, self.shape.field_length_bytes)

    def document(self, record: int, versions: Mapping[int, int] = NO_VERSIONS) -> bytes:
        """Give `_id` and the fields, in the order in which they are stored."""
        fields = {
            f"field{field}": self.value(record, field, versions.get(field, 0)).decode()
            for field in range(self.shape.field_count)
        }
        return bson.encode({"_id": key_name(record), **fields})

    def sample(self, size_bytes: int) -> list[bytes]:
        """Give the first documents in the order of insertion, 64 at least."""
        count = max(64, size_bytes // (self.shape.field_count * self.shape.field_length_bytes))
        return [self.document(record) for record in range(count)]


SOURCES: Mapping[DocumentSource, Callable[[Corpus, int, DocumentShape, bool], Documents]] = {"text": TextDocuments}
"""Each source of text, made of the corpus, the campaign's seed, the documents' shape, and whether values repeat."""
