"""Runs against earlier ones: ratios to a reference, several earlier runs, and what a gate could not have seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from analysis.decide.decision import decide
from analysis.gate.judge import Gate, GateVerdict, gate
from analysis.gate.pairing import Selection
from analysis.gate.reference import Reference, reference_facts, relative
from analysis.gate.sides import Side, side
from analysis.gate.tolerances import Tolerances
from analysis.stats.criteria import Criteria
from analysis.stats.forecast import detectable_effect, smallest_shown
from tests.analysis.synthetic import SNAPPY, ZSTD, Noise, campaign
from tests.analysis.test_upgrades import changed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.gate.judge import Check

CRITERIA = Criteria(baseline="snappy", reference_engine="6.0.5")
REFERENCE = Reference("6.0.5", "snappy")
SPEED = {"insert.throughput", "rmw.throughput", "rmw.p99"}
TENTH = Tolerances(percent=10)


def a_run(number: int, *, day: float = 1.0, zstd: float = 1.0, blocks: int = 6, criteria: Criteria = CRITERIA) -> Side:
    """A run in which the host does `day` times as much as usual, and zstd `zstd` times as much as it did."""
    arms = (SNAPPY, ZSTD.scaled("zstd-6", zstd, zstd_level=6))
    made = campaign(arms=arms, blocks=blocks, noise=Noise(0.01, 0.1), seed=number)
    records = [changed(record, "6.0.5", throughput=day) for record in made]
    return side("nightly", f"run{number:03d}", records, decide(records, criteria), {})


def regressed(found: Gate) -> set[tuple[str, str]]:
    return {(check.pair, check.metric) for check in found.of(GateVerdict.REGRESSED)}


def of(found: Gate, metric: str) -> Check:
    return next(check for check in found.checks if check.metric == metric)


def test_a_slow_day_is_the_hosts_and_no_regression() -> None:
    usual, slow = a_run(1), a_run(2, day=0.7)
    found = gate([usual], slow, Tolerances())
    assert found.method == "reference"
    assert {check.pair for check in found.checks} == {"6.0.5, zstd-6, sentences"}
    assert regressed(found) == set()
    assert {level.metric for level in found.levels} >= {"insert.throughput", "rmw.throughput"}
    assert next(one.ratio for one in found.levels if one.metric == "rmw.throughput") == pytest.approx(0.7, rel=0.2)
    levels = [one.model_copy(update={"criteria": Criteria(baseline="snappy")}) for one in (usual, slow)]
    assert gate(levels[:1], levels[1], Tolerances(drift_percent=1)).method == "levels"
    assert regressed(gate(levels[:1], levels[1], Tolerances(drift_percent=1)))


@pytest.mark.parametrize("earlier", [1, 4])
def test_an_arm_that_got_slower_is_found_on_a_slow_day(earlier: int) -> None:
    runs = [a_run(number, day=0.7 if number % 2 else 1.0) for number in range(earlier)]
    found = gate(runs, a_run(90, day=0.7, zstd=0.65), Tolerances())
    assert ("6.0.5, zstd-6, sentences", "rmw.throughput") in regressed(found)
    assert {pair for pair, _ in regressed(found)} == {"6.0.5, zstd-6, sentences"}
    assert of(found, "rmw.throughput").runs == earlier
    assert of(found, "rmw.throughput").blocks == (6 * earlier, 6)


def test_what_the_host_moved_by_is_allowed_for_in_the_ratios() -> None:
    """Ratios go with it a little, so on another host's speed smaller changes are not shown."""
    alike, slow = (gate([a_run(1)], a_run(2, day=day), Tolerances()) for day in (1.0, 0.6))
    of_alike, of_slow = (of(found, "rmw.throughput").shows_percent for found in (alike, slow))
    assert of_alike is not None
    assert of_slow is not None
    assert of_slow > 1.5 * of_alike


