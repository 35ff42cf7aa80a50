"""The stopping rule and the planning figures."""

from __future__ import annotations

import pytest

from analysis.decide.planning import noise_floor, plan
from analysis.decide.stopping import further_blocks
from analysis.decide.study import study
from analysis.stats.criteria import Criteria, Precision
from analysis.stats.verdicts import Verdict
from tests.analysis.synthetic import QUIET, SNAPPY, ZLIB, ZSTD, Noise, campaign, voided

CRITERIA = Criteria(baseline="snappy")
TARGET = Precision(half_width_percent=3.0)


def test_it_goes_on_to_the_minimum() -> None:
    decision = further_blocks(campaign(blocks=2, noise=QUIET), CRITERIA, TARGET, 4, 10)
    assert (decision.stop, decision.blocks, decision.further) == (False, 2, 2)


def test_it_stops_once_every_primary_interval_is_narrow() -> None:
    decision = further_blocks(campaign(blocks=4, noise=QUIET), CRITERIA, TARGET, 3, 10)
    assert decision.stop
    assert decision.wider == ()


def test_it_goes_on_while_one_is_wide_and_says_which() -> None:
    decision = further_blocks(campaign(blocks=4), CRITERIA, TARGET, 3, 30)
    assert not decision.stop
    widths = [width.half_width_percent for width in decision.wider]
    assert widths == sorted(widths, reverse=True)  # type: ignore[type-var]
    assert decision.wider[0].metric in decision.reason
    assert 1 <= decision.further <= 26


def test_it_stops_at_the_maximum() -> None:
    decision = further_blocks(campaign(blocks=4), CRITERIA, TARGET, 3, 4)
    assert (decision.stop, decision.further) == (True, 0)
    assert "not met" in decision.reason


def test_the_effects_themselves_do_not_matter() -> None:
    """Precision, not significance: an arm five times as good is decided at once, and its intervals are as wide."""
    noise = Noise(residual=0.05)
    same = campaign(blocks=5, arms=(SNAPPY, SNAPPY.scaled("other", 1.0)), noise=noise)
    apart = campaign(blocks=5, arms=(SNAPPY, SNAPPY.scaled("other", 5.0)), noise=noise)
    decided = [effect for effect in study(apart, CRITERIA).of("arm") if effect.metric == "rmw.throughput"]
    assert [effect.verdict for effect in decided] == [Verdict.BETTER]
    one, other = (further_blocks(records, CRITERIA, TARGET, 3, 60) for records in (same, apart))
    assert not other.stop
    assert (one.stop, one.further) == (other.stop, other.further)
    assert {width.metric for width in one.wider} == {width.metric for width in other.wider} >= {"rmw.throughput"}


def test_a_lost_arm_keeps_it_going_to_the_maximum() -> None:
    records = campaign(blocks=4, noise=QUIET, void=[(block, "zlib") for block in range(4)])
    decision = further_blocks(records, CRITERIA, TARGET, 3, 10)
    assert not decision.stop
    assert decision.wider[0].half_width_percent is None


@pytest.mark.parametrize(
    ("records", "stop"),
    [
        pytest.param([], False, id="nothing yet"),
        pytest.param([voided(r) for r in campaign(blocks=3)], False, id="all void"),
        pytest.param(campaign(blocks=3, arms=(SNAPPY,)), True, id="one arm"),
    ],
)
def test_without_anything_to_compare(records: list, stop: bool) -> None:  # type: ignore[type-arg]  # noqa: FBT001
    assert further_blocks(records, CRITERIA, TARGET, 3, 10).stop is stop


ENGINES = CRITERIA.model_copy(update={"baseline_engine": "6.0.5"})


@pytest.mark.parametrize(
    ("factors", "criteria", "candidate"),
    [({"engines": ("6.0.5", "6.0.27")}, ENGINES, "6.0.27"), ({"platforms": ("c5", "c6g")}, CRITERIA, "c6g")],
    ids=["engines", "platforms"],
)
def test_one_arm_under_several_engines_or_platforms_has_something_to_compare(
    factors: dict[str, tuple[str, ...]], criteria: Criteria, candidate: str
) -> None:
    wide, narrow = (
        further_blocks(campaign(arms=(SNAPPY,), blocks=4, noise=noise, **factors), criteria, TARGET, 3, 30)  # type: ignore[arg-type]
        for noise in (Noise(), QUIET)
    )
    assert (wide.stop, {one.candidate for one in wide.wider}) == (False, {candidate})
    assert narrow.stop
    assert "within" in narrow.reason
    lost = [
        voided(record).model_copy(update={"phases": (), "sizes": ()})
        for record in campaign(arms=(SNAPPY,), **factors)  # type: ignore[arg-type]
    ]
    assert further_blocks(lost, criteria, TARGET, 3, 10).reason == "no trial counts yet"


def test_engines_have_a_noise_floor_of_their_own_family() -> None:
    records = campaign(arms=(SNAPPY, ZSTD, ZLIB), engines=("6.0.5", "6.0.27"), blocks=50, noise=Noise(residual=0.03))
    found = study(records, ENGINES)
    floors = {floor.group: floor for floor in noise_floor(found) if floor.metric == "rmw.throughput"}
    assert {(group.factor, group.names) for group in floors} == {
        *(("engine", (arm, "sentences")) for arm in ("snappy", "zstd-6", "zlib")),
        *(("arm", (engine, "sentences")) for engine in ("6.0.5", "6.0.27")),
    }
    assert all(floor.scatter_percent == pytest.approx(100 * 0.03 * 2**0.5, rel=0.25) for floor in floors.values())
    alone = {floor.group: floor for floor in noise_floor(found, comparisons={"engine": 1, "arm": 1000})}
    for floor in alone.values():
        assert (floor.detectable_percent == floor.detectable_alone_percent) == (floor.group.factor == "engine")


def test_the_noise_floor_is_the_scatter_that_was_put_in() -> None:
    records = campaign(blocks=200, arms=(SNAPPY, ZSTD, SNAPPY.called("again")), noise=Noise(residual=0.03))
    floors = {floor.metric: floor for floor in noise_floor(study(records, CRITERIA))}
    assert floors["rmw.throughput"].scatter_percent == pytest.approx(100 * 0.03 * 2**0.5, rel=0.1)
    control = floors["rmw.throughput"].controls[0]
    assert control.arm == "again"
    assert control.ratio is not None
    assert control.ratio.value == pytest.approx(1, abs=0.01)


def test_more_blocks_see_less_and_more_comparisons_see_more() -> None:
    earlier = campaign(blocks=5)
    few, many, wide = (
        next(floor for floor in plan(earlier, CRITERIA, blocks, {"arm": size}) if floor.metric == "rmw.throughput")
        for blocks, size in ((5, 18), (20, 18), (5, 100))
    )
    assert few.detectable_percent is not None
    assert many.detectable_percent is not None
    assert wide.detectable_percent is not None
    assert many.detectable_percent < few.detectable_percent < wide.detectable_percent
    assert many.blocks == 20
    assert few.detectable_alone_percent == wide.detectable_alone_percent


def test_one_block_tells_no_noise() -> None:
    floors = noise_floor(study(campaign(blocks=1), CRITERIA))
    assert all(floor.scatter_percent is None and floor.detectable_percent is None for floor in floors)
