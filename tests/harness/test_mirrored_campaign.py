"""The campaign and mix that a mirrored deployment becomes: valid, of one factor, every figure with its source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.mirror.figures import Observed
from analysis.mirror.mixture import Mixture, Operation, Unmirrored
from analysis.mirror.moments import Between, ServerFacts, Stored
from analysis.trial.records import Served
from datasets.collections import Run, SampleManifest
from harness.cli.mirroring import mirror_command
from harness.errors import InputError
from harness.plan.written.mirrored import LEAST_CACHE_BYTES, Mirrored, campaign_text, mix_text
from harness.spec.campaign import Campaign
from harness.spec.mixes.operations import MixFile
from tests.harness.commands import harness

GIB = 2**30
FACTS = ServerFacts(
    version="6.0.5", cores=8.0, memory_bytes=64.0 * GIB, data_bytes=80.0 * GIB, options={}, write_concern="majority",
    is_member=True, closed=("its options",),
)  # fmt: skip
STORED = Stored(
    documents=50_000_000, bytes=40 * GIB, used_bytes=15 * GIB, index_bytes=3 * GIB, compressor="zstd",
    leaf_page_max="64KB",
)  # fmt: skip
SERVED = Served(
    operations={"find": 70_000, "update": 25_000, "insert": 4000, "delete": 0, "command": 1000},
    latency_us={"reads": ((64.0, 9000), (128.0, 900), (4096.0, 100)), "writes": ()},
)
HAPPENED = Between(
    seconds=100.0, served=SERVED, index_uses={}, scans=0, pages_read=30_000.0, inserted_documents=4000.0, returned=1.0
)
OBSERVED = Observed(
    name="shop.orders",
    when="2026-11-23T04:00:00Z",
    server=FACTS,
    cache_bytes=32.0 * GIB,
    stored=STORED,
    happened=HAPPENED,
    mixture=Mixture(
        (
            Operation("find", 0.7, "top: 70,000 of 100,000", {"fields": ["status: odd", "total"]}),
            Operation("update", 0.25, "top", {"set": ["status"], "inc": ["n"]}),
            Operation("insert", 0.04, "top", {"documents": 2}),
            Operation("delete", 0.0001, "top"),
        ),
        (Unmirrored("commands\nsuch as counts", 0.01),),
    ),
    skew=((0.001, 0.31), (0.01, 0.52), (0.1, 0.8)),
    skew_source="the profiler: on",
    busy=0.25,
    unmirrored=(Unmirrored("7 transactions of the whole server", None),),
    size_quantiles={"p10": 700, "p50": 800, "p90": 1000, "p99": 2000},
)
SAMPLE = SampleManifest(
    format_version=1, source="shop.orders", source_documents=50_000_000, source_bytes=40 * GIB,
    source_bytes_estimated=False, documents=70_000, bytes=60_000_000, digest="ab" * 32,
    runs=(Run(offset=0, documents=70_000, bytes=60_000_000),), seed=1, id_kinds={"objectId": 10_000},
    profiled_documents=10_000, paths=(), values_left_out=0, indexes=(), options={}, block_compressor=None,
)  # fmt: skip


def mirrored(observed: Observed = OBSERVED, **sample: Any) -> Mirrored:
    return Mirrored.of("shop", observed, SAMPLE.model_copy(update=sample), Path("/samples/my shop"))


def written(one: Mirrored) -> Campaign:
    return Campaign.model_validate({"name": "shop", **yaml.safe_load(campaign_text(one))})


def test_records_cache_and_rate_have_one_factor() -> None:
    one = mirrored()
    campaign = written(one)
    assert one.factor == pytest.approx(1 / 40)
    assert campaign.records == 1_250_000
    assert campaign.cache_size == round(32 * GIB / 40 / 2 / 2**20) * 2**20, "half of the data is the collection's"
    workload = campaign.workloads["mirror"]
    assert workload.target_per_s == 25
    assert (workload.mix, workload.measure_s) == ("shop", 300)
    assert campaign.mirrors == OBSERVED.mirrors("mirror")
    assert campaign.mirrors is not None
    assert campaign.cache_size / (campaign.records * STORED.bytes / STORED.documents) == pytest.approx(
        campaign.mirrors.cache_ratio, rel=0.01
    )


def test_a_cache_that_holds_everything_is_filled_before() -> None:
    """A load leaves part of it outside, which a deployment has long read."""
    assert list(written(mirrored()).workloads) == ["mirror"]
    small = replace(OBSERVED, stored=replace(STORED, bytes=2 * GIB), server=replace(FACTS, data_bytes=2 * GIB))
    filled = written(mirrored(small)).workloads
    assert list(filled) == ["fill", "mirror"]
    assert (filled["fill"].mix, filled["fill"].operations) == ("scan-all", 1)


def test_a_small_cache_takes_more_of_the_data() -> None:
    """mongod takes no less than 256 MiB, so there is more of everything."""
    one = mirrored(replace(OBSERVED, cache_bytes=2.0 * GIB))
    assert one.cache_bytes == LEAST_CACHE_BYTES
    assert one.factor == pytest.approx(0.25)
    assert written(one).records == 12_500_000


def test_the_baseline_is_what_the_deployment_runs() -> None:
    campaign = written(mirrored())
    assert campaign.decision.baseline == "zstd"
    assert sorted(campaign.arms) == ["none", "snappy", "zlib", "zstd"]
    assert all(arm.leaf_page_max == 65536 for arm in campaign.arms.values())
    options = {"storage": {"wiredTiger": {"engineConfig": {"zstdCompressionLevel": 3}}}}
    levelled = written(mirrored(replace(OBSERVED, server=replace(FACTS, options=options))))
    assert levelled.arms["zstd"].zstd_level == 3
    assert campaign.write_concern.journal


def test_figures_are_those_of_the_deployment() -> None:
    told = OBSERVED.mirrors("mirror")
    assert told.compression_ratio == pytest.approx(40 / 15, rel=1e-3)
    assert told.index_bytes_per_document == pytest.approx(3 * GIB / 50_000_000, rel=1e-3)
    assert (told.cache_ratio, told.pages_read_per_operation) == (0.4, 0.3)
    assert told.mix == {"find": 0.7, "update": 0.25, "insert": 0.04, "delete": 0.0, "command": 0.01}
    assert set(told.latency_shape) == {"reads"}


@pytest.mark.parametrize(
    ("version", "engine"), [("6.0.27", "6.0.27"), ("6.0.1", "6.0.27"), ("4.4.9", "4.4.2"), ("8.0.4", "6.0.27")]
)
def test_an_engine_that_can_be_installed_is_named(version: str, engine: str) -> None:
    text = campaign_text(mirrored(replace(OBSERVED, server=replace(FACTS, version=version))))
    assert f"  {engine}: {{source: pypi, version: {engine}}} # " in text


def test_a_saturated_deployment_is_not_offered_a_rate() -> None:
    campaign = written(mirrored(replace(OBSERVED, busy=0.95)))
    assert campaign.workloads["mirror"].target_per_s is None
    assert priced(campaign) == {"mirror.throughput", "mirror.p99"} < set(campaign.decision.primary)


def test_what_smaller_storage_may_cost_is_bounded() -> None:
    """Else the smallest would be recommended, whatever the workload."""
    campaign = written(mirrored())
    assert priced(campaign) == {"mirror.mongod_cpu_us_per_operation", "mirror.p99"} < set(campaign.decision.primary)


def priced(campaign: Campaign) -> set[str]:
    return {one.metric for one in campaign.decision.constraints}


def test_ids_that_cannot_go_on_bound_the_records() -> None:
    assert written(mirrored(id_kinds={"object": 10_000})).records == 70_000


def test_the_mix_says_where_each_operation_came_from() -> None:
    text = mix_text(mirrored())
    mix = yaml.safe_load(text)
    assert mix["keys"] == {"distribution": "measured", "shares": [[0.001, 0.31], [0.01, 0.52], [0.1, 0.8]]}
    assert mix["operations"] == [
        {"kind": "find", "weight": 700, "fields": ["status: odd", "total"]},
        {"kind": "update", "weight": 250, "set": ["status"], "inc": ["n"]},
        {"kind": "insert", "weight": 40, "documents": 2},
    ]
    assert MixFile.model_validate(mix).keys.distribution == "measured"
    assert text.count("# top") == 3
    assert "# Not mirrored: commands such as counts (1.0%)" in text
    assert "# Not mirrored: 7 transactions of the whole server\n" in text


def test_a_skew_that_is_not_known_is_assumed_and_said_to_be() -> None:
    text = mix_text(mirrored(replace(OBSERVED, skew=(), skew_source="the profiler: it is off")))
    assert "# Assumed: which keys are used how often is not known; the profiler: it is off." in text
    assert yaml.safe_load(text)["keys"] == {"distribution": "zipfian", "exponent": 0.99}
    even = mix_text(mirrored(replace(OBSERVED, skew=((0.01, 0.011), (0.1, 0.1)))))
    assert yaml.safe_load(even)["keys"] == {"distribution": "uniform"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "no/name"}, "a campaign needs a name"),
        ({"collection": ","}, "one collection at least"),
        ({"collection": "shop"}, "is no collection's name"),
        ({"size": "much"}, "--size much: is no size"),
        ({}, "nowhere: cannot be read"),
    ],
)
def test_what_is_not_mirrored(given: dict[str, str], message: str, tmp_path: Path) -> None:
    asked = {"uri_file": Path("nowhere"), "collection": "shop.orders", "name": "shop", "into": tmp_path}
    with pytest.raises(InputError, match=message):
        mirror_command(**{**asked, **given})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_campaign_of_that_name_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "shop.mix.yaml").write_text("mine")
    with pytest.raises(InputError, match=r"shop\.mix\.yaml: is there already"):
        mirror_command(Path("nowhere"), "shop.orders", "shop", into=tmp_path)
    assert (tmp_path / "shop.mix.yaml").read_text() == "mine"


def test_the_command_is_there() -> None:
    assert "look at it for minutes as a user who can only read" in " ".join(harness("mirror", "--help").out.split())
