"""The command that takes a sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bson
import pytest

from datasets.collections import Sample
from harness.cli.estimating import sample_command
from harness.errors import InputError
from tests.harness.commands import harness


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "my orders.jsonl"
    path.write_text(
        "".join(json.dumps({"_id": n, "status": "dispatched", "who": "Ozymandias"}) + "\n" for n in range(99))
    )
    return path


def test_a_sample_is_anonymised_but_for_a_path(source: Path, tmp_path: Path) -> None:
    ran = harness(
        "sample", source, "--results", tmp_path, "--anonymise=-status", "--most-change", "100", "--size", "4KB"
    )
    assert ran.code == 0, ran.err
    sample = Sample.load(tmp_path / "samples/my-orders")
    found = [bson.decode(one) for one in sample.documents()]
    assert {one["status"] for one in found} == {"dispatched"}
    assert len({one["who"] for one in found} - {"Ozymandias"}) == 1
    assert sample.manifest.anonymised
    assert sample.manifest.anonymised.in_clear == ("status",)
    assert sample.manifest.anonymised.changes in ran.out
    assert f"make estimate DATA={sample.folder}" in ran.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "either a file or folder is to be named, or a collection on a server"),
        ({"collection": "shop.orders"}, "either a file or folder"),
        ({"data": "source", "uri_file": Path("uri")}, "either a file or folder"),
        ({"data": "source", "size": "much"}, "--size much: is no size"),
        ({"data": "source", "size": "10B"}, "has documents that are larger than the 10 bytes"),
        ({"data": "source", "anonymise": "whom"}, "no document of the sample has a value under 'whom'"),
        ({"uri_file": Path("nowhere"), "collection": "shop.orders"}, "nowhere: cannot be read"),
    ],
)
def test_what_is_no_sample(given: dict[str, Any], message: str, source: Path, tmp_path: Path) -> None:
    if given.get("data"):
        given = given | {"data": source}
    with pytest.raises(InputError, match=message):
        sample_command(**given, into=tmp_path / "sample")
    assert list(tmp_path.iterdir()) == [source]
