"""Documents made of templates: the golden vectors of the Java twin, and what any templates become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bson
import pytest
from bson.raw_bson import RawBSONDocument
from hypothesis import given
from hypothesis import strategies as st

from datasets import DatasetError, Ids, TemplateDocuments, Templates
from datasets.collections.files.checks import OPTIONS
from datasets.documents import draw, mix
from datasets.templates import Value, own_id

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "template_documents.json").read_text())
PATHS = ("a", "b.c", "b.d.e")
RECORDS, SEEDS = st.integers(0, 200), st.integers(-(2**63), 2**63 - 1)
VERSIONS = st.dictionaries(st.integers(0, 2), st.integers(1, 10**6))


def documents_of(one: dict[str, Any]) -> TemplateDocuments:
    templates = [bytes.fromhex(template) for template in one["templates"]]
    paths = tuple(filter(None, one["updatepaths"].split(",")))
    return TemplateDocuments(templates, one["seed"], paths, Ids.of(templates))


def as_hex(value: Value) -> str:
    return bytes([value.kind]).hex() + value.raw.hex()


@pytest.mark.parametrize("one", GOLDEN["sets"], ids=lambda one: one["name"])
def test_documents_agree_with_the_java_twin(one: dict[str, Any]) -> None:
    documents = documents_of(one)
    assert (documents.ids.kind, documents.ids.span) == (one["idkind"], one["idspan"])
    for vector in one["documents"]:
        versions = {int(path): version for path, version in vector["versions"].items()}
        assert documents.document(vector["record"], versions).hex() == vector["document"]
        assert as_hex(documents.key(vector["record"])) == vector["key"]
    for vector in one["values"]:
        assert as_hex(documents.value(vector["record"], vector["path"], vector["version"])) == vector["value"]
    for record in one["refused"]:
        with pytest.raises(DatasetError, match=f"record {record} of"):
            documents.key(record)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-(2**63), 2**63 - 1).map(bson.Int64),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.binary(max_size=8).map(bson.Binary),
    st.binary(min_size=12, max_size=12).map(bson.ObjectId),
    st.integers(0, 2**31).map(lambda seconds: bson.Timestamp(seconds, 1)),
)
names = st.text("xyz.$", min_size=1, max_size=3)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=6
)


@st.composite
def contents(draw: st.DrawFn) -> dict[str, Any]:
    """A document with all paths, between other fields, in any order."""
    deep = {"e": draw(values), **draw(st.dictionaries(names, values, max_size=1))}
    inner = {**draw(st.dictionaries(names, values, max_size=1)), "d": deep, "c": draw(values)}
    return {**draw(st.dictionaries(names, values, max_size=2)), "b": inner, "a": draw(values)}


own_ids = st.one_of(
    *(
        st.lists(one, min_size=1, max_size=5, unique_by=str)
        for one in (
            st.integers(-(2**31), 2**31 - 1),
            st.integers(-(2**40), 2**40).map(bson.Int64),
            st.integers(-(2**53), 2**53).map(float),
            st.integers(-(2**62), 2**62).map(bson.DatetimeMS),
            st.binary(min_size=12, max_size=12).map(bson.ObjectId),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            st.binary(max_size=16).map(bson.Binary),
            st.tuples(st.booleans(), st.integers(0, 9)).map(lambda some: {"of": list(some)}),
        )
    )
)


@st.composite
def templates(draw: st.DrawFn) -> list[bytes]:
    return [bson.encode({"_id": own, **draw(contents())}) for own in draw(own_ids)]


def at(document: dict[str, Any], path: str) -> object:
    for name in path.split("."):
        document = document[name]
    return document


@given(
    templates(), st.integers(-(2**63), 2**63 - 1), RECORDS, st.dictionaries(st.integers(0, 2), st.integers(1, 10**6))
)
def test_a_document_is_its_template_but_for_what_was_written(
    some: list[bytes], seed: int, record: int, versions: dict[int, int]
) -> None:
    documents = TemplateDocuments(some, seed, PATHS, Ids.of(some))
    try:
        stored = documents.document(record, versions)
    except DatasetError:
        assert documents.ids.cycles is not None
        assert record // len(some) >= documents.ids.cycles - 1  # others of the last cycle may be smaller
        return
    got = bson.decode(stored, OPTIONS)
    assert bson.encode(got) == stored
    wanted = bson.decode(some[record % len(some)], OPTIONS)
    wanted["_id"] = got["_id"]
    for path, version in versions.items():
        source = bson.decode(some[(draw(seed, record, path, version) >> 32) * len(some) >> 32], OPTIONS)
        *above, name = PATHS[path].split(".")
        holder: Any = at(wanted, ".".join(above)) if above else wanted
        holder[name] = at(source, PATHS[path])
    if versions:
        wanted["_pg"] = {str(path): bson.Int64(version) for path, version in versions.items()}
    assert stored == bson.encode(wanted)


@given(templates())
def test_keys_of_all_cycles_differ_and_the_first_are_the_templates_own(some: list[bytes]) -> None:
    documents = TemplateDocuments(some, 1, (), Ids.of(some))
    whole_cycles = min(4, documents.ids.cycles or 4) - (documents.ids.cycles is not None and documents.ids.cycles <= 4)
    keys = [documents.key(record) for record in range(max(1, whole_cycles) * len(some))]
    assert len(set(keys)) == len(keys)
    assert keys[: len(some)] == [own_id(template) for template in some]


def test_what_goes_on_is_told() -> None:
    def kind(*own: object) -> Ids:
        return Ids.of([bson.encode({"_id": one}) for one in own])

    assert kind(3, 7, 5) == Ids(kind="int", span=5, cycles=1 + (2**31 - 1 - 7) // 5)
    assert kind(3, bson.Int64(7)).kind == "other"
    assert kind(1.0, 2.5).kind == "other"
    assert kind("a", "a~1").kind == "other"
    assert kind(bson.Int64(-(2**63)), bson.Int64(2**63 - 1)).kind == "other"
    last = bson.Binary(b"12345678")
    documents = TemplateDocuments([bson.encode({"_id": last})], 0, (), kind(last))
    assert documents.key(9).raw[-8:] == (int.from_bytes(last, "big") ^ mix(9)).to_bytes(8, "big")


def test_a_file_of_templates_is_mapped(tmp_path: Path) -> None:
    some = [bson.encode({"_id": number, "text": "x" * number}) for number in range(100)]
    path = tmp_path / "documents.bson"
    path.write_bytes(b"".join(some))
    templates = Templates(path)
    assert list(templates) == some
    assert templates.size_bytes == path.stat().st_size
    documents = TemplateDocuments(templates, 0, (), Ids.of(templates))
    assert documents.sample(10**6) == some
    few = documents.sample(2000)
    assert 1000 < sum(map(len, few)) < 4000
    assert RawBSONDocument(few[-1])["_id"] > 80
    templates.close()


@pytest.mark.parametrize("damage", [b"", b"\1\2", b"\xff\0\0\0\0", b"\4\0\0\0\0"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "documents.bson"
    path.write_bytes(damage and bson.encode({"_id": 1}) + damage)
    with pytest.raises(DatasetError, match="prepare them again"):
        Templates(path)
