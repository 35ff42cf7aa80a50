"""Two arms that differ in everything an arm may vary, for real: each member and each client says what is in force."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ansible.module_utils.pressgauge.host.disks import what_can_be_limited
from core.stored import read_stored
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.real, pytest.mark.beside]
ARMS: dict[str, dict[str, Any]] = {
    "one": {
        "block_compressor": "zlib", "zlib_level": 1, "leaf_page_max": "64KiB", "memory_page_image_max": "64KiB",
        "internal_page_max": "16KiB", "memory_page_max": "2MiB", "allocation_size": "8KiB",
        "index_leaf_page_max": "32KiB", "index_prefix_compression": False,
        "eviction": {"target": 70, "trigger": 90, "dirty_target": 10, "dirty_trigger": 30, "updates_target": 4,
                     "updates_trigger": 12, "threads_min": 2, "threads_max": 8},
        "parameters": {"notablescan": False, "internalQueryPlanEvaluationWorks": "9000", "cursorTimeoutMillis": "9000"},
        "sync_period_s": 20, "journal_commit_interval_ms": 30, "oplog_size": "990MiB", "cpu_limit": 1.5,
        "retry_writes": True, "read_concern": "majority", "read_preference": "secondary",
    },
    "other": {
        "block_compressor": "zstd", "zstd_level": 2, "journal_compressor": "none", "internal_page_max": "8KiB",
        "memory_page_max": "5MiB", "index_leaf_page_max": "8KiB", "index_prefix_compression": True,
        "eviction": {"threads_max": 5}, "parameters": {"ttlMonitorEnabled": False},
        "journal_commit_interval_ms": 200, "oplog_size": "1GiB", "read_concern": "local",
        "read_preference": "primaryPreferred",
    },
}  # fmt: skip
IN_FORCE = {
    "one": {
        "leaf_page_max": "65536", "internal_page_max": "16384", "memory_page_max": "2097152",
        "allocation_size": "8192", "index_leaf_page_max": "32768", "index_prefix_compression": "false",
        "journal_commit_interval_ms": 30, "oplog_size_bytes": 990 * 2**20, "retry_writes": "yes",
        "read_concern": "majority", "read_preference": "secondary", "zlib_level": 1,
    },
    "other": {
        "internal_page_max": "8192", "memory_page_max": "5242880", "index_leaf_page_max": "8192",
        "index_prefix_compression": "true", "journal_commit_interval_ms": 200, "oplog_size_bytes": 2**30,
        "retry_writes": "no", "read_concern": "local", "read_preference": "primaryPreferred", "zstd_level": 2,
    },
}  # fmt: skip
DISK = {"read_bytes_per_s": 500 * 2**20, "read_ops_per_s": 50_000}


def test_each_knob_is_in_force_on_every_member_as_its_arm_asks(tmp_path: Path) -> None:
    limited = what_can_be_limited(tmp_path) is not None
    instance = {"port": 27395} | ({"disk_limit": DISK} if limited else {})
    spec = small(
        tmp_path / "knobs.yaml",
        27395,
        arms=ARMS,
        topology={"kind": "replica-set", "members": 2},
        workloads={"read": {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": 1000}},
        instance=instance,
        decision={"baseline": "one"},
    )
    ran = harness("run", spec, "--results", tmp_path / "results", "--plain")
    assert ran.code == 0, ran.out + ran.err
    run = find_run(tmp_path / "results/knobs/latest")
    records = {record.cell.arm: record for record in run.records()}
    retried = {}
    for arm, record in records.items():
        assert record.void == ()
        assert record.in_force is not None
        assert record.in_force.model_dump(include=set(IN_FORCE[arm])) == IN_FORCE[arm]
        (secondary,) = [member.in_force for member in record.members if member.in_force]
        of_server = {key for key in IN_FORCE[arm] if not key.startswith(("read_", "retry_"))}
        assert secondary.model_dump(include=of_server) == record.in_force.model_dump(include=of_server)
        for said in (record.in_force, secondary):
            assert (said.disk_limit and said.disk_limit.model_dump(exclude_none=True)) == (DISK if limited else None)
        trial = run.trials_folder / record.trial
        retried[arm] = transactions(trial / "snapshot.loaded.json")
    assert retried["one"] > 0, "the server keeps a record of each session's last retryable write"
    assert retried["other"] == 0


def transactions(snapshot: Path) -> int:
    status = json.loads(read_stored(snapshot))["counters_after_checkpoint"]["server_status"]
    return int(status["transactions"]["transactionsCollectionWriteCount"])
