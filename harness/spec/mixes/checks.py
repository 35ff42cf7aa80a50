"""What a campaign, and its data, must have for a mix of one's own; each fault with its place in the mix's file."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from datasets import DocumentRecipe, indexes_to_make
from harness.errors import did_you_mean
from harness.spec.mixes.operations import ReadModifyWrite, Transaction
from harness.spec.mixes.ycsb import Mix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from datasets import TemplatesManifest
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.operations import AnyOperation
    from harness.spec.mixes.own import AnyMix, OwnMix
    from harness.spec.yaml_source import Fault, KeyPath

_WAYS = ("set", "inc", "push")
_NUMBERS = {"int", "long", "double"}
_NOT_ALL = {"collation", "hidden", "partialFilterExpression", "sparse", "wildcardProjection"}
"""Options of an index that does not answer every query by its paths."""


def check_own_mixes(campaign: Campaign, mixes: Mapping[str, AnyMix]) -> None:
    """Refuse mixes of one's own that ask for what the campaign does not have.

    Raises:
        InputError: with one line per fault, each with file, line and key.
    """
    for mix in own_mixes(mixes).values():
        faults = _operation_faults(campaign, mix)
        if found := [*faults, *_way_faults(campaign, mix, mixes)]:
            raise mix.refusal(found)


def check_paths(mixes: Mapping[str, AnyMix], name: str, dataset: TemplatesManifest) -> None:
    """Refuse mixes that name paths which the documents of a dataset don't have, or have of another type.

    Raises:
        InputError: as above.
    """
    for mix in own_mixes(mixes).values():
        if faults := list(_path_faults(mix, name, dataset)):
            raise mix.refusal(faults)


def own_mixes(mixes: Mapping[str, AnyMix]) -> dict[str, OwnMix]:
    """Those that are not YCSB's, by workload."""
    return {name: mix for name, mix in mixes.items() if not isinstance(mix, Mix)}


def ways(mixes: Mapping[str, AnyMix]) -> dict[str, set[str]]:
    """The paths that are incremented, and those to which entries are pushed, by any of the mixes."""
    every = [one for mix in own_mixes(mixes).values() for one in mix.said.operations]
    return {way: set(chain.from_iterable(one.paths.get(way, ()) for one in every)) for way in _WAYS}


def _operation_faults(campaign: Campaign, mix: OwnMix) -> Iterator[Fault]:
    for number, one in enumerate(mix.said.operations):
        at: KeyPath = ("operations", number)
        if isinstance(one, Transaction) and campaign.topology.kind != "replica-set":
            yield (*at, "kind"), "a single mongod has no transactions; they need `topology: {kind: replica-set}`"
        for name, recipe in campaign.datasets.items():
            if isinstance(recipe, DocumentRecipe):
                yield from _document_faults(name, recipe, at, one)
            else:
                yield from _text_faults(name, [f"field{i}" for i in range(campaign.document.fields)], at, one)


def _text_faults(dataset: str, fields: list[str], at: KeyPath, one: AnyOperation) -> Iterator[Fault]:
    for key, paths in _paths(one).items():
        if key in {"index", "inc", "push"}:
            lacks = {"index": "indexes", "inc": "numbers", "push": "lists"}[key]
            yield (*at, key), f"dataset {dataset!r} is text, which has no {lacks}"
            continue
        for path in paths:
            if path not in fields:
                yield (*at, key), f"dataset {dataset!r} is text with the fields field0 to {fields[-1]}, not {path!r}"


def _document_faults(dataset: str, recipe: DocumentRecipe, at: KeyPath, one: AnyOperation) -> Iterator[Fault]:
    for key, paths in one.paths.items():
        if key in _WAYS:
            for path in paths:
                if path not in recipe.update:
                    meant = did_you_mean(path, list(recipe.update))
                    known = ", ".join(recipe.update) or "none"
                    yield (*at, key), f"dataset {dataset!r} has no {path!r} in its `update`{meant}; there are: {known}"
        elif key == "index":
            made = [index for index in indexes_to_make(recipe) if _answers(index)]
            if not any(list(index["key"])[: len(paths)] == list(paths) for index in made):
                known = "; ".join(", ".join(index["key"]) for index in made) or "none that answers every query"
                yield (*at, key), f"dataset {dataset!r} makes no index that begins with {', '.join(paths)}: {known}"


def _answers(index: Mapping[str, Any]) -> bool:
    """Whether an index answers queries by its paths, whatever the documents."""
    return not index.keys() & _NOT_ALL and all(direction in {1, -1} for direction in index["key"].values())


def _way_faults(campaign: Campaign, mix: OwnMix, mixes: Mapping[str, AnyMix]) -> Iterator[Fault]:
    """Paths that are written in several ways, by one of the campaign's mixes or another, and paths left to be set."""
    written = ways(mixes)
    others = [name for name, other in mixes.items() if isinstance(other, Mix) and other.updates]
    unset = written["inc"] | written["push"]
    for number, one in enumerate(mix.said.operations):
        at: KeyPath = ("operations", number)
        for way, paths in one.paths.items():
            for path in paths if way in _WAYS else ():
                if also := [other for other in _WAYS if other != way and path in written[other]]:
                    yield (*at, way), f"{path!r} is also in `{also[0]}`; all mixes of a campaign write it in one way"
                if others and path in unset:
                    yield (*at, way), f"{path!r} is set by workload {others[0]!r}, a mix of YCSB's: that sets all paths"
        if isinstance(one, Transaction | ReadModifyWrite):
            for name, recipe in campaign.datasets.items():
                if isinstance(recipe, DocumentRecipe) and recipe.update and set(recipe.update) <= unset:
                    yield (*at, "kind"), f"dataset {name!r} has no path in `update` that is set, not added to"


def _paths(one: AnyOperation) -> dict[str, tuple[str, ...]]:
    group = getattr(one, "group", None)
    return {**one.paths, **({"group": (group,)} if group else {})}


def _path_faults(mix: OwnMix, name: str, dataset: TemplatesManifest) -> Iterator[Fault]:
    types: dict[str, set[str]] = {}
    for found in dataset.paths:
        types.setdefault(found.path.replace("[]", ""), set()).update(found.types)
    lists = {found.path for found in dataset.paths if found.types.keys() == {"array"}}
    known = list(types)
    for number, one in enumerate(mix.said.operations):
        for key, paths in _paths(one).items():
            at: KeyPath = ("operations", number, key)
            for path in paths:
                if path not in types and dataset.paths_are_all:
                    yield at, f"no document of dataset {name!r} has the path {path!r}{did_you_mean(path, known)}"
                elif key == "inc" and not types.get(path, set()) <= _NUMBERS:
                    found_types = " and ".join(sorted(types[path]))
                    yield at, f"{path!r} of dataset {name!r} is of type {found_types}; inc takes int, long and double"
                elif key == "push" and path not in lists:
                    yield at, f"{path!r} of dataset {name!r} is no list in every document; push takes lists alone"
