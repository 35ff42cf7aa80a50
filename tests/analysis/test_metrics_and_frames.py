"""Metrics read from records, and the tables made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from analysis.stats import frames
from analysis.stats.metrics import UnknownMetricError, keys, metric, operation_of, readings
from analysis.stats.quantities import Unit
from analysis.trial.latency import latency_us, merge
from analysis.trial.records import Latency, Maintenance, Oplog, TrialRecord
from tests.analysis.synthetic import DOCUMENT_BYTES, DOCUMENTS, SNAPPY, ZSTD, campaign, sizes, voided


def first(**changes: object) -> TrialRecord:
    return campaign(blocks=1, arms=(ZSTD,))[0].model_copy(update=changes)


def values(record: TrialRecord) -> dict[str, float]:
    return {found.key: reading.value for found, _, reading in readings(record)}


def test_values_are_those_of_the_record() -> None:
    record = first()
    found, load, rmw, loaded = values(record), record.phases[0], record.phases[1], record.sizes[0]
    assert found["compression_ratio"] == loaded.data_size_bytes / loaded.storage_size_bytes
    assert found["storage_bytes_per_document"] == loaded.storage_size_bytes / loaded.documents
    assert found["insert.throughput"] == load.throughput_per_s
    assert found["rmw.p99"] == rmw.latencies[0].p99_us
    assert rmw.cost.mongod_cpu_s is not None
    assert found["rmw.mongod_cpu_us_per_operation_of_phase"] == rmw.cost.mongod_cpu_s * 1e6 / rmw.acknowledged
    assert found["rmw.mongod_cpu_us_per_operation"] == pytest.approx(ZSTD.rmw_cpu_us, rel=0.2)
    assert found["achieved_over_expected"] == pytest.approx(1 / 1.06, rel=1e-2)
    free = loaded.free_storage_size_bytes
    assert free is not None
    assert found["compression_ratio_without_free"] == loaded.data_size_bytes / (loaded.storage_size_bytes - free)
    assert found["rmw.compression_ratio_after"] == pytest.approx(found["compression_ratio"] / 1.12, rel=1e-3)


def test_storage_has_the_secondary_indexes_that_no_compressor_touches() -> None:
    plain = first()
    indexed = tuple(one.model_copy(update={"secondary_index_size_bytes": 300 * one.documents}) for one in plain.sizes)
    before, found = values(plain), values(plain.model_copy(update={"sizes": indexed}))
    for key in (
        "storage_bytes_per_document",
        "storage_bytes_per_document_aged",
        "rmw.storage_bytes_per_document_after",
    ):
        assert found[key] == pytest.approx(before[key] + 300)
    assert found["compression_ratio"] == before["compression_ratio"]
    assert found.keys() - before.keys() == {
        "secondary_index_bytes_per_document", "secondary_index_bytes_per_document_aged"
    }  # fmt: skip


def test_each_kind_of_operation_has_latencies_of_its_own() -> None:
    record = first()
    load, rmw = record.phases
    reads = rmw.latencies[0].model_copy(update={"operation": "READ", "p99_us": 7.0})
    found = values(record.model_copy(update={"phases": (load, rmw.model_copy(update={"latencies": (reads,)}))}))
    assert found["rmw.read.p99"] == 7.0
    assert "rmw.update.p99" not in found
    assert metric("orders.v2.read.p99").workload == "orders.v2"
    assert metric("orders.read.p99").label == "orders READ p99 latency"
    assert not metric("orders.read.p99").primary
    assert operation_of("orders.v2.read-modify-write.p50") == ("orders.v2", "read-modify-write")
    assert operation_of("orders.v2.p99") is None


def test_what_the_record_lacks_is_absent_and_not_zero() -> None:
    record = first(expected_ratio=None)
    cost = record.phases[1].cost.model_copy(update={"closing_cpu_s": None})
    rmw = record.phases[1].model_copy(update={"cost": cost, "latencies": ()})
    sizes = (record.sizes[0].model_copy(update={"free_storage_size_bytes": None}),)
    found = values(record.model_copy(update={"phases": (record.phases[0], rmw), "sizes": sizes}))
    absent = {
        "achieved_over_expected",
        "compression_ratio_without_free",
        "rmw.mongod_cpu_us_per_operation",
        "rmw.p99",
        "rmw.compression_ratio_after",
    }
    assert absent.isdisjoint(found)
    assert "insert.p99" in found


def test_bytes_on_the_wire_are_those_of_the_window() -> None:
    record = first()
    load, rmw = record.phases
    assert "rmw.wire_in_bytes_per_operation" not in values(record)
    assert rmw.window is not None
    counters = {"wire_in": 400.0 * rmw.measured_operations, "wire_out": 0.0}
    rmw = rmw.model_copy(update={"window": rmw.window.model_copy(update={"counters": counters})})
    found = values(record.model_copy(update={"phases": (load, rmw)}))
    assert found["rmw.wire_in_bytes_per_operation"] == pytest.approx(400)
    assert found["rmw.wire_out_bytes_per_operation"] == 0
    assert "insert.wire_in_bytes_per_operation" not in found


PER_S, AT_ONCE_US, CHECKPOINT_S = 1_000.0, 300.0, 1.5


def of_length(measured_s: float, checkpoints: int, **changes: object) -> dict[str, float]:
    """The figures of an arm whose checkpoints, one a minute, each have as much to write, by the phase's length."""
    record = first()
    operations = int(PER_S * measured_s)
    at_once_s = operations * AT_ONCE_US / 1e6
    old = record.phases[1]
    assert old.window is not None
    cost = {"mongod_cpu_s": at_once_s + (checkpoints + 1) * CHECKPOINT_S, "closing_cpu_s": CHECKPOINT_S}
    window = {
        "mongod_cpu_s": at_once_s + checkpoints * CHECKPOINT_S,
        "checkpoints": float(checkpoints),
        "host_cpu_s": measured_s,
        "host_idle_s": measured_s,
    }
    rmw = old.model_copy(
        update={
            "measured_s": measured_s,
            "measured_operations": operations,
            "acknowledged": operations,
            "cost": old.cost.model_copy(update=cost),
            "window": old.window.model_copy(update=window),
        }
    )
    return values(record.model_copy(update={"phases": (record.phases[0], rmw), **changes}))


