"""Documents of one's own: what is read, in which order and of which types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bson
import pytest
from bson import json_util
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets import DatasetError
from datasets.collections import Index, read_documents, take_sample
from datasets.collections.elements import TYPES, elements
from datasets.collections.files.crc64 import Crc64
from tests.datasets.dumps import METADATA, archive, crc64, dumped, write

if TYPE_CHECKING:
    from pathlib import Path

ORDERS = tuple(bson.encode({"_id": number, "text": "some words " * (number % 7)}) for number in range(9))
USERS = tuple(bson.encode({"_id": bson.ObjectId(), "name": f"user {number}"}) for number in range(5))
EVERY_TYPE: dict[str, Any] = {
    "_id": bson.ObjectId("65a000000000000000000001"),
    "double": 5.0,
    "nan": float("nan"),
    "string": "ä\u0000€",
    "object": {"b": {}, "a": []},
    "array": [1, [2.5, {"c": "d"}], None],
    "binary": bson.Binary(b"\x00\x01", 5),
    "plain binary": b"\xff",
    "uuid": bson.Binary(bytes(16), 4),
    "bool": True,
    "date": bson.DatetimeMS(1_700_000_000_123),
    "far date": bson.DatetimeMS(-(2**60)),
    "null": None,
    "regex": bson.Regex("^a.*", "im"),
    "code": bson.Code("f()"),
    "code with scope": bson.Code("f()", {"x": 1}),
    "int": -5,
    "timestamp": bson.Timestamp(5, 6),
    "long": bson.Int64(7),
    "decimal": bson.Decimal128("1.10"),
    "smallest": bson.MinKey(),
    "largest": bson.MaxKey(),
    "reference": {"more": 1, "$id": 5, "$ref": "c", "$db": "d"},
    "operator": {"$gt": 5, "$in": [1]},
}


def lines(path: Path, *documents: object) -> Path:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def test_lines_become_documents_in_their_order(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"b": 1, "a": [1.5, {"c": None}]}, {"x": 2**40, "_id": "k"})
    first, second = map(bson.decode, read_documents(path))
    assert list(first) == ["_id", "b", "a"]
    assert first["a"] == [1.5, {"c": None}]
    assert list(second.items()) == [("_id", "k"), ("x", 2**40)]
    assert isinstance(second["x"], bson.Int64)


def test_documents_without_ids_get_ascending_object_ids_the_same_each_time(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", *({"n": n} for n in range(3000)))
    ids = [bson.decode(document)["_id"] for document in read_documents(path)]
    assert ids == sorted(set(ids))
    assert ids == [bson.decode(document)["_id"] for document in read_documents(path)]


def test_every_type_survives_canonical_extended_json(tmp_path: Path) -> None:
    text = json_util.dumps(EVERY_TYPE, json_options=json_util.CANONICAL_JSON_OPTIONS)
    path = tmp_path / "a.json"
    path.write_text(text)
    assert list(read_documents(path)) == [bson.encode(EVERY_TYPE)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"$date": 1700000000123}', bson.DatetimeMS(1_700_000_000_123)),
        ('{"$date": "2023-11-14T22:13:20.123Z"}', bson.DatetimeMS(1_700_000_000_123)),
        ('{"$date": {"$numberLong": "-1"}}', bson.DatetimeMS(-1)),
        ('{"$binary": "AAE=", "$type": "05"}', bson.Binary(b"\x00\x01", 5)),
        ('{"$regex": "^a", "$options": "i"}', bson.Regex("^a", "i")),
        ('{"$uuid": "00000000-0000-0000-0000-000000000000"}', bson.Binary(bytes(16), 4)),
        ('{"$numberDouble": "-Infinity"}', float("-inf")),
        ('{"$numberLong": "5"}', bson.Int64(5)),
        ('{"$numberInt": "5"}', 5),
        ("2147483647", 2**31 - 1),
        ("2147483648", bson.Int64(2**31)),
        ("1e2", 100.0),
        ("-0.0", -0.0),
    ],
)
def test_each_way_to_write_a_value_gives_its_type(text: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"_id": 1, "a": {text}}}\n')
    assert list(read_documents(path)) == [bson.encode({"_id": 1, "a": value})]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("byte_order_mark", [b"", b"\xef\xbb\xbf"], ids=["bare", "marked"])
@pytest.mark.parametrize(
    "text",
    [
        '{"_id": 1}\n{"_id": 2, "a": "]"}\n',
        '\n {"_id": 1}\r\n\r\n{"_id": 2, "a": "]"}',
        '[{"_id": 1}, {"_id": 2, "a": "]"}]',
        ' \n[\n  {\n"_id": 1} ,\n\n{"_id": 2,\n "a": "]"}\n]\n\n',
    ],
)
def test_lines_and_arrays_are_the_same_documents(
    text: str, byte_order_mark: bytes, tmp_path: Path, *, packed: bool
) -> None:
    path = write(tmp_path / "any name", byte_order_mark + text.encode(), packed=packed)
    assert list(read_documents(path)) == [bson.encode({"_id": 1}), bson.encode({"_id": 2, "a": "]"})]


def test_documents_of_an_array_may_lie_across_what_is_read_at_once(tmp_path: Path) -> None:
    documents = [{"_id": n, "text": "€" * (n * 37_000)} for n in range(20)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(documents, ensure_ascii=False))
    assert list(read_documents(path)) == [bson.encode(document) for document in documents]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("named", ["", "shop", "shop/orders.bson"], ids=["dump", "database", "file"])
def test_a_dump_is_read_byte_for_byte(named: str, tmp_path: Path, *, packed: bool) -> None:
    dumped(tmp_path / "dump/shop", "orders", ORDERS, packed=packed)
    write(tmp_path / "dump/oplog.bson", bson.encode({"op": "i"}), packed=packed)
    write(tmp_path / "dump/admin/system.users.bson", bson.encode({"user": "root"}), packed=packed)
    source = tmp_path / "dump" / (named + ".gz" * (packed and named.endswith(".bson")))
    assert list(read_documents(source)) == list(ORDERS)


def test_what_json_does_not_have_stays_in_a_dump(tmp_path: Path) -> None:
    twice = _document(b"\x10a\x00\x01\x00\x00\x00" * 2)
    deprecated = _document(b"\x0ea\x00\x02\x00\x00\x00s\x00" + b"\x06b\x00")
    assert list(read_documents(dumped(tmp_path, "odd", (twice, deprecated)))) == [twice, deprecated]


def _document(fields: bytes) -> bytes:
    return (len(fields) + 5).to_bytes(4, "little") + fields + b"\x00"


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_an_archive_is_read_byte_for_byte(tmp_path: Path, *, packed: bool) -> None:
    path = write(tmp_path / "shop.archive", archive({"shop.orders": ORDERS}), packed=packed)
    assert list(read_documents(path)) == list(ORDERS)


def test_a_collection_of_several_in_an_archive_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "all", archive({"shop.orders": ORDERS, "shop.users": USERS, "admin.system.version": USERS}))
    with pytest.raises(DatasetError, match=rf"holds 2 collections.*: {path}/shop.orders, {path}/shop.users"):
        list(read_documents(path))
    assert list(read_documents(path / "shop.orders")) == list(ORDERS)
    assert list(read_documents(path / "shop.users")) == list(USERS)
    with pytest.raises(DatasetError, match=r"holds no shop\.order; it has: shop\.orders, shop\.users"):
        list(read_documents(path / "shop.order"))


@pytest.mark.parametrize("kind", ["folder", "gzip folder", "archive"])
def test_indexes_and_options_come_from_the_dump(kind: str, tmp_path: Path) -> None:
    source = tmp_path / "dump"
    if kind == "archive":
        write(source, archive({"shop.orders": ORDERS}))
    else:
        dumped(source / "shop", "orders", ORDERS, packed=kind.startswith("gzip"))
    manifest = take_sample(source, tmp_path / "sample", most_bytes=2**20, seed=1).manifest
    assert manifest.indexes == (
        Index(name="_id_", key={"_id": 1}, unique=False, options={}),
        Index(
            name="b_-1_a_1", key={"b": -1, "a": 1}, unique=True, options={"expireAfterSeconds": {"$numberInt": "60"}}
        ),
        Index(name="t_text", key={"t": "text"}, unique=False, options={}),
    )
    assert list(manifest.indexes[1].key) == ["b", "a"]
    assert manifest.options == METADATA["options"]
    assert manifest.block_compressor == "zstd"


def test_a_file_that_was_copied_alone_has_no_indexes(tmp_path: Path) -> None:
    path = write(tmp_path / "orders.bson", b"".join(ORDERS))
    manifest = take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1).manifest
    assert (manifest.indexes, manifest.options, manifest.block_compressor) == ((), {}, None)


@given(st.lists(st.binary(max_size=3000), max_size=20), st.integers(-(2**63), 2**64 - 1))
@settings(max_examples=50, deadline=None)
def test_checksums_agree_with_their_definition(parts: list[bytes], other: int) -> None:
    right = crc64(b"".join(parts))
    for expected in (right, right - 2**64, right ^ 1, other):
        checksum = Crc64()
        for part in parts:
            checksum.update(part)
        assert checksum.agrees(expected) == ((expected - right) % 2**64 == 0)


def test_checksums_of_more_than_one_chunk() -> None:
    assert crc64(b"123456789") == 0x995DC9BBDF1939FA, "the catalogue's check value"
    data = bytes(range(251)) * 600
    checksum = Crc64()
    checksum.update(data)
    assert checksum.agrees(crc64(data))


def test_elements_are_those_that_are_stored() -> None:
    found = list(elements(bson.encode(EVERY_TYPE)))
    kinds = {element.path.decode(): TYPES[element.kind] for element in found}
    assert kinds["reference.$id"] == "int"
    assert kinds["array[][].c"] == "string"
    assert kinds["code with scope"] == "javascriptWithScope"
    assert kinds["largest"] == "maxKey"
    top = [element for element in found if b"." not in element.path and b"[" not in element.path]
    assert len(bson.encode(EVERY_TYPE)) == 5 + sum(len(one.path) + 2 + len(one.value) for one in top)
