"""Prepares documents of one's own: a sample of them that is stored again and again, the templates.

A record's document is that of template r mod N; docs/own-data.md says what becomes of its `_id` and of updates.
"""

import json
import shutil
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from blake3 import blake3
from bson import json_util
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.files import write_whole
from datasets.collections.elements import DOCUMENT, fields
from datasets.collections.files.metadata import Index
from datasets.collections.profile import MOST_PATHS, PathProfile, profile
from datasets.collections.sample import read_documents, take_sample
from datasets.collections.sources import find_collection
from datasets.collections.stored_sample import DOCUMENTS, Sample
from datasets.document_recipes import DocumentRecipe, MadeUp, OwnDocuments
from datasets.errors import DatasetError
from datasets.neighbours import MOST, at_most, largest_sums
from datasets.ratios import ExpectedRatio, expected_ratios
from datasets.template_faults import TemplateFaults
from datasets.templates import MARKER, Ids, TemplateDocuments, Templates
from datasets.typed.sets import SETS, make_sample

_Taking = tuple[list[Any], Callable[[Path], Sample]]
"""What a sample depends on, and how it is taken into a folder."""

FORMAT_VERSION = 1
LOOKED_AT = 1000
RUN_BYTES, LEAST_RUN = 2**18, 240
"""A run of neighbours fills several pages of any size, and is so many documents at least."""
_OWNERS, _OWNERS_FILE = 0o700, 0o600
_NOT_MADE = {"expireAfterSeconds", "background", "dropDups", "prepareUnique", "storageEngine"}
"""What an index of the source is made without, and `unique`: cycles and updates store values twice, nothing is to be
deleted, and settings are an arm's own."""


class TemplatesManifest(BaseModel):
    """What the templates are and where they came from; stored as JSON."""

    model_config = ConfigDict(frozen=True)

    format_version: int = Field(FORMAT_VERSION, description="Version of this format.")
    recipe: str = Field(description="Name of the recipe.")
    parameters: dict[str, Any] = Field(description="The recipe's other settings.")
    seed: int = Field(description="Seed of the sample.")
    source: str = Field(description="What the source is called: a collection's or a file's name.")
    source_documents: int = Field(description="Documents of the whole source.")
    source_bytes: int = Field(description="Their size in bytes of BSON.")
    source_compressor: str | None = Field(description="The block compressor of the source, if it is known.")
    documents: int = Field(description="Templates: documents of the sample.")
    bytes: int = Field(description="Their size in bytes of BSON.")
    mean_bytes: float = Field(description="Mean size of one in bytes of BSON.")
    largest_bytes: tuple[int, ...] = Field(
        min_length=MOST.bit_length(),
        description=f"The most that 1, 2, 4, … {MOST:,} neighbours take in bytes of BSON; the first follows the last.",
    )
    runs: int = Field(description="Runs of neighbours that they are.")
    update: tuple[str, ...] = Field(description="Paths that updates write.")
    ids: Ids = Field(description="How their `_id`s go on where the documents are stored again.")
    indexes: tuple[dict[str, Any], ...] = Field(description="Indexes beside that on `_id`, as the server is told.")
    digest: str = Field(description="BLAKE3 of the file with the templates.")
    paths: tuple[PathProfile, ...] = Field(description="What the templates hold, by path.")
    expected_ratios: tuple[ExpectedRatio, ...] = Field(description="What each codec should achieve.")
    path: Path = Field(description="The file with the templates; not stored, since it may move.", exclude=True)

    @property
    def paths_are_all(self) -> bool:
        """Whether all paths are listed: there may be more than are."""
        return len(self.paths) < MOST_PATHS

    def neighbours_bytes(self, count: int) -> int:
        """What no `count` neighbours exceed, in bytes of BSON."""
        return at_most(self.largest_bytes, count)


