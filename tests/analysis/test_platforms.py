"""Platforms side by side: a factor like the engine, with prices of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.decide.cost import HOURS_PER_MONTH
from analysis.decide.decision import decide
from analysis.gate.pairing import Selection, pair_cells
from analysis.gate.sides import side
from analysis.stats.criteria import Criteria, Objective, PlatformPrices, Prices
from analysis.stats.effects import Group
from analysis.stats.verdicts import Verdict
from tests.analysis.synthetic import QUIET, SNAPPY, ZSTD, campaign

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord

CRITERIA = Criteria(
    baseline="snappy",
    objective=Objective.COST,
    prices=Prices(
        platforms={"c6g": PlatformPrices(instance_per_hour=0.2), "c5": PlatformPrices(instance_per_hour=0.5)}
    ),
)


def faster(record: TrialRecord, platform: str, factor: float) -> TrialRecord:
    """The record with the throughput of one platform multiplied."""
    if record.cell.platform != platform:
        return record
    phases = [one.model_copy(update={"throughput_per_s": one.throughput_per_s * factor}) for one in record.phases]
    return record.model_copy(update={"phases": tuple(phases)})


def records(factor: float, platforms: tuple[str, ...] = ("c5", "c6g"), blocks: int = 8) -> list[TrialRecord]:
    made = campaign(arms=(SNAPPY, ZSTD), platforms=platforms, blocks=blocks, noise=QUIET)
    return [faster(record, "c6g", factor) for record in made]


def test_a_faster_platform_is_found_and_the_recommendation_is_made_on_each() -> None:
    decision = decide(records(1.25), CRITERIA)
    (contrast,) = decision.platforms
    assert (contrast.baseline, contrast.platform) == ("c5", "c6g")
    assert "rmw.throughput (6.0.5, snappy, sentences)" in contrast.better
    assert "storage_bytes_per_document (6.0.5, zstd-6, sentences)" in contrast.equivalent
    assert contrast.sentence.startswith("The move from c5 to c6g changed something: ")
    found = {(one.group.arm, one.metric): one for one in decision.platform_effects}
    throughput = found["zstd-6", "rmw.throughput"]
    assert throughput.verdict is Verdict.BETTER
    assert throughput.ratio is not None
    assert throughput.ratio.value == pytest.approx(1.25, rel=0.01)
    assert [one.choice.group for one in decision.recommendations] == [
        Group(engine="6.0.5", dataset="sentences", platform=name) for name in ("c5", "c6g")
    ]
    assert {one.group.platform for one in decision.effects} == {"c5", "c6g"}
    assert all(len(one.blocks) == 8 for one in decision.effects if one.ratio)


def test_platforms_that_do_not_differ_are_said_not_to() -> None:
    alike = CRITERIA.model_copy(update={"prices": Prices()})
    (contrast,) = decide(records(1.0), alike).platforms
    assert contrast.sentence.startswith("The move from c5 to c6g changed nothing: all")


def test_costs_are_those_of_the_platforms_own_prices() -> None:
    decision = decide(records(1.25), CRITERIA)
    costs = {one.choice.group.platform: one.choice.costs for one in decision.recommendations}
    for platform, price in (("c5", 0.5), ("c6g", 0.2)):
        found = costs[platform]
        assert found is not None
        assert found.prices.instance_per_hour == price
        for arm in found.arms:
            assert arm.per_million_operations is not None
            assert arm.per_gb_month is not None
            prices = found.prices
            millions = prices.operations_per_s * 3600 * HOURS_PER_MONTH / 1e6
            whole = arm.per_million_operations.value * millions + arm.per_gb_month.value * prices.data_size_gb
            assert whole == pytest.approx(arm.monthly.value, rel=0.01)  # means are geometric: they hardly add up
    found_effects = {(one.group.arm, one.metric): one for one in decision.platform_effects}
    cost = found_effects["snappy", "cost_per_million_operations"].ratio
    assert cost is not None
    assert cost.value == pytest.approx(0.2 / 0.5 / 1.25, rel=0.01)
    storage = found_effects["snappy", "cost_per_gb_month"].ratio
    assert storage is not None
    assert storage.value == pytest.approx(1, rel=0.01)


def test_one_platform_is_no_question() -> None:
    for platform in ("", "c6g"):
        decision = decide(records(1.0, (platform,)), CRITERIA)
        assert decision.platforms == ()
        assert decision.platform_effects == ()
        assert [one.choice.group.platform for one in decision.recommendations] == [platform]


def test_a_gate_sets_each_platform_against_itself() -> None:
    made = records(1.0, blocks=3)
    before, after = (side("lab", run, made, decide(made, CRITERIA), {}) for run in ("before", "after"))
    pairs = pair_cells(before, after, Selection(baseline_arm="snappy", arm="zstd-6"))
    assert [one.label for one in pairs] == [
        "6.0.5, snappy → zstd-6, sentences, c5",
        "6.0.5, snappy → zstd-6, sentences, c6g",
    ]
