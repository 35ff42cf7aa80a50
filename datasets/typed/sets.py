"""The sets by recipe: their documents as BSON, and what is known of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bson

from datasets.collections import Index, Run, Sample
from datasets.collections.appearing import appearing
from datasets.collections.draw import Drawn
from datasets.collections.files.metadata import Metadata
from datasets.collections.sample import write_manifest
from datasets.collections.stored_sample import DOCUMENTS
from datasets.document_recipes import MadeUp
from datasets.typed.events import events
from datasets.typed.orders import orders
from datasets.typed.profiles import profiles


def _index(name: str, key: dict[str, int | float | str], *, unique: bool = False) -> Index:
    return Index(name=name, key=key, unique=unique, options={})


@dataclass(frozen=True)
class TypedSet:
    """Documents of one kind."""

    documents: Callable[[Any, int], Iterator[dict[str, Any]]]
    """Those of a recipe and a seed, in stored order."""
    mean_bytes: int
    """Size of one, about, in BSON."""
    indexes: tuple[Index, ...]
    """Beside that on `_id`."""


SETS: Mapping[str, TypedSet] = {
    "faker-profiles": TypedSet(
        profiles,
        mean_bytes=730,
        indexes=(
            _index("handle_1", {"handle": 1}),
            _index("emails.address_1", {"emails.address": 1}),
            _index("address.city_1", {"address.city": 1}),
        ),
    ),
    "faker-orders": TypedSet(
        orders,
        mean_bytes=810,
        indexes=(
            _index("customer.id_1_placed_-1", {"customer.id": 1, "placed": -1}),
            _index("status_1_placed_1", {"status": 1, "placed": 1}),
            _index("items.sku_1", {"items.sku": 1}),
        ),
    ),
    "faker-events": TypedSet(
        events,
        mean_bytes=420,
        indexes=(
            _index("session.id_1_session.step_1", {"session.id": 1, "session.step": 1}),
            _index("kind_1_at_1", {"kind": 1, "at": 1}),
        ),
    ),
}
"""By the recipe's name."""


def made_up(recipe: MadeUp, seed: int) -> Iterator[bytes]:
    """Give the documents of a recipe and seed as BSON, in stored order: the same ones on every machine."""
    return map(bson.encode, SETS[recipe.recipe].documents(recipe, seed))


def make_sample(recipe: MadeUp, folder: Path, seed: int) -> Sample:
    """Write a set as a sample of itself: whole, as one run, with its indexes. Raises DatasetError.

    `folder` must not exist, or be empty. It appears whole or not at all.
    """
    known = Metadata(indexes=(_index("_id_", {"_id": 1}), *SETS[recipe.recipe].indexes))
    with appearing(folder) as new:
        drawn = _written(made_up(recipe, seed), new / DOCUMENTS)
        manifest = write_manifest(new, recipe.recipe, known, drawn, seed=seed)
    return Sample(folder, manifest)


def _written(documents: Iterable[bytes], path: Path) -> Drawn:
    number = size = 0
    with path.open("wb") as file:
        for number, document in enumerate(documents, 1):  # noqa: B007 the last one is their number
            size += file.write(document)
    return Drawn((Run(offset=0, documents=number, bytes=size),), number, size, bytes_estimated=False)
