"""A sample of a collection: runs of neighbours, with a manifest that says what they are and what of."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from blake3 import blake3
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.files import half_written, sync, write_whole
from core.stored import read_regular
from datasets.collections.bson_file import BsonFile
from datasets.collections.draw import Drawn, Run, draw_runs, no_documents
from datasets.collections.elements import elements
from datasets.collections.metadata import Index, Metadata
from datasets.collections.profile import PathProfile, profile
from datasets.collections.records import Collection
from datasets.collections.sources import find_collection
from datasets.errors import DatasetError

FORMAT_VERSION = 1
DOCUMENTS, MANIFEST = "documents.bson", "manifest.json"
_MOST_PROFILED = 10_000
_MOST_PROFILED_BYTES = 2**24
_OWNERS = 0o700


class SampleManifest(BaseModel):
    """What a sample is and where it came from; stored beside it as JSON."""

    model_config = ConfigDict(frozen=True)

    format_version: int = Field(FORMAT_VERSION, description="Version of this format.")
    source: str = Field(description="What the source is called: a collection's or a file's name.")
    source_documents: int = Field(description="Documents of the whole source.")
    source_bytes: int = Field(description="Their size in bytes of BSON.")
    source_bytes_estimated: bool = Field(description="Whether that size follows from the documents that were parsed.")
    documents: int = Field(description="Documents of the sample.")
    bytes: int = Field(description="Their size in bytes of BSON.")
    digest: str = Field(description="BLAKE3 of the file with the documents.")
    runs: tuple[Run, ...] = Field(description="The runs of neighbours, in stored order.")
    seed: int = Field(description="Seed of the draw.")
    id_kinds: dict[str, int] = Field(description="How many profiled documents have an `_id` of each type.")
    profiled_documents: int = Field(description="Documents of the sample that were looked at for the paths.")
    paths: tuple[PathProfile, ...] = Field(description="What these hold, by path.")
    values_left_out: int = Field(description="Values under paths that are too many or too long to be listed.")
    indexes: tuple[Index, ...] = Field(description="Indexes of the source; none where it is JSON.")
    options: dict[str, Any] = Field(description="Options of the source's collection, as canonical Extended JSON.")
    block_compressor: str | None = Field(description="The compressor that these options name, if they do.")
    storage_bytes: int | None = Field(None, description="What the source takes on its server's disk, if it was asked.")


@dataclass(frozen=True)
class Sample:
    """A sample on disk."""

    folder: Path
    manifest: SampleManifest

    @classmethod
    def load(cls, folder: Path) -> "Sample":
        """Open a sample that was taken before, and prove it by its digest. Raises DatasetError."""
        try:
            manifest = SampleManifest.model_validate_json(read_regular(folder / MANIFEST))
            intact = _digest(folder / DOCUMENTS) == manifest.digest
        except (OSError, ValidationError) as error:
            raise DatasetError(f"sample {folder}: cannot be read ({_first(error)}); take it again") from None
        if not intact:
            raise DatasetError(f"sample {folder}: {DOCUMENTS} is another than was written; take the sample again")
        return cls(folder, manifest)

    def documents(self) -> Iterator[bytes]:
        """Give all documents, in stored order."""
        return (record.raw for record in BsonFile(self.folder / DOCUMENTS, links=False))

    def runs(self) -> Iterator[list[bytes]]:
        """Give the documents run by run, in stored order."""
        documents = self.documents()
        return (list(islice(documents, run.documents)) for run in self.manifest.runs)


def read_documents(source: Path) -> Iterator[bytes]:
    """Give each document of a source in stored order, as BSON, streamed and checked.

    The source is a file of JSON Lines, or of one JSON array, in plain or Extended JSON; a `.bson` file; a mongodump
    folder with one collection; an archive with one, or `<archive>/<db>.<collection>`. Each may be gzip. What a dump
    holds is given byte for byte. What becomes of JSON is said in `extended_json.parse`.

    Raises DatasetError with the file and the line, or the document's number and byte.
    """
    return _documents(find_collection(source))


def _documents(collection: Collection) -> Iterator[bytes]:
    """Give all documents, of which there has to be one."""
    record = None
    for record in collection.records:
        yield collection.records.document(record)
    if record is None:
        raise no_documents(str(collection.path))


def take_sample(source: Path, folder: Path, *, most_bytes: int, run_documents: int = 240, seed: int) -> Sample:
    """Take runs of neighbours evenly from all of a source, at most `most_bytes` of BSON; a smaller source as one run.

    `folder` must not exist, or be empty. It appears whole or not at all. It holds the documents in clear, for the
    owner's eyes. Raises DatasetError as `read_documents` does, for the documents that were drawn.
    """
    collection = find_collection(source)
    asked = {"most_bytes": most_bytes, "run_documents": run_documents, "seed": seed}
    return write_sample(
        folder, collection.name, collection.metadata, lambda path: draw_runs(collection, path, **asked), seed
    )


def write_sample(folder: Path, name: str, metadata: Metadata, drawn: Callable[[Path], Drawn], seed: int) -> Sample:
    """Write a sample of what `drawn` writes to a file and tells about. Raises DatasetError."""
    with _appearing(folder) as new:
        found = drawn(new / DOCUMENTS)
        _refuse_twins(name, found, new / DOCUMENTS)
        manifest = _manifest(name, metadata, found, new / DOCUMENTS, seed)
        sync(new / DOCUMENTS)
        write_whole(new / MANIFEST, manifest.model_dump_json(indent=2) + "\n", durable=True)
    return Sample(folder, manifest)


@contextmanager
def _appearing(folder: Path) -> Iterator[Path]:
    """Give a folder that is called `folder` once the block has ended well, and is gone where it has not."""
    new = folder.with_name(half_written(f"{folder.name}.{os.getpid()}"))
    try:
        if folder.is_symlink() or (folder.exists() and any(folder.iterdir())):
            raise DatasetError(f"sample {folder}: something is there already; give another folder, or remove it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(_OWNERS)
        yield new
        new.rename(folder)
        sync(folder.parent)
    except OSError as error:
        raise DatasetError(
            f"sample {folder}: cannot be written ({error.strerror}); check rights and free space"
        ) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _refuse_twins(name: str, drawn: Drawn, path: Path) -> None:
    """See to it that no `_id` is twice among the documents that were drawn: a server would refuse the second one."""
    seen: dict[int, int] = {}
    numbers = (run.offset + one for run in drawn.runs for one in range(1, run.documents + 1))
    for number, record in zip(numbers, BsonFile(path, links=False), strict=True):
        first = next(elements(record.raw), None)
        if first and first.path == b"_id":
            twin = seen.setdefault(hash(first), number)
            if twin != number:
                raise DatasetError(
                    f"dataset {name}: documents {twin} and {number} have the same `_id`, which a server refuses; "
                    "leave one of them out"
                )


def _manifest(name: str, metadata: Metadata, drawn: Drawn, path: Path, seed: int) -> SampleManifest:
    """Describe what was drawn."""
    documents = sum(run.documents for run in drawn.runs)
    size = path.stat().st_size
    step = max(-(-documents // _MOST_PROFILED), -(-size // _MOST_PROFILED_BYTES))
    found = profile(record.raw for record in islice(BsonFile(path, links=False), 0, None, step))
    return SampleManifest(
        source=name,
        source_documents=drawn.documents,
        source_bytes=drawn.bytes,
        source_bytes_estimated=drawn.bytes_estimated,
        documents=documents,
        bytes=size,
        digest=_digest(path),
        runs=drawn.runs,
        seed=seed,
        id_kinds=found.id_kinds,
        profiled_documents=found.documents,
        paths=found.paths,
        values_left_out=found.values_left_out,
        **metadata.model_dump(),
    )


def _digest(path: Path) -> str:
    return blake3().update_mmap(path).hexdigest()


def _first(error: Exception) -> str:
    return str(error).partition("\n")[0]