def test_more_earlier_runs_show_smaller_changes() -> None:
    shown = [
        [of(gate([a_run(n) for n in range(earlier)], a_run(90), Tolerances()), key).shows_percent for key in SPEED]
        for earlier in (1, 8)
    ]
    assert all(many is not None and one is not None and many < one for one, many in zip(*shown, strict=True))


def test_the_reference_itself_asks_nothing_but_may_be_what_another_arm_is_held_against() -> None:
    found = gate([a_run(1)], a_run(2), Tolerances(), Selection(baseline_arm="snappy", arm="zstd-6"))
    assert {check.pair for check in found.checks} == {"6.0.5, snappy → zstd-6, sentences"}
    assert of(found, "rmw.throughput").ratio is not None


def test_a_block_without_its_reference_says_nothing() -> None:
    whole = a_run(1)
    kept = tuple(one for one in whole.figures if (one.cell, one.block) != (_number(whole, "snappy"), 2))
    lacking = whole.model_copy(update={"figures": kept})
    ratios = relative(lacking, REFERENCE)
    assert {one.block for one in ratios.figures} == {0, 1, 3, 4, 5}
    plain = {(one.block, one.cell): one.value for one in whole.figures if one.metric == "rmw.throughput"}
    zstd, snappy = _number(whole, "zstd-6"), _number(whole, "snappy")
    for one in ratios.figures:
        if one.metric == "rmw.throughput" and one.cell == zstd:
            assert one.value == pytest.approx(plain[one.block, zstd] / plain[one.block, snappy])


def _number(found: Side, arm: str) -> int:
    return next(number for number, one in enumerate(found.cells) if one.cell.arm == arm)


def test_what_must_be_the_same_of_the_reference() -> None:
    facts = reference_facts(a_run(1), REFERENCE)
    assert facts["reference.version"] == "6.0.5"
    assert {"reference.git_version", "reference.write_concern", "reference.zstd_level"} <= facts.keys()
    assert reference_facts(a_run(1), Reference("6.0.5", "zlib")) == {}


def _verdicts(checks: Iterable[Check]) -> set[GateVerdict]:
    return {check.verdict for check in checks}


def test_a_gate_that_could_not_have_seen_it_says_so_and_what_it_could() -> None:
    found = gate([a_run(1)], a_run(2), Tolerances())
    assert found.blind
    assert _verdicts(found.blind) == {GateVerdict.UNDECIDED}
    assert all(check.shows_percent is not None and check.shows_percent > 3 for check in found.blind)
    wide = gate([a_run(1)], a_run(2), Tolerances(percent=40))
    assert not wide.blind
    assert [check.shows_percent for check in wide.checks] == [check.shows_percent for check in found.checks]


def test_a_check_without_a_figure_is_blind() -> None:
    whole, other = a_run(1), a_run(2)
    without = other.model_copy(update={"figures": tuple(one for one in other.figures if one.metric != "rmw.p99")})
    found = gate([whole], without, Tolerances(percent=60))
    assert [check.metric for check in found.blind] == ["rmw.p99"]
    assert found.blind[0].shows_percent is None


def test_the_smallest_change_shown_is_in_the_direction_that_counts() -> None:
    """A rate can't fall by more than all of it; a cost can rise by more."""
    found = gate([a_run(1, blocks=2)], a_run(2, blocks=2), Tolerances())
    fall, rise = of(found, "rmw.throughput").shows_percent, of(found, "rmw.mongod_cpu_us_per_operation").shows_percent
    assert fall is not None
    assert rise is not None
    assert 0 < fall < 100
    assert rise > 0


@pytest.mark.parametrize("blocks", [3, 5, 9, 21])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 32])
def test_the_smallest_change_shown_is_the_detectable_one(blocks: int, alpha: float) -> None:
    exact = detectable_effect(0.05, blocks, alpha)
    assert smallest_shown(0.05 / math.sqrt(blocks), blocks - 1, alpha) == pytest.approx(exact, rel=0.025)
