"""Campaigns on documents of one's own: what a spec may ask, what clients are told, how many records there can be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from datasets import Ids, TemplatesManifest, prepare_documents
from datasets.neighbours import largest_sums
from harness.errors import InputError
from harness.plan.fit import check_batches
from harness.plan.load.clients import ClientProcess
from harness.plan.load.cycles import check_cycles
from harness.plan.load.heap import heap_mib, largest_heap_mib, load_heap_mib
from harness.plan.places import Places
from harness.plan.trial_vars import document_properties, file_name, indexes_asked, trial_vars
from harness.plan.trials import data_disk_bytes, describe, plan_block
from harness.spec.load import load_campaign, load_kept, read_mixes
from harness.spec.mixes.ycsb import Mix
from tests.campaigns import small
from tests.harness.factory import surveyed

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

ORDER = {"status": "new", "to": {"city": "Rome"}, "text": "x" * 900}
TEXT = {"sentences": {"recipe": "faker-sentences", "sentences": 1000}}
OUT_OF_CACHE = {"regime": "out-of-cache", "memory_limit": "512MiB"}
CLIENT = ClientProcess("localhost")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "orders.jsonl"
    path.write_text("".join(json.dumps({"_id": n, **ORDER}) + "\n" for n in range(1, 101)), encoding="utf-8")
    return path


def own(source: Path, **changes: Any) -> dict[str, Any]:
    return {"recipe": "documents", "path": str(source), "update": ["status", "to.city"]} | changes


def campaign(source: Path, dataset: dict[str, Any] | None = None, **changes: Any) -> Campaign:
    datasets = {"orders": own(source, **(dataset or {}))} | changes.pop("datasets", {})
    return load_campaign(small(source.with_name("mine.yaml"), 27999, datasets=datasets, **changes))


def prepared(spec: Campaign, source: Path) -> TemplatesManifest:
    recipe = spec.datasets["orders"]
    assert recipe.recipe == "documents"
    return prepare_documents(recipe, spec.seed, source.with_name("home"), ("snappy",))


@pytest.mark.parametrize(
    ("dataset", "changes", "said"),
    [
        ({"path": "nowhere.jsonl"}, {}, "datasets.orders.path: dataset nowhere.jsonl: there is no such file or folder"),
        ({"update": []}, {}, "datasets.orders: update: workload 'rmw' updates documents: name the paths"),
        ({"update": ["a.b", "a"]}, {}, "datasets.orders.update: 'a' holds 'a.b'"),
        ({"indexes": [{"key": {"a": "text"}}]}, {}, "datasets.orders.indexes"),
        ({"indexes": [{"key": {}}]}, {}, "yaml:19: datasets.orders.indexes.0.key: at least 1 required"),
        ({"indexes": [{"key": {"_id": 1}}]}, {}, "indexes.0: that on `_id` is always there"),
        ({"most_bytes": 10}, {}, "datasets.orders.most_bytes: must be 1KiB or more"),
        ({}, {"document": {"fields": 3}}, "document: this is the shape of text"),
        ({"path": "nowhere.jsonl"}, {}, "(seen from /"),
        ({}, OUT_OF_CACHE | {"records": 2000}, "records: 1.8 MiB of documents fit into the memory limit"),
        ({}, {"regime": "in-cache", "records": 600_000}, "records: 552.2 MiB of documents do not fit into a cache"),
    ],
)  # fmt: skip
def test_what_documents_can_not_be_asked_for_is_told_where_it_stands(
    source: Path, dataset: dict[str, Any], changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        campaign(source, dataset, **changes)
    assert said in caught.value.what


def test_text_and_documents_stand_side_by_side(source: Path) -> None:
    spec = campaign(source, datasets=TEXT, document={"fields": 20, "field_length": "100B"})
    assert any("2000 documents of 965 bytes" in line.replace(",", "") for line in describe(spec))
    assert any("or 2,314 bytes" in line for line in describe(spec))


def test_a_kept_run_needs_its_documents_no_longer(source: Path) -> None:
    campaign(source)
    source.unlink()
    assert load_kept(source.with_name("mine.yaml"), "").datasets["orders"].recipe == "documents"


def test_what_is_foreseen_follows_the_documents_and_not_the_file(source: Path) -> None:
    spec = campaign(source, load={"threads": 8, "batch": 1000})
    text = source.read_text("utf-8")
    source.write_text("".join(text.replace('"_id": ', f'"_id": {n}000') for n in range(1, 30)), encoding="utf-8")
    again = campaign(source, load={"threads": 8, "batch": 1000})
    mixes = read_mixes(spec, source.with_name("mine.yaml"))
    assert largest_heap_mib(again, mixes, 1) == pytest.approx(largest_heap_mib(spec, mixes, 1), abs=2)
    assert data_disk_bytes(again) == pytest.approx(data_disk_bytes(spec), rel=0.01)
    large = campaign(source, records=20_000)
    assert data_disk_bytes(large) - data_disk_bytes(again) == pytest.approx(18_000 * 965 * 1.6, rel=0.01)
    assert heap_mib(spec.load, None, 1, 965) > 192 + 1.5 * 8 * 5 * 1000 * 965 / 2**20 - 2


def test_clients_are_told_of_the_templates(source: Path) -> None:
    spec = campaign(source, {"indexes": [{"key": {"to.city": 1, "status": -1}}]})
    found = prepared(spec, source)
    assert document_properties(spec, found, {}) == {
        "recordcount": 2000, "fieldcount": 2, "pressgauge.seed": 5, "pressgauge.documents": "templates",
        "pressgauge.updatepaths": "status,to.city", "pressgauge.idkind": "int", "pressgauge.idspan": 100,
    }  # fmt: skip
    assert file_name(found) == f"{found.digest}.bson"
    assert indexes_asked(found) == '[{"name": "to.city_1_status_-1", "key": {"to.city": 1, "status": -1}}]'
    without = prepared(campaign(source, {"update": []}, workloads={}), source)
    assert document_properties(spec, without, {})["fieldcount"] == 1
    assert document_properties(spec, without, {})["pressgauge.updatepaths"] == ""
    assert indexes_asked(without) is None


def test_more_records_than_there_are_ids_are_refused(source: Path) -> None:
    spec = campaign(source)
    mixes = read_mixes(spec, source.with_name("mine.yaml"))
    found = prepared(spec, source)
    check_cycles(spec, mixes, [CLIENT], "orders", found)
    alone = found.model_copy(update={"ids": Ids(kind="other", cycles=1)})
    with pytest.raises(InputError, match=r"records: 2,000; datasets\.orders: .* there can be 100 records of 100 doc"):
        check_cycles(spec, mixes, [CLIENT], "orders", alone)
    few = found.model_copy(update={"ids": Ids(kind="int", span=100, cycles=19)})
    with pytest.raises(InputError, match="type int, and overflow, so there can be 1,900 records"):
        check_cycles(spec, mixes, [CLIENT], "orders", few)


def test_new_records_of_several_clients_begin_where_there_still_are_ids(source: Path) -> None:
    spec = campaign(source)
    mixes = read_mixes(spec, source.with_name("mine.yaml"))
    inserting = {"rmw": Mix(readproportion=0, updateproportion=0, insertproportion=1)}
    found = prepared(spec, source).model_copy(update={"ids": Ids(kind="int", span=100, cycles=1000)})
    check_cycles(spec, inserting, [CLIENT], "orders", found)
    two = [ClientProcess("a", 0, 2), ClientProcess("b", 1, 2)]
    check_cycles(spec, mixes, two, "orders", found)
    with pytest.raises(InputError, match=r"rmw: new records begin at number 1,073,742,823; datasets\.orders"):
        check_cycles(spec, inserting, two, "orders", found)
    full = found.model_copy(update={"ids": Ids(kind="int", span=100, cycles=20)})
    with pytest.raises(InputError, match="new records begin at number 2,000"):
        check_cycles(spec, inserting, [CLIENT], "orders", full)


def test_batches_are_judged_where_the_largest_documents_are(source: Path) -> None:
    sizes = [2**20 if 500 <= n < 560 else 1000 for n in range(3000)]
    spec = campaign(source, load={"batch": 100, "threads": 4})
    found = prepared(spec, source).model_copy(update={"largest_bytes": largest_sums(sizes)})
    db = {"db": surveyed(database=True, client_processes=1)}
    with pytest.raises(InputError, match=r"batch: 100 neighbours of datasets\.orders are up to 60\.\d MiB") as caught:
        check_batches(spec, db, "orders", found, 1)
    assert caught.value.do == "lower load.batch to 45"
    fits = campaign(source, load={"batch": 45, "threads": 4})
    check_batches(fits, db, "orders", found, 1)
    heap = load_heap_mib(fits, found, 1)
    assert heap == 192 + 1.5 * 4 * 5 * 45
    assert load_heap_mib(fits, found, 2) < heap
    trial = trial_vars(fits, plan_block(fits, 0)[0], {}, {}, found, source.parent, Places(clients=(CLIENT,)), source)
    assert f"-Xmx{heap}m" in trial["load"]["jvm_options"]
    with pytest.raises(
        InputError, match=r"db: documents of 1\.0 MiB need clients with a heap of 1\.5 GiB, 16\.\d GiB in"
    ) as caught:
        check_batches(fits, db, "orders", found, 9)
    assert "since 9 trials have clients at once" in caught.value.do
