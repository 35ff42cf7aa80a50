"""Asked and in force, compared; WiredTiger's options as mongod 6.0.5 wrote them when it was asked for each of these."""

from __future__ import annotations

import json
import tarfile
from typing import Any

import pytest

from analysis.trial.engine.counters import COUNTERS
from analysis.trial.engine.wiredtiger_config import differing, meaning, options
from analysis.trial.read_back import (
    allocator_doubts,
    counter_doubts,
    counter_faults,
    cpus_faults,
    mismatches,
    read_in_force,
    wire_faults,
)
from analysis.trial.records import ClientPart, Compressor, Settings
from tests.analysis.synthetic import campaign
from tests.harness.recorded_trial import TRIAL

IMAGE_OF_A_PAGE = "block_compressor=snappy,leaf_page_max=32KB,memory_page_image_max=32KB"


OPENED_WITH_ZLIB = (  # parts of log line 22315; 4.4.2, 5.0.4 and 6.0.27 end theirs like it
    "create,cache_size=256M,log=(enabled=true,remove=true,path=journal,compressor=snappy),"
    "builtin_extension_config=(zstd=(compression_level=6)),json_output=(error,message),"
    "builtin_extension_config={zlib={compression_level=0},zstd={compression_level=6}}"
)


def offering(compressors: str) -> dict[str, object]:
    return {"net": {"compression": {"compressors": compressors}}}


def recorded() -> dict[str, object]:
    """What a real mongod 6.0.5 said: snappy, a cache of 256 MiB."""
    with tarfile.open(TRIAL) as archive:
        file = archive.extractfile("./in_force.json")
        assert file is not None
        return dict(json.load(file))


def asked(**settings: object) -> Settings:
    return Settings.model_validate(
        {"block_compressor": Compressor.SNAPPY, "cache_size_bytes": 256 * 2**20} | settings, strict=True
    )


@pytest.mark.parametrize(
    "config",
    [
        "leaf_page_max=32768",
        "memory_page_max=10485760",
        "memory_page_max = 10MB, split_pct:90",
        "log=(enabled=true),assert={read_timestamp:none}",
        "app_metadata=(formatVersion=1)",
        'key_format="q"',
        'collator="",checksum=on,,',
        "verbose=[]",
    ],
)
def test_a_collection_configured_as_asked_counts(config: str) -> None:
    assert list(mismatches(asked(collection_config=config), read_in_force(recorded()), "6.0.5")) == []


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("split_pct=75,leaf_page_max=32KB", "is split_pct=90"),
        ("log=(enabled=false)", "is log.enabled=true"),  # asked of a real mongod, which then logs all the same
        ("lsm=(chunk_max=6GB,merge_custom=(prefix=a))", "is lsm.chunk_max=5GB, lsm.merge_custom.prefix="),
        ("app_metadata=(x=1)", "is without app_metadata.x"),
        ("prefix_compression", "is prefix_compression=false"),
    ],
)
def test_a_collection_configured_otherwise_voids_the_trial(config: str, told: str) -> None:
    (reason,) = mismatches(asked(collection_config=config), read_in_force(recorded()), "6.0.5")
    assert reason.code == "collection-config-mismatch"
    assert reason.message == f"the collection's configuration {told}; expected {config}"


def test_a_configuration_that_was_not_read_back_voids_the_trial() -> None:
    found = read_in_force(recorded() | {"creation_string": None})
    reasons = {one.code: one.message for one in mismatches(asked(collection_config="split_pct=75"), found, "6.0.5")}
    assert reasons.keys() == {"compressor-mismatch", "collection-config-mismatch"}
    assert "could not be read back" in reasons["collection-config-mismatch"]


