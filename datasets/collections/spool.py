"""The runs that are kept while a sample is taken: in a file, and sealed where none of it may be read there."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from pydantic import BaseModel, ConfigDict, Field

from core.files import half_written


class Run(BaseModel):
    """Neighbours in stored order."""

    model_config = ConfigDict(frozen=True)

    offset: int = Field(ge=0, description="How many documents come before it in the source.")
    documents: int = Field(ge=1, description="How many documents it has.")
    bytes: int = Field(ge=5, description="Their size in bytes of BSON.")


class Kept(NamedTuple):
    """A run in the file."""

    number: int
    """Among the source's runs; no other one has it."""
    run: Run
    at: int
    """Byte of the file where it begins."""


class Seal:
    """Makes what is written unreadable to all but this process: AES in counter mode, under a key that is never stored.

    The key is good for one spool, each number of which is one run's: so no part of the key stream is used twice.
    """

    def __init__(self) -> None:
        self._key = algorithms.AES256(secrets.token_bytes(32))

    def turn(self, number: int, data: bytes) -> bytes:
        """Seal the data of a run, or unseal it. Its length stays."""
        stream = Cipher(self._key, modes.CTR((number << 64).to_bytes(16, "big"))).encryptor()
        return stream.update(data) + stream.finalize()


@dataclass
class Spool:
    """A file with the runs that are kept so far."""

    path: Path
    seal: Seal | None = None
    kept: list[Kept] = field(default_factory=list)
    size_bytes: int = 0
    """Of the runs that are kept."""

    def append(self, number: int, run: Run, documents: Iterable[bytes]) -> None:
        """Keep a run, too."""
        data = b"".join(documents)
        with self.path.open("ab") as file:
            at = file.tell()
            file.write(self.seal.turn(number, data) if self.seal else data)
        self.recall(Kept(number, run, at))

    def recall(self, one: Kept) -> None:
        """Keep a run that is in the file already."""
        self.kept.append(one)
        self.size_bytes += one.run.bytes

    def choose(self, wanted: Sequence[bool]) -> None:
        """Keep the runs that are wanted. The file stays as it is."""
        self.kept = [one for one, keep in zip(self.kept, wanted, strict=True) if keep]
        self.size_bytes = sum(one.run.bytes for one in self.kept)

    def compact(self) -> None:
        """Give back the space of runs that are not kept."""
        fewer = self.path.with_name(half_written(self.path.name))
        moved: list[Kept] = []
        with self.path.open("rb") as file, fewer.open("wb") as out:
            for one in self.kept:
                file.seek(one.at)
                moved.append(one._replace(at=out.tell()))
                out.write(file.read(one.run.bytes))
        fewer.replace(self.path)
        self.kept = moved

    def documents(self) -> Iterator[bytes]:
        """Give each document of the runs that are kept."""
        for run in self.runs() if self.kept else ():
            yield from split(run)

    def runs(self) -> Iterator[bytes]:
        """Give the documents of each run that is kept, one after the other, as they were before they were sealed."""
        with self.path.open("rb") as file:
            for one in self.kept:
                file.seek(one.at)
                data = file.read(one.run.bytes)
                yield self.seal.turn(one.number, data) if self.seal else data


def split(run: bytes) -> Iterator[bytes]:
    """Give the documents that follow each other."""
    at = 0
    while at < len(run):
        end = at + int.from_bytes(run[at : at + 4], "little")
        yield run[at:end]
        at = end
