"""Counters prove the regime; a trial in another one says so, with its figures."""

from __future__ import annotations

import pytest

from analysis.trial.records import Cost, Phase, Regime, Sizes, Window
from analysis.trial.regimes import reads, regime_faults

MIB = 2**20
LIMIT = 512 * MIB


def phase(  # what a phase of 1,000 reads moved
    pages: float | None = 900, disk_bytes: int | None = 22_000_000, used: float | None = 200 * MIB, **changes: object
) -> Phase:
    counters = {"pages_read": 9e9, "cache_used": used, "cache_max": 256.0 * MIB}  # the warm-up read much
    plain = Phase(
        name="read",
        kind="run",
        operation="READ",
        warmup_s=1,
        measured_s=2,
        measured_operations=1000,
        throughput_per_s=500,
        series_per_s=(),
        acknowledged=1000,
        failed=0,
        statuses={"READ": {"OK": 1000}},
        latencies=(),
        cost=Cost(mongod_cpu_s=1, client_cpu_s=1, disk_read_bytes=disk_bytes, disk_written_bytes=0),
        counters=counters,
        target_per_s=None,
        window=Window(client_cpu_s=1, pages_read=pages),
    )
    return plain.model_copy(update=changes)


def sizes(data_bytes: int) -> Sizes:
    return Sizes(
        moment="loaded",
        documents=1,
        data_size_bytes=data_bytes,
        storage_size_bytes=data_bytes,
        free_storage_size_bytes=0,
        index_size_bytes=0,
        files_bytes={},
    )


def faults(regime: Regime, *phases: Phase, limit: int | None = LIMIT, data_bytes: int = 2 * LIMIT) -> list[str]:
    found = list(regime_faults(regime, limit, phases, [sizes(data_bytes)]))
    assert {fault.code for fault in found} <= {"wrong-regime"}
    return [fault.message for fault in found]


OUT, IN = phase(), phase(pages=2, disk_bytes=0)
INSERTS = {"INSERT": {"OK": 1000}}


@pytest.mark.parametrize(
    ("name", "regime", "one", "count"),
    [
        ("anything goes", Regime.ANY, phase(pages=None), 0),
        ("out of cache", Regime.OUT_OF_CACHE, OUT, 0),
        ("in cache", Regime.IN_CACHE, IN, 0),
        ("read in, asked in cache", Regime.IN_CACHE, OUT, 1),
        ("cached, asked out of cache", Regime.OUT_OF_CACHE, IN, 1),
        ("the file cache holds it", Regime.OUT_OF_CACHE, phase(disk_bytes=300_000), 1),
        ("half of the pages missed is enough", Regime.OUT_OF_CACHE, phase(pages=500), 0),
        ("fewer is not", Regime.OUT_OF_CACHE, phase(pages=499), 1),
        ("a full cache evicts even clean pages", Regime.IN_CACHE, phase(pages=0, used=205 * MIB), 1),
        ("a hundredth of a page is a stray one", Regime.IN_CACHE, phase(pages=10, disk_bytes=0), 0),
        ("more is not", Regime.IN_CACHE, phase(pages=11, disk_bytes=0), 1),
        ("no counter, no proof in cache", Regime.IN_CACHE, phase(used=None), 1),
        ("no counter, no proof out of cache", Regime.OUT_OF_CACHE, phase(pages=None), 1),
        ("no diagnostic data, no proof", Regime.IN_CACHE, phase(window=None), 1),
        ("no disk figure, no proof", Regime.OUT_OF_CACHE, phase(disk_bytes=None), 1),
        ("inserts read nothing", Regime.OUT_OF_CACHE, phase(pages=0, disk_bytes=0, statuses=INSERTS), 0),
        ("the load is in no regime", Regime.IN_CACHE, phase(kind="load"), 0),
    ],
)
def test_the_counters_decide(name: str, regime: Regime, one: Phase, count: int) -> None:
    assert len(faults(regime, one)) == count, name


def test_every_phase_is_judged_and_told_with_its_figures() -> None:
    messages = faults(Regime.OUT_OF_CACHE, OUT, phase(pages=100, disk_bytes=2_048_000, name="hot"))
    figures = "per operation 0.100 pages read into the cache and 2.0 KiB from disk, 78% of the cache in use"
    assert messages == [f"expected out-of-cache; hot: {figures}"]


def test_inserts_do_not_dilute_the_reads() -> None:
    mixed = phase(pages=500, statuses={"READ": {"OK": 500}, "INSERT": {"OK": 500}})
    found = reads(mixed)
    assert found is not None
    assert found.pages == 1.0


@pytest.mark.parametrize(
    ("limit", "data_bytes", "cache"),
    [
        (LIMIT, 250 * MIB, "WiredTiger's cache of 268,435,456"),
        (LIMIT, 300 * MIB, "to the file cache"),  # 512 MiB less the 200 in WiredTiger's cache
        (None, 200 * MIB, "WiredTiger's cache"),
    ],
)
def test_data_that_a_cache_could_hold_is_not_out_of_cache(limit: int | None, data_bytes: int, cache: str) -> None:
    assert any(cache in message for message in faults(Regime.OUT_OF_CACHE, OUT, limit=limit, data_bytes=data_bytes))


def test_what_compression_lets_the_file_cache_hold_is_not_out_of_cache() -> None:
    stored = sizes(2 * LIMIT).model_copy(update={"storage_size_bytes": LIMIT // 2})
    (fault,) = regime_faults(Regime.OUT_OF_CACHE, LIMIT, [OUT], [stored])
    assert "268,435,456 stored bytes fit into the 327,155,712" in fault.message