@pytest.mark.parametrize(
    ("settings", "said", "code"),
    [
        ({"memory_limit_bytes": 2**30}, {"memory_limit_bytes": 2**30 - 2**16}, None),
        ({"memory_limit_bytes": 2**30}, {"memory_limit_bytes": 2**29}, "memory-limit-mismatch"),
        ({"memory_limit_bytes": 2**30}, {}, "memory-limit-mismatch"),
        ({"cpu_limit": 1.5}, {"cpu_limit": 1.5004}, None),
        ({"cpu_limit": 1.5}, {"cpu_limit": 2}, "cpu-limit-mismatch"),
        ({"cpu_limit": 1.5}, {}, "cpu-limit-mismatch"),
        ({"sync_period_s": 30}, {}, "sync-period-mismatch"),
        ({"leaf_page_max_bytes": 32768}, {}, None),
        ({"leaf_page_max_bytes": 65536}, {}, "page-size-mismatch"),
        ({"memory_page_image_max_bytes": 0}, {}, None),
        ({"memory_page_image_max_bytes": 32768}, {"creation_string": IMAGE_OF_A_PAGE}, None),
        ({"memory_page_image_max_bytes": 32768}, {}, "page-image-mismatch"),
        ({"zstd_level": 6}, {}, None),
        ({"zstd_level": 7}, {}, "level-mismatch"),
        ({"zlib_level": 0}, {"opening_wiredtiger": OPENED_WITH_ZLIB}, None),
        ({"zlib_level": 9}, {"opening_wiredtiger": OPENED_WITH_ZLIB}, "level-mismatch"),
        ({"zstd_level": 6, "zlib_level": 0}, {"opening_wiredtiger": OPENED_WITH_ZLIB}, None),
        ({"zlib_level": 0}, {"cmd_line_opts": {"x": "zlib={compression_level=0}"}}, "level-mismatch"),
        ({"zlib_level": 0}, {}, "level-mismatch"),
        ({"engine_config": "file_manager=(close_idle_time=600)"}, {}, None),
        ({"engine_config": "file_manager=(close_idle_time=60)"}, {}, "engine-config-mismatch"),
        ({"engine_config": "eviction_dirty_target=10"}, {}, "engine-config-mismatch"),
        ({"parameters": {"a": 5, "b": True}}, {"asked_parameters": {"a": 5.0, "b": True}}, None),
        ({"parameters": {"a": "lifo"}}, {"asked_parameters": {"a": "lifo"}}, None),
        ({"parameters": {"a": "5"}}, {"asked_parameters": {"a": 5}}, None),
        ({"parameters": {"a": 5}}, {"asked_parameters": {"a": 6}}, "parameter-mismatch"),
        ({"parameters": {"b": True}}, {"asked_parameters": {"b": 1}}, "parameter-mismatch"),
        ({"parameters": {"a": 5}}, {"asked_parameters": {"a": None}}, "parameter-mismatch"),
        ({"parameters": {"a": 5}}, {}, "parameter-mismatch"),
        ({"wire_compressor": Compressor.NONE}, {"cmd_line_opts": offering("disabled")}, None),
        ({"wire_compressor": None}, {"cmd_line_opts": offering("snappy")}, None),
        ({"wire_compressor": Compressor.NONE}, {}, "wire-compressor-mismatch"),
    ],
)
def test_each_setting_is_compared(settings: dict[str, object], said: dict[str, object], code: str | None) -> None:
    reasons = mismatches(asked(**settings), read_in_force(recorded() | said), "6.0.5")
    assert [one.code for one in reasons] == ([code] if code else [])


