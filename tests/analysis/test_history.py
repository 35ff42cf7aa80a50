"""Change points from run to run: a planted step is found at its run, and noise has none."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from analysis.decide.decision import Decision, decide
from analysis.gate.history import FALSE_ALARMS, FEWEST_RUNS, Series, confirmed, history, steps
from analysis.stats.criteria import Criteria
from analysis.stats.verdicts import Verdict
from tests.analysis.histories import (
    MARGIN_PERCENT,
    QUIET,
    TRUTHS,
    Truth,
    false_alarms,
    false_alarms_so_far,
    found,
    hits,
    hosts_named,
    page,
    run_id,
    stepped,
)
from tests.analysis.synthetic import SNAPPY, ZSTD, Arm, Noise, campaign

if TYPE_CHECKING:
    from collections.abc import Sequence

CRITERIA = Criteria(baseline="snappy")


def decided(arms: Sequence[Arm] = (SNAPPY, ZSTD), engine: str = "6.0.5", seed: int = 1) -> Decision:
    return decide(campaign(arms=arms, engines=(engine,), blocks=2, noise=Noise(0.01, 0.01), seed=seed), CRITERIA)


def arms_of(runs: int, seed: int, truth: Truth = QUIET) -> list[Series]:
    """A page without the host."""
    return [series for series in page(runs, seed, truth) if not series.host]


def test_a_step_is_found_at_its_run_with_its_size_and_direction() -> None:
    every = stepped(arms_of(12, seed=1), "zstd", "rmw.throughput", 6, 0.6)
    (step,) = found(every)
    (change,) = step.changes
    assert (step.run_id, step.previous) == (run_id(6), run_id(5))
    assert (change.series.arm, change.series.metric) == ("zstd", "rmw.throughput")
    assert change.ratio == pytest.approx(0.6, rel=0.15)
    assert change.verdict is Verdict.WORSE
    assert change.sentence.startswith("rmw throughput of zstd, against snappy, fell by ")


def test_two_steps_are_two_and_better_follows_the_metric() -> None:
    key = "storage_bytes_per_document"
    every = stepped(stepped(arms_of(12, seed=2), "zlib", key, 4, 1.1), "zlib", key, 9, 0.8)
    newest, oldest = found(every)
    assert (newest.run_id, oldest.run_id) == (run_id(9), run_id(4))
    assert [step.changes[0].verdict for step in (oldest, newest)] == [Verdict.WORSE, Verdict.BETTER]
    assert oldest.changes[0].ratio == pytest.approx(1.1, rel=0.03)


def test_what_is_smaller_than_the_margin_is_no_change() -> None:
    steady = arms_of(12, seed=3, truth=Truth(size_sd=0.002))
    every = stepped(steady, "zstd", "storage_bytes_per_document", 6, 1 - 0.5 * MARGIN_PERCENT / 100)
    assert found(every) == ()
    assert len(steps(every, MARGIN_PERCENT / 4)) == 1


@pytest.mark.parametrize("runs", [FEWEST_RUNS, 12])
def test_noise_has_no_change_points(runs: int) -> None:
    alarms = false_alarms(runs, 120)
    assert alarms.value <= FALSE_ALARMS + 3 * (FALSE_ALARMS / 120) ** 0.5


@pytest.mark.parametrize("label", ["levels persist by 0.8", "30 % slower from the middle on, levels persist by 0.8"])
def test_moods_of_a_host_that_last_are_no_changes_of_arms(label: str) -> None:
    alarms = false_alarms(12, 100, TRUTHS[label])
    assert alarms.value <= FALSE_ALARMS + 3 * (FALSE_ALARMS / 100) ** 0.5


def test_one_step_of_the_host_is_one_named_change_of_the_host() -> None:
    named, runs = hosts_named(12, 6, 40, Truth(0.8, slower_from_middle=0.6))
    assert named.value > 0.8
    assert runs < 1.5
    steady = [series for series in page(8, seed=1) if series.host]
    (moved,) = [change for step in found(stepped_host(steady, 4, 0.6)) for change in step.changes]
    assert (moved.run_id, moved.previous) == (run_id(4), run_id(3))
    assert moved.sentence.startswith("the host: rmw throughput of snappy fell by ")


def stepped_host(every: list[Series], at: int, factor: float) -> list[Series]:
    """Host series that do not move but at one run."""
    figure = next(iter(every[0].figures.values()))
    values = {run_id(number): figure.value * (factor if number >= at else 1.0) for number in range(8)}
    return [
        replace(one, figures={run: figure.model_copy(update={"value": value}) for run, value in values.items()})
        for one in every
    ]


def test_with_a_reference_every_other_cell_is_followed_by_its_ratio_to_it() -> None:
    criteria = CRITERIA.model_copy(update={"reference_engine": "6.0.5"})
    made = [campaign(arms=(SNAPPY, ZSTD), engines=("6.0.5", "6.0.27"), blocks=2, seed=n) for n in (1, 2)]
    every = history([(run_id(n), decide(records, criteria)) for n, records in enumerate(made)])
    ratios = {(one.engine, one.arm, one.against) for one in every if one.against}
    held = "6.0.5, snappy"
    assert ratios == {("6.0.5", "zstd-6", held), ("6.0.27", "snappy", held), ("6.0.27", "zstd-6", held)}
    (host,) = [one for one in every if one.host]
    assert (host.engine, host.arm, host.host) == ("6.0.5", "snappy", "the host")
    assert {one.metric for one in every if not one.against and not one.host} == {
        "storage_bytes_per_document_aged",
        "storage_bytes_per_document",
    }


def test_a_ratio_to_the_reference_is_formed_within_blocks() -> None:
    criteria = CRITERIA.model_copy(update={"reference_engine": "6.0.5"})
    decision = decide(campaign(arms=(SNAPPY, ZSTD), blocks=3, void={(1, "snappy")}, seed=3), criteria)
    (ratio,) = [one for one in decision.reference_ratios if one.metric == "rmw.throughput"]
    (effect,) = [one for one in decision.effects if one.metric == "rmw.throughput"]
    assert effect.ratio is not None
    assert ratio.figure.value == pytest.approx(effect.ratio.value)
    assert ratio.figure.n == effect.ratio.n == 2


def test_a_history_that_is_looked_at_after_every_run_only_gathers_false_alarms() -> None:
    so_far = false_alarms_so_far(8, 30)
    assert list(so_far) == [4, 5, 6, 7, 8]
    rates = [one.value for one in so_far.values()]
    assert rates == sorted(rates)


def test_how_often_a_step_is_found_where_it_is() -> None:
    assert hits(12, 6, "rmw.throughput", 0.8, 40).value > 0.9
    assert hits(12, 6, "storage_bytes_per_document", 1.05, 40).value > 0.5


@pytest.mark.parametrize(("half_width", "is_found"), [(0.0140, True), (0.0189, False), (0.0, True)])
def test_four_runs_are_tested_with_the_degrees_of_freedom_they_have(half_width: float, is_found: bool) -> None:  # noqa: FBT001
    """t is 10.1 and 7.5; 5 % over four runs need 8.9. Sizes that never scatter need no more than the margin."""
    logs = (-half_width, half_width, 0.2 - half_width, 0.2 + half_width)
    (series,) = [one for one in arms_of(4, seed=1) if (one.arm, one.metric) == ("zstd", "rmw.throughput")]
    for figure, log in zip(series.figures.items(), logs, strict=True):
        series.figures[figure[0]] = figure[1].model_copy(update={"value": 1000 * math.exp(log)})
    assert [step.run_id for step in found([series])] == ([run_id(2)] if is_found else [])


def test_without_a_weak_change_point_its_neighbours_are_judged_by_all_their_runs() -> None:
    rng = np.random.default_rng(3)
    levels = np.repeat([0.0, 0.5], 6) + rng.normal(0, 0.05, 12)
    assert confirmed([3, 6, 9], levels, 0.01, 0.03) == [6]
    assert confirmed([6], levels, 0.01, 0.6) == []


def test_a_run_without_the_figure_has_no_place() -> None:
    every = stepped(arms_of(10, seed=4), "zstd", "storage_bytes_per_document", 5, 0.8)
    for series in every:
        del series.figures[run_id(4)]
    (step,) = found(every)
    assert (step.run_id, step.previous) == (run_id(5), run_id(3))


def test_a_single_engine_may_be_what_changed_and_several_stay_apart() -> None:
    slower = (SNAPPY, ZSTD.scaled("zstd-6", 0.8, zstd_level=6))
    runs = [(run_id(n), decided(seed=n)) for n in range(3)]
    runs += [(run_id(n), decided(slower, "6.0.27", seed=n)) for n in range(3, 6)]
    every = history(runs)
    assert {(one.engine, one.dataset) for one in every} == {(None, None)}
    (step,) = steps(every, MARGIN_PERCENT)
    assert step.run_id == run_id(3)
    assert ("zstd-6", "storage_bytes_per_document") in {(one.series.arm, one.series.metric) for one in step.changes}
    assert {one.series.arm for one in step.changes} == {"zstd-6"}
    both = decide(campaign(arms=(SNAPPY,), engines=("6.0.5", "6.0.27"), blocks=2), CRITERIA)
    assert {one.engine for one in history([*runs, (run_id(6), both)])} == {"6.0.5", "6.0.27"}


def test_nothing_is_loaded_for_a_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "otava.analysis", None)
    assert found(page(FEWEST_RUNS - 1, seed=5)) == ()
    with pytest.raises(ImportError):
        found(page(FEWEST_RUNS, seed=5))