@pytest.mark.parametrize(("measured_s", "checkpoints"), [(11, 0), (11, 1), (59, 0), (61, 1), (180, 3), (190, 4)])
def test_cpu_per_operation_does_not_depend_on_the_phases_length(measured_s: float, checkpoints: int) -> None:
    found = of_length(measured_s, checkpoints)
    lasting_us = AT_ONCE_US + CHECKPOINT_S / 60 / PER_S * 1e6
    assert found["rmw.mongod_cpu_us_per_operation"] == pytest.approx(lasting_us)
    lumps = (checkpoints + 1) * CHECKPOINT_S / (measured_s * PER_S) * 1e6
    assert found["rmw.mongod_cpu_us_per_operation_of_phase"] == pytest.approx(AT_ONCE_US + lumps)


def test_in_turns_an_interval_is_one_of_the_trials_own_time() -> None:
    record = first()
    assert record.in_force is not None
    four = {"sharing": 4, "in_force": record.in_force.model_copy(update={"sync_period_s": 240.0})}
    assert of_length(11, 0, **four) == of_length(11, 0)


def test_where_a_client_took_its_part_of_the_host_mongods_cpu_says_what_it_could_do() -> None:
    """Two cores, half of them idle, and 325 us of mongod's CPU for an operation."""
    found = of_length(11, 0, clients_beside=True)
    assert found["rmw.mongod_capacity"] == pytest.approx(2e6 / found["rmw.mongod_cpu_us_per_operation"])
    asked = first().asked.model_copy(update={"cpu_limit": 0.5})
    limited = of_length(11, 0, clients_beside=True, asked=asked)
    assert limited["rmw.mongod_capacity"] == pytest.approx(found["rmw.mongod_capacity"] / 4)
    assert "rmw.mongod_capacity" not in of_length(11, 0, clients_beside=False)
    assert "rmw.mongod_capacity" not in of_length(11, 0)


def test_a_figure_that_is_no_number_is_absent() -> None:
    record = first()
    latency = record.phases[1].latencies[0].model_copy(update={"mean_us": math.nan, "max_us": math.inf})
    rmw = record.phases[1].model_copy(update={"latencies": (latency,)})
    found = values(record.model_copy(update={"phases": (record.phases[0], rmw)}))
    assert {"rmw.mean", "rmw.max"}.isdisjoint(found)
    assert "rmw.p99" in found


