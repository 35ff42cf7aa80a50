"""What the page says of a phase's regime: the classifier's words, which also void a trial in the wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.trial.records import DiskLimit
from reports.material import Material
from reports.page import evidence
from tests.analysis.synthetic import SNAPPY, ZSTD, campaign
from tests.reports.sample import run

if TYPE_CHECKING:
    from analysis.trial.records import Phase, TrialRecord

SHOWN = [
    "mongod", "git version", "FCV", "block compressor", "journal compressor", "zstd level", "zlib level", "cache size",
    "memory limit", "time between checkpoints", "CPU limit", "TLS", "leaf_page_max", "memory_page_image_max",
    "internal_page_max", "memory_page_max", "allocation_size", "indexes' leaf_page_max", "indexes' prefix compression",
    "eviction", "time between journal commits", "oplog size", "disk limit", "server parameters", "indexes beside _id",
    "wire compressors that mongod offers",
    "documents", "bits of a reference", "hashes known at most", "write concern", "retryable writes", "read concern",
    "read preference", "wire compression of the clients",
]  # fmt: skip
CACHE = {"cache_used": 0.5 * 2**30, "cache_max": float(2**30)}


def reading(record: TrialRecord, pages: float, disk_bytes: float, warmup_pages: float = 0) -> TrialRecord:
    """The record with so much read per operation: into the cache in the window, from the disk in the whole phase."""

    def moved(phase: Phase) -> Phase:
        assert phase.window is not None
        whole = (pages + warmup_pages) * phase.acknowledged
        return phase.model_copy(
            update={
                "counters": CACHE | {"pages_read": whole},
                "window": phase.window.model_copy(update={"pages_read": pages * phase.measured_operations}),
                "cost": phase.cost.model_copy(update={"disk_read_bytes": int(disk_bytes * phase.acknowledged)}),
            }
        )

    return record.model_copy(update={"phases": tuple(moved(phase) for phase in record.phases)})


@pytest.mark.parametrize(
    ("reads", "said"),
    [
        ((0.0, 0, 0.4), "rmw: in the cache (0 pages"),
        ((0.02, 9000), "rmw: neither in the cache nor out of it (0.0200 pages"),
        ((0.9, 9000), "rmw: out of the cache (0.900 pages"),
        ((0.9, 100), "rmw: neither in the cache nor out of it (0.900 pages"),
    ],
    ids=["only the warm-up read", "a page in fifty", "most miss", "the file cache has them"],
)
def test_a_phases_regime_is_the_classifiers(reads: tuple[float, ...], said: str) -> None:
    material = Material(run([reading(record, *reads) for record in campaign(arms=(SNAPPY,))]))
    (group,) = material.groups
    told = evidence.regime(material, group, "rmw")
    assert told is not None
    assert told.startswith(said)
    assert evidence.regime(material, group, "insert") is None


def test_trials_of_several_regimes_are_said_to_differ_and_without_counters_nothing_is_said() -> None:
    records = campaign(arms=(SNAPPY,))
    mixed = [reading(record, 0.9 if record.block else 0.0, 9000) for record in records]
    material = Material(run(mixed))
    (group,) = material.groups
    told = evidence.regime(material, group, "rmw")
    assert told == "rmw: not the same in all trials (0 to 0.900 pages read per operation in the window)"
    bare = Material(run(records))
    assert evidence.regime(bare, group, "rmw") is None


def test_counters_are_of_the_window_where_it_is_known() -> None:
    whole = {"block_written": 9.0 * 2**20, "compressed_written": 90.0, "cache_used": 2.0**20}

    def told(record: TrialRecord, in_window: dict[str, float]) -> TrialRecord:
        def moved(phase: Phase) -> Phase:
            assert phase.window is not None
            window = phase.window.model_copy(update={"counters": in_window})
            return phase.model_copy(update={"counters": whole, "window": window})

        return record.model_copy(update={"phases": tuple(map(moved, record.phases))})

    def rows(in_window: dict[str, float]) -> dict[tuple[str, ...], str]:
        material = Material(run([told(record, in_window) for record in campaign(arms=(SNAPPY,))]))
        return {row[:2]: row[2] for row in evidence.counters(material, material.groups[0], "rmw").rows}

    of_all = {("Compressed pages written", "whole phase"): "90.0", ("In cache", "its end"): "1.00 MiB"}
    assert rows({"block_written": 2.0**20}) == {("Written to files", "window"): "1.00 MiB", **of_all}
    assert rows({}) == {("Written to files", "whole phase"): "9.00 MiB", **of_all}, "records of before"


def in_force(record: TrialRecord, **found: object) -> TrialRecord:
    assert record.in_force is not None
    return record.model_copy(update={"in_force": record.in_force.model_copy(update=found)})


def test_the_settings_tables_show_every_setting() -> None:
    limited = {
        "cpu_limit": 1.5, "memory_limit_bytes": 2**30, "sync_period_s": 30.0, "journal_commit_interval_ms": 50.0,
        "disk_limit": DiskLimit(read_bytes_per_s=2**20, write_ops_per_s=30), "retry_writes": "no",
    }  # fmt: skip
    records = campaign(arms=(SNAPPY, ZSTD))
    told = [in_force(one, **limited) if one.cell.arm == ZSTD.name else one for one in records]
    common, differing, verbatim = evidence.settings(Material(run(told)))
    assert sorted(row[0] for row in (*common.rows, *differing.rows)) == sorted(SHOWN)
    rows = {row[0]: row[1:] for row in differing.rows}
    assert rows["CPU limit"] == ("no limit", "1.5 CPU")
    assert rows["memory limit"] == ("no limit", "1.00 GiB")
    assert rows["time between checkpoints"] == ("60 s", "30 s")
    assert rows["time between journal commits"] == ("not known", "50 ms")
    assert rows["disk limit"] == ("no limit", "1.0 MiB/s read, 30 writes/s")
    assert rows["retryable writes"] == ("not known", "no")
    assert verbatim.columns == ("arm", "creationString", "opening WiredTiger")


def test_what_was_not_read_back_is_said() -> None:
    records = [in_force(one, zstd_level=None, sync_period_s=None) for one in campaign(arms=(SNAPPY,))]
    common, _, _ = evidence.settings(Material(run(records)))
    rows = {row[0]: row[1] for row in common.rows}
    assert rows["zstd level"] == "default"
    assert rows["time between checkpoints"] == "not known"


def test_lists_of_a_manifest_are_told_by_what_counts() -> None:
    told = evidence.corpora(Material(run([], manifests={"own": {"paths": [{}, {}], "largest_bytes": [2**20, 2**21]}})))
    assert told.rows == (("paths", "2"), ("largest bytes", "1.00 MiB"))
