"""Documents of one's own: whole BSON documents, the templates, which records take in turn.

This is the twin of the load generator's Java code and agrees with it byte by byte. Record r is template r mod N in
cycle r div N: a later cycle has the template's `_id` rewritten, so that each is another. An update gives a path the
value that it has in another template, and tells its version in `_pg`, a last document of the stored one.
"""

import mmap
import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field

from datasets.collections.elements import DOCUMENT, TYPES, fields
from datasets.documents import NO_VERSIONS, draw, mix
from datasets.errors import DatasetError

MARKER = "_pg"
"""The document that updates leave in the updated one: versions by the path's place, `{"0": 3}`, as int64."""

_LONG = 0x12
_SAMPLED_STRETCHES = 16
_CYCLE_OF_STRING = re.compile(rb"~[0-9a-z]+\Z")
_OLD_BINARY = 2  # the subtype that holds a second length


class Value(NamedTuple):
    """A value as BSON stores it."""

    kind: int
    """Byte of its type."""
    raw: bytes


class Templates(Sequence[bytes]):
    """A file of documents one after the other, as `mongodump` writes them, mapped into memory."""

    def __init__(self, path: Path) -> None:
        """Map a file. Raises DatasetError if it is missing, empty or damaged."""
        self._path = path
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # an empty file can't be mapped
            raise DatasetError(f"documents {path}: cannot be read ({error}); prepare them again") from None
        self._starts = array("Q", self._walk())

    def _walk(self) -> Iterator[int]:
        at, size = 0, len(self._bytes)
        while at < size:
            yield at
            length = int.from_bytes(self._bytes[at : at + 4], "little")
            if length < 5 or at + length > size:
                raise DatasetError(f"documents {self._path}: damaged at byte {at:,}; prepare them again")
            at += length

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, number: int) -> bytes:  # type: ignore[override]  # no slices: a file may be large
        at = self._starts[number]
        return self._bytes[at : at + int.from_bytes(self._bytes[at : at + 4], "little")]

    @property
    def size_bytes(self) -> int:
        """How large they are in all."""
        return len(self._bytes)

    def close(self) -> None:
        """Let the file go."""
        self._bytes.close()


class _Number(NamedTuple):
    """How the number in an `_id` is read, where it ends, and how it is written again."""

    of: Callable[[bytes], int | None]
    most: int
    into: Callable[[bytes, int], bytes]


def _integer(size: int) -> _Number:
    return _Number(
        lambda raw: int.from_bytes(raw, "little", signed=True),
        2 ** (8 * size - 1) - 1,
        lambda _, number: number.to_bytes(size, "little", signed=True),
    )


def _whole(raw: bytes) -> int | None:
    (number,) = struct.unpack("<d", raw)
    return int(number) if number.is_integer() and abs(number) <= 2**53 else None


_NUMBERS = {
    "int": _integer(4),
    "long": _integer(8),
    "date": _integer(8),
    "double": _Number(_whole, 2**53, lambda _, number: struct.pack("<d", number)),
    "objectId": _Number(
        lambda raw: int.from_bytes(raw[:4], "big"), 2**32 - 1, lambda raw, number: number.to_bytes(4, "big") + raw[4:]
    ),
}

IdKind = Literal["int", "long", "double", "date", "objectId", "string", "binData", "other"]


