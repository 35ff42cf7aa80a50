"""The stopping rule and the planning figures."""

from __future__ import annotations

import pytest

from analysis.decide.decision import decide
from analysis.decide.planning import noise_floor, plan
from analysis.decide.stopping import further_blocks, until_decided
from analysis.decide.study import study
from analysis.stats.criteria import Criteria, Precision
from analysis.stats.looks import Looks
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


LOOKS = Looks(fewest=3, most=8)
LOUD = Noise(residual=0.2)


def test_until_decided_goes_on_to_the_first_look_and_no_further_than_the_last() -> None:
    early = until_decided(campaign(blocks=2, noise=QUIET), CRITERIA, LOOKS)
    assert (early.stop, early.further) == (False, 1)
    late = until_decided(campaign(blocks=8, noise=LOUD), CRITERIA, LOOKS)
    assert (late.stop, late.further) == (True, 0)
    assert "undecided" in late.reason


def test_until_decided_stops_once_every_primary_question_is() -> None:
    quiet = campaign(blocks=3, noise=QUIET)
    assert until_decided(quiet, CRITERIA, LOOKS).stop
    loud = until_decided(campaign(blocks=3, noise=LOUD), CRITERIA, LOOKS)
    assert not loud.stop
    assert 1 <= loud.further <= 5
    void = [(block, "zlib") for block in range(3)]
    assert not until_decided(campaign(blocks=3, noise=QUIET, void=void), CRITERIA, LOOKS).stop


@pytest.mark.parametrize(
    ("records", "stop"),
    [([], False), ([voided(r) for r in campaign(blocks=3)], False), (campaign(blocks=3, arms=(SNAPPY,)), True)],
    ids=["nothing yet", "all void", "one arm"],
)
def test_until_decided_without_anything_to_compare(records: list, stop: bool) -> None:  # type: ignore[type-arg]  # noqa: FBT001
    assert until_decided(records, CRITERIA, LOOKS).stop is stop


def test_verdicts_of_a_look_are_less_sure_and_its_intervals_wider() -> None:
    records = campaign(blocks=4)
    fixed, looked = (
        {(e.candidate, e.metric): e for e in study(records, CRITERIA, looks).every} for looks in (None, LOOKS)
    )
    for place, effect in looked.items():
        one = fixed[place]
        assert (effect.mean_log, effect.sd_log, effect.n) == (one.mean_log, one.sd_log, one.n)
        assert effect.verdict in (one.verdict, Verdict.UNDECIDED)
        if effect.p_difference is not None:
            assert one.p_difference is not None
            assert effect.p_difference >= one.p_difference
            assert effect.ratio is not None
            assert one.ratio is not None
            assert effect.ratio.low is None or one.ratio.low is None or effect.ratio.low <= one.ratio.low
    assert any(e.verdict is not fixed[place].verdict for place, e in looked.items())
    assert all(e.ratio is None or e.ratio.low is None for e in study(records[:8], CRITERIA, LOOKS).every)


def test_a_decision_until_decided_says_so_everywhere() -> None:
    fixed, looked = (decide(campaign(blocks=4), CRITERIA, looks=looks) for looks in (None, LOOKS))
    assert looked.looks == LOOKS
    told = [caveat.message for caveat in looked.caveats if caveat.code == "looked"]
    assert len(told) == 1
    assert "3 to 8" in told[0]
    assert "looked" not in {caveat.code for caveat in fixed.caveats}
    for one, other in zip(fixed.estimates, looked.estimates, strict=True):
        assert one.figure.low is None or (other.figure.low is not None and other.figure.low <= one.figure.low)


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
    assert further_blocks(lost, criteria, TARGET, 3, 10).reason == "no trial is valid yet"


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
