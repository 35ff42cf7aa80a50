"""A sample on disk: its documents, and a manifest that says what they are and what of."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from blake3 import blake3
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.bounds import LARGEST_INT
from core.stored import read_regular
from datasets.collections.files.bson_file import BsonFile
from datasets.collections.files.metadata import Index, Metadata
from datasets.collections.profile import PathProfile
from datasets.collections.spool import Run
from datasets.errors import DatasetError

FORMAT_VERSION = 1
DOCUMENTS, MANIFEST = "documents.bson", "manifest.json"


class RatioChange(BaseModel):
    """What anonymising did to what a codec makes of the sample."""

    model_config = ConfigDict(frozen=True)

    codec: str = Field(description="`snappy`, `zlib-<level>` or `zstd-<level>`.")
    before: float = Field(description="BSON ÷ compressed bytes of the documents in clear, in pages of 64 KiB.")
    after: float = Field(description="The same of those that are stored.")

    @property
    def share(self) -> float:
        """The change as a share of what it was: -0.02 is two per cent less compressible."""
        return self.after / self.before - 1


class Anonymised(BaseModel):
    """How a sample was anonymised."""

    model_config = ConfigDict(frozen=True)

    paths: tuple[str, ...] = Field(description="The paths that were, with all below them; none means all.")
    in_clear: tuple[str, ...] = Field(description="The paths that were left as they are, with all below them.")
    ratios: tuple[RatioChange, ...] = Field(description="What that did to the ratio of each codec.")

    @property
    def changes(self) -> str:
        """The ratios in words: `snappy 2.100 → 2.079 (-1.0%), …`."""
        return ", ".join(f"{one.codec} {one.before:.3f} → {one.after:.3f} ({one.share:+.1%})" for one in self.ratios)


class SampleManifest(BaseModel):
    """What a sample is and where it came from; stored beside it as JSON."""

    model_config = ConfigDict(frozen=True)

    format_version: int = Field(FORMAT_VERSION, description="Version of this format.")
    source: str = Field(description="What the source is called: a collection's or a file's name.")
    source_documents: int = Field(ge=1, le=LARGEST_INT, description="Documents of the whole source.")
    source_bytes: int = Field(ge=5, le=LARGEST_INT, description="Their size in bytes of BSON.")
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
    anonymised: Anonymised | None = Field(None, description="How the documents were anonymised, if they were.")

    @property
    def metadata(self) -> Metadata:
        """What is known of the source beside its documents."""
        return Metadata(**{name: getattr(self, name) for name in Metadata.model_fields})


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
            intact = digest(folder / DOCUMENTS) == manifest.digest
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


def is_sample(folder: Path) -> bool:
    """Tell whether a folder holds a sample."""
    return all((folder / name).is_file() for name in (DOCUMENTS, MANIFEST))


def digest(path: Path) -> str:
    """Give the digest of a file with documents."""
    return blake3().update_mmap(path).hexdigest()


def _first(error: Exception) -> str:
    return str(error).partition("\n")[0]