@pytest.mark.parametrize(
    ("wanted", "moved", "codes"),
    [
        (None, {"wire_snappy_in": 5.0, "wire_snappy_out": 5.0}, []),
        (Compressor.ZSTD, {"wire_zstd_in": 5.0, "wire_zstd_out": 5.0, "wire_zlib_in": 0.0}, []),
        (Compressor.ZSTD, {}, ["wire-compressor-unused"]),
        (Compressor.ZSTD, {"wire_zstd_in": None, "wire_zstd_out": None}, ["wire-compressor-unused"]),
        (Compressor.ZSTD, {"wire_zstd_in": 5.0, "wire_zstd_out": 0.0}, ["wire-compressor-unused"]),
        (
            Compressor.ZSTD,
            {"wire_snappy_in": 5.0, "wire_snappy_out": 5.0},
            ["wire-compressor-mismatch", "wire-compressor-unused"],
        ),
        (Compressor.NONE, {"wire_snappy_in": 0.0}, []),
        (Compressor.NONE, {"wire_snappy_out": 5.0}, ["wire-compressor-mismatch"]),
    ],
)
def test_only_the_wire_compressor_asked_for_may_carry_bytes(
    wanted: Compressor | None, moved: dict[str, float | None], codes: list[str]
) -> None:
    phase = campaign(blocks=1)[0].phases[0].model_copy(update={"counters": moved})
    assert [one.code for one in wire_faults(phase, wanted)] == codes


def test_reasons_keep_their_order() -> None:
    found = read_in_force({"version": "6.0.5"})
    wanted = asked(zstd_level=3, cpu_limit=1.0, leaf_page_max_bytes=65536, collection_config="a=1")
    assert [one.message for one in mismatches(wanted, found, "6.0.5")] == [
        "the collection's block compressor could not be read back; expected snappy",
        "the journal's compressor could not be read back; expected snappy",
        "the zstd level could not be read back; expected 3",
        "the cache size in bytes could not be read back; expected 268435456",
        "seconds between checkpoints could not be read back; expected 60",
        "mongod's CPU limit could not be read back; expected 1.0",
        "mongod's TLS mode could not be read back; expected disabled",
        "leaf_page_max could not be read back; expected 65536",
        "the collection's configuration could not be read back; expected a=1",
    ]


@pytest.mark.parametrize(
    ("asked_of_mongod", "written"),
    [
        ("split_pct=75,split_pct=80", "split_pct=80"),
        ("prefix_compression", "prefix_compression="),
        ('checksum="off"', 'checksum="off"'),
        ('app_metadata=(x="a, b",y=(z=1))', 'app_metadata=(formatVersion=1,x="a, b",y=(z=1))'),
        (
            "assert=(read_timestamp=always),assert=(write_timestamp=on)",
            "assert=(read_timestamp=always,write_timestamp=on)",
        ),
        ("columns=(a,b)", "columns=(a,b)"),
    ],
)
def test_what_mongod_made_of_it_is_what_was_asked(asked_of_mongod: str, written: str) -> None:
    assert differing(asked_of_mongod, written) is None
    assert differing(asked_of_mongod, "type=file") is not None


def test_sizes_are_compared_by_meaning() -> None:
    assert {meaning(text) for text in ("16KB", "16k", "16384", "16384B", "0016K")} == {16384}
    assert meaning("10m") == meaning("10MB") == 10 * 2**20
    assert meaning("10.5m") == "10.5m"
    assert meaning("none") == "none"


def test_damaged_configurations_are_read_as_far_as_they_go() -> None:
    assert options(')),=,a="b') == {"a": "b"}
    assert len(options("(a=1," * 50_000)) < 20


@pytest.mark.parametrize(
    ("found", "asked", "taken", "wrong"),
    [
        ("2-3", "2,3", None, False),
        ("0-3", "2,3", None, True),
        (None, "2,3", None, True),
        ("2-3", None, "0-1", False),
        ("1-3", None, "0-1", True),
        (None, None, "0-1", False),  # of before it was read back
        ("0-3", None, None, False),
    ],
)
def test_clients_run_on_the_cores_that_were_asked_for(
    found: str | None, asked: str | None, taken: str | None, *, wrong: bool
) -> None:
    part = ClientPart(
        name="one", started_at_s=1, throughput_per_s=1, cpu_share=None, gc_pause_s=0, longest_stall_s=0, cpus=found
    )
    assert [fault.code for fault in cpus_faults("rmw", part, asked, taken)] == ["client-cpus-mismatch"] * wrong


