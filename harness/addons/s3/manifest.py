"""What a run in the store consists of: `manifest.json`, written when everything else is there.

A store is other people's input: a manifest says nothing that leads out of a run's folder, or can't lie in one.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from core.bounds import Name, RunName
from core.sizes import show_size

MANIFEST = "manifest.json"
MOST_FILES = 50_000
MOST_BYTES = 64 * 2**30
MOST_MANIFEST_BYTES = 32 * 2**20  # which so many files of the longest paths don't reach
_LONGEST_PATH, _LONGEST_PART = 400, 200  # bytes; files under way and packed ones have longer names
Blake3 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Codec(StrEnum):
    """How a file's bytes lie in the store."""

    PLAIN = "plain"
    ZSTD = "zstd"


class StoredFile(BaseModel):
    """One file of a run: its path in the run's folder, its size and digest before compression."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    size_bytes: Annotated[int, Field(ge=0)]
    blake3: Blake3
    codec: Codec

    @field_validator("path")
    @classmethod
    def _stays_inside(cls, value: str) -> str:
        path = PurePosixPath(value)
        if not path.parts or path.is_absolute() or str(path) != value or not value.isprintable():
            raise ValueError(f"{value!r} is not a path within a run")
        if any(part.startswith(".") for part in path.parts):  # `..`, and what is there for the moment only
            raise ValueError(f"{value!r} is not a path within a run: a part of it begins with a dot")
        if len(value.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in path.parts):
            raise ValueError(f"{value[:40]!r}… is not a path within a run: it is too long")
        return value

    @property
    def name(self) -> str:
        """The object's name below the run's prefix."""
        return f"{self.path}.zst" if self.codec is Codec.ZSTD else self.path


class Manifest(BaseModel):
    """A run in the store."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    campaign: Name
    run_id: RunName
    pushed_at: Annotated[str, StringConstraints(pattern=r"^[0-9T:.+Z-]{1,40}$")]
    files: Annotated[tuple[StoredFile, ...], Field(max_length=MOST_FILES)]

    @property
    def size_bytes(self) -> int:
        """Of all files, before compression."""
        return sum(file.size_bytes for file in self.files)

    @model_validator(mode="after")
    def _fits_a_disk(self) -> Manifest:
        if self.size_bytes > MOST_BYTES:
            raise ValueError(f"{show_size(self.size_bytes)} are more than a run may have, {show_size(MOST_BYTES)}")
        return self

    @model_validator(mode="after")
    def _each_has_its_place(self) -> Manifest:
        """No path is another's, or its folder, on any file system: some take `A` and `a` for the same."""
        paths = {file.path.casefold() for file in self.files}
        if len(paths) < len(self.files):
            raise ValueError("two files have the same path")
        for file in self.files:
            inside = next((one for one in PurePosixPath(file.path.casefold()).parents if str(one) in paths), None)
            if inside:
                raise ValueError(f"{file.path!r} lies in what is a file itself")
        return self
