"""A run's digests: `digests.jsonl`, one line for each file of the run as it appears or changes.

    {"path":"trials/0001-1-zstd/trial.json","size_bytes":9120,"blake3":"…"}

The last line of a path is in force. A trial's record lists the trial's other files, so one line stands for them all.
A file's line is on disk before the file appears: a harness that is killed in between leaves an announcement that did
not come true, always as the last line, and `settle` sees to it when the run goes on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import blake3
from pydantic import BaseModel, ConfigDict, ValidationError

from core.stored import read_stored

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE = "digests.jsonl"
_LARGEST_BYTES = 64 * 2**20


class Entry(BaseModel):
    """A file of the run, by its path in the run's folder; one without a digest is gone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    size_bytes: int
    blake3: str | None

    @classmethod
    def of(cls, path: str, content: bytes) -> Entry:
        """The entry of a file with this content."""
        return cls(path=path, size_bytes=len(content), blake3=blake3.blake3(content).hexdigest())


@dataclass(frozen=True)
class Digests:
    """The digests of the run in a folder."""

    folder: Path

    def append(self, entries: Iterable[Entry]) -> None:
        """Add lines; they are on disk when this returns. Raises OSError."""
        lines = "".join(f"{entry.model_dump_json()}\n" for entry in entries)
        with (self.folder / FILE).open("a+b") as file:
            file.seek(max(0, file.tell() - 1))
            torn = file.read(1) not in {b"", b"\n"}  # by a loss of power; what is torn says nothing
            file.write((b"\n" if torn else b"") + lines.encode())
            file.flush()
            os.fsync(file.fileno())

    def entries(self) -> list[Entry]:
        """Every line, in order; none where the run has no digests. A line that is no entry says nothing."""
        try:
            lines = read_stored(self.folder / FILE, _LARGEST_BYTES).splitlines()
        except FileNotFoundError:
            return []
        return [entry for line in lines if (entry := _parse(line))]

    def in_force(self) -> dict[str, Entry]:
        """The last entry of each path that is there."""
        last = {entry.path: entry for entry in self.entries()}
        return {path: entry for path, entry in last.items() if entry.blake3}


def is_there(folder: Path, entry: Entry) -> bool:
    """Whether a run's file is what its entry says."""
    try:
        content = read_stored(folder / entry.path, entry.size_bytes)
    except OSError:
        return False
    return Entry.of(entry.path, content) == entry


def fingerprint(entries: Iterable[Entry]) -> str:
    """One digest for all of a run's evidence: whoever notes it down can tell later whether any of it was changed."""
    lines = sorted(f"{entry.blake3} {entry.path}\n" for entry in entries)
    return blake3.blake3("".join(lines).encode()).hexdigest()


def _parse(line: bytes) -> Entry | None:
    try:
        return Entry.model_validate_json(line)
    except ValidationError:
        return None
