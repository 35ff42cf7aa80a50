"""What documents hold: paths, types, sizes and how many different values, in bounded memory."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from datasets.collections.elements import TYPES, elements

MOST_PATHS = 1000
MOST_DISTINCT = 1000
LONGEST_PATH = 300
"""Bytes of UTF-8."""


class PathProfile(BaseModel):
    """What the profiled documents hold under one path."""

    model_config = ConfigDict(frozen=True)

    path: str = Field(description="Names joined by dots; `[]` stands for the entries of a list.")
    values: int = Field(description="How many values were seen.")
    types: dict[str, int] = Field(description="How many of them are of each type, as `$type` calls it.")
    bytes: int = Field(description="What all of them take, without their names.")
    largest_bytes: int = Field(description="What the largest one takes.")
    distinct: int = Field(description=f"How many different values there are; {MOST_DISTINCT} means as many or more.")


class Profile(BaseModel):
    """What documents hold."""

    model_config = ConfigDict(frozen=True)

    documents: int = Field(description="How many documents were looked at.")
    id_kinds: dict[str, int] = Field(description="How many `_id`s are of each type; `none` where there is none.")
    paths: tuple[PathProfile, ...] = Field(description="The paths, in the order in which they were first seen.")
    values_left_out: int = Field(description="Values under paths that are too many or too long to be listed.")


@dataclass
class _Seen:
    types: Counter[int] = field(default_factory=Counter)
    bytes: int = 0
    largest_bytes: int = 0
    distinct: set[int] = field(default_factory=set)


def profile(documents: Iterable[bytes]) -> Profile:
    """Look at valid documents. The first thousand paths are listed, and their values counted up to a thousand."""
    seen: dict[bytes, _Seen] = {}
    ids = Counter[str]()
    number = left_out = 0
    for document in documents:
        number += 1
        id_kind = "none"
        for path, kind, value, _ in elements(document):
            if path == b"_id":
                id_kind = TYPES[kind]
            one = seen.get(path)
            if one is None:
                if len(seen) >= MOST_PATHS or len(path) > LONGEST_PATH:
                    left_out += 1
                    continue
                one = seen[path] = _Seen()
            one.types[kind] += 1
            one.bytes += len(value)
            one.largest_bytes = max(one.largest_bytes, len(value))
            if len(one.distinct) < MOST_DISTINCT:
                one.distinct.add(hash((kind, value)))
        ids[id_kind] += 1
    return Profile(
        documents=number,
        id_kinds=dict(ids),
        paths=tuple(_path(path, one) for path, one in seen.items()),
        values_left_out=left_out,
    )


def _path(path: bytes, seen: _Seen) -> PathProfile:
    return PathProfile(
        path=path.decode(errors="replace"),
        values=seen.types.total(),
        types={TYPES[kind]: count for kind, count in seen.types.items()},
        bytes=seen.bytes,
        largest_bytes=seen.largest_bytes,
        distinct=len(seen.distinct),
    )