def prepare_documents(
    recipe: DocumentRecipe, seed: int, datasets_dir: Path, codecs: Sequence[str]
) -> TemplatesManifest:
    """Give the templates of a recipe and seed: from the cache where they are whole, else sampled.

    The sample is the same for the same source and seed; a source is another one when its size or time of change is. It
    holds the documents in clear, for the owner's eyes. Raises DatasetError.
    """
    sample = _sample(recipe, seed, datasets_dir)
    whole = recipe.model_dump(mode="json")
    key = json.dumps([FORMAT_VERSION, sample.folder.name, sample.manifest.digest, whole, seed, sorted(codecs)])
    kept = sample.folder.with_name(f"{blake3(key.encode()).hexdigest()}.json")
    path = sample.folder / DOCUMENTS
    try:
        stored = json.loads(kept.read_bytes())
        return TemplatesManifest.model_validate(stored | {"path": path})
    except (OSError, ValueError, TypeError, ValidationError):
        pass
    manifest = _manifest(recipe, seed, sample, codecs)
    try:
        write_whole(kept, manifest.model_dump_json(indent=2) + "\n", durable=True, mode=_OWNERS_FILE)
    except OSError as error:
        raise _not_written(datasets_dir, error) from None
    return manifest


def mean_bytes(recipe: DocumentRecipe) -> int:
    """How large documents are on average, about; of one's own by the first thousand. Raises DatasetError."""
    return _source_mean(recipe.path) if isinstance(recipe, OwnDocuments) else SETS[recipe.recipe].mean_bytes


