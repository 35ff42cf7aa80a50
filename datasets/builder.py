"""Prepares a corpus: builds it once, proves it by its digest, and takes it from the cache afterwards."""

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from blake3 import blake3
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.files import write_whole
from datasets.corpus import Corpus
from datasets.documents import DocumentShape, TextDocuments
from datasets.errors import DatasetError
from datasets.ratios import ExpectedRatio, expected_ratios
from datasets.recipes import TextRecipe, YcsbRandom
from datasets.units import locales, source, units

FORMAT_VERSION = 1
_OWNERS, _OWNERS_FILE = 0o700, 0o600
_LIKE_A_MARKER = re.compile(r"#[1-9][0-9]{0,17}( |$)")  # a unit's end becomes a space, too


class Manifest(BaseModel):
    """What a corpus is and where it came from; stored beside it as JSON."""

    model_config = ConfigDict(frozen=True)

    format_version: int = Field(FORMAT_VERSION, description="Version of this format.")
    recipe: str = Field(description="Name of the recipe.")
    parameters: dict[str, Any] = Field(description="The recipe's other settings.")
    seed: int = Field(description="Seed of the corpus and of the sample behind the ratios.")
    faker_version: str | None = Field(description="Version of Faker that wrote the text, if it did.")
    locales: tuple[str, ...] = Field(description="Languages of the text, as far as they are known.")
    units: int = Field(description="Sentences, paragraphs or lines in the corpus.")
    bytes: int = Field(description="Size of the corpus file in bytes.")
    digest: str = Field(description="BLAKE3 of the corpus file.")
    shape: DocumentShape = Field(description="Document shape that the expected ratios are for.")
    expected_ratios: tuple[ExpectedRatio, ...] = Field(description="What each codec should achieve.")
    path: Path = Field(description="The corpus file; not stored, since a corpus may move.", exclude=True)

    @property
    def repeat(self) -> bool:
        """Whether values begin at units drawn at random."""
        return bool(self.parameters.get("repeat", True))


def prepare(recipe: TextRecipe, seed: int, corpora_dir: Path) -> Manifest:
    """Give the corpus of a recipe and seed: from the cache where it is whole, else built.

    The cache key is the digest of recipe, seed and source (Faker's version, or the content of the user's file).
    The same key means the same bytes, on every machine. `seed` is a signed 64-bit number. An interrupted build
    leaves nothing that a later call would take for a corpus. The directory and what is in it are for the owner's eyes.
    Raises DatasetError.
    """
    key = json.dumps([FORMAT_VERSION, recipe.model_dump(mode="json"), seed, source(recipe)], sort_keys=True)
    path = corpora_dir / f"{blake3(key.encode()).hexdigest()}.txt"
    return _cached(path) or _built(recipe, seed, path)


def _cached(path: Path) -> Manifest | None:
    """Give the cached corpus, or None where it is absent, damaged or of another format."""
    try:
        stored = json.loads(path.with_suffix(".json").read_bytes())
        manifest = Manifest.model_validate(stored | {"path": path})
        intact = blake3(path.read_bytes()).hexdigest() == manifest.digest
        path.parent.chmod(_OWNERS)  # earlier versions let everyone read
    except (OSError, ValueError, TypeError, ValidationError):
        return None
    return manifest if intact else None


def _built(recipe: TextRecipe, seed: int, path: Path) -> Manifest:
    data = _corpus_bytes(recipe, seed)
    corpus = Corpus.from_bytes(data, recipe.recipe)
    shape = DocumentShape()
    manifest = Manifest(
        recipe=recipe.recipe,
        parameters=recipe.model_dump(mode="json", exclude={"recipe"}),
        seed=seed,
        faker_version=version("Faker") if locales(recipe) else None,
        locales=locales(recipe),
        units=len(corpus.starts),
        bytes=len(data),
        digest=blake3(data).hexdigest(),
        shape=shape,
        expected_ratios=expected_ratios(TextDocuments(corpus, seed, shape, recipe.repeat)),
        path=path,
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(_OWNERS)
        for file, content in ((path, data), (path.with_suffix(".json"), manifest.model_dump_json(indent=2) + "\n")):
            write_whole(file, content, durable=True, mode=_OWNERS_FILE)
    except OSError as error:
        raise DatasetError(
            f"corpora directory {path.parent}: cannot be written ({error.strerror}); "
            "check rights and free space, or choose another directory"
        ) from None
    return manifest


def _corpus_bytes(recipe: TextRecipe, seed: int) -> bytes:
    lines = []
    for number, unit in enumerate(units(recipe, seed), 1):
        line = unit.replace("\r\n", " ").replace("\r", " ").replace("\n", " ").strip(" ")
        if _LIKE_A_MARKER.match(line):
            if isinstance(recipe, YcsbRandom):
                continue  # by chance, once in some 10,000 units
            raise DatasetError(
                f"dataset {recipe.recipe}: unit {number} ({line[:30]!r}) begins like the version marker of an update "
                "(# and a number); let it begin with something else"
            )
        try:
            lines.append(line.encode())
        except UnicodeEncodeError:
            raise DatasetError(f"dataset {recipe.recipe}: unit {number} holds half a surrogate pair") from None
    return b"\n".join(lines) + b"\n"
