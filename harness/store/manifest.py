"""What a run in the store consists of: `manifest.json`, written when everything else is there."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from harness.spec_base import Name

MANIFEST = "manifest.json"
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
        """A store is other people's input: no path may lead out of the run's folder."""
        path = PurePosixPath(value)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in value or str(path) != value:
            raise ValueError(f"{value!r} is no path within a run")
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
    run_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
    pushed_at: str
    files: tuple[StoredFile, ...]

    @property
    def size_bytes(self) -> int:
        """Of all files, before compression."""
        return sum(file.size_bytes for file in self.files)