def test_a_file_without_bytes_or_documents_has_no_ratio() -> None:
    empty = first().sizes[0].model_copy(update={"storage_size_bytes": 0, "documents": 0})
    assert "compression_ratio" not in values(first(sizes=(empty,)))


def test_under_an_offered_load_latency_is_the_intended_one() -> None:
    record = first()
    actual = record.phases[1].latencies[0]
    intended = actual.model_copy(update={"kind": "intended", "p99_us": 99_000.0})
    both = record.phases[1].model_copy(update={"latencies": (actual, intended)})
    offered = both.model_copy(update={"target_per_s": 1000.0})
    assert values(record.model_copy(update={"phases": (both,)}))["rmw.p99"] == actual.p99_us
    assert values(record.model_copy(update={"phases": (offered,)}))["rmw.p99"] == 99_000.0


def test_histograms_of_several_clients_are_merged_not_averaged() -> None:
    fast, slow = (histogram_of(np.full(1000, level)) for level in (1_000, 9_000))
    rare = histogram_of(np.full(15, 50_000))
    assert latency_us((fast, slow), "p99_us") == pytest.approx(9_000, rel=2e-3)
    assert latency_us((fast, rare), "p99_us") == pytest.approx(50_000, rel=2e-3)
    assert latency_us((fast, rare), "p95_us") == pytest.approx(1_000, rel=2e-3)
    assert latency_us((fast, slow), "mean_us") == 5_000
    assert latency_us((fast, rare), "max_us") == 50_000
    assert merge((fast, slow, rare)).get_total_count() == 2_015


def histogram_of(sample: np.ndarray) -> Latency:
    histogram = HdrHistogram(1, 3_600_000_000, 3)
    for value in sample:
        histogram.record_value(int(value))
    mean, top = float(sample.mean()), float(sample.max())
    return Latency(
        operation="READ", kind="actual", count=len(sample), mean_us=mean, p50_us=mean, p90_us=mean, p95_us=mean,
        p99_us=mean, p999_us=mean, p9999_us=mean, max_us=top, histogram=histogram.encode().decode(),
    )  # fmt: skip


def test_primary_by_default() -> None:
    assert [key for key in keys(["rmw"]) if metric(key).primary] == [
        "storage_bytes_per_document",
        "storage_bytes_per_document_aged",
        "insert.throughput",
        "rmw.throughput",
        "rmw.p99",
        "rmw.mongod_cpu_us_per_operation",
    ]


def test_the_aged_state_is_that_after_the_last_workload_that_wrote_and_names_what_is_reusable() -> None:
    record = campaign(blocks=1, arms=(ZSTD,), workloads=("read", "rmw", "again"))[0]
    last = record.sizes[2]
    assert last.moment == "after-rmw"
    free = last.free_storage_size_bytes
    assert free is not None
    grown = last.model_copy(update={"storage_size_bytes": 2 * last.storage_size_bytes})
    found = values(record.model_copy(update={"sizes": (*record.sizes[:2], grown, *record.sizes[3:])}))
    assert found["storage_bytes_per_document_aged"] == grown.storage_size_bytes / grown.documents
    assert found["compression_ratio_aged"] == grown.data_size_bytes / grown.storage_size_bytes
    assert found["storage_reusable_share_aged"] == free / grown.storage_size_bytes
    assert found["storage_bytes_per_document"] == record.sizes[0].storage_size_bytes / grown.documents


def test_what_maintenance_took_and_left_is_told_beside_the_workload_before_which_it_was_done() -> None:
    record = campaign(blocks=1, arms=(ZSTD,), workloads=("rmw", "read"))[0]
    left = sizes("before-read", DOCUMENTS, DOCUMENTS * DOCUMENT_BYTES, 4096 * 1000)
    done = [
        Maintenance(workload="read", kind="compact", member=member, seconds=seconds, sizes=left)
        for member, seconds in (("a:1", 2.5), ("b:1", 9.0))
    ]
    found = values(record.model_copy(update={"maintenance": tuple(done)}))
    assert found["read.maintenance_s"] == 2.5
    assert found["read.storage_bytes_per_document_maintained"] == 4096 * 1000 / DOCUMENTS
    assert "rmw.maintenance_s" not in found
    assert values(record).keys() == found.keys() - {"read.maintenance_s", "read.storage_bytes_per_document_maintained"}


