"""An estimate of one's own documents on real mongods."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from analysis.estimate.records import Estimate
from harness.spec.load import load_campaign
from tests.harness.commands import HOME, harness, left_running

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.real, pytest.mark.beside]
WORDS = ("storage", "engine", "compressor", "page", "checkpoint", "eviction", "cache", "journal")


def write_documents(path: Path, count: int) -> None:
    draw = random.Random(5)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = " ".join(draw.choices(WORDS, k=40))
            file.write(json.dumps({"_id": number, "text": text, "list": [{"n": draw.random()}, None]}) + "\n")


def test_a_file_of_documents_is_estimated(tmp_path: Path) -> None:
    source = tmp_path / "my orders.jsonl"
    write_documents(source, 4000)
    ran = harness("estimate", source, "--results", tmp_path, "--price", "0.1", "--port", "27560")
    assert ran.code == 0, ran.out + ran.err
    folder = tmp_path / "estimate/my-orders"
    found = Estimate.model_validate_json((folder / "estimate.json").read_bytes())
    assert found.source.documents == found.source.sample_documents == 4000
    assert len(found.rows) == 28
    defaults = {str(row.compressor): row.storage_bytes_per_document.value for row in found.rows if row.default}
    assert defaults["none"] > defaults["snappy"] > max(defaults["zlib"], defaults["zstd"])
    levels = {row.level: row.storage_bytes_per_document.value for row in found.rows if row.compressor == "zstd"}
    assert levels[15] < levels[1]
    assert [index.name for index in found.indexes] == ["_id_"]
    assert all(row.monthly_cost and row.monthly_cost.value > 0 for row in found.rows)
    assert found.dictionary
    assert found.dictionary.ratio > found.dictionary.ratio_without > 1
    assert "It says nothing of speed" in ran.out
    assert "<html" in (folder / "index.html").read_text(encoding="utf-8")
    assert load_campaign(folder / "campaign.yaml").decision.baseline == "snappy"
    assert left_running(HOME) == []
    assert not list(HOME.glob("estimate*"))
    assert not list(HOME.glob("instances/estimate*"))


def test_what_can_not_be_read_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "broken.jsonl"
    source.write_text('{"a": 1}\n{"a": \n', encoding="utf-8")
    ran = harness("estimate", source, "--results", tmp_path)
    assert ran.code == 2
    assert "broken.jsonl" in ran.err
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["broken.jsonl"]
    assert not list(HOME.glob("estimate*"))
