"""What the statistics do over thousands of simulated campaigns: the promises of docs/method.md."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from analysis.stats.effects import compare
from analysis.stats.inference import Inference, holm, infer, p_difference, p_equivalence
from analysis.stats.verdicts import Verdict, judge
from tests.analysis import simulate, simulate_answers

KEYS = (
    "compression_ratio",
    "insert.throughput",
    "rmw.throughput",
    "rmw.p50",
    "rmw.p99",
    "rmw.mongod_cpu_us_per_operation",
)


@pytest.mark.parametrize("blocks", range(3, 11))
def test_false_alarms_and_coverage(blocks: int) -> None:
    family, coverage = simulate.false_alarms(blocks)
    assert family.value <= 0.05 + 3 * family.error
    assert 0.94 <= coverage.value <= 0.98


def test_false_alarms_over_all_numbers_of_blocks() -> None:
    rates = [simulate.false_alarms(blocks)[0] for blocks in range(3, 11)]
    pooled = simulate.Rate(sum(one.hits for one in rates), sum(one.of for one in rates))
    assert pooled.value <= 0.05 + 2 * pooled.error
    # Far fewer would mean a correction that also hides what is there. Two arms have nothing to moderate with.
    assert pooled.value >= 0.015
    assert simulate.rate(simulate.found_different(two_arms()).any(axis=-1)).value >= 0.03


def two_arms() -> Inference:
    return simulate.judged(simulate.figures(np.random.default_rng(111), 4_000, 5, arms=2, metrics=18))


@pytest.mark.parametrize("blocks", [3, 5, 8, 10])
def test_false_equivalence_at_the_margin(blocks: int) -> None:
    found = simulate.false_equivalence(blocks)
    assert found.value <= 0.05 + 3 * found.error


def test_without_the_correction_false_alarms_abound() -> None:
    """The simulation can tell: the same campaigns judged one comparison at a time."""
    found = infer(simulate.log_ratios(np.random.default_rng(105), 2_000, 5))
    assert (p_difference(found) <= 0.05).any(axis=-1).mean() > 0.3


@pytest.mark.parametrize("percent", [5, -5])
def test_a_five_per_cent_effect_is_found_with_eight_blocks(percent: int) -> None:
    assert simulate.simulated_power(math.log1p(percent / 100)).value >= 0.8


@pytest.mark.parametrize("blocks", [3, 5, 8, 10, 20])
def test_stalls_leave_intervals_their_coverage(blocks: int) -> None:
    family, coverage = simulate.false_alarms(blocks, stalls=0.1)
    assert coverage.value >= 0.90
    assert family.value <= 0.05 + 3 * family.error


def test_the_mean_is_preferred_for_few_blocks_and_the_trimmed_mean_would_win_later() -> None:
    """Why the estimator is what it is; should this change, docs/method.md has to."""
    quiet = simulate.log_ratios(np.random.default_rng(1), 5_000, 8, metrics=1).reshape(-1, 8)
    stalled = simulate.log_ratios(np.random.default_rng(1), 5_000, 8, metrics=1, stalls=0.1).reshape(-1, 8)
    calm, struck = simulate.compare_estimators(quiet), simulate.compare_estimators(stalled)
    assert calm["mean, t"][2].value > calm["trimmed mean"][2].value + 0.05
    assert struck["mean, t"][2].value < struck["trimmed mean"][2].value


@pytest.mark.parametrize("blocks", [3, 4, 6, 10])
def test_forecast_of_further_blocks(blocks: int) -> None:
    found = simulate.forecast(blocks)
    assert 1 / 1.5 <= found.total_ratio <= 1.5
    assert 1 / 1.5 <= found.further_ratio <= 1.5
    assert found.decided_in_time.value >= 0.5


def test_stopping_at_precision_keeps_the_error_rate_of_a_whole_campaign() -> None:
    stopped = simulate.stopped_at_precision(5.0)
    assert stopped.mean_blocks < 10
    assert stopped.false_alarms.value <= 0.05 + 3 * stopped.false_alarms.error
    assert stopped.coverage.value >= 0.93


def test_stopping_at_precision_with_a_single_comparison_costs_some() -> None:
    single = simulate.stopped_at_precision(3.0, maximum=20, metrics=1, arms=2)
    longer = simulate.stopped_at_precision(3.0, minimum=5, maximum=20, metrics=1, arms=2)
    assert longer.false_alarms.value < single.false_alarms.value <= 0.10


def test_stopping_at_significance_would_multiply_false_alarms() -> None:
    assert simulate.stopped_at_significance(maximum=20).false_alarms.value > 0.2


def test_campaigns_through_frames_are_judged_as_the_arrays_are() -> None:
    """The simulated rates hold for what users get: frame, pairing, families and verdicts give the same p-values."""
    for campaign in simulate.figures(np.random.default_rng(9), 12, 5, effect=math.log(1.04)):
        trials, measured = as_frames(campaign)
        effects = judge(compare(trials, measured, baseline="arm0"), primary=KEYS, margin_percent=3.0)
        found = simulate.judged(campaign[None])
        different, equal = (holm(p[0]) for p in (p_difference(found), p_equivalence(found, math.log(1.03))))
        by_place = {(effect.candidate, effect.metric): effect for effect in effects}
        arms = campaign.shape[1] - 1
        for index in range(len(KEYS) * arms):
            effect = by_place[f"arm{index % arms + 1}", KEYS[index // arms]]
            assert effect.p_difference == pytest.approx(different[index])
            assert effect.p_equivalence == pytest.approx(equal[index])
            decided = different[index] <= 0.05 or equal[index] <= 0.05
            assert (effect.verdict is not Verdict.UNDECIDED) == decided


def as_frames(logs: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Frames of a campaign with these figures [metric, arm, block]; each block has a level of its own."""
    rows = []
    for block in range(logs.shape[2]):
        level = 1000.0 * (block + 1)
        for arm in range(logs.shape[1]):
            for place, key in enumerate(KEYS):
                log = logs[place, arm, block]
                rows.append(
                    {
                        "trial": f"{block}-{arm}", "counts": True, "block": block, "arm": f"arm{arm}", "engine": "e",
                        "dataset": "d", "platform": "", "workload": "rmw", "phase": "rmw", "metric": key,
                        "value": level * math.exp(log), "unit": "ratio", "resolution": 1e-9, "too_few": 0,
                    }
                )  # fmt: skip
    measured = pd.DataFrame(rows)
    trials = measured[["trial", "counts", "block", "arm", "engine", "dataset", "platform"]].drop_duplicates()
    return trials, measured


@pytest.mark.parametrize("name", ["two are the best, alike", "the best is a noisy one"])
def test_an_arm_is_seldom_wrongly_called_the_best(name: str) -> None:
    said = simulate_answers.rates(simulate_answers.CASES[name], 4, campaigns=20)
    assert said.get("wrongly the best", 0) <= 0.15
    assert said["run"] > 0


def test_the_baseline_is_kept_where_nothing_beats_it_and_not_where_something_may() -> None:
    cases = simulate_answers.CASES
    assert simulate_answers.rates(cases["none is better, all are much worse"], 4, campaigns=5) == {"keep": 1.0}
    assert simulate_answers.rates(cases["none is better"], 4, campaigns=5).get("keep", 0) == 0
