"""What arms may vary beside the compressor: as mongod and its clients are told of it, and what is refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from analysis.trial.engine.wiredtiger_config import options
from harness.errors import InputError
from harness.plan.trial_vars import connection_options, settings
from harness.spec.knobs import Eviction
from harness.spec.load import load_campaign
from tests.campaigns import small

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign

SET = {"topology": {"kind": "replica-set"}}
READ = {"workloads": {"read": {"threads": 2, "measure_s": None, "operations": 100}}}
MIXED = {"workloads": {"b": {"threads": 2, "measure_s": None, "operations": 100}}}
INSERTING = {"workloads": {"d": {"threads": 2, "measure_s": None, "operations": 100}}}


def campaign(tmp_path: Path, arm: dict[str, Any] | None = None, **changes: Any) -> Campaign:
    arms = {"snappy": {"block_compressor": "snappy"}, "other": {"block_compressor": "snappy", **(arm or {})}}
    return load_campaign(small(tmp_path / "mine.yaml", 27272, arms=arms, **changes))


def complaint(tmp_path: Path, arm: dict[str, Any] | None = None, **changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        campaign(tmp_path, arm, **changes)
    return caught.value.what


ALL = {
    "internal_page_max": "16KiB",
    "memory_page_max": "2MiB",
    "allocation_size": "8KiB",
    "index_leaf_page_max": "32KiB",
    "index_prefix_compression": False,
    "eviction": {"dirty_target": 10, "dirty_trigger": 30, "threads_min": 2, "threads_max": 8},
    "journal_commit_interval_ms": 20,
    "oplog_size": "990MiB",
    "retry_writes": True,
    "read_concern": "majority",
    "parameters": {"notablescan": True},
}


def test_an_arm_asks_for_each(tmp_path: Path) -> None:
    found = campaign(tmp_path, ALL, **SET, **READ)
    assert settings(found, "other", tls=False).model_dump(exclude_defaults=True) == {
        "block_compressor": "snappy",
        "cache_size_bytes": 2**28,
        "internal_page_max_bytes": 16384,
        "memory_page_max_bytes": 2**21,
        "allocation_size_bytes": 8192,
        "index_leaf_page_max_bytes": 32768,
        "index_prefix_compression": False,
        "eviction": "eviction=(threads_min=2,threads_max=8),eviction_dirty_target=10,eviction_dirty_trigger=30",
        "journal_commit_interval_ms": 20,
        "oplog_size_bytes": 990 * 2**20,
        "retry_writes": True,
        "read_concern": "majority",
        "parameters": '{"notablescan": true}',
    }
    plain = settings(found, "snappy", tls=False)
    assert plain.model_dump(exclude_defaults=True) == {"block_compressor": "snappy", "cache_size_bytes": 2**28}


def test_an_arm_says_otherwise_than_the_campaign(tmp_path: Path) -> None:
    arm = {"retry_writes": False, "read_preference": "primary"}
    found = campaign(tmp_path, arm, retry_writes=True, read_concern="local", read_preference="nearest", **SET, **READ)
    assert connection_options(found, "snappy") == {
        "w": "1", "journal": "false", "retryWrites": "true", "readPreference": "nearest", "readConcernLevel": "local",
        "replicaSet": "pressgauge",
    }  # fmt: skip
    other = connection_options(found, "other")
    assert (other["retryWrites"], other["readPreference"]) == ("false", "primary")
    asked = settings(found, "other", tls=False)
    assert (asked.retry_writes, asked.read_concern, asked.read_preference) == (False, "local", "primary")


def test_clients_are_told_what_drivers_have_defaults_for(tmp_path: Path) -> None:
    assert connection_options(campaign(tmp_path), "snappy") == {
        "w": "1", "journal": "false", "retryWrites": "false", "readPreference": "primary",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arm", "told"),
    [
        (
            {"internal_page_max": 16},
            "arms.other.internal_page_max: 16 B: pages are multiples of 4KiB, up to 512MiB",
        ),
        ({"internal_page_max": 16}, "(did you mean 16KiB?)"),
        ({"index_leaf_page_max": "10KiB"}, "arms.other.index_leaf_page_max: 10.0 KiB: pages are multiples of 4KiB"),
        ({"allocation_size": "12KiB"}, "arms.other.allocation_size: 12.0 KiB: blocks are a power of two from 512 B"),
        ({"allocation_size": "16KiB"}, "arms.other.allocation_size: internal pages of 4 KiB are no multiple of 16.0"),
        (
            {"allocation_size": "64KiB", "internal_page_max": "64KiB"},
            "arms.other.allocation_size: leaf pages of 32 KiB are no multiple of 64.0 KiB: set leaf_page_max, too",
        ),
        (
            {"allocation_size": "8KiB", "internal_page_max": "8KiB", "leaf_page_max": "12KiB"},
            "arms.other.leaf_page_max: 12.0 KiB: pages are multiples of 8KiB",
        ),
        ({"memory_page_max": "16KiB"}, "arms.other.memory_page_max: 16.0 KiB is less than the leaf page, 32.0 KiB"),
        ({"eviction": {"dirty_target": 30}}, "arms.other.eviction: dirty_target 30 has to be below dirty_trigger 20"),
        ({"eviction": {"trigger": 70}}, "arms.other.eviction: target 80 has to be below trigger 70; give both"),
        ({"eviction": {"threads_max": 2}}, "arms.other.eviction: threads_min 4 is above threads_max 2; give both"),
        ({"eviction": {"threads_max": 21}}, "arms.other.eviction.threads_max: must be 20 or less"),
        ({"eviction": {"dirty": 5}}, "arms.other.eviction.dirty: unknown key"),
        (
            {"eviction": {"dirty_target": 6}, "engine_config": "eviction_dirty_target=7"},
            "arms.other.engine_config: `eviction_dirty_target` is set by `eviction`, too: say it once",
        ),
        ({"journal_commit_interval_ms": 501}, "arms.other.journal_commit_interval_ms: must be 500 or less"),
        ({"parameters": {"journalCommitInterval": 5}}, "not to be set here: say journal_commit_interval_ms"),
        ({"oplog_size": "990MB"}, "arms.other.oplog_size: 944.1 MiB: mongod counts it in whole MiB"),
        ({"oplog_size": "990MiB"}, "arms.other.oplog_size: oplog size: only with `topology: {kind: replica-set}`"),
        ({"retry_writes": True}, "arms.other.retry_writes: retry writes: only with `topology: {kind: replica-set}`"),
        ({"read_concern": "majority"}, "arms.other.read_concern: read concern: only with `topology:"),
        ({"read_preference": "secondary"}, "arms.other.read_preference: read preference: only with `topology:"),
        ({"read_preference": "anybody"}, "arms.other.read_preference: must be one of 'primary'"),
    ],
)
def test_what_an_arm_can_not_have_is_refused_by_name(tmp_path: Path, arm: dict[str, Any], told: str) -> None:
    assert told in complaint(tmp_path, arm)


@given(
    st.builds(
        dict,
        **{name: st.none() | st.integers(10, 99) for name in ("target", "trigger", "dirty_target", "dirty_trigger")},
        **{name: st.none() | st.integers(1, 20) for name in ("threads_min", "threads_max")},
    )
)
def test_whatever_is_said_of_eviction_reaches_wiredtiger_whole(said: dict[str, int | None]) -> None:
    try:
        eviction = Eviction.model_validate(said)
    except ValidationError:
        return
    found = {
        name.removeprefix("eviction").lstrip("._"): value for name, value in options(str(eviction)).items() if value
    }
    assert found == {name: str(value) for name, value in said.items() if value is not None}


def test_what_a_mongod_alone_has_too(tmp_path: Path) -> None:
    campaign(tmp_path, {"read_concern": "available", "retry_writes": False, "read_preference": "primary"})
    assert "retry_writes: retry writes: only with" in complaint(tmp_path, retry_writes=True)


@pytest.mark.parametrize(
    ("arm", "workloads", "told"),
    [
        ({"read_preference": "secondary"}, READ, None),
        ({"read_preference": "secondary"}, MIXED, None),
        ({"read_preference": "secondary"}, {}, "arms.other: with read preference secondary and w: 1, a member may lag"),
        ({"read_preference": "secondary", "write_concern": {"w": 3}}, {}, None),
        ({"read_preference": "nearest", "write_concern": {"w": "majority"}}, INSERTING, "would not be found by reads"),
        ({"read_preference": "primaryPreferred"}, {}, None),
        ({"read_concern": "majority"}, {}, "read concern majority and w: 1 return what most members have"),
        ({"read_concern": "majority", "write_concern": {"w": "majority"}}, {}, None),
        ({"read_concern": "linearizable"}, {}, None),
        ({"read_concern": "linearizable", "read_preference": "nearest"}, READ, "linearizable reads are the primary's"),
    ],
)
def test_reads_that_may_miss_what_was_written_are_refused_where_operations_rest_on_them(
    tmp_path: Path, arm: dict[str, Any], workloads: dict[str, Any], told: str | None
) -> None:
    if told is None:
        campaign(tmp_path, arm, **SET, **workloads)
    else:
        assert told in complaint(tmp_path, arm, **SET, **workloads)


def test_a_disk_limit_is_the_same_in_every_arm(tmp_path: Path) -> None:
    found = campaign(
        tmp_path, instance={"port": 27272, "disk_limit": {"read_bytes_per_s": "125MiB", "read_ops_per_s": 3000}}
    )
    limits = [settings(found, arm, tls=False).disk_limit for arm in found.arms]
    assert limits[0] == limits[1]
    assert str(limits[0]) == "125.0 MiB/s read, 3000 reads/s"


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ({}, "instance.disk_limit: a disk limit limits something"),
        ({"read_bytes_per_s": 100}, "instance.disk_limit.read_bytes_per_s: must be 4KiB or more"),
        ({"write_ops_per_s": 0}, "instance.disk_limit.write_ops_per_s: must be 1 or more"),
        ({"read_ops": 10}, "instance.disk_limit.read_ops: unknown key"),
    ],
)
def test_disk_limits_that_are_none(tmp_path: Path, limit: dict[str, Any], told: str) -> None:
    assert told in complaint(tmp_path, instance={"port": 27272, "disk_limit": limit})
