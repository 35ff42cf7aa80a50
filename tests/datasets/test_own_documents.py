"""Templates: sampled once, proved by their digest, and refused where a campaign could not go well with them."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bson
import pytest
from pydantic import ValidationError

from datasets import (
    DatasetError,
    Ids,
    OwnDocuments,
    TemplateDocuments,
    mean_bytes,
    prepare_documents,
    updatable_paths,
)
from datasets.collections.files.checks import LARGEST_DOCUMENT_BYTES
from datasets.template_faults import TemplateFaults
from tests.datasets.dumps import dumped

if TYPE_CHECKING:
    from collections.abc import Sequence

CODECS = ("none", "zstd-6")
ORDERS = [{"_id": 3 * n, "status": "new", "to": {"city": f"c{n % 7}", "zip": n}, "lines": [n]} for n in range(500)]


def dump(folder: Path, documents: Sequence[dict[str, Any]] = ORDERS) -> Path:
    encoded = (bson.encode(one).replace(b"xid", b"_id") for one in documents)  # which the driver puts first
    return dumped(folder / "dump", "orders", encoded)


def recipe(path: Path, **changes: Any) -> OwnDocuments:
    return OwnDocuments(path=path, **changes)


def test_a_dump_becomes_templates_byte_for_byte(tmp_path: Path) -> None:
    found = prepare_documents(recipe(dump(tmp_path), update=("status", "to.city")), 1, tmp_path / "home", CODECS)
    assert found.path.read_bytes() == b"".join(map(bson.encode, ORDERS))
    assert (found.documents, found.source_documents, found.source) == (500, 500, "orders")
    assert found.mean_bytes == pytest.approx(found.bytes / 500, abs=0.1)
    assert found.neighbours_bytes(1) == max(len(bson.encode(one)) for one in ORDERS)
    assert found.bytes <= found.neighbours_bytes(500) <= found.neighbours_bytes(512) < 1.1 * found.bytes
    assert (found.ids.kind, found.ids.span) == ("int", 3 * 499 + 1)
    assert found.source_compressor == "zstd"
    assert [one.codec for one in found.expected_ratios] == list(CODECS)
    assert {one.path for one in found.paths} >= {"_id", "status", "to.city", "lines[]"}
    assert found.path.parent.stat().st_mode & 0o777 == 0o700


def test_indexes_of_the_source_are_made_without_what_would_refuse_or_delete(tmp_path: Path) -> None:
    found = prepare_documents(recipe(dump(tmp_path)), 1, tmp_path / "home", CODECS)
    assert found.indexes == (
        {"name": "b_-1_a_1", "key": {"b": -1, "a": 1}},
        {"name": "t_text", "key": {"t": "text"}},
    )
    own = [{"key": {"to.city": 1, "status": -1}}, {"key": {"lines": 1}, "sparse": True}]
    chosen = prepare_documents(recipe(dump(tmp_path), indexes=own), 1, tmp_path / "home", CODECS)
    assert [list(one["key"].items()) for one in chosen.indexes] == [[("to.city", 1), ("status", -1)], [("lines", 1)]]
    assert [one.get("sparse") for one in chosen.indexes] == [None, True]
    assert prepare_documents(recipe(dump(tmp_path), indexes=False), 1, tmp_path / "home", CODECS).indexes == ()


def test_a_large_source_is_sampled_and_the_seed_says_which_part(tmp_path: Path) -> None:
    documents = [{"_id": n, "text": f"{n:>200}"} for n in range(2000)]
    path = dump(tmp_path, documents)
    one, again, other = (
        prepare_documents(recipe(path, most_bytes=100_000), seed, tmp_path / home, CODECS)
        for seed, home in ((1, "a"), (1, "b"), (2, "c"))
    )
    assert one.bytes <= 100_000 < one.source_bytes
    assert one.digest == again.digest != other.digest


def test_a_second_call_samples_nothing_and_damage_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = recipe(dump(tmp_path), update=("status",))
    first = prepare_documents(wanted, 1, tmp_path / "home", CODECS)
    with monkeypatch.context() as patch:
        patch.setattr("datasets.own_documents.take_sample", None)
        patch.setattr("datasets.own_documents.Templates", None)
        assert prepare_documents(wanted, 1, tmp_path / "home", CODECS) == first
    first.path.write_bytes(first.path.read_bytes()[:-7])
    assert prepare_documents(wanted, 1, tmp_path / "home", CODECS) == first
    assert prepare_documents(wanted, 1, tmp_path / "home", CODECS).path.read_bytes() == b"".join(
        map(bson.encode, ORDERS)
    )


def test_what_a_dump_says_beside_its_documents_is_read_anew(tmp_path: Path) -> None:
    path = dump(tmp_path)
    first = prepare_documents(recipe(path), 1, tmp_path / "home", CODECS)
    path.with_name("orders.metadata.json").write_text('{"indexes": [{"key": {"lines": 1}, "name": "mine"}]}')
    again = prepare_documents(recipe(path), 1, tmp_path / "home", CODECS)
    assert again.digest == first.digest
    assert again.indexes == ({"name": "mine", "key": {"lines": 1}},)
    assert again.source_compressor is None


@pytest.mark.parametrize(
    ("wrong", "update", "told"),
    [
        ({"_id": 9000}, ("status",), "document 501: its path 'status' is missing"),
        ({"_id": 9000, "status": 1, "to": [1]}, ("to.city",), "its path 'to.city' leads through a value of type array"),
        ({"_id": 9000, "status": 1, "_pg": 1}, ("status",), "document 501: it has a field `_pg`"),
        ({"status": 1, "xid": 9000}, (), "document 501: `_id` is not its first field"),
        ({"_id": 0, "status": 1}, (), "have the same `_id`"),
        ({"_id": 9000, "at": bson.Timestamp(0, 0)}, (), "document 501: its field 'at' is Timestamp(0, 0), which a"),
        ({"_id": 9000, "status": 1, "fill": "x" * (2**24 - 55)}, ("status",), "document 501: with the largest values"),
    ],
)
def test_templates_that_can_not_be_verified_are_refused(
    tmp_path: Path, wrong: dict[str, Any], update: tuple[str, ...], told: str
) -> None:
    path = dump(tmp_path, [*ORDERS, wrong])
    with pytest.raises(DatasetError) as caught:
        prepare_documents(recipe(path, update=update), 1, tmp_path / "home", CODECS)
    assert told in str(caught.value)


def test_no_time_yet_is_kept_where_servers_keep_it(tmp_path: Path) -> None:
    kept = [{"_id": bson.Timestamp(0, 0), "in": {"at": bson.Timestamp(0, 0)}, "at": bson.Timestamp(0, 1)}]
    assert prepare_documents(recipe(dump(tmp_path, kept)), 1, tmp_path / "home", CODECS).documents == 1


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("own_id", [1, "one"])
def test_documents_leave_room_for_what_updates_make_of_them(own_id: object, over: int) -> None:
    paths = ("a", "in.b", *(f"n{number}" for number in range(9)))
    rest = {f"n{number}": number for number in range(9)}
    small = bson.encode({"_id": own_id, "a": "", "in": {"b": "x" * 1000}, "fill": "", **rest})
    large = {"_id": own_id, "a": "y" * 500, "in": {"b": ""}, **rest}
    templates = [small, bson.encode({**large, "fill": ""})]
    ids = Ids.of(templates)
    latest = 2 * (2**31 // 2 - 1) + 1  # the last record, in its cycle
    documents = TemplateDocuments(templates, 1, paths, ids)
    drawn = {path: next(n for n in count(2**40) if len(documents.value(latest, path, n).raw) >= most) for path, most in
             enumerate([505, 1005, *[4] * 9])}  # fmt: skip
    left = LARGEST_DOCUMENT_BYTES - len(documents.document(latest, drawn))
    templates[1] = bson.encode({**large, "fill": "x" * (left + over)})
    faults = TemplateFaults(paths)
    assert [faults.of(template) for template in templates] == [None, None]
    found = faults.too_large()
    assert (found and found[0]) == (1 if over else None)


@pytest.mark.parametrize(
    ("update", "told"),
    [
        (("a..b",), "is no path"), (("a,b",), "is no path"), (("a.$b",), "is no path"), (("",), "is no path"),
        (("_id",), "neither `_id`"), (("_id.a",), "neither `_id`"), (("_pg.0",), "neither `_id`"),
        (("a.b", "a"), "'a' holds 'a.b'"), (("a", "a"), "'a' holds 'a'"),
    ],
)  # fmt: skip
def test_paths_that_updates_could_not_tell_apart_are_refused(update: tuple[str, ...], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        OwnDocuments(path="x", update=update)
    OwnDocuments(path="x", update=("a", "ab.c", "ab.d"))


@pytest.mark.parametrize(
    ("indexes", "told"),
    [
        ([{"key": {"_id": -1}}], "always there"), ([{"key": {"_id": 1}}], "always there"),
        ([{"key": {"a..b": 1}}], "is no path"), ([{"key": {"a.": 1}}], "is no path"),
        ([{"key": {"$a": 1}}], "is no path"), ([{"key": {"$id": 1}}], "is no path"),
        ([{"key": {"a.$**.b": 1}}], "is no path"), ([{"key": {"a\0": 1}}], "is no path"),
        ([{"key": {"$**": -1}}], "alone"), ([{"key": {"a": 1, "b.$**": 1}}], "alone"),
        ([{"key": {"$**": 1}, "sparse": True}], "alone"),
        ([{"key": {"a": "hashed", "b": "hashed"}}], "one path with a kind"),
        ([{"key": {"a": "2d", "b": "2dsphere"}}], "one path with a kind"),
        ([{"key": {"a": 1, "b": "2d"}}], "2d has to be the first"),
        ([{"key": {"a": 1, "b": 1}}, {"key": {"a_1_b": 1}}], "2 indexes would have one name, 'a_1_b_1'"),
        ([{"key": {"a": 1}}, {"key": {"a": 1}, "sparse": True}], "name each key once"),
    ],
)  # fmt: skip
def test_indexes_that_no_server_makes_are_refused(indexes: list[dict[str, Any]], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        OwnDocuments(path="x", indexes=indexes)


@pytest.mark.parametrize(
    "key",
    [
        {"$**": 1}, {"a.$**": 1}, {"a.$id": 1}, {"_id": "hashed"}, {"_id": -1, "a": 1}, {"a,b": 1},
        {"a": "2dsphere", "b": "2dsphere", "c": -1}, {"a": 1, "b": "hashed"}, {"a": "2d", "b": 1},
    ],
)  # fmt: skip
def test_indexes_that_servers_make_are_taken(key: dict[str, Any]) -> None:
    recipe(Path("x"), indexes=[{"key": key}])


def test_what_documents_weigh_is_known_without_a_sample(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    assert mean_bytes(OwnDocuments(path=path)) == len(bson.encode({"_id": bson.ObjectId(), "a": 1}))
    path.write_text(json.dumps({"a": "x" * 1000}), encoding="utf-8")
    assert mean_bytes(OwnDocuments(path=path)) > 1000  # another file has another size


def test_paths_that_every_document_has_are_offered_for_updates(tmp_path: Path) -> None:
    assert updatable_paths(dump(tmp_path)) == ("to.city", "to.zip")
    assert updatable_paths(dump(tmp_path), most=9) == ("to.city", "to.zip")


def test_names_that_no_path_leads_to_are_not_offered(tmp_path: Path) -> None:
    odd = [{"_id": n, "a.b": n, "to": {"": {"c": n}, "d.e": n, "f": n}, "": n} for n in range(9)]
    mixed = [{**one, **({"m": {"n": at}} if at % 2 else {"m.n": at})} for at, one in enumerate(odd)]
    assert updatable_paths(dump(tmp_path, mixed), most=9) == ("to.f",)
