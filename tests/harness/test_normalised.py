"""Normalised documents from the spec to the record: what clients are told, what is read back, what is counted."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from analysis.stats.metrics import readings
from datasets import FakerSentences, prepare
from harness.errors import InputError
from harness.evidence.trial import read_trial
from harness.plan.load.heap import largest_heap_mib
from harness.plan.trial_vars import document_properties, model_properties, settings
from harness.plan.trials import data_disk_bytes, plan
from harness.spec.load import load_campaign, read_mixes
from tests.campaigns import small
from tests.harness.recorded_trial import TRIAL, recorded_context
from workloads.client_file import ClientFile, of_all

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord
    from harness.spec.campaign import Campaign

MODEL = {"name": "normalised", "hash_bits": 64, "known_hashes": 100_000, "hits": 900, "misses": 100, "met": 25}
DICTIONARY = {"entries": 75, "referenced": 70, "dangling": 0, "surplus": 5}
STATISTICS = {
    "count": 75, "size": 9_000, "storageSize": 20_480, "freeStorageSize": 4096, "totalIndexSize": 8192,
}  # fmt: skip


def campaign(folder: Path, **changes: Any) -> Campaign:
    """One normalised arm; `changes` are to it."""
    arm = {"block_compressor": "snappy", "model": "normalised"} | changes
    return load_campaign(small(folder / "mine.yaml", 27117, seed=1, arms={"snappy": arm}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The recorded trial as if its documents had been normalised."""
    evidence = tmp_path / "evidence"
    shutil.unpack_archive(TRIAL, evidence)
    change(evidence / "in_force.json", dictionary_creation_string="block_compressor=snappy,leaf_page_max=32KB")
    change(evidence / "verify.json", dictionary=DICTIONARY)
    for path in evidence.glob("*.client.json"):
        change(path, model=MODEL)
    for path in evidence.glob("snapshot.*.json"):
        stats = json.loads(path.read_text())["db_stats"]
        change(path, dictionary_stats=STATISTICS, db_stats=stats | {"objects": stats["objects"] + 75})
    return evidence