def test_oplog_and_journal_are_told_apart_from_what_is_only_set_aside() -> None:
    record = campaign(blocks=1, arms=(ZSTD,))[0]
    assert not any("oplog" in key or "preallocated" in key for key in values(record))
    oplog = Oplog(data_size_bytes=30_000, storage_size_bytes=10_000, free_storage_size_bytes=None)
    files = {"journal": 100, "journal_preallocated": 200}
    kept = tuple(one.model_copy(update={"oplog": oplog, "files_bytes": files}) for one in record.sizes)
    counted = tuple(
        one.model_copy(update={"counters": {"log_written": 3.0 * one.acknowledged}}) for one in record.phases
    )
    found = values(record.model_copy(update={"sizes": kept, "phases": counted}))
    for workload in ("insert", "rmw"):
        assert found[f"{workload}.journal_bytes_after"] == 100
        assert found[f"{workload}.journal_preallocated_bytes_after"] == 200
        assert found[f"{workload}.journal_bytes_per_operation"] == 3
        assert found[f"{workload}.oplog_bytes_after"] == 10_000
        assert found[f"{workload}.oplog_compression_ratio_after"] == 3


def test_workloads_that_only_read_age_nothing() -> None:
    aged = {"storage_bytes_per_document_aged", "compression_ratio_aged", "storage_reusable_share_aged"}
    assert aged.isdisjoint(values(campaign(blocks=1, arms=(ZSTD,), workloads=("read",))[0]))
    assert aged.isdisjoint(keys([]))
    assert aged <= set(keys(["rmw"]))


def test_every_key_names_its_metric() -> None:
    assert all(metric(key).key == key for key in keys(["rmw", "scan-long"]))
    assert set(values(first())) <= set(keys(["rmw"]))


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        pytest.param("rmw.trouhgput", "rmw.throughput", id="misspelt"),
        pytest.param("p99", "rmw.p99", id="workload missing"),
        pytest.param("rmw.compression_ratio", "compression_ratio", id="workload too much"),
        pytest.param("insert.compression_ratio_after", "no metric", id="not of a load"),
        pytest.param("", "no metric", id="empty"),
    ],
)
def test_unknown_keys_are_refused_with_a_hint(key: str, hint: str) -> None:
    with pytest.raises(UnknownMetricError, match=hint):
        metric(key)


def test_void_trials_are_in_the_tables_and_marked() -> None:
    records = campaign(blocks=2, void=[(1, "zlib")])
    trials, measured = frames.trials(records), frames.measurements(records)
    assert list(trials["void"]).count("compressor-mismatch") == 1
    assert set(measured[~measured["counts"]]["arm"]) == {"zlib"}
    assert list(measured.columns) == list(frames.Row._fields)


def test_a_repeated_trial_counts_once_and_the_first_that_counts_stands() -> None:
    record = first()
    again = record.model_copy(update={"trial": "000-0-zstd-6.2", "attempt": 2})
    third = record.model_copy(update={"trial": "000-0-zstd-6.3", "attempt": 3})
    assert list(frames.trials([third, voided(record), again])["trial"]) == ["000-0-zstd-6", "000-0-zstd-6.2"]


def test_against_none_is_formed_within_blocks() -> None:
    records = campaign(blocks=2, missing=[(1, "none")])
    measured = frames.measurements(records)
    derived = measured[measured["metric"] == "compression_ratio_against_none"]
    assert set(derived["block"]) == {0}
    assert set(derived[derived["arm"] == "none"]["value"]) == {1.0}


def test_without_records_the_tables_are_empty() -> None:
    assert frames.trials([]).empty
    assert list(frames.measurements([]).columns) == list(frames.Row._fields)


def test_units_travel_with_the_values() -> None:
    measured = frames.measurements(campaign(blocks=1, arms=(SNAPPY,)))
    assert all(Unit(unit) is metric(key).unit for key, unit in zip(measured["metric"], measured["unit"], strict=True))
