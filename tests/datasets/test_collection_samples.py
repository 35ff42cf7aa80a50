"""Samples: runs of neighbours, evenly from all of the source, and no more of it than was asked for."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import bson
import pytest
from bson import json_util
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.collections import PathProfile, Sample, read_documents, take_sample
from datasets.collections.draw import draw_runs
from datasets.collections.files.metadata import Metadata
from datasets.collections.live.identity import identity
from datasets.collections.profile import profile
from datasets.collections.records import Collection, Record
from datasets.collections.spool import Spool
from datasets.errors import DatasetError
from tests.datasets.dumps import archive, dumped, write

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = st.text(st.characters(exclude_characters="\x00$", exclude_categories=["Cs"]), max_size=8)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)  # text does not tell one NaN from another
    | st.text(max_size=30)
    | st.binary(max_size=30)
    | st.builds(bson.ObjectId, st.binary(min_size=12, max_size=12))
    | st.builds(bson.Int64, st.integers(-(2**63), 2**63 - 1))
    | st.builds(bson.DatetimeMS, st.integers(-(2**63), 2**63 - 1))
    | st.builds(bson.Timestamp, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
    | st.builds(bson.Decimal128, st.decimals(allow_nan=False, places=4, min_value=-(10**9), max_value=10**9))
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
DOCUMENTS = st.builds(
    lambda identity, rest: {"_id": identity, **{name: rest[name] for name in rest if name != "_id"}},
    st.integers().filter(lambda number: abs(number) < 2**63) | st.text(max_size=9),
    st.dictionaries(NAMES, VALUES, max_size=6),
)


@given(
    st.lists(DOCUMENTS, min_size=1, max_size=30, unique_by=lambda document: document["_id"]),
    st.integers(200, 20_000),
    st.integers(1, 9),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_a_sample_holds_the_very_documents_of_its_runs(
    documents: list[dict[str, Any]], most_bytes: int, run_documents: int, seed: int, as_array: object
) -> None:
    stored = [bson.encode(document) for document in documents]
    texts = [json_util.dumps(one, json_options=json_util.CANONICAL_JSON_OPTIONS) for one in documents]
    text = "[" + ",\n".join(texts) + "]" if as_array else "\n".join(texts)
    most_bytes = max(most_bytes, *map(len, stored), 0)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.json").write_text(text)
        assert list(read_documents(folder / "a.json")) == stored
        sample = take_sample(
            folder / "a.json", folder / "s", most_bytes=most_bytes, run_documents=run_documents, seed=seed
        )
        found = list(sample.runs())
        assert [one for run in found for one in run] == list(sample.documents())
        for run, expected in zip(found, sample.manifest.runs, strict=True):
            assert run == stored[expected.offset : expected.offset + expected.documents]
            assert sum(map(len, run)) == expected.bytes
        starts = [run.offset for run in sample.manifest.runs]
        assert starts == sorted(set(starts))
        assert sample.manifest.bytes == sum(run.bytes for run in sample.manifest.runs) <= most_bytes
        assert sample.manifest.source_documents == len(stored)
        if sum(map(len, stored)) <= most_bytes:
            assert found == [stored]
        assert Sample.load(folder / "s").manifest == sample.manifest


class Made:
    """Documents that no file holds."""

    def __init__(self, count: int) -> None:
        self.records = [Record(n + 1, n, bson.encode({"_id": n, "text": "x" * 77})) for n in range(count)]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def document(self, record: Record) -> bytes:
        return record.raw


def test_runs_are_drawn_evenly(tmp_path: Path) -> None:
    collection = Collection(tmp_path, "made", Made(1200), sizes_are_bson=True, metadata=Metadata())
    drawn, seeds, most_bytes = Counter[int](), 200, 12_000
    for seed in range(seeds):
        found = draw_runs(collection, Spool(tmp_path / f"{seed}"), most_bytes=most_bytes, run_documents=2, seed=seed)
        starts = [run.offset // 2 for run in found.runs]
        gaps = [after - before for before, after in zip([-1, *starts], [*starts, 600], strict=True)]
        assert max(gaps) < 40, "in 600 runs, some 56 of which are drawn, none of a source's regions is left out"
        assert 0.9 * most_bytes < sum(run.bytes for run in found.runs) <= most_bytes
        drawn.update(starts)
    share = sum(drawn.values()) / seeds / 600
    scatter = (seeds * share * (1 - share)) ** 0.5
    assert all(abs(drawn[run] - seeds * share) < 5 * scatter for run in range(600))
    first_half = sum(drawn[run] for run in range(300)) / sum(drawn.values())
    assert abs(first_half - 0.5) < 0.02


def test_the_same_seed_draws_the_same_runs_of_every_form(tmp_path: Path) -> None:
    documents = [bson.encode({"_id": n, "text": "y" * 77}) for n in range(3000)]
    sources = [
        dumped(tmp_path / "plain", "a", documents),
        dumped(tmp_path / "packed", "a", documents, packed=True),
        write(tmp_path / "archive", archive({"b.c": documents[:50], "d.a": documents}, segment=7)) / "d.a",
    ]
    samples = [
        take_sample(source, tmp_path / f"{number}", most_bytes=50_000, run_documents=20, seed=7)
        for number, source in enumerate(sources)
    ]
    assert len({sample.manifest.digest for sample in samples}) == 1
    assert len(samples[0].manifest.runs) > 10
    other = take_sample(sources[0], tmp_path / "other", most_bytes=50_000, run_documents=20, seed=8)
    assert other.manifest.runs != samples[0].manifest.runs


def test_the_size_of_a_source_that_was_not_parsed_is_estimated(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"_id": n, "text": "z" * (n % 50)}) + "\n" for n in range(5000)))
    truth = sum(map(len, read_documents(path)))
    part = take_sample(path, tmp_path / "part", most_bytes=30_000, run_documents=20, seed=1).manifest
    assert part.source_bytes_estimated
    assert part.source_bytes == pytest.approx(truth, rel=0.05)
    assert part.source_documents == 5000
    whole = take_sample(path, tmp_path / "whole", most_bytes=2**20, seed=1).manifest
    assert (whole.source_bytes, whole.source_bytes_estimated) == (truth, False)


def test_large_documents_make_short_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", b"".join(bson.encode({"_id": n, "text": "x" * 9000}) for n in range(300)))
    manifest = take_sample(path, tmp_path / "s", most_bytes=400_000, seed=1).manifest
    assert len(manifest.runs) >= 15
    assert manifest.bytes <= 400_000


def test_a_profile_says_what_is_stored() -> None:
    documents = [
        bson.encode({"_id": n, "tags": ["a", "b" * (n % 3)], "deep": {"x": n % 4 if n % 2 else "even"}})
        for n in range(100)
    ]
    found = profile([*documents, bson.encode({"no": 1})])
    assert found.documents == 101
    assert found.id_kinds == {"int": 100, "none": 1}
    by_path = {path.path: path for path in found.paths}
    assert list(by_path) == ["_id", "tags", "tags[]", "deep", "deep.x", "no"]
    assert by_path["deep.x"] == PathProfile(
        path="deep.x", values=100, types={"string": 50, "int": 50}, bytes=50 * 9 + 50 * 4, largest_bytes=9, distinct=3
    )
    assert (by_path["tags[]"].values, by_path["tags[]"].distinct) == (200, 4)
    assert profile([bson.encode({"a": n}) for n in range(2000)]).paths[0].distinct == 1000


ONES = [1, 1.0, bson.Int64(1), bson.Decimal128("1"), bson.Decimal128("1.00")]
NOUGHTS = [0, 0.0, -0.0, bson.Int64(0), bson.Decimal128("-0E+3")]
NANS = [float("nan"), bson.Decimal128("NaN"), bson.Decimal128("-sNaN")]
APART: list[list[Any]] = [
    ONES, NOUGHTS, NANS, [-1], [-2], [bson.Int64(2**61 - 1)], [bson.Int64(2**53 + 1)], [2.0**53], [0.1],
    [bson.Decimal128("0.1")], [float("inf"), bson.Decimal128("Infinity")], [float("-inf")], [bson.Decimal128("9E6144")],
    ["1"], [True], [None], [b"1"], [{"a": one} for one in ONES], [{"b": 1}], [{"a": 1, "b": 1}], [{"a": {"b": 1}}],
    [{"a": {}, "b": 1}], [{"a": [1]}, {"a": [1.0]}],
]  # fmt: skip


def test_ids_are_the_same_where_a_server_takes_them_for_the_same() -> None:
    found = [{identity(bson.encode({"_id": one, "x": n})) for n, one in enumerate(same)} for same in APART]
    assert [len(one) for one in found] == [1] * len(APART)
    assert len(set().union(*found)) == len(APART)
    assert identity(bson.encode({"a": 1})) is identity(bson.encode({})) is None


def test_ids_that_differ_by_their_type_alone_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bson", bson.encode({"_id": 1}) + bson.encode({"_id": 1.0}))
    with pytest.raises(DatasetError, match="documents 1 and 2 have the same `_id`"):
        take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1)
