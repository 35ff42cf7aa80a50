"""What single charts show, and what they leave to their tables."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from analysis.decide.cost_curve import cost_curve
from reports.charts.engine import engine
from reports.charts.latency import by_operation
from reports.charts.sizes import files, raw
from reports.charts.tail import tail
from reports.material import Material
from reports.page.context import page
from tests.analysis.synthetic import QUIET, campaign
from tests.reports.sample import run

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord
    from reports.charts.base import Chart


def points(chart: Chart) -> list[dict[str, Any]]:
    return [point for values in chart.spec["datasets"].values() for point in values]


def reading_too(records: list[TrialRecord]) -> list[TrialRecord]:
    """The records with the reads that a mix measured beside what it is judged by."""

    def phase(one: Any) -> Any:
        reads = [latency.model_copy(update={"operation": "READ"}) for latency in one.latencies]
        return one.model_copy(update={"latencies": (*one.latencies, *reads)})

    return [one.model_copy(update={"phases": tuple(map(phase, one.phases))}) for one in records]


def test_each_kind_of_operation_has_its_latencies() -> None:
    material = Material(run(reading_too(campaign(blocks=2))))
    (group,) = material.groups
    (chart,) = by_operation(material, group, "rmw")
    assert chart.title == "READ of rmw"
    assert {point["arm"] for point in points(chart) if "arm" in point} == {"none", "snappy", "zlib", "zstd-6"}
    assert len({one.key for one in page(material).charts()}) == len(list(page(material).charts()))
    plain = Material(run(campaign(blocks=2)))
    assert by_operation(plain, group, "rmw") == []


def test_the_tail_of_each_second_is_the_middle_trials_and_of_several_seconds_the_highest() -> None:
    def slow(record: TrialRecord, by: float) -> TrialRecord:
        seconds = (1000.0 * by, None, 9000.0 * by, *[1000.0 * by] * 600, 0.5)
        phases = (phase.model_copy(update={"p99_series_us": seconds}) for phase in record.phases)
        return record.model_copy(update={"phases": tuple(phases)})

    records = [slow(one, 10.0 if one.block == 0 else 1.0) for one in campaign(blocks=3)]
    material = Material(run(records))
    (group,) = material.groups
    chart = tail(material, group, "rmw")
    assert chart is not None
    snappy = {point["second"]: point["value"] for point in points(chart) if point["arm"] == "snappy"}
    assert (snappy[0], snappy[2], snappy[4]) == (1.0, 9.0, 1.0)
    assert max(snappy) < 603, "the last second is cut short"
    assert chart.table.rows[0] == ("none", "1.00 ms", "9.00 ms")
    none = [one.model_copy(update={"phases": ()}) for one in records]
    assert tail(Material(run(none)), group, "rmw") is None


def test_the_journal_stands_apart_from_what_grows_with_the_data() -> None:
    sizes = {"collection": 3 * 2**20, "index": 2**20, "journal": 300 * 2**20, "other": 2**20}
    records = [
        one.model_copy(update={"sizes": tuple(part.model_copy(update={"files_bytes": sizes}) for part in one.sizes)})
        for one in campaign(blocks=2)
    ]
    material = Material(run(records))
    (group,) = material.groups
    chart = files(material, group, "loaded")
    assert chart is not None
    assert {point["class"] for point in points(chart)} == {"collection", "index"}
    assert chart.table.columns == ("arm", "collection", "index", "journal", "other", "all")


def test_the_sizes_of_each_trial_are_there_in_bytes() -> None:
    records = campaign(blocks=2)
    material = Material(run(records))
    (group,) = material.groups
    found = raw(material, group).rows
    assert len(found) == sum(len(record.sizes) for record in records)
    first = records[0].sizes[0]
    row = next(row for row in found if row[0] == records[0].trial and row[2] == "loaded")
    assert row[5] == f"{first.storage_size_bytes:,}"


def test_the_cost_curve_goes_through_the_costs_and_their_break_even() -> None:
    decision = run(campaign(blocks=5, noise=QUIET)).decision
    costs = decision.recommendations[0].choice.costs
    assert costs is not None
    found = cost_curve(costs, "snappy")
    now = {one.arm: one.ratio for one in found if one.price_ratio == pytest.approx(costs.price_ratio)}
    monthly = {one.arm: one.monthly.value for one in costs.arms}
    assert now == pytest.approx({arm: value / monthly["snappy"] for arm, value in monthly.items()}, rel=0.01)
    assert costs.flips
    for flip in costs.flips:
        pair = {
            one.arm: one.ratio
            for one in found
            if one.arm in (flip.arm, costs.cheapest)
            and one.price_ratio == min((p.price_ratio for p in found), key=lambda r: abs(r - flip.price_ratio.value))
        }
        assert pair[flip.arm] == pytest.approx(pair[str(costs.cheapest)], rel=0.1)
    assert cost_curve(costs, "gone") == ()


def test_what_the_engine_did_is_drawn_as_means_over_trials() -> None:
    records = campaign(blocks=2)
    samples = {
        record.trial: pd.DataFrame(
            {"phase": "rmw", "second": [0.9, 1.9], "cache_dirty_bytes": [dirty, dirty], "cache_max_bytes": 100.0}
        )
        for record, dirty in zip(records, itertools.cycle([10.0, 30.0]), strict=False)
    }
    first = [record for record in records if record.block == 0]
    material = Material(run(records, time_series=samples))
    (group,) = material.groups
    (chart,) = engine(material, group, "rmw")
    assert chart.title == "dirty share of the cache"
    drawn = points(chart)
    assert {point["second"] for point in drawn} == {0.0, 1.0}
    assert {point["arm"] for point in drawn} == {record.cell.arm for record in first}
    mine = [samples[record.trial]["cache_dirty_bytes"].mean() for record in records if record.cell.arm == "zlib"]
    expected = pytest.approx(sum(mine) / len(mine))
    assert [point["value"] for point in drawn if point["arm"] == "zlib"] == [expected, expected]
    assert engine(Material(run(records)), group, "rmw") == []