class Ids(BaseModel):
    """How the `_id`s of templates go on in later cycles."""

    model_config = ConfigDict(frozen=True)

    kind: IdKind = Field(description="What all of them are; `other`: nothing that could go on.")
    span: int = Field(0, description="What a cycle adds to the number in them; 0 where there is none.")
    cycles: int | None = Field(description="How many cycles there are; none: as many as wanted.")

    @classmethod
    def of(cls, templates: Iterable[bytes]) -> "Ids":
        """Look at all templates, each of which has to begin with its `_id`."""
        kinds, least, largest = set(), None, 0
        for template in templates:
            own = own_id(template)
            kinds.add(_going_on(own))
            number = _NUMBERS[TYPES[own.kind]].of(own.raw) if TYPES[own.kind] in _NUMBERS else None
            if number is not None:
                largest = number if least is None else max(largest, number)
                least = number if least is None else min(least, number)
            if len(kinds) > 1 or "other" in kinds:
                return cls(kind="other", cycles=1)
        (kind,) = kinds
        if least is None:
            return cls(kind=kind, cycles=None)
        span = largest - least + 1
        if span > _NUMBERS["long"].most:
            return cls(kind="other", cycles=1)
        return cls(kind=kind, span=span, cycles=1 + (_NUMBERS[kind].most - largest) // span)

    def in_cycle(self, own: Value, cycle: int) -> Value:
        """Give what becomes of a template's `_id`. Raises DatasetError where it can't go on so far."""
        if cycle == 0:
            return own
        if self.kind in _NUMBERS:
            number = _NUMBERS[self.kind]
            found = number.of(own.raw)
            if found is not None and found + cycle * self.span <= number.most:
                return Value(own.kind, number.into(own.raw, found + cycle * self.span))
        elif self.kind == "string":
            text = own.raw[4:-1] + b"~" + _base36(cycle) + b"\0"
            return Value(own.kind, len(text).to_bytes(4, "little") + text)
        elif self.kind == "binData":
            last = int.from_bytes(own.raw[-8:], "big") ^ mix(cycle)
            return Value(own.kind, own.raw[:-8] + last.to_bytes(8, "big"))
        raise DatasetError(f"an _id of kind {self.kind} has no cycle {cycle}")


def own_id(template: bytes) -> Value:
    """Give the `_id` of a template, which is its first field."""
    first = next(fields(template), None)
    if first is None or first.name != b"_id":
        raise DatasetError("a template does not begin with its _id; prepare them again")
    return Value(first.kind, template[first.start : first.end])


def _going_on(own: Value) -> IdKind:
    """Say by which rule an `_id` goes on."""
    kind = TYPES[own.kind]
    if kind == "string":
        # "a~1" might be what another one becomes
        return "other" if _CYCLE_OF_STRING.search(own.raw[4:-1]) else "string"
    if kind == "binData":
        return "binData" if len(own.raw) >= 5 + 8 and own.raw[4] != _OLD_BINARY else "other"
    if kind in _NUMBERS and _NUMBERS[kind].of(own.raw) is not None:
        return cast("IdKind", kind)
    return "other"


def _base36(number: int) -> bytes:
    digits = b""
    while number:
        number, digit = divmod(number, 36)
        digits = b"0123456789abcdefghijklmnopqrstuvwxyz"[digit : digit + 1] + digits
    return digits


@dataclass(frozen=True)
class TemplateDocuments:
    """Documents made of templates; `seed` is a signed 64-bit number, `paths` are dotted."""

    templates: Sequence[bytes]
    seed: int
    paths: tuple[str, ...]
    ids: Ids

    def key(self, record: int) -> Value:
        """Give a record's `_id`. Raises DatasetError if there is no such record."""
        cycle, number = divmod(record, len(self.templates))
        try:
            return self.ids.in_cycle(own_id(self.templates[number]), cycle)
        except DatasetError as error:
            raise DatasetError(f"record {record} of {len(self.templates)} templates: {error}") from None

    def value(self, record: int, path: int, version: int) -> Value:
        """Give the value of a path, by its place: version 0 as loaded, a later one as an update writes it."""
        drawn = (draw(self.seed, record, path, version) >> 32) * len(self.templates) >> 32
        return _at_path(self.templates[drawn if version else record % len(self.templates)], self.paths[path])

    def document(self, record: int, versions: Mapping[int, int] = NO_VERSIONS) -> bytes:
        """Give a document as it is stored when updates have left these versions of paths, by their places."""
        written = {self.paths[path]: self.value(record, path, version) for path, version in versions.items()}
        document = _rewritten(self.templates[record % len(self.templates)], {"_id": self.key(record)} | written)
        if not versions:
            return document
        markers = [_field(_LONG, str(path).encode(), at.to_bytes(8, "little")) for path, at in versions.items()]
        return _whole_document(document[4:-1] + _field(DOCUMENT, MARKER.encode(), _whole_document(b"".join(markers))))

    def sample(self, size_bytes: int) -> list[bytes]:
        """Give stretches of neighbours from all of the templates, of about so many bytes in all."""
        ends = list(accumulate(map(len, self.templates)))
        stretches = min(_SAMPLED_STRETCHES, max(1, ends[-1] // size_bytes))
        starts = [bisect_left(ends, ends[-1] * at // stretches) for at in range(stretches)]
        taken: list[bytes] = []
        for start in starts:
            last = bisect_left(ends, (ends[start - 1] if start else 0) + size_bytes // stretches)
            taken += [self.templates[at] for at in range(start, min(last + 1, len(ends)))]
        return taken


def _at_path(document: bytes, path: str) -> Value:
    start = 0
    *above, name = path.encode().split(b".")
    for part in above:
        start = next(one.start for one in fields(document, start) if one.name == part)
    found = next(one for one in fields(document, start) if one.name == name)
    return Value(found.kind, document[found.start : found.end])


def _rewritten(document: bytes, values: Mapping[str, Value], start: int = 0, prefix: str = "") -> bytes:
    """Give the document that begins at a byte, with other values at some paths; each takes the first of its name."""
    left = {path: value for path, value in values.items() if path.startswith(prefix)}
    content = b""
    for one in fields(document, start):
        path = prefix + one.name.decode()
        if path in left:
            new = left.pop(path)
            content += _field(new.kind, one.name, new.raw)
        elif one.kind == DOCUMENT and any(other.startswith(path + ".") for other in left):
            content += _field(one.kind, one.name, _rewritten(document, left, one.start, path + "."))
            left = {other: value for other, value in left.items() if not other.startswith(path + ".")}
        else:
            content += document[one.at : one.end]
    return _whole_document(content)


def _field(kind: int, name: bytes, raw: bytes) -> bytes:
    return bytes([kind]) + name + b"\0" + raw


def _whole_document(content: bytes) -> bytes:
    return (len(content) + 5).to_bytes(4, "little") + content + b"\0"
