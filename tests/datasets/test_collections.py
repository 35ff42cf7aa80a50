"""Documents of one's own: what is read, in which order and types, and what a sample of it is."""

import json
from pathlib import Path

import bson
import pytest

from datasets import DatasetError
from datasets.collections import Sample, read_documents, take_sample


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


def test_a_small_source_is_sampled_as_one_run(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", *({"n": n} for n in range(1000)))
    sample = take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1)
    assert list(sample.documents()) == list(read_documents(path))
    assert [run.documents for run in sample.manifest.runs] == [1000]
    assert sample.manifest.source_documents == sample.manifest.documents == 1000
    assert Sample.load(tmp_path / "sample").manifest == sample.manifest


def test_a_line_that_is_no_json_is_named_and_nothing_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 1\n')
    with pytest.raises(DatasetError, match=r"a\.jsonl, line 3, column 8: no JSON"):
        take_sample(path, tmp_path / "sample", most_bytes=2**20, seed=1)
    assert list(tmp_path.iterdir()) == [path]
