"""Recipes of whole documents: one's own, and made-up ones of the same form, so that nothing of one's own is needed."""

from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from core.model import Part
from core.sizes import Size
from datasets.locales import Locales

_WILDCARD = "$**"
_OF_A_REFERENCE = {"$id", "$ref", "$db"}
"""Names in a DBRef, which indexes may lead to; they may have no other that begins with $."""


class IndexAsked(Part):
    """An index of your own choice, beside the one on `_id`."""

    key: dict[Annotated[str, Field(min_length=1, max_length=300)], Literal[1, -1, "hashed", "2d", "2dsphere"]] = Field(
        min_length=1, max_length=32, description="Paths in their order, each with `1`, `-1`, or its kind."
    )
    sparse: bool = Field(default=False, description="Whether documents without these paths are left out of it.")

    @property
    def name(self) -> str:
        """What servers call it if they are not told."""
        return "_".join(f"{path}_{direction}" for path, direction in self.key.items())

    @model_validator(mode="after")
    def _one_that_servers_make(self) -> Self:
        for path in self.key:
            first, *further = path.split(".")
            names = [first, *(name for name in further if name not in _OF_A_REFERENCE)]
            if names[-1] == _WILDCARD:
                names.pop()
                if self.sparse or list(self.key.values()) != [1]:
                    raise ValueError(f"{path[:80]!r} has to be alone in its index, with 1, and not sparse")
            if not _are_names(names):
                raise ValueError(f"{path[:80]!r} is no path: names joined by dots, none begins with $, but for `$**`")
        if list(self.key.items()) in ([("_id", 1)], [("_id", -1)]):
            raise ValueError("that on `_id` is always there; leave it out")
        kinds = [kind for kind in self.key.values() if isinstance(kind, str)]
        if len(set(kinds)) > 1 or (kinds[1:] and kinds[0] != "2dsphere"):
            raise ValueError("an index has one path with a kind, or several with 2dsphere")
        if "2d" in kinds and next(iter(self.key.values())) != "2d":
            raise ValueError("in an index the path with 2d has to be the first one")
        return self


def _are_names(names: list[str]) -> bool:
    return all(name and "\0" not in name and not name.startswith("$") for name in names)


def _paths_apart(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        names = path.split(".")
        if "," in path or not _are_names(names):
            raise ValueError(f"{path[:80]!r} is no path: names joined by dots, without commas, none begins with $")
        if names[0] in {"_id", "_pg"}:
            raise ValueError(f"{path[:80]!r}: updates write neither `_id` nor `_pg`, which tells their versions")
    for path, other in permutations(paths, 2):
        if f"{path}.".startswith(f"{other}."):
            raise ValueError(f"{other[:80]!r} holds {path[:80]!r}: name one of them, once")
    return paths


def _no_index_twice(indexes: "bool | tuple[IndexAsked, ...]") -> "bool | tuple[IndexAsked, ...]":
    own = () if isinstance(indexes, bool) else indexes
    keys = [tuple(one.key.items()) for one in own]
    if len(set(keys)) < len(keys):
        raise ValueError("name each key once")
    for name, times in Counter(one.name for one in own).items():
        if times > 1:
            raise ValueError(f"{times} indexes would have one name, {name[:80]!r}; leave all but one out")
    return indexes


Update = Annotated[tuple[str, ...], Field(max_length=50), AfterValidator(_paths_apart)]
Indexes = Annotated[bool | Annotated[tuple[IndexAsked, ...], Field(max_length=63)], AfterValidator(_no_index_twice)]


class OwnDocuments(Part):
    """Your own documents with their types, nesting, order and `_id`s: [own-data.md](own-data.md)."""

    recipe: Literal["documents"] = Field("documents", description="Documents of your own.")
    path: Path = Field(
        description="JSON Lines, a JSON array, a `.bson` file, a mongodump folder or an archive; each may be gzip."
    )
    most_bytes: Annotated[Size, Field(ge=2**10, le=2**40)] = Field(
        2**26,
        description="Size of the sample that is stored again and again, in runs of neighbours. A smaller source is "
        "taken whole.",
    )
    update: Update = Field(
        (),
        description="Dotted paths that updates write, e.g. `shipping.city`. Every document must have each, through "
        "documents, not lists. Without, no workload may update.",
    )
    indexes: Indexes = Field(
        default=True,
        description="Indexes beside that on `_id`, the same in every arm. `true`: those that the source's dump names. "
        "`false`: none. Or a list of your own.",
    )


_DOCUMENTS = "Number of different documents. More records begin anew with them, under other `_id`s."
_UPDATE = "Dotted paths that updates write, of those that every document has."
_INDEXES = "Indexes beside that on `_id`: `true`: {}; `false`: none; or a list of your own."
Made = Annotated[int, Field(ge=100, le=10_000_000)]


class FakerProfiles(Part):
    """Users of a service: names, addresses, settings, a text about oneself; some 700 bytes each."""

    recipe: Literal["faker-profiles"] = Field("faker-profiles", description="Users of a service, made up.")
    documents: Made = Field(50_000, description=_DOCUMENTS)
    locales: Locales = Field(("en_US", "de_DE", "fr_FR", "ja_JP"), description="Of the users. Each locale only once.")
    update: Update = Field(("seen", "settings.theme"), description=_UPDATE)
    indexes: Indexes = Field(default=True, description=_INDEXES.format("`handle`, `emails.address` and `address.city`"))


class FakerOrders(Part):
    """Orders of a shop: a customer, a list of items, an address, what happened so far; some 800 bytes each."""

    recipe: Literal["faker-orders"] = Field("faker-orders", description="Orders of a shop, made up.")
    documents: Made = Field(50_000, description=_DOCUMENTS)
    locales: Locales = Field(("en_US",), description="Of the customers. Each locale only once.")
    update: Update = Field(("status", "shipping.city"), description=_UPDATE)
    indexes: Indexes = Field(
        default=True, description=_INDEXES.format("`customer.id` and `placed`, `status` and `placed`, `items.sku`")
    )


class FakerEvents(Part):
    """What visitors of a site do: events of some dozens of sessions at a time; some 400 bytes each."""

    recipe: Literal["faker-events"] = Field("faker-events", description="What visitors of a site do, made up.")
    documents: Made = Field(50_000, description=_DOCUMENTS)
    locales: Locales = Field(("en_US",), description="Of the visitors. Each locale only once.")
    update: Update = Field(("state.seen", "state.score"), description=_UPDATE)
    indexes: Indexes = Field(
        default=True, description=_INDEXES.format("`session.id` and `session.step`, `kind` and `at`")
    )


MadeUp = FakerProfiles | FakerOrders | FakerEvents
DocumentRecipe = OwnDocuments | MadeUp
"""What documents are taken from that are stored as they are, again and again."""
