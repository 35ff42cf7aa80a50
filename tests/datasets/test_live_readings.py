"""What a live sample does with a server's answers; no server is asked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import bson
import pytest
from pymongo.server_description import ServerDescription

from datasets.collections import Sample, take_live_sample
from datasets.collections.files.metadata import Metadata
from datasets.collections.live.server import _OneMember
from datasets.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pymongo.typings import _Address

STORED = [bson.encode({"_id": n, "text": "x" * 80}) for n in range(500)]
SIZE = sum(map(len, STORED))


class Answers:
    """A collection as `LiveCollection` gives it, its counts as they are told."""

    name, member = "shop.orders", None

    def __init__(self, documents: list[bytes], counts: tuple[int, int]) -> None:
        self.documents, self.counts = documents, counts

    def about(self) -> tuple[Metadata, str]:
        return Metadata(), "uuid"

    def size(self) -> tuple[int, int, int]:
        return *self.counts, 4096

    def bounds(self) -> tuple[int, int]:
        return 1, len(self.documents)

    def after(self, record: int | None, count: int) -> tuple[list[bytes], int]:
        begin = record or 0
        found = self.documents[begin : begin + count]
        return found, begin + len(found)


def taken(
    answers: Answers, folder: Path, monkeypatch: pytest.MonkeyPatch, most_bytes: int = 2 * SIZE, most: int | None = None
) -> Sample:
    """Take a sample of what is answered."""

    @contextmanager
    def opened(*_: object, **__: object) -> Iterator[Answers]:
        yield answers

    monkeypatch.setattr("datasets.collections.live.sampling.live_collection", opened)
    return take_live_sample(
        folder / "uri", answers.name, folder / "sample", most_bytes=most_bytes, most_documents=most, run_documents=20,
        seed=1, sleep=lambda _: None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("me", "address"),
    [
        ("Mongo1.Example:27017", ("mongo1.example", 27017)),
        ("[::1]:27018", ("::1", 27018)),
        ("10.0.0.1:27017", ("10.0.0.1", 27017)),
    ],
)
def test_a_member_is_found_by_the_name_that_it_gives_itself(me: str, address: _Address) -> None:
    found = [ServerDescription(address), ServerDescription(("mongo2.example", 27017)), ServerDescription(("::1", 1))]
    assert _OneMember(me)(found) == found[:1]
    assert _OneMember(None)(found) == found


@pytest.mark.parametrize("counts", [(0, 0), (3, 300), (3, 0), (500, SIZE)])
@pytest.mark.parametrize(("most_bytes", "most"), [(2 * SIZE, None), (SIZE // 2, None), (2 * SIZE, 200)])
def test_what_was_read_whole_is_told_whatever_the_server_counts(
    counts: tuple[int, int], most_bytes: int, most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_read_whole = counts[1] < SIZE
    manifest = taken(Answers(STORED, counts), tmp_path, monkeypatch, most_bytes, most).manifest
    assert (manifest.source_documents, manifest.source_bytes) == (500, SIZE)
    assert manifest.source_bytes_estimated == (not is_read_whole and (most_bytes < SIZE or most is not None))
    assert manifest.documents <= min(most_bytes * 500 // SIZE, most or 500)
    assert manifest.documents > 150


def test_no_sample_has_more_than_is_told_of_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = taken(Answers(STORED, (0, SIZE)), tmp_path, monkeypatch, SIZE // 2).manifest
    assert manifest.source_documents >= manifest.documents > 0
    assert manifest.source_bytes_estimated


def test_a_server_that_counts_far_too_few_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DatasetError, match=r"dataset shop\.orders: it has far more than its server counts; try again"):
        taken(Answers(STORED, (3, 300)), tmp_path, monkeypatch, SIZE // 5 - 5000)


@pytest.mark.parametrize("most_bytes", [2 * SIZE, SIZE // 2])
def test_a_document_that_was_inserted_again_is_taken_once(
    most_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = [bson.encode({"_id": float(n), "text": "y" * 80}) for n in range(400)]
    stored = STORED + again
    found = taken(Answers(stored, (900, sum(map(len, stored)))), tmp_path, monkeypatch, most_bytes)
    ids = [bson.decode(document)["_id"] for document in found.documents()]
    assert len(set(ids)) == len(ids)
    if most_bytes > SIZE:
        assert list(found.documents()) == STORED
        assert found.manifest.source_documents == 500


def test_a_reading_that_goes_on_takes_no_document_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaking(Answers):
        def after(self, record: int | None, count: int) -> tuple[list[bytes], int]:
            if record and record >= 400:
                raise DatasetError("gone")
            return super().after(record, count)

    with pytest.raises(DatasetError, match="gone"):
        taken(Breaking(STORED, (500, SIZE)), tmp_path, monkeypatch)
    again = [bson.encode({"_id": n, "text": "y"}) for n in range(100)]
    found = taken(Answers(STORED[:450] + again, (500, SIZE)), tmp_path, monkeypatch)
    assert list(found.documents()) == STORED[:450]
