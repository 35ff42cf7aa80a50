"""The ratios of single rounds: only neighbours of one block, and only what both sides measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from analysis.decide.decision import decide
from analysis.stats.criteria import Criteria
from analysis.stats.rounds import RoundRatio, round_ratios, round_scatter
from analysis.trial.records import Turn
from tests.analysis.synthetic import SNAPPY, ZSTD, campaign, voided

if TYPE_CHECKING:
    from analysis.stats.verdicts import Effect
    from analysis.trial.records import TrialRecord


def turn(round_: int, operations: int, cpu_s: float | None = None, measured_s: float = 2.0) -> Turn:
    return Turn(
        round=round_, started_at_s=1.8e9 + round_, measured_s=measured_s, operations=operations, mongod_cpu_s=cpu_s,
        frozen_cpu_s=None,
    )  # fmt: skip


def with_turns(record: TrialRecord, *turns: Turn) -> TrialRecord:
    """Of the run workload; the load has none."""
    load, run = record.phases
    return record.model_copy(update={"sharing": 2, "phases": (load, run.model_copy(update={"turns": turns}))})


@pytest.fixture(scope="module")
def two_blocks() -> list[TrialRecord]:
    """zstd does half as much as snappy in round 1, and three quarters in round 2, for twice the CPU."""
    found = []
    for record in campaign(arms=(SNAPPY, ZSTD), blocks=2):
        scale = 100 * (1 + record.block)
        done = (4 * scale, 4 * scale) if record.cell.arm == "snappy" else (2 * scale, 3 * scale)
        cpu_s = 0.5 if record.cell.arm == "snappy" else 1.0
        found.append(with_turns(record, *(turn(1 + place, count, cpu_s) for place, count in enumerate(done))))
    return found


def effect(records: list[TrialRecord], key: str) -> Effect:
    decision = decide(records, Criteria(baseline="snappy"))
    return next(one for one in decision.effects if one.metric == key)


def test_each_round_is_compared_with_the_same_round_of_its_block(two_blocks: list[TrialRecord]) -> None:
    found = round_ratios(two_blocks, effect(two_blocks, "rmw.throughput"))
    assert found == [RoundRatio(0, 1, 0.5), RoundRatio(0, 2, 0.75), RoundRatio(1, 1, 0.5), RoundRatio(1, 2, 0.75)]


def test_cpu_is_per_operation(two_blocks: list[TrialRecord]) -> None:
    for key in ("rmw.mongod_cpu_us_per_operation", "rmw.mongod_cpu_us_per_operation_in_window"):
        ratios = [one.ratio for one in round_ratios(two_blocks, effect(two_blocks, key))]
        assert ratios == pytest.approx([4, 8 / 3, 4, 8 / 3])


@pytest.mark.parametrize("key", ["insert.throughput", "rmw.p99", "compression_ratio"])
def test_what_turns_do_not_tell_has_no_rounds(two_blocks: list[TrialRecord], key: str) -> None:
    assert round_ratios(two_blocks, effect(two_blocks, key)) == []


def test_a_round_that_one_side_lacks_is_left_out(two_blocks: list[TrialRecord]) -> None:
    short = [
        with_turns(one, one.phases[1].turns[0]) if (one.block, one.cell.arm) == (0, "snappy") else one
        for one in two_blocks
    ]
    found = round_ratios(short, effect(short, "rmw.throughput"))
    assert [(one.block, one.round) for one in found] == [(0, 1), (1, 1), (1, 2)]


def test_a_void_trial_gives_none(two_blocks: list[TrialRecord]) -> None:
    one_void = [voided(one) if (one.block, one.cell.arm) == (1, "zstd-6") else one for one in two_blocks]
    assert {one.block for one in round_ratios(one_void, effect(one_void, "rmw.throughput"))} == {0}


def test_turns_of_no_length_and_no_operation_have_no_ratio(two_blocks: list[TrialRecord]) -> None:
    nothing = [turn(1, 0, 1.0), turn(2, 5, None, measured_s=0.0), turn(3, 8, 0.0)]
    other = [turn(1, 8, 1.0), turn(2, 8, 1.0), turn(3, 4, 1.0)]
    told = [with_turns(one, *(nothing if one.cell.arm == "snappy" else other)) for one in two_blocks if one.block == 0]
    assert round_ratios(told, effect(told, "rmw.throughput")) == [RoundRatio(0, 3, 0.5)]
    assert round_ratios(told, effect(told, "rmw.mongod_cpu_us_per_operation")) == []


def test_the_scatter_of_rounds_and_of_loads() -> None:
    """Simulated: each block's load differs by 3 %, each round by 10 %."""
    draw = np.random.default_rng(20221122)
    records = []
    for record in campaign(arms=(SNAPPY, ZSTD), blocks=60):
        drawn = draw.normal(0.0, 0.03) + draw.normal(0.0, 0.10, 8)
        logs = np.zeros(8) if record.cell.arm == "snappy" else drawn
        turns = (turn(place, round(1e6 * math.exp(log))) for place, log in enumerate(logs))
        records.append(with_turns(record, *turns))
    found = round_scatter(records, [effect(records, "rmw.throughput")])
    assert found is not None
    assert found.rounds == 8
    assert found.of_rounds == pytest.approx(0.10, rel=0.1)
    assert found.of_loads == pytest.approx(0.03, rel=0.4)
    assert found.best_rounds(block_s=90, round_s=10) == pytest.approx(3 * found.of_rounds / found.of_loads)
    (floor,) = (one for one in decide(records, Criteria(baseline="snappy")).noise_floor if "throughput" in one.metric
                and one.metric.startswith("rmw"))  # fmt: skip
    assert floor.rounds == 8
    assert floor.round_scatter_percent == pytest.approx(100 * math.expm1(found.of_rounds))


def test_one_block_tells_no_load_from_its_rounds(two_blocks: list[TrialRecord]) -> None:
    assert round_scatter(two_blocks[:2], [effect(two_blocks[:2], "rmw.throughput")]) is None
