"""What is profiled: the documents of a collection, or the bytes of any file or folder; of large ones an even part."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from datasets.collections import read_documents, take_sample
from datasets.errors import DatasetError
from datasets.own_documents import run_documents
from datasets.profiling.silesia import is_silesia

PIECE_BYTES = 2**18
"""Of large data, pieces of this size are taken, evenly: twice the largest block."""
_MOST_FILES = 100_000
_SEED = 1
_OF_COLLECTIONS = (".bson", ".json", ".jsonl", ".ndjson", ".archive")


@dataclass(frozen=True)
class Data:
    """What is profiled, and what it is a part of."""

    kind: Literal["documents", "bytes"]
    content: bytes = field(repr=False)
    lengths: tuple[int, ...] = field(repr=False)
    """Of the documents that `content` is made of, one after the other; none where they are bytes."""
    source_bytes: int
    """Of all there is."""
    source_documents: int | None
    estimated: bool = False
    """Whether `source_bytes` is, as for a JSON source that was not parsed as a whole."""
    corpus: str | None = None
    """A corpus by which others know it."""

    def documents(self) -> Iterator[bytes]:
        """Give the documents."""
        at = 0
        for length in self.lengths:
            yield self.content[at : at + length]
            at += length


def read_data(path: Path, folder: Path, *, most_bytes: int, as_bytes: bool = False) -> Data:
    """Read a collection's documents, or else the bytes of a file, or of all files of a folder in order of their paths.

    `folder` must not exist; a sample of documents is there afterwards, in clear. What is named as a collection and
    can't be read as one is an error, and so is a dump's folder with several; `as_bytes` takes either as bytes. Raises
    DatasetError.
    """
    if not as_bytes and _is_collection(path):
        return _documents(path, folder, most_bytes)
    try:
        return _bytes(path, most_bytes)
    except OSError as error:
        raise DatasetError(
            f"dataset {error.filename or path}: cannot be read ({error.strerror}); check path and rights"
        ) from None


def _is_collection(path: Path) -> bool:
    """Say whether a path means a collection: by its name, or because its first document can be read."""
    inside = (*path.glob("*.bson*"), *path.glob("*/*.bson*")) if path.is_dir() else ()
    if inside or path.name.removesuffix(".gz").endswith(_OF_COLLECTIONS) or not path.exists():
        return True
    if path.is_dir():
        return False
    try:
        return bool(next(read_documents(path)))
    except DatasetError:
        return False


def _documents(path: Path, folder: Path, most_bytes: int) -> Data:
    sample = take_sample(path, folder, most_bytes=most_bytes, run_documents=run_documents(path), seed=_SEED)
    return of_documents(
        sample.documents(),
        source_bytes=sample.manifest.source_bytes,
        source_documents=sample.manifest.source_documents,
        estimated=sample.manifest.source_bytes_estimated,
    )


def of_documents(
    documents: Iterator[bytes],
    *,
    source_bytes: int | None = None,
    source_documents: int | None = None,
    estimated: bool = False,
) -> Data:
    """Make data of documents, which are all there are unless the source is said to have more."""
    every = list(documents)
    content = b"".join(every)
    return Data(
        kind="documents",
        content=content,
        lengths=tuple(map(len, every)),
        source_bytes=len(content) if source_bytes is None else source_bytes,
        source_documents=len(every) if source_documents is None else source_documents,
        estimated=estimated,
    )


def _bytes(path: Path, most_bytes: int) -> Data:
    files = _files(path)
    sizes = [file.stat().st_size for file in files]
    if not sum(sizes):
        raise DatasetError(f"dataset {path}: holds no bytes; give a file or folder with some")
    return Data(
        kind="bytes",
        content=b"".join(_pieces(files, sizes, most_bytes)),
        lengths=(),
        source_bytes=sum(sizes),
        source_documents=None,
        corpus="Silesia" if is_silesia(files) else None,
    )


def _files(path: Path) -> list[Path]:
    """Give the regular files, in order of their paths; links are not followed within a folder."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DatasetError(f"dataset {path}: is neither a file nor a folder; give one of them")
    found: list[Path] = []
    for folder, folders, names in os.walk(path, onerror=_raise):
        folders.sort()
        found += (one for one in (Path(folder, name) for name in names) if one.is_file() and not one.is_symlink())
        if len(found) > _MOST_FILES:
            raise DatasetError(f"dataset {path}: holds more than {_MOST_FILES:,} files; give a smaller folder")
    return sorted(found)


def _raise(error: OSError) -> None:
    raise error


def _pieces(files: list[Path], sizes: list[int], most_bytes: int) -> Iterator[bytes]:
    """Give all bytes, or pieces evenly from all of the files as if they were one."""
    total = sum(sizes)
    if total <= most_bytes:
        yield from (file.read_bytes() for file in files)
        return
    read = _reader(files, sizes)
    piece = min(PIECE_BYTES, most_bytes)
    count = most_bytes // piece
    for number in range(count):
        yield read(number * (total - piece) // max(1, count - 1), piece)


def _reader(files: list[Path], sizes: list[int]) -> Callable[[int, int], bytes]:
    """Give a function that reads some bytes from a place on, across files."""

    def read(start: int, length: int) -> bytes:
        found = b""
        at = 0
        for file, size in zip(files, sizes, strict=True):
            if at < start + length and start < at + size:
                with file.open("rb") as stream:
                    stream.seek(max(0, start - at))
                    found += stream.read(min(start + length, at + size) - max(start, at))
            at += size
        return found

    return read