def run_documents(source: Path) -> int:
    """How many neighbours a run of a source's sample should have. Raises DatasetError."""
    return max(LEAST_RUN, RUN_BYTES // _source_mean(source))


def _source_mean(source: Path) -> int:
    return max(1, round(_first_mean(source, _stamp(source))))


def updatable_paths(source: Path, most: int = 2) -> tuple[str, ...]:
    """Paths that updates may write, as the source's first thousand documents have them. Raises DatasetError.

    They are in each of these documents, hold no documents or lists, and more than one value.
    """
    reached = Counter[str]()

    def looked_at() -> Iterator[bytes]:
        for document in islice(read_documents(source), LOOKED_AT):
            reached.update(set(_reachable(document)))
            yield document

    found = profile(looked_at())
    plain = (
        one.path
        for one in found.paths
        if one.values == reached[one.path] == found.documents
        and one.distinct > 1
        and not one.types.keys() & {"object", "array"}
        and not set(one.path) & set("[,$")
    )
    return tuple(path for path in plain if path.partition(".")[0] not in {"_id", MARKER})[:most]


def _reachable(document: bytes, start: int = 0, prefix: str = "") -> Iterator[str]:
    """Paths through documents alone, none of whose names is empty or has a dot, which would make it another path."""
    for one in fields(document, start):
        if one.name and b"." not in one.name:
            yield (path := prefix + one.name.decode())
            if one.kind == DOCUMENT:
                yield from _reachable(document, one.start, path + ".")


@lru_cache(maxsize=32)
def _first_mean(path: Path, _stamp: tuple[int, int]) -> float:
    first = [len(document) for document in islice(read_documents(path), LOOKED_AT)]
    return sum(first) / len(first)


def _stamp(path: Path) -> tuple[int, int]:
    """What changes with a source; an archive may be the folder of its collection's name."""
    for one in (path, path.parent):
        try:
            found = one.stat()
        except OSError:
            continue
        return found.st_size, found.st_mtime_ns
    return 0, 0


def _sample(recipe: DocumentRecipe, seed: int, datasets_dir: Path) -> Sample:
    """The sample that the cache has, or a new one."""
    about, take = _own(recipe, seed) if isinstance(recipe, OwnDocuments) else _made_up(recipe, seed)
    folder = datasets_dir / f"{blake3(json.dumps([FORMAT_VERSION, *about]).encode()).hexdigest()}.documents"
    try:
        datasets_dir.mkdir(parents=True, exist_ok=True)
        datasets_dir.chmod(_OWNERS)
        if folder.exists():
            try:
                return Sample.load(folder)
            except DatasetError:
                shutil.rmtree(folder)  # it is damaged
    except OSError as error:
        raise _not_written(datasets_dir, error) from None
    return take(folder)


def _own(recipe: OwnDocuments, seed: int) -> _Taking:
    collection = find_collection(recipe.path)
    run = run_documents(recipe.path)
    about = [
        str(collection.path.resolve()), collection.name, _stamp(collection.path),
        collection.metadata.model_dump(mode="json"), recipe.most_bytes, run, seed,
    ]  # fmt: skip
    size = recipe.most_bytes
    return about, lambda folder: take_sample(recipe.path, folder, most_bytes=size, run_documents=run, seed=seed)


def _made_up(recipe: MadeUp, seed: int) -> _Taking:
    about = [recipe.model_dump(mode="json", include={"recipe", "documents", "locales"}), seed, version("Faker")]
    return about, lambda folder: make_sample(recipe, folder, seed)


def _not_written(folder: Path, error: OSError) -> DatasetError:
    return DatasetError(
        f"datasets directory {folder}: cannot be written ({error.strerror}); "
        "check rights and free space, or choose another directory"
    )


def _manifest(recipe: DocumentRecipe, seed: int, sample: Sample, codecs: Sequence[str]) -> TemplatesManifest:
    told, path = sample.manifest, sample.folder / DOCUMENTS
    templates = Templates(path)
    try:
        faults, sizes = TemplateFaults(recipe.update), array("I")
        for number, template in enumerate(templates):
            sizes.append(len(template))
            if why := faults.of(template):
                raise _fault(recipe, sample, number, why)
        if outgrown := faults.too_large():
            raise _fault(recipe, sample, *outgrown)
        ids = Ids.of(templates)
        expected = expected_ratios(TemplateDocuments(templates, seed, recipe.update, ids), codecs)
    finally:
        templates.close()
    return TemplatesManifest(
        recipe=recipe.recipe,
        parameters=recipe.model_dump(mode="json", exclude={"recipe"}),
        seed=seed,
        source=told.source,
        source_documents=told.source_documents,
        source_bytes=told.source_bytes,
        source_compressor=told.block_compressor,
        documents=told.documents,
        bytes=told.bytes,
        mean_bytes=round(told.bytes / told.documents, 1),
        largest_bytes=largest_sums(sizes),
        runs=len(told.runs),
        update=recipe.update,
        ids=ids,
        indexes=tuple(_indexes(recipe, told.indexes)),
        digest=told.digest,
        paths=told.paths,
        expected_ratios=expected,
        path=path,
    )


def _fault(recipe: DocumentRecipe, sample: Sample, number: int, told: str) -> DatasetError:
    """A fault of a template, by its number from 0, with its number in the source."""
    numbers = (run.offset + one for run in sample.manifest.runs for one in range(1, run.documents + 1))
    in_source = next(islice(numbers, number, None))
    source = recipe.path if isinstance(recipe, OwnDocuments) else recipe.recipe
    return DatasetError(f"dataset {source}, document {in_source}: {told}")


def indexes_to_make(recipe: DocumentRecipe) -> tuple[dict[str, Any], ...]:
    """Give the indexes that a recipe has made beside that on `_id`, before a sample is taken. Raises DatasetError."""
    if isinstance(recipe, OwnDocuments):
        return tuple(_indexes(recipe, find_collection(recipe.path).metadata.indexes))
    return tuple(_indexes(recipe, SETS[recipe.recipe].indexes))


def _indexes(recipe: DocumentRecipe, of_source: Sequence[Index]) -> Iterator[dict[str, Any]]:
    """The indexes to make, as relaxed Extended JSON."""
    if recipe.indexes is True:
        yield from indexes_of_source(of_source)
    elif recipe.indexes:
        for one in recipe.indexes:
            yield {"name": one.name, "key": dict(one.key), **({"sparse": True} if one.sparse else {})}


def indexes_of_source(indexes: Sequence[Index]) -> Iterator[dict[str, Any]]:
    """Give the source's indexes as they are made anew, beside that on `_id`, as relaxed Extended JSON."""
    return (_of_source(one) for one in indexes if one.key != {"_id": 1})


def _of_source(index: Index) -> dict[str, Any]:
    """An index of the source; numbers as they are read back, not as canonical Extended JSON has them."""
    options = {name: value for name, value in index.options.items() if name not in _NOT_MADE}
    plain = json_util.dumps(json_util.loads(json.dumps(options)), json_options=json_util.RELAXED_JSON_OPTIONS)
    return {"name": index.name, "key": dict(index.key), **json.loads(plain)}
