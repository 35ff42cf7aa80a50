"""Hostile and damaged sources: each a message that names the place, and nothing half-written."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from typing import TYPE_CHECKING

import bson
import pytest

from datasets import DatasetError
from datasets.collections import Sample, read_documents, take_sample
from datasets.collections.files.checks import DEEPEST, LARGEST_DOCUMENT_BYTES
from datasets.collections.profile import MOST_PATHS
from tests.datasets.dumps import METADATA, archive, dumped, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GOOD = [bson.encode({"_id": number, "text": "words " * 9}) for number in range(5)]
WHOLE = b"".join(GOOD)
SIZE = len(GOOD[0])
ARCHIVE = archive({"shop.orders": GOOD})


@pytest.fixture
def unharmed(tmp_path: Path) -> Iterator[None]:
    """Whatever is read, nothing appears beside it."""
    yield
    assert not [path for path in tmp_path.rglob("*") if "sample" in path.name]


def refused(source: Path, message: str) -> None:
    """Both ways to read a source refuse it with the same message."""
    with pytest.raises(DatasetError, match=message) as found:
        for _ in read_documents(source):
            pass
    with pytest.raises(DatasetError) as again:
        take_sample(source, source.parent / "sample", most_bytes=2**28, seed=1)
    assert str(again.value) == str(found.value)


def nested_json(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


def nested_bson(levels: int) -> bytes:
    document = bson.encode({})
    for _ in range(levels):
        document = (len(document) + 8).to_bytes(4, "little") + b"\x03a\x00" + document + b"\x00"
    return document


def large(size_bytes: int) -> bytes:
    document = {"_id": 1, "text": ""}
    return bson.encode(document | {"text": "x" * (size_bytes - len(bson.encode(document)))})


TEXTS = {
    "no JSON": (b'{"a": 1}\n{"a": 1]\n', r"line 2, column 8: no JSON \(Expecting ',' delimiter\); give one"),
    "a line that ends early": (b'{"a": 1}\n{"a":\n', r"line 2, column 6: no JSON"),
    "a document on several lines": (b'{\n  "a": 1\n}\n', r"line 1, column 2: no JSON .*one document per line"),
    "no document": (b'{"a": 1}\n\n[1]\n', r"line 3: a list, and no document"),
    "a number": (b'{"a": 1}\n5\n', r"line 2: a single value, and no document"),
    "a value of its own": (b'{"$oid": "65a000000000000000000001"}\n', r"line 1: a value of Extended JSON, and no doc"),
    "the same key twice": (b'{"a": 1}\n{"b": {"k": 1, "k": 1}}\n', r"line 2: the key 'k' is twice in one document"),
    "NaN": (b'{"a": NaN}\n', r'line 1: NaN is no JSON; Extended JSON writes {"\$numberDouble": "NaN"}'),
    "infinity": (b'{"a": -Infinity}\n', r"line 1: -Infinity is no JSON"),
    "beyond a double": (b'{"a": 1e999}\n', r"line 1: 1e999 is beyond a double"),
    "beyond 64 bits": (b'{"a": 9223372036854775808}\n', r"line 1: a number is beyond 64 bits"),
    "many digits": (b'{"a": %s}\n' % (b"9" * 5000), r"line 1: a number is beyond 64 bits"),
    "beyond 32 bits": (b'{"a": {"$numberInt": "2147483648"}}\n', r"line 1: \$numberInt 2147483648 is beyond 32 bits"),
    "a wrong ObjectId": (b'{"a": {"$oid": "5"}}\n', r"line 1: no Extended JSON \('5' is not a valid ObjectId"),
    "a wrong date": (b'{"a": {"$date": "yesterday"}}\n', r"line 1: no Extended JSON"),
    "a date too far": (b'{"a": {"$date": 99999999999999999999}}\n', r"line 1: a number is beyond 64 bits"),
    "a wrong wrapper": (b'{"a": {"$numberLong": [1]}}\n', r"line 1: no Extended JSON"),
    "a deprecated type": (b'{"a": {"$symbol": "s"}}\n', r"line 1: \$symbol is a deprecated type"),
    "no UTF-8": (b'{"a": 1}\n{"a": "\xe4"}\n', r"line 2, byte 7 of the line: not UTF-8"),
    "half a pair": (b'{"a": "\\ud800"}\n', r"line 1: holds half a surrogate pair"),
    "a zero in a name": (b'{"a\\u0000": 1}\n', r"line 1: .*NULL"),
    "a list as _id": (b'{"_id": [1]}\n', r"line 1: MongoDB takes no list and no regular expression as `_id`"),
    "too deep": (b'{"a": 1}\n' + nested_json(DEEPEST + 2), rf"line 2: nested in more than {DEEPEST} levels"),
    "200 levels": (nested_json(200), r"line 1: nested in more than"),
    "far too deep": (b'{"a": 1}\n' + nested_json(100_000), r"line 2: nested in more than"),
    "lists in lists": (b'{"a": ' + b"[" * 100_000, r"line 1: nested in more than"),
    "too large": (b'{"a": 1}\n{"a": "%s"}' % (b"x" * 2**24), r"line 2: 16,777,\d+ bytes of BSON, and MongoDB's limit"),
    "no end of a line": (b'{"a": 1}\n{"a": "%s"}' % (b"x" * 2**27), r"line 2: goes on for more than 128 MiB"),
    "no end of an array's document": (b'[{"a": "%s"}]' % (b"x" * 2**27), r"line 1: goes on for more than 128 MiB"),
    "an array's fault": (b'[{"a": 1},\n\n {"a":\n 1]}\n]', r"line 4: no JSON \(Expecting ',' delimiter\)"),
    "an array's end": (b'[{"a": 1},\n{"a": 1}', r"line 2: no JSON \(the file ends within the array"),
    "an array's comma": (b'[{"a": 1},\n]', r"line 2: no JSON \(a comma before the end"),
    "an array without commas": (b'[{"a": 1}\n{"a": 1}]', r"line 2: no JSON \(no comma between"),
    "text after an array": (b'[{"a": 1}]\n{"a": 1}\n', r"line 2: no JSON \(text after the end of the array"),
    "an array's key twice": (b'[{"a": 1},\n{\n"a": 1, "a": 1}]', r"line 2: the key 'a' is twice"),
    "an array of values": (b'[{"a": 1},\n 5]', r"line 2: a single value, and no document"),
    "an array that is too deep": (b"[" * 100_000, r"line 1: nested in more than"),
    "an array's UTF-8": (b'[{"a": 1},\n{"a": "\xe4"}]', r"line 2: not UTF-8"),
    "an empty array": (b"[]", r"holds no documents"),
    "nothing": (b"", r"is empty"),
    "spaces": (b" \n\n", r"is empty"),
    "a mark alone": (b"\xef\xbb\xbf\n\n", r"is empty"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), r"is UTF-16; convert it"),
    "something else": (b"\x28\xb5\x2f\xfd ...", r"holds neither JSON .* nor what mongodump writes"),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("content", "message"), TEXTS.values(), ids=TEXTS)
@pytest.mark.usefixtures("unharmed")
def test_text_that_can_not_be_used(content: bytes, message: str, tmp_path: Path, *, packed: bool) -> None:
    if packed and len(content) > 2**22:
        pytest.skip("takes long, and tells no more")
    refused(write(tmp_path / "source", content, packed=packed), rf"^dataset {tmp_path}/source(\.gz)?(, |: ).*{message}")


def lying(field: bytes) -> bytes:
    return b"".join(GOOD[:2]) + (len(field) + 5).to_bytes(4, "little") + field + b"\x00"


BINARIES = {
    "cut off in a document": (WHOLE[:-1], rf"document 5, byte {4 * SIZE}: the file ends within a document of {SIZE}"),
    "cut off in a length": (WHOLE + b"\x05\x00", rf"document 6, byte {5 * SIZE}: the file ends within a document;"),
    "a length below zero": (WHOLE + b"\xf0\xff\xff\xff....", r"document 6, byte \d+: says that it is -16 bytes long"),
    "a length of nothing": (WHOLE + bytes(9), r"document 6, byte \d+: says that it is 0 bytes long"),
    "a length beyond all": (WHOLE + b"\xff\xff\xff\x7f....", r"document 6, byte \d+: says that it is 2,147,483,647"),
    "a length that lies": (
        (SIZE + 1).to_bytes(4, "little") + WHOLE[4:],
        r"document 1, byte 0: (is longer or shorter than it says|no valid BSON)",
    ),
    "too large": (WHOLE + large(LARGEST_DOCUMENT_BYTES + 1), r"document 6, byte \d+: says that it is 16,777,217"),
    "a field that lies": (lying(b"\x02a\x00\xff\x00\x00\x00x\x00"), rf"document 3, byte {2 * SIZE}: no valid BSON"),
    "a field of no type": (lying(b"\x55a\x00"), r"document 3, .*: no valid BSON"),
    "a field without an end": (lying(b"\x10aaaa"), r"document 3, .*: no valid BSON"),
    "no UTF-8": (lying(b"\x02a\x00\x02\x00\x00\x00\xe4\x00"), r"document 3, .*: no valid BSON \(.*utf-8"),
    "a list as _id": (WHOLE + bson.encode({"_id": [1]}), r"document 6, .*: MongoDB takes no list"),
    "too deep": (WHOLE + nested_bson(DEEPEST + 1), r"document 6, .*: nested in more than"),
    "far too deep": (WHOLE + nested_bson(100_000), r"document 6, .*: nested in more than"),
}


@pytest.mark.parametrize("name", ["source", "source.bson"])
@pytest.mark.parametrize(("content", "message"), BINARIES.values(), ids=BINARIES)
@pytest.mark.usefixtures("unharmed")
def test_bson_that_can_not_be_used(content: bytes, message: str, name: str, tmp_path: Path) -> None:
    refused(write(tmp_path / name, content), rf"^dataset {tmp_path}/{name}, {message}")


def test_what_is_just_allowed_is_read(tmp_path: Path) -> None:
    documents = [large(LARGEST_DOCUMENT_BYTES), nested_bson(DEEPEST)]
    assert list(read_documents(write(tmp_path / "a.bson", b"".join(documents)))) == documents
    lists = b'{"a":' + b"[" * DEEPEST + b"]" * DEEPEST + b"}"
    assert len(list(read_documents(write(tmp_path / "a.json", lists)))) == 1


@pytest.mark.parametrize("cut", [1, 5, 50, 300, -1, -20])
@pytest.mark.usefixtures("unharmed")
def test_an_archive_that_is_cut_off(cut: int, tmp_path: Path) -> None:
    path = write(tmp_path / "source", ARCHIVE[:cut] if cut != 1 else ARCHIVE[:4])
    refused(path, rf"^dataset {tmp_path}/source(, byte \d+, |: )[\w' ]+.*(ends|cut off|another than)")


@pytest.mark.usefixtures("unharmed")
def test_an_archive_with_a_flipped_byte(tmp_path: Path) -> None:
    at = ARCHIVE.index(b"words words", ARCHIVE.index(GOOD[3]))
    path = write(tmp_path / "source", ARCHIVE[:at] + b"W" + ARCHIVE[at + 1 :])
    refused(path, r"source: the checksum of shop\.orders is another than the archive says")


@pytest.mark.parametrize("content", [WHOLE, b'{"a": 1}\n' * 50, ARCHIVE], ids=["bson", "lines", "archive"])
@pytest.mark.usefixtures("unharmed")
def test_gzip_that_is_cut_off_or_damaged(content: bytes, tmp_path: Path) -> None:
    packed = gzip.compress(content)
    refused(write(tmp_path / "source", packed[:-3]), r"source: its gzip data is cut off")
    refused(write(tmp_path / "source", packed[: len(packed) // 2]), r"source: its gzip data is cut off")
    wrong = packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]
    refused(write(tmp_path / "source", wrong), r"source: its gzip data is damaged \(CRC")


@pytest.mark.usefixtures("unharmed")
def test_folders_without_one_collection(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    refused(folder, rf"^dataset {folder}: holds no collection \(.bson")
    dumped(folder / "shop", "orders", GOOD)
    dumped(folder / "shop", "users", GOOD)
    refused(folder, rf"holds 2 collections; name one of them: {folder}/shop/orders.bson, {folder}/shop/users.bson$")
    refused(folder / "shop/order.bson", r"there is no such file or folder")


@pytest.mark.parametrize("linked", ["file", "metadata", "database"])
@pytest.mark.usefixtures("unharmed")
def test_links_in_a_dump_lead_nowhere(linked: str, tmp_path: Path) -> None:
    elsewhere = dumped(tmp_path / "elsewhere", "orders", GOOD)
    folder = tmp_path / "dump"
    folder.mkdir()
    if linked == "file":
        (folder / "orders.bson").symlink_to(elsewhere)
        refused(folder, rf"^dataset {folder}/orders.bson: is a link")
    elif linked == "metadata":
        write(folder / "orders.bson", WHOLE)
        (folder / "orders.metadata.json").symlink_to(elsewhere)
        refused(folder, rf"^dataset {folder}/orders.metadata.json: is a link")
    else:
        (folder / "shop").symlink_to(elsewhere.parent)
        refused(folder, r"holds no collection")


def test_a_file_may_be_named_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(write(tmp_path / "a.bson", WHOLE))
    assert list(read_documents(tmp_path / "link")) == GOOD


@pytest.mark.usefixtures("unharmed")
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", r"pipe: is no regular file")


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"{", "is not what mongodump writes"),
        (b"[]", "is not what mongodump writes"),
        (b'{"indexes": [{"name": "a"}]}', "is not what mongodump writes"),
        (b'{"indexes": [{"name": "a", "key": {"a": {"$numberInt": "x"}}}]}', "is not what mongodump writes"),
        (b'{"indexes": [{"name": "a", "key": {"a": null}}]}', "is not what mongodump writes"),
        (b'{"indexes": 5}', "is not what mongodump writes"),
        (b'{"options": {"storageEngine": 5}}', "is not what mongodump writes"),
        (b'{"options": {"storageEngine": {"wiredTiger": {"configString": 5}}}}', "is not what mongodump writes"),
        (b'{"indexes": [{"name": "a", "key": {"a": Infinity}}]}', "is not what mongodump writes"),
        (b'{"indexes": [{"name": "a", "key": {"a": 1e999}}]}', "is not what mongodump writes"),
        (b'{"options": ' + nested_json(300) + b"}", "is not what mongodump writes"),
        (b'{"uuid": "\\ud800"}', "is not what mongodump writes"),
        (b'{"uuid": "\xed\xa0\x80"}', "is not what mongodump writes"),
        (b'{"a": ' * 100_000, "is not what mongodump writes"),
        (b" " * (2**24 + 1), "is larger than 16 MiB"),
        (b'{"options": {"viewOn": "a"}, "type": "view"}', "is of a view"),
        (b'{"options": {"timeseries": {}}, "type": "timeseries"}', "is of a time-series collection"),
    ],
)
@pytest.mark.usefixtures("unharmed")
def test_metadata_that_can_not_be_used(metadata: bytes, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "orders.bson", WHOLE)
    write(tmp_path / "orders.metadata.json", metadata)
    refused(path, rf"^dataset {tmp_path}/orders.metadata.json: {message}")


@pytest.mark.usefixtures("unharmed")
def test_a_view_in_an_archive_is_none_to_load(tmp_path: Path) -> None:
    path = write(tmp_path / "source", archive({"shop.view": GOOD}, metadata={**METADATA, "type": "view"}))
    refused(path, rf"^dataset {tmp_path}/source, metadata of shop.view: is of a view")


def test_ten_thousand_paths_leave_the_manifest_small(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({f"key {n * 100 + m}": n for m in range(100)}) + "\n" for n in range(100)))
    sample = take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1)
    assert len(sample.manifest.paths) == MOST_PATHS
    assert sample.manifest.values_left_out == 100 * 101 - MOST_PATHS - 99, "all `_id`s are of one path"
    assert (sample.folder / "manifest.json").stat().st_size < 500_000


def test_a_bomb_takes_little_memory_and_disk(tmp_path: Path) -> None:
    zeros = bytes(2**18)
    path = write(tmp_path / "bomb", b"".join(bson.encode({"_id": n, "zeros": zeros}) for n in range(400)), packed=True)
    assert path.stat().st_size < 2**18, "a hundred megabytes are packed in it"
    tracemalloc.start()
    sample = take_sample(path, tmp_path / "sample", most_bytes=2**21, seed=1)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2**24
    assert sample.manifest.source_documents == 400
    assert sample.manifest.bytes <= 2**21


def test_a_folder_that_is_in_use_stays_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", WHOLE)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/mine").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for folder in ("taken", "link"):
        with pytest.raises(DatasetError, match="something is there already"):
            take_sample(path, tmp_path / folder, most_bytes=2**20, seed=1)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.bson", "link", "taken"]


def test_a_sample_that_was_changed_is_told(tmp_path: Path) -> None:
    sample = take_sample(write(tmp_path / "a.bson", WHOLE), tmp_path / "sample", most_bytes=2**20, seed=1)
    (sample.folder / "documents.bson").write_bytes(WHOLE.replace(b"words", b"wards", 1))
    with pytest.raises(DatasetError, match="is another than was written"):
        Sample.load(sample.folder)
    (sample.folder / "manifest.json").write_text("{}")
    with pytest.raises(DatasetError, match="cannot be read"):
        Sample.load(sample.folder)


def test_an_id_that_is_there_twice(tmp_path: Path) -> None:
    path = write(tmp_path / "source", b'{"_id": "a"}\n{"_id": 1}\n\n{"_id": "a", "b": 1}\n')
    assert len(list(read_documents(path))) == 3, "what is streamed is not remembered"
    with pytest.raises(DatasetError, match="dataset source: documents 1 and 3 have the same `_id`"):
        take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1)
    assert list(tmp_path.iterdir()) == [path]


def test_documents_larger_than_the_sample_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", large(5000) * 9)
    with pytest.raises(DatasetError, match=r"has documents that are larger than the 4,000 bytes"):
        take_sample(path, tmp_path / "sample", most_bytes=4000, seed=1)
    assert list(tmp_path.iterdir()) == [path]