BY_STATUS = {"name": "s", "key": {"status": 1, "at": -1}, "sparse": True}
ASKED = json.dumps([BY_STATUS, {"name": "t", "key": {"_fts": "text", "_ftsx": 1}, "weights": {"a": 1}}])
THERE: list[dict[str, Any]] = [
    {"v": 2, "key": [["_id", 1]], "name": "_id_"},
    {"v": 2, **BY_STATUS, "key": [["status", 1.0], ["at", -1]]},
    {"v": 2, "name": "t", "key": [["_fts", "text"], ["_ftsx", 1]], "weights": {"a": 1}, "textIndexVersion": 3},
]


@pytest.mark.parametrize(
    ("there", "told"),
    [
        (THERE, None),
        (THERE[:2], "is without t;"),
        (THERE[:1], "is without s, without t;"),
        ([*THERE, {"name": "more_1", "key": [["more", 1]]}], "is with more_1;"),
        (
            [THERE[0], THERE[1] | {"key": [["at", -1], ["status", 1]]}, THERE[2]],
            'is {"v": 2, "name": "s", "key": [["at"',
        ),
        ([THERE[0], THERE[1] | {"sparse": False}, THERE[2]], "is {"),
        (None, "could not be read back;"),
    ],
)
def test_indexes_are_those_that_were_asked_for(there: list[dict[str, Any]] | None, told: str | None) -> None:
    found = read_in_force(recorded() | {"indexes": there})
    reasons = list(mismatches(asked(indexes=ASKED), found, "6.0.5"))
    if told is None:
        assert reasons == []
    else:
        (reason,) = reasons
        assert reason.code == "index-mismatch"
        assert f"the set of indexes {told}" in reason.message
    assert list(mismatches(asked(), found, "6.0.5")) == []


@pytest.mark.parametrize(
    ("version", "caches", "doubted"),
    [
        ("6.0.5", None, False),
        ("7.0.14", None, False),
        ("8.0.4", True, False),
        ("8.0.4", False, True),
        ("8.0.4", None, True),
        ("10.0.0", False, True),
        ("unknown", None, False),
        ("8", None, False),
    ],
)
def test_an_allocator_unlike_that_of_packages_is_doubted(version: str, caches: bool | None, doubted: bool) -> None:  # noqa: FBT001
    told = recorded() | {"version": version, "per_cpu_caches": caches, "allocator": "tcmalloc-google"}
    found = list(allocator_doubts(read_in_force(told)))
    assert [one.code for one in found] == ["allocator-unlike-packages"] * doubted
    assert all("GLIBC_TUNABLES not set" in one.message for one in found)


def test_what_a_mongod_was_started_with_is_read_back() -> None:
    told = {"per_cpu_caches": True, "glibc_tunables": "glibc.pthread.rseq=0", "allocator": "tcmalloc-google"}
    found = read_in_force(recorded() | told)
    assert {name: getattr(found, name) for name in told} == told
    assert read_in_force(recorded()).glibc_tunables is None


@pytest.mark.parametrize(
    ("version", "void", "flagged"),
    [
        ("6.0.5", True, False),
        ("8.0.10", True, False),
        ("8.0.16", False, True),
        ("9.0.2", False, True),
        ("x", False, False),
    ],
)
def test_a_counter_that_is_missing_voids_where_it_is_known_to_be_there(version: str, void: bool, flagged: bool) -> None:  # noqa: FBT001
    lacking = [counter for counter in COUNTERS if counter.key == "pages_written"]
    assert [one.code for one in counter_faults(version, lacking)] == ["counter-missing"] * void
    assert [one.code for one in counter_doubts(version, lacking)] == ["counter-not-known"] * flagged
    assert all("cache.pages written from cache" in one.message for one in counter_faults(version, lacking))
    assert list(counter_faults(version, [])) == list(counter_doubts(version, [])) == []
