"""The units of a corpus, by recipe: pure functions of recipe, seed and source, the same in every process."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from blake3 import blake3

from datasets.errors import DatasetError
from datasets.recipes import FakerParagraphs, FakerSentences, TextRecipe, UserFile, YcsbRandom

if TYPE_CHECKING:
    from faker import Faker

LARGEST_FILE_BYTES = 2**30  # each client holds the corpus in memory, in one array
_RANDOM_UNIT_BYTES = 102  # a value of the default 100 bytes then has the very structure of a stock one


def units(recipe: TextRecipe, seed: int) -> Iterator[str]:
    """Give the units of a recipe in their order. Raises DatasetError for a file that cannot be used."""
    match recipe:
        case FakerSentences():
            writer = _writer(recipe.locale, seed)
            return (writer.sentence() for _ in range(recipe.sentences))
        case FakerParagraphs():
            writers = cycle([_writer(locale, seed) for locale in recipe.locales])
            size = recipe.sentences_per_paragraph
            return (writer.paragraph(nb_sentences=size) for writer in islice(writers, recipe.paragraphs))
        case YcsbRandom():
            return _random_units(recipe.size_bytes, seed)
        case UserFile():
            return _file_units(recipe)


def source(recipe: TextRecipe) -> str:
    """Name what beside recipe and seed the units depend on: Faker's version, or the content of the file."""
    match recipe:
        case FakerSentences() | FakerParagraphs():
            return f"faker {version('Faker')}"
        case YcsbRandom():
            return ""
        case UserFile():
            return f"blake3 {blake3(_read(recipe.path)).hexdigest()}"


def locales(recipe: TextRecipe) -> tuple[str, ...]:
    """Give the locales that a recipe draws from; none where it is not Faker's."""
    match recipe:
        case FakerSentences():
            return (recipe.locale,)
        case FakerParagraphs():
            return recipe.locales
        case _:
            return ()


def _writer(locale: str, seed: int) -> "Faker":
    """Give a Faker of its own; seeded by text, since Python takes the absolute value of a seed number."""
    from faker import Faker  # noqa: PLC0415 only what builds a corpus pays for it, not what reads a spec

    writer = Faker(locale)
    writer.seed_instance(f"{seed}/{locale}")
    return writer


def _random_units(size_bytes: int, seed: int) -> Iterator[str]:
    """Pack 31 random bits into 6 printable bytes, as YCSB's RandomByteIterator does."""
    unit_count = -(-size_bytes // (_RANDOM_UNIT_BYTES + 1))
    words = _random_words(unit_count * _RANDOM_UNIT_BYTES // 6, seed)
    packed = [(words >> shift & bits) + ord(" ") for shift, bits in zip(range(0, 30, 5), (31, 63, 95) * 2, strict=True)]
    text = np.stack(packed, axis=1).astype(np.uint8).tobytes().decode("ascii")
    return (text[at : at + _RANDOM_UNIT_BYTES] for at in range(0, len(text), _RANDOM_UNIT_BYTES))


def _random_words(count: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Draw words by SplitMix64: a stream that no version of any library can change."""
    z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(32)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise DatasetError(f"dataset {path}: is larger than 1 GiB, which clients cannot hold; use a part of it")
        return path.read_bytes()
    except OSError as error:
        raise DatasetError(f"dataset {path}: cannot be read ({error.strerror}); check path and rights") from None


def _file_units(recipe: UserFile) -> Iterator[str]:
    data = _read(recipe.path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DatasetError(
            f"dataset {recipe.path}, line {line}, byte {error.start} of the file: not UTF-8; "
            f"convert it, e.g. with iconv -t UTF-8"
        ) from None
    if not text.strip():
        raise DatasetError(f"dataset {recipe.path}: holds no text; give a file with at least one line of it")
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    if recipe.format == "text":
        return (line for _, line in lines)
    return (_json_unit(recipe, number, line) for number, line in lines)


def _json_unit(recipe: UserFile, number: int, line: str) -> str:
    """Give the unit of one JSON line: the line as it is written, or the string under the recipe's field."""
    where = f"dataset {recipe.path}, line {number}"
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{where}: not JSON ({error}); give one JSON value per line, or format: text") from None
    if recipe.field is None:
        return line
    unit = parsed.get(recipe.field) if isinstance(parsed, dict) else None
    if not isinstance(unit, str) or not unit.strip():
        raise DatasetError(f"{where}: no text under the key {recipe.field!r}; every line needs a string there")
    return unit