def change(path: Path, **fields: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def read(folder: Path, **changes: Any) -> TrialRecord:
    asked = campaign(folder.parent, **changes)
    return read_trial(recorded_context(asked, plan(asked, 1)[0]), folder)


def test_a_normalised_trial_counts_with_both_its_collections(folder: Path) -> None:
    record = read(folder)
    assert record.void == ()
    assert record.in_force is not None
    assert (record.in_force.model, record.in_force.hash_bits, record.in_force.known_hashes) == ("normalised", 64, 10**5)
    loaded = record.sizes[0]
    assert loaded.documents == 2000
    assert loaded.dictionary is not None
    assert loaded.dictionary.entries == 75
    assert loaded.secondary_index_size_bytes == 8192
    assert record.verification is not None
    assert record.verification.dictionary is not None
    assert record.verification.dictionary.surplus == 5
    found = {one.key: reading.value for one, _, reading in readings(record)}
    assert found["insert.known_share"] == found["rmw.known_share"] == 0.9
    assert found["dictionary_bytes_per_document"] == (20_480 + 8192) / 2000
    assert found["total_bytes_per_document"] == (loaded.storage_size_bytes + loaded.index_size_bytes) / 2000
    assert found["storage_bytes_per_document"] == (loaded.storage_size_bytes + 8192) / 2000


@pytest.mark.parametrize(
    ("file", "fields", "code"),
    [
        ("verify.json", {"dictionary": DICTIONARY | {"dangling": 2}}, "references-dangling"),
        ("rmw.client.json", {"model": {"name": "embedded"}}, "model-mismatch"),
        ("rmw.client.json", {"model": MODEL | {"hash_bits": 128}}, "hash-mismatch"),
        ("load.client.json", {"model": MODEL | {"known_hashes": 5}}, "known-hashes-mismatch"),
        ("in_force.json", {"dictionary_creation_string": "block_compressor=zlib"}, "compressor-mismatch"),
    ],
)
def test_what_was_not_as_asked_voids_the_trial(folder: Path, file: str, fields: dict[str, Any], code: str) -> None:
    change(folder / file, **fields)
    assert code in {reason.code for reason in read(folder).void}


def test_documents_with_their_values_are_no_normalised_ones(tmp_path: Path) -> None:
    shutil.unpack_archive(TRIAL, tmp_path / "evidence")
    codes = {reason.code for reason in read(tmp_path / "evidence").void}
    assert {"model-mismatch", "hash-mismatch", "known-hashes-mismatch"} <= codes


def test_clients_are_told_all_of_it(tmp_path: Path) -> None:
    spec = campaign(tmp_path, hash_bits=128)
    assert model_properties(spec.arms["snappy"]) == {
        "pressgauge.model": "normalised", "pressgauge.hashbits": 128, "pressgauge.knownhashes": 100_000,
    }  # fmt: skip
    asked = settings(spec, "snappy", tls=False)
    assert (asked.model, asked.hash_bits, asked.known_hashes) == ("normalised", 128, 100_000)
    plain = campaign(tmp_path, model="embedded")
    assert model_properties(plain.arms["snappy"]) == {}
    assert data_disk_bytes(spec) > data_disk_bytes(plain)
    mixes = read_mixes(spec, tmp_path / "mine.yaml")
    many = campaign(tmp_path, known_hashes=5_000_000)
    assert largest_heap_mib(many, mixes, 1) > 1000 > largest_heap_mib(spec, mixes, 1)


def test_several_clients_uses_are_one(folder: Path) -> None:
    one = ClientFile.model_validate_json((folder / "load.client.json").read_bytes())
    both = of_all([one, one])
    assert (both.model.hits, both.model.misses, both.model.met) == (1800, 200, 50)
    assert (both.model.name, both.model.hash_bits) == ("normalised", 64)
    other = one.model_copy(update={"model": one.model.model_copy(update={"hash_bits": 128})})
    assert of_all([one, other]).model.hash_bits is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": "embedded", "hash_bits": 64}, "hash_bits is of normalised documents"),
        ({"model": "embedded", "known_hashes": 9}, "known_hashes is of normalised documents"),
        ({"hash_bits": 32}, "hash_bits"),
        ({"known_hashes": 0}, "known_hashes"),
        ({"model": "nested"}, "model"),
    ],
)
def test_a_wrong_model_is_told(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        campaign(tmp_path, **changes)


def test_documents_of_ones_own_are_not_normalised(tmp_path: Path) -> None:
    arms = {"snappy": {"block_compressor": "snappy", "model": "normalised"}}
    spec = small(tmp_path / "mine.yaml", 27117, arms=arms, datasets={"orders": {"recipe": "faker-orders"}})
    with pytest.raises(InputError, match=r"arms\.snappy\.model: .*only documents of text can be, and datasets\.orders"):
        load_campaign(spec)


def test_one_collection_alone_is_not_compacted(tmp_path: Path) -> None:
    arms = {"snappy": {"block_compressor": "snappy", "model": "normalised"}}
    spec = small(tmp_path / "mine.yaml", 27117, arms=arms, workloads={"rmw": {"maintenance": "compact"}})
    with pytest.raises(InputError, match=r"arms\.snappy\.model: .*before workload 'rmw' one collection is compacted"):
        load_campaign(spec)


def test_units_that_begin_one_value_each_are_told_to_clients(tmp_path: Path) -> None:
    spec = campaign(tmp_path)
    recipe = FakerSentences(sentences=20)
    assert "pressgauge.repeat" not in document_properties(spec, prepare(recipe, 1, tmp_path), {})
    once = prepare(recipe.model_copy(update={"repeat": False}), 1, tmp_path)
    assert document_properties(spec, once, {})["pressgauge.repeat"] == "false"
