"""Takes samples of collections: runs of neighbours, with a manifest that says what they are and what of."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from core.files import sync, write_whole
from datasets.collections.anonymise import Anonymise, anonymise_runs, without_values
from datasets.collections.appearing import appearing
from datasets.collections.draw import Drawn, draw_runs, no_documents, thin_out
from datasets.collections.files.bson_file import BsonFile
from datasets.collections.files.checks import check
from datasets.collections.files.metadata import Metadata
from datasets.collections.live.identity import identity
from datasets.collections.profile import profile
from datasets.collections.records import Collection
from datasets.collections.sources import find_collection
from datasets.collections.spool import Run, Seal, Spool
from datasets.collections.stored_sample import (
    DOCUMENTS,
    MANIFEST,
    Anonymised,
    Sample,
    SampleManifest,
    digest,
    is_sample,
)
from datasets.errors import DatasetError

SPOOL = "runs"
_MOST_PROFILED = 10_000
_MOST_PROFILED_BYTES = 2**24


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


def take_sample(
    source: Path,
    folder: Path,
    *,
    most_bytes: int,
    run_documents: int = 240,
    seed: int,
    anonymise: Anonymise | None = None,
) -> Sample:
    """Take runs of neighbours evenly from all of a source, at most `most_bytes` of BSON; a smaller source as one run.

    A source that is a sample itself stands for the collection that it was taken from.

    `folder` must not exist, or be empty. It appears whole or not at all, for the owner's eyes. It holds the documents
    in clear, unless they are anonymised on the way: then nothing of them is in clear on the disk at any time.

    Raises DatasetError as `read_documents` does, for the documents that were drawn; as `anonymise_runs` does; and where
    the folder is in use.
    """
    sample = Sample.load(source) if is_sample(source) else None
    collection = find_collection(source)
    asked = {"most_bytes": most_bytes, "run_documents": run_documents, "seed": seed}
    with appearing(folder) as new:
        spool = Spool(new / SPOOL, Seal() if anonymise else None)
        drawn = _draw_again(sample, spool, **asked) if sample else draw_runs(collection, spool, **asked)
        before = sample.manifest.anonymised if sample else None
        manifest = write_sample(
            new, collection.name, collection.metadata, drawn, spool, seed=seed, anonymise=anonymise, before=before
        )
    return Sample(folder, manifest)


def _draw_again(sample: Sample, spool: Spool, *, most_bytes: int, run_documents: int, seed: int) -> Drawn:
    """Keep runs of a sample, as of the collection that it was taken from."""
    documents = sample.documents()
    for whole in sample.manifest.runs:
        for begin in range(0, whole.documents, run_documents):
            part = list(islice(documents, min(run_documents, whole.documents - begin)))
            if not part:
                raise DatasetError(f"sample {sample.folder}: has fewer documents than its manifest says; take it again")
            for number, document in enumerate(part, whole.offset + begin + 1):
                check(document, f"sample {sample.folder}, document {number} of its source")
            run = Run(offset=whole.offset + begin, documents=len(part), bytes=sum(map(len, part)))
            spool.append(len(spool.kept), run, part)
    told = sample.manifest
    thin_out(spool, f"sample {sample.folder}", most_bytes, seed)
    every = spool.size_bytes == told.bytes
    runs = told.runs if every else tuple(one.run for one in spool.kept)
    return Drawn(runs, told.source_documents, told.source_bytes, told.source_bytes_estimated)


def write_sample(  # noqa: PLR0913 what is written, and how
    new: Path,
    name: str,
    metadata: Metadata,
    drawn: Drawn,
    spool: Spool,
    *,
    seed: int,
    anonymise: Anonymise | None,
    before: Anonymised | None = None,
) -> SampleManifest:
    """Write what a spool keeps, and a manifest, to a folder, in which nothing else stays. Raises DatasetError.

    `before` says how the documents were anonymised before they were drawn.
    """
    documents = new / DOCUMENTS
    documents.unlink(missing_ok=True)  # of one that was killed here
    anonymised = before
    if anonymise:
        anonymised, metadata = anonymise_runs(spool, documents, name, anonymise), without_values(metadata)
    else:
        with documents.open("xb") as file:
            file.writelines(spool.runs())
    manifest = write_manifest(new, name, metadata, drawn, seed=seed, anonymised=anonymised)
    for entry in new.iterdir():
        if entry.name not in {DOCUMENTS, MANIFEST}:
            entry.unlink()
    return manifest


def write_manifest(
    new: Path, name: str, metadata: Metadata, drawn: Drawn, *, seed: int, anonymised: Anonymised | None = None
) -> SampleManifest:
    """Write the manifest of the documents in a folder. Raises DatasetError."""
    documents = new / DOCUMENTS
    _refuse_twins(name, drawn, documents)
    manifest = _manifest(name, metadata, drawn, documents, seed).model_copy(update={"anonymised": anonymised})
    sync(documents)
    write_whole(new / MANIFEST, manifest.model_dump_json(indent=2) + "\n", durable=True)
    return manifest


def _refuse_twins(name: str, drawn: Drawn, path: Path) -> None:
    """See to it that no `_id` is twice among the documents that were drawn: a server would refuse the second one."""
    seen: dict[int, int] = {}
    numbers = (run.offset + one for run in drawn.runs for one in range(1, run.documents + 1))
    for number, record in zip(numbers, BsonFile(path, links=False), strict=True):
        found = identity(record.raw)
        if found is None:
            continue
        twin = seen.setdefault(found, number)
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
        digest=digest(path),
        runs=drawn.runs,
        seed=seed,
        id_kinds=found.id_kinds,
        profiled_documents=found.documents,
        paths=found.paths,
        values_left_out=found.values_left_out,
        **metadata.model_dump(),
    )
