"""The typed sets: the same on every call, documents as people keep them, and what campaigns know of them holds."""

import random
from pathlib import Path
from typing import Any, get_args

import bson
import cramjam
import pytest
from bson import ObjectId
from pydantic import ValidationError

from datasets import DatasetError, mean_bytes, prepare_documents
from datasets.document_recipes import FakerEvents, FakerOrders, FakerProfiles, MadeUp
from datasets.typed import SETS, made_up, make_sample

RECIPES = [one(documents=1500) for one in get_args(MadeUp)]
every_set = pytest.mark.parametrize("recipe", RECIPES, ids=lambda one: one.recipe)


@every_set
def test_a_seed_decides_the_documents(recipe: MadeUp) -> None:
    made = list(made_up(recipe, 7))
    assert len(made) == len(set(made)) == recipe.documents
    assert made == list(made_up(recipe, 7))
    assert made[3] != next(one for at, one in enumerate(made_up(recipe, 8)) if at == 3)


@every_set
def test_ids_ascend_as_those_of_one_process(recipe: MadeUp) -> None:
    ids = [bson.decode(one)["_id"] for one in made_up(recipe, 7)]
    assert {type(one) for one in ids} == {ObjectId}
    assert ids == sorted(set(ids))
    assert {one.binary[4:9] for one in ids} == {ids[0].binary[4:9]}


@every_set
def test_every_document_has_what_is_updated_and_some_has_what_is_indexed(recipe: MadeUp) -> None:
    known = SETS[recipe.recipe]
    documents = [bson.decode(one) for one in made_up(recipe, 7)]
    for path in recipe.update:
        values = [_under(document, path) for document in documents]
        assert None not in values, path
        assert len(set(values)) > 1, path
    for path in (path for index in known.indexes for path in index.key):
        assert any(_under(document, path) is not None for document in documents), path


def _under(document: Any, path: str) -> Any:
    """What a document has under a path; of a list, what its first entry has."""
    for name in path.split("."):
        within = document[0] if isinstance(document, list) else document
        document = within.get(name)
    return document


@every_set
def test_documents_differ_in_what_they_hold_and_in_types(recipe: MadeUp) -> None:
    documents = [bson.decode(one) for one in made_up(recipe, 7)]
    assert len({tuple(document) for document in documents}) > 3
    assert {type(value) for document in documents for value in document.values()} >= {dict, ObjectId}
    assert any(isinstance(value, list) for document in documents for value in (document, *document.values()))


@every_set
def test_neighbours_resemble_each_other(recipe: MadeUp) -> None:
    made = list(made_up(recipe, 7))
    mixed = random.Random(1).sample(made, len(made))
    assert _packed_bytes(made) < 0.99 * _packed_bytes(mixed)


def _packed_bytes(documents: list[bytes]) -> int:
    """What pages of neighbours are compressed to."""
    pages = [b"".join(documents[at : at + 50]) for at in range(0, len(documents), 50)]
    return sum(len(cramjam.zstd.compress(page, 6)) for page in pages)


def test_documents_are_in_their_languages() -> None:
    names = [bson.decode(one)["name"]["first"] for one in made_up(FakerProfiles(documents=100, locales=("ja_JP",)), 1)]
    assert not any(name.isascii() for name in names)
    cities = {bson.decode(one)["visitor"]["place"]["country"] for one in made_up(FakerEvents(locales=("el_GR",)), 1)}
    assert cities == {"GR"}
    with pytest.raises(ValidationError, match="name each locale once"):
        FakerOrders(locales=("en_US", "en_US"))


@every_set
def test_a_set_is_a_sample_of_itself(recipe: MadeUp, tmp_path: Path) -> None:
    sample = make_sample(recipe, tmp_path / "set", 7)
    assert list(sample.documents()) == list(made_up(recipe, 7))
    manifest = sample.manifest
    assert (manifest.source, manifest.documents, len(manifest.runs)) == (recipe.recipe, recipe.documents, 1)
    assert [one.name for one in manifest.indexes] == ["_id_", *(one.name for one in SETS[recipe.recipe].indexes)]
    assert manifest.id_kinds == {"objectId": recipe.documents}


@every_set
def test_a_campaign_is_given_a_set_as_it_is_given_documents_of_ones_own(recipe: MadeUp, tmp_path: Path) -> None:
    asked = (7, tmp_path, ["zstd-6"])
    prepared = prepare_documents(recipe, *asked)
    assert prepared.path.read_bytes() == b"".join(made_up(recipe, 7))
    assert (prepared.documents, prepared.update) == (recipe.documents, recipe.update)
    assert prepared.ids.kind == "objectId"
    assert [one["key"] for one in prepared.indexes] == [one.key for one in SETS[recipe.recipe].indexes]
    assert prepared.mean_bytes == pytest.approx(mean_bytes(recipe), rel=0.05)
    (kept,) = tmp_path.glob("*.documents")
    at = kept.stat().st_mtime_ns
    bare = recipe.model_copy(update={"update": (), "indexes": False})
    assert (prepare_documents(recipe, *asked), prepare_documents(bare, *asked).indexes) == (prepared, ())
    assert kept.stat().st_mtime_ns == at, "the documents are made once"


def test_a_path_that_a_set_does_not_have_is_told(tmp_path: Path) -> None:
    recipe = FakerOrders(documents=100, update=("items.sku",))
    with pytest.raises(DatasetError, match=r"faker-orders, document 1: its path 'items.sku' leads through .* array"):
        prepare_documents(recipe, 7, tmp_path, ["zstd-6"])


@every_set
def test_every_setting_is_described(recipe: MadeUp) -> None:
    assert all(field.description for field in type(recipe).model_fields.values())
