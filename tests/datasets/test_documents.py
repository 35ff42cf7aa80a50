"""The value function, against numbers worked out by hand, the golden vectors of its Java twin, and its own law."""

import json
from pathlib import Path
from typing import Any

import bson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets import Corpus, DocumentShape, TextDocuments, value
from datasets.documents import draw, key_name, marker, mix, unit_once

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "value_function.json").read_text())
THREE = Corpus.from_bytes("alpha\nbêta\n語言\n".encode(), "test")


def java_draw(seed: int, *numbers: int) -> int:
    """Draw with 64-bit numbers that really wrap, the way the contract words it."""
    h = seed % 2**64
    for x in numbers:
        z = (h + 0x9E3779B97F4A7C15 * (x + 1)) % 2**64
        z ^= z >> 30
        z = z * 0xBF58476D1CE4E5B9 % 2**64
        z ^= z >> 27
        z = z * 0x94D049BB133111EB % 2**64
        h = z ^ (z >> 31)
    return h


def test_mix_is_the_published_splitmix64() -> None:
    golden = 0x9E3779B97F4A7C15
    stream = [mix((1234567 + golden * n) % 2**64) for n in range(1, 4)]
    assert stream == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.integers(-(2**63), 2**63 - 1), *[st.integers(0, 2**40)] * 3)
def test_draw_follows_the_contract(seed: int, key: int, field: int, version: int) -> None:
    assert draw(seed, key, field, version) == java_draw(seed, key, field, version)


def test_units_end_in_a_space_and_the_text_wraps_around() -> None:
    assert THREE.text == "alpha bêta 語言 ".encode()
    assert THREE.starts == (0, 6, 12)
    assert THREE.bytes_from(12, 12) == "語言 alpha".encode()
    assert len(THREE.bytes_from(6, 1000)) == 1000


@pytest.mark.parametrize(
    ("length", "expected"),
    [(1, b" "), (2, b"  "), (3, "語".encode()), (4, "語 ".encode()), (5, "語  ".encode()), (6, "語言".encode())],
)
def test_a_character_cut_at_the_end_becomes_spaces(length: int, expected: bytes) -> None:
    corpus = Corpus.from_bytes("語言\n".encode(), "test")
    assert value(corpus, 0, 0, 0, 0, length) == expected


def test_a_versioned_value_begins_with_its_marker() -> None:
    corpus = Corpus.from_bytes(b"hello\n", "test")
    assert value(corpus, 7, 1, 2, 0, 8) == b"hello he"
    assert value(corpus, 7, 1, 2, 12, 8) == b"#12 hell"
    with pytest.raises(ValueError, match="version 123"):
        value(corpus, 7, 1, 2, 123, 4)


@given(
    st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1), min_size=1),
    *[st.integers(0, 2**31)] * 3,
    st.integers(0, 10**6),
    st.integers(16, 300),
)
def test_every_value_is_whole_text_of_exactly_its_length(
    units: list[str], seed: int, key: int, field: int, version: int, length: int
) -> None:
    corpus = Corpus.from_bytes("".join(f"{unit}\n" for unit in units).encode(), "test")
    got = value(corpus, seed, key, field, version, length)
    assert len(got) == length
    assert got.decode().encode() == got
    index = (java_draw(seed, key, field, version) >> 32) * len(units) >> 32
    text = " ".join(units[index:] + units * length).encode() + b" "
    wanted = (marker(version) + text)[:length].decode(errors="ignore").encode()
    assert got == wanted.ljust(length)


@pytest.mark.parametrize(
    ("record", "name"),
    [(0, "user6284781860667377211"), (1, "user8517097267634966620"), (2, "user1820151046732198393")],
)
def test_keys_are_named_as_ycsb_names_them(record: int, name: str) -> None:
    assert key_name(record) == name


def test_a_document_holds_its_fields_in_order() -> None:
    documents = TextDocuments(THREE, 3, DocumentShape(field_count=3, field_length_bytes=20))
    got = bson.decode(documents.document(1))
    assert list(got) == ["_id", "field0", "field1", "field2"]
    assert got["field2"].encode() == value(THREE, 3, 1, 2, 0, 20)
    updated = bson.decode(documents.document(1, {2: 7}))
    assert updated == got | {"field2": value(THREE, 3, 1, 2, 7, 20).decode()}


@pytest.mark.parametrize("one", VECTORS["draws"], ids=lambda one: one["draw"])
def test_draws_agree_with_the_java_twin(one: dict[str, Any]) -> None:
    assert f"{draw(one['seed'], one['key'], one['field'], one['version']):016x}" == one["draw"]


@pytest.mark.parametrize("one", VECTORS["vectors"], ids=lambda one: f"{one['corpus']}-{one['key']}-{one['length']}")
def test_values_agree_with_the_java_twin(one: dict[str, Any]) -> None:
    corpus = Corpus.from_bytes(VECTORS["corpora"][one["corpus"]].encode(), one["corpus"])
    shape = DocumentShape(field_length_bytes=one["length"])
    documents = TextDocuments(corpus, one["seed"], shape)
    got = documents.value(one["key"], one["field"], one["version"])
    assert got == one["value"].encode()


@pytest.mark.parametrize("one", VECTORS["once"], ids=lambda one: str(one["line"]))
def test_units_that_begin_one_value_each_agree_with_the_java_twin(one: dict[str, Any]) -> None:
    place = one["key"] * one["fields"] + one["field"]
    assert unit_once(one["seed"], place, one["version"], one["lines"]) == one["line"]


@given(st.integers(1, 500), st.integers(-(2**63), 2**63 - 1), st.integers(0, 10**9), st.integers(0, 99))
def test_any_neighbours_begin_at_units_of_their_own(units: int, seed: int, first: int, version: int) -> None:
    drawn = {unit_once(seed, first + number, version, units) for number in range(units)}
    assert drawn == set(range(units))


def test_values_of_units_that_begin_one_each_do_not_repeat() -> None:
    lines = "".join(f"unit {number} of the text\n" for number in range(60))
    documents = TextDocuments(Corpus.from_bytes(lines.encode(), "test"), 3, DocumentShape(field_count=3), repeat=False)
    values = [bson.decode(documents.document(record))[f"field{field}"] for record in range(20) for field in range(3)]
    assert len(set(values)) == 60
    assert documents.value(4, 2, 7).startswith(b"#7 unit ")
