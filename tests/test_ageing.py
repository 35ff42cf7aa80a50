"""Arms that age by equal work, are compacted and read again; a member of a replica set that copies everything anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from analysis.stats.metrics import readings
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import HOME, harness, left_running

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord

pytestmark = pytest.mark.real
PORT = 27350
RECORDS, OPERATIONS = 4000, 6000
READS = {"mix": "read", "threads": 2, "warmup_s": 0, "measure_s": None, "operations": 1000}


def values(record: TrialRecord) -> dict[str, float]:
    return {found.key: reading.value for found, _, reading in readings(record)}


def run(folder: Path, name: str, **changes: Any) -> list[TrialRecord]:
    """The records of a campaign, all of which count, with every document verified."""
    spec = small(folder / f"{name}.yaml", PORT, records=RECORDS, **changes)
    ran = harness("run", spec, "--results", folder, "--plain")
    assert ran.code == 0, ran.out + ran.err
    assert left_running(HOME) == []
    records = find_run(folder / name / "latest").records()
    for record in records:
        assert record.counts, record.void
        assert record.verification is not None
        assert record.verification.checked == record.verification.expected == record.sizes[-1].documents
    return records


def test_arms_age_by_equal_work_are_compacted_and_read_again(tmp_path: Path) -> None:
    arms = {name: {"block_compressor": name} for name in ("snappy", "zstd")}
    workloads = {
        "rmw": {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": OPERATIONS},
        "aged": READS,
        "compacted": READS | {"maintenance": "compact"},
    }
    turns = {"seconds": 1.0, "cut_s": 0.2}
    records = run(tmp_path, "ageing", arms=arms, turns=turns, workloads=workloads)
    assert [record.sharing for record in records] == [2, 2]
    for record in records:
        aged = next(phase for phase in record.phases if phase.name == "rmw")
        assert aged.acknowledged == OPERATIONS
        assert [size.moment for size in record.sizes] == [
            "loaded", "after-rmw", "after-aged", "before-compacted", "after-compacted"
        ]  # fmt: skip
        (done,) = record.maintenance
        assert (done.workload, done.kind) == ("compacted", "compact")
        assert done.compacted or done.skipped
        found = values(record)
        assert found["compacted.storage_bytes_per_document_maintained"] <= found["storage_bytes_per_document_aged"]
        assert found["rmw.journal_bytes_per_operation"] > 0
        assert found["rmw.journal_bytes_after"] > 0


def test_each_member_is_compacted_and_an_emptied_one_copies_everything_anew(tmp_path: Path) -> None:
    workloads = {
        "rmw": {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": OPERATIONS},
        "compacted": READS | {"maintenance": "compact"},
        "copied": READS | {"maintenance": "initial-sync"},
    }
    topology = {"kind": "replica-set", "members": 3}
    (record,) = run(tmp_path, "copied", topology=topology, workloads=workloads)
    *compacted, done = record.maintenance
    assert [(one.kind, one.member) for one in compacted] == [("compact", member.name) for member in record.members]
    assert (done.kind, done.member) == ("initial-sync", record.members[-1].name)
    assert done.seconds > 0
    assert done.sizes.documents == RECORDS
    assert done.sizes.data_size_bytes == record.sizes[-1].data_size_bytes
    assert done.sizes.storage_size_bytes < record.sizes[1].storage_size_bytes  # nothing in it has been rewritten
    found = values(record)
    assert found["copied.maintenance_s"] == done.seconds
    assert found["rmw.oplog_bytes_after"] > 0
