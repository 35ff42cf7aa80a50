"""Which loads an estimate is made of, and the campaign that it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from analysis.trial.engine.wiredtiger_config import options
from analysis.trial.records import Compressor, Settings
from datasets import OwnDocuments
from datasets.collections import Index
from harness.plan.estimating import INDEXES, AllLoaded, Shape, estimate_vars, shapes
from harness.plan.written.estimated import campaign_text
from harness.spec.engines import WheelEngine
from harness.spec.load import load_campaign
from tests.reports.estimated import estimated

NOWHERE = Path("/nowhere")
EVEN = Shape(Compressor.SNAPPY, None, 2**15, 2**15)
CREATED = "block_compressor=snappy,leaf_page_max=32KB,memory_page_image_max=32KB"
LOADED = {
    "name": "snappy-32-32", "creation_string": "block_compressor=snappy", "documents": 2, "document_bytes": 100,
    "storage_bytes": 8192, "free_bytes": 0, "index_bytes": {"_id_": 4096}, "seconds": 0.5, "cpu_s": 0.25,
    "internal_bytes": 4096, "pages": [[120, 4096, 2, 1]],
}  # fmt: skip


def test_each_setting_is_loaded_once() -> None:
    every = [shape for mongod in shapes("6.0.5") for shape in mongod]
    assert len({shape.name for shape in every}) == len(every) == 28
    assert {shape.name for shape in every if shape.default} == {
        "none-32-128", "snappy-32-128", "zlib-6-32-128", "zstd-6-32-128"
    }  # fmt: skip


def test_an_engine_without_levels_gets_none() -> None:
    ((*only,),) = shapes("4.4.2")
    assert {shape.level for shape in only} == {None, 6}
    told = estimate_vars(WheelEngine(version="4.4.2"), NOWHERE, NOWHERE, (), port=1, identity="x")
    assert [one["settings"]["zstd_level"] for one in told["mongods"]] == [None]


def test_mongods_have_the_levels_of_their_loads() -> None:
    told = estimate_vars(WheelEngine(version="6.0.5"), NOWHERE, NOWHERE, (), port=27000, identity="x")
    levels = [(one["settings"]["zstd_level"], one["settings"]["zlib_level"]) for one in told["mongods"]]
    assert levels == [(None, None), (1, None), (15, 9)]
    named = {load["name"]: load for one in told["mongods"] for load in one["loads"]}
    assert options(named["zstd-15-64-64"]["config"])["memory_page_image_max"] == "65536"
    assert named["snappy-32-128"]["times"] > 1 == named["snappy-32-32"]["times"] == named["none-32-128"]["times"]


def test_indexes_of_the_source_are_made_without_what_would_delete_or_is_a_setting() -> None:
    config = {"storageEngine": {"wiredTiger": {"configString": "block_compressor=zlib"}}}
    found = (
        Index(name="_id_", key={"_id": 1}, unique=True, options={}),
        Index(name="by", key={"a": 1, "b": -1}, unique=True, options={"sparse": True}),
        Index(name="old", key={"at": 1}, unique=False, options=config | {"expireAfterSeconds": {"$numberInt": "60"}}),
    )
    told = estimate_vars(WheelEngine(version="6.0.5"), NOWHERE, NOWHERE, found, port=1, identity="x")
    (load,) = [one for mongod in told["mongods"] for one in mongod["loads"] if one["name"] == INDEXES]
    assert json.loads(load["indexes"]) == [
        {"name": "by", "key": {"a": 1, "b": -1}, "sparse": True},
        {"name": "old", "key": {"at": 1}},
    ]
    assert [one["settings"]["parameters"] for one in told["mongods"]] == ['{"ttlMonitorEnabled": false}'] * 3


def loaded(opening: object = "", **other: object) -> AllLoaded:
    told = {"opening_wiredtiger": opening, "loads": [LOADED | other], "changed": True}
    return AllLoaded.model_validate(json.loads(json.dumps(told)))


def test_what_the_module_tells_is_read_as_json_has_it() -> None:
    assert loaded().loads[0].pages == [(120, 4096, 2, 1)]


@pytest.mark.parametrize(
    ("opening", "created", "faults"),
    [
        ("zstd=(compression_level=15),builtin_extension_config={zlib={compression_level=9}}", CREATED, []),
        ("zstd=(compression_level=6),zlib={compression_level=9}", CREATED, ["the zstd level is 6; expected 15"]),
        ("zstd=(compression_level=15)", CREATED, ["the zlib level could not be read back; expected 9"]),
        (
            "zstd=(compression_level=15),zlib=(compression_level=9)",
            CREATED.replace("max=32KB", "max=64KB", 1),
            [f"collection snappy-32-32 is created with leaf_page_max=64KB; expected {EVEN.config}"],
        ),
    ],
)
def test_what_is_in_force_is_what_was_asked(opening: str, created: str, faults: list[str]) -> None:
    asked = Settings(block_compressor=Compressor.SNAPPY, zstd_level=15, zlib_level=9, cache_size_bytes=2**30)
    assert list(loaded(opening, creation_string=created).faults(asked, {EVEN.name: EVEN})) == faults


@pytest.mark.parametrize("wrong", [{"pages": []}, {"pages": [[1, 2, 0, 1]]}, {"documents": 0}, {"cpu_s": "much"}])
def test_what_can_not_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        loaded(**wrong)


@pytest.mark.parametrize(("update", "workload"), [(("status", "shipping.city"), "rmw"), ((), "read")])
def test_the_campaign_it_leaves_is_valid(tmp_path: Path, update: tuple[str, ...], workload: str) -> None:
    source = tmp_path / 'my "orders": all.jsonl'
    source.write_text('{"status": "new", "shipping": {"city": "Rome"}}\n', encoding="utf-8")
    path = tmp_path / "campaign.yaml"
    path.write_text(campaign_text(estimated(), source, update), encoding="utf-8")
    campaign = load_campaign(path)
    assert list(campaign.arms) == ["snappy", "snappy-smallest", "none", "zstd", "zstd-smallest"]
    assert campaign.arms["zstd-smallest"].zstd_level == 15
    assert campaign.arms["zstd-smallest"].memory_page_image_max == campaign.arms["zstd-smallest"].leaf_page_max
    assert campaign.datasets["documents"] == OwnDocuments(path=source, update=update)
    assert list(campaign.workloads) == [workload]
    assert {one.metric for one in campaign.decision.constraints} == {f"{workload}.throughput", f"{workload}.p99"}
    assert campaign.records == 100_000


def test_pages_that_are_not_compressed_are_alike() -> None:
    none, snappy = (shapes("6.0.5")[0][at] for at in (0, 4))
    assert (none.even, snappy.even) == (True, False)
    assert isinstance(none, Shape)
