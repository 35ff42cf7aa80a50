"""Effects of synthetic records: pairing, resolution, what can't be compared, and what must not matter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.decide.study import study
from analysis.stats import frames
from analysis.stats.arm_estimates import estimates
from analysis.stats.criteria import Criteria
from analysis.stats.effects import Comparison, compare
from analysis.stats.metrics import metric
from analysis.stats.quantities import Better
from analysis.stats.verdicts import Effect, Family, Verdict
from tests.analysis.synthetic import ARTICLE, NONE, QUIET, SNAPPY, ZLIB, ZSTD, Noise, campaign, voided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.trial.records import TrialRecord

FEW = settings(max_examples=12)
SEEDS = st.integers(0, 10_000)


def compared(records: Sequence[TrialRecord], baseline: str = "snappy", **options: object) -> list[Comparison]:
    return list(compare(frames.trials(records), frames.measurements(records), baseline=baseline, **options))  # type: ignore[arg-type]


def one(effects: Sequence[Comparison], candidate: str, key: str) -> Comparison:
    return next(effect for effect in effects if (effect.candidate, effect.metric) == (candidate, key))


def judged(records: Sequence[TrialRecord], baseline: str = "snappy") -> dict[tuple[str, str], Effect]:
    return {(e.candidate, e.metric): e for e in study(records, Criteria(baseline=baseline)).of("arm")}


def test_the_block_cancels_out() -> None:
    effects = compared(campaign(blocks=4, noise=Noise(residual=0.0, block=0.5)))
    throughput = one(effects, "zstd-6", "rmw.throughput")
    assert throughput.ratio is not None
    assert throughput.ratio.value == pytest.approx(ZSTD.rmw_per_s / SNAPPY.rmw_per_s)
    assert throughput.ratio.low == pytest.approx(throughput.ratio.value, rel=0.01)
    assert throughput.n == 4


def test_the_mean_over_blocks_is_geometric() -> None:
    effect = one(compared(campaign(blocks=6)), "zlib", "rmw.p99")
    assert effect.ratio is not None
    assert effect.ratio.value == pytest.approx(math.prod(block.ratio for block in effect.blocks) ** (1 / 6))


def test_only_blocks_with_both_sides_count() -> None:
    records = campaign(blocks=4, void=[(0, "zlib")], missing=[(2, "snappy")])
    effects = compared(records)
    assert [b.block for b in one(effects, "zlib", "rmw.p99").blocks] == [1, 3]
    assert one(effects, "zlib", "rmw.p99").missing_blocks == (0, 2)
    assert one(effects, "zstd-6", "rmw.p99").missing_blocks == (2,)


def test_an_arm_that_never_counted_is_a_comparison_without_blocks() -> None:
    effects = judged(campaign(blocks=2, void=[(0, "zlib"), (1, "zlib")]))
    effect = effects["zlib", "rmw.throughput"]
    assert effect.ratio is None
    assert effect.p_difference is None
    assert effect.verdict is Verdict.UNDECIDED
    assert effect.family is Family.PRIMARY


def test_one_block_gives_a_ratio_without_interval_or_verdict() -> None:
    effect = judged(campaign(blocks=1))["zstd-6", "compression_ratio"]
    assert effect.ratio is not None
    assert effect.ratio.low is None
    assert effect.verdict is Verdict.UNDECIDED
    assert effect.further is not None
    assert (effect.further.blocks, effect.further.at_least) == (2, True)


def test_identical_sizes_have_the_resolution_of_the_allocation_unit() -> None:
    records = [same_sizes(record) for record in campaign(blocks=3, arms=(SNAPPY, ZSTD))]
    effect = judged(records)["zstd-6", "storage_bytes_per_document"]
    assert effect.sd_log == 0.0
    assert effect.ratio is not None
    assert effect.ratio.low is not None
    assert effect.ratio.high is not None
    stored = 114_000_000 / ZSTD.ratio
    assert effect.ratio.low < effect.ratio.value < effect.ratio.high
    assert 1e-5 < math.log(effect.ratio.high / effect.ratio.low) < 20 * 4096 / stored
    assert effect.verdict is Verdict.BETTER


def same_sizes(record: TrialRecord) -> TrialRecord:
    ratio = {"snappy": SNAPPY.ratio, "zstd-6": ZSTD.ratio}[record.cell.arm]
    stored = int(114_000_000 / ratio) // 4096 * 4096
    return record.model_copy(
        update={"sizes": tuple(s.model_copy(update={"storage_size_bytes": stored}) for s in record.sizes)}
    )


def test_a_zero_reading_has_no_ratio_and_no_verdict() -> None:
    effect = judged(campaign(blocks=3))["zstd-6", "rmw.disk_read_bytes_per_operation"]
    assert effect.ratio is None
    assert effect.problem == "a reading is zero, so there is no ratio"
    assert effect.verdict is Verdict.UNDECIDED
    assert effect.further is None


@pytest.mark.parametrize(
    ("operations", "named"),
    [(999, {"p99": "1,000", "p999": "10,000"}), (1_000, {"p999": "10,000"}), (199, {"p95": "200", "p99": "1,000"})],
)
def test_a_percentile_of_too_few_operations_is_shown_and_has_no_verdict(operations: int, named: dict[str, str]) -> None:
    records = campaign(blocks=4, arms=(SNAPPY, ZSTD))
    thin = next(number for number, record in enumerate(records) if (record.block, record.cell.arm) == (2, "zstd-6"))
    load, run = records[thin].phases
    few = run.model_copy(
        update={"latencies": tuple(one.model_copy(update={"count": operations}) for one in run.latencies)}
    )
    records[thin] = records[thin].model_copy(update={"phases": (load, few)})
    effects = judged(records)
    for name, fewest in named.items():
        effect = effects["zstd-6", f"rmw.{name}"]
        assert effect.problem == f"a trial measured fewer than the {fewest} operations that this percentile takes"
        assert (effect.verdict, effect.ratio, effect.further) == (Verdict.UNDECIDED, None, None)
    assert effects["zstd-6", "rmw.p50"].problem is None
    assert effects["zstd-6", "insert.p99"].problem is None
    shown = {estimate.metric for estimate in estimates(frames.measurements(records)) if estimate.arm == "zstd-6"}
    assert "rmw.p99" in shown


def test_storage_is_decided_after_three_blocks_and_the_rest_says_what_it_lacks() -> None:
    effects = judged(campaign(blocks=3))
    for arm, verdict in (("none", Verdict.WORSE), ("zstd-6", Verdict.BETTER), ("zlib", Verdict.BETTER)):
        assert effects[arm, "compression_ratio"].verdict is verdict
        assert effects[arm, "storage_bytes_per_document"].verdict is verdict
    undecided = [e for e in effects.values() if e.family is Family.PRIMARY and e.verdict is Verdict.UNDECIDED]
    assert undecided
    assert all(effect.further is not None for effect in undecided)


def test_an_established_but_negligible_difference_is_equivalence() -> None:
    close = SNAPPY.scaled("close", 1.01)
    effect = judged(campaign(blocks=8, arms=(SNAPPY, close), noise=QUIET))["close", "rmw.throughput"]
    assert effect.p_difference is not None
    assert effect.p_difference < 0.05
    assert effect.verdict is Verdict.EQUIVALENT


def test_a_stalled_block_is_named_and_counted() -> None:
    records = campaign(blocks=6, arms=(SNAPPY, ZSTD))
    slow = [stalled(r) if (r.block, r.cell.arm) == (3, "zstd-6") else r for r in records]
    effect = one(compared(slow), "zstd-6", "rmw.throughput")
    assert effect.standing_out == (3,)
    assert effect.n == 6
    assert one(compared(records), "zstd-6", "rmw.throughput").standing_out == ()


def stalled(record: TrialRecord) -> TrialRecord:
    phases = tuple(p.model_copy(update={"throughput_per_s": p.throughput_per_s / 2}) for p in record.phases)
    return record.model_copy(update={"phases": phases})


def test_engines_are_compared_as_arms_are() -> None:
    records = campaign(blocks=3, engines=("6.0.5", "6.0.27"), arms=(SNAPPY, ZSTD))
    effects = compared(records, baseline="6.0.5", factor="engine")
    assert {(e.group.engine, e.group.arm, e.candidate) for e in effects} == {
        (None, "snappy", "6.0.27"),
        (None, "zstd-6", "6.0.27"),
    }
    assert all(effect.n == 3 for effect in effects if effect.problem is None)


def test_groups_are_compared_separately() -> None:
    effects = compared(campaign(blocks=2, engines=("a", "b"), datasets=("x", "y")))
    assert len({effect.group for effect in effects}) == 4
    assert all(effect.n == 2 for effect in effects if effect.problem is None)


def test_estimates_of_the_arms() -> None:
    found = {(e.arm, e.metric): e.figure for e in estimates(frames.measurements(campaign(blocks=3)))}
    assert found["zstd-6", "compression_ratio"].value == pytest.approx(ZSTD.ratio, rel=1e-3)
    assert found["zstd-6", "compression_ratio_against_none"].value == pytest.approx(ZSTD.ratio / NONE.ratio, rel=1e-3)
    disk = found["zstd-6", "rmw.disk_read_bytes_per_operation"]
    assert (disk.value, disk.low) == (0.0, 0.0)


@FEW
@given(seed=SEEDS, blocks=st.integers(2, 6))
def test_exchanging_arm_and_baseline_inverts_the_effect(seed: int, blocks: int) -> None:
    records = campaign(blocks=blocks, arms=(SNAPPY, ZSTD), seed=seed)
    there, back = judged(records, "snappy"), judged(records, "zstd-6")
    opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    for (_, key), effect in there.items():
        other = back["snappy", key]
        assert opposite.get(effect.verdict, effect.verdict) is other.verdict
        if effect.ratio and effect.ratio.low and effect.ratio.high:
            assert other.ratio
            assert other.ratio.low
            assert other.ratio.high
            assert effect.ratio.value * other.ratio.value == pytest.approx(1)
            assert effect.ratio.low * other.ratio.high == pytest.approx(1)
            assert effect.p_difference == pytest.approx(other.p_difference)


@FEW
@given(seed=SEEDS, factor=st.sampled_from([1e-6, 1e-3, 7.0, 1e9]))
def test_rescaling_units_changes_nothing(seed: int, factor: float) -> None:
    records = campaign(blocks=3, seed=seed)
    trials, measured = frames.trials(records), frames.measurements(records)
    scaled = measured.assign(value=measured["value"] * factor, resolution=measured["resolution"] * factor)
    plain, rescaled = (compare(trials, frame, baseline="snappy") for frame in (measured, scaled))
    for before, after in zip(plain, rescaled, strict=True):
        assert (before.ratio is None) == (after.ratio is None)
        if before.ratio and after.ratio:
            assert after.ratio.value == pytest.approx(before.ratio.value)
            assert after.ratio.low == pytest.approx(before.ratio.low)
            assert after.ratio.high == pytest.approx(before.ratio.high)


@FEW
@given(seed=SEEDS, shuffle=st.randoms(use_true_random=False))
def test_the_order_of_trials_changes_nothing(seed: int, shuffle: object) -> None:
    records = campaign(blocks=3, seed=seed, void=[(1, "zlib")])
    mixed = list(records)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert judged(mixed) == judged(records)


@FEW
@given(seed=SEEDS, arm=st.sampled_from([*ARTICLE, ZLIB.called("new")]), block=st.integers(0, 4))
def test_one_more_void_trial_never_makes_a_verdict_surer(seed: int, arm: object, block: int) -> None:
    records = campaign(blocks=4, seed=seed)
    assert hasattr(arm, "name")
    extra = next(r for r in campaign(blocks=1, seed=seed, arms=(arm,)))  # type: ignore[arg-type]
    void = voided(extra).model_copy(update={"trial": "900-void", "index": 900, "block": block})
    before, after = judged(records), judged([*records, void])
    for place, effect in before.items():
        assert after[place].verdict in (effect.verdict, Verdict.UNDECIDED)
        if effect.p_difference is not None:
            assert after[place].p_difference is not None
            assert after[place].p_difference >= effect.p_difference - 1e-12  # type: ignore[operator]
            assert after[place].p_equivalence >= effect.p_equivalence - 1e-12  # type: ignore[operator]


def test_the_void_trial_test_can_fail() -> None:
    """Were comparisons without a p-value dropped from their family, losing an arm would make the others surer."""
    whole = judged(campaign(blocks=4))
    lost = judged(campaign(blocks=4, void=[(block, "zlib") for block in range(4)]))
    p_whole, p_lost = (found["zstd-6", "rmw.mongod_cpu_us_per_operation"].p_difference for found in (whole, lost))
    assert p_whole is not None
    assert p_lost is not None
    assert p_lost >= p_whole


def test_directions() -> None:
    effects = judged(campaign(blocks=8, noise=QUIET))
    for key in ("rmw.throughput", "rmw.p99", "rmw.mongod_cpu_us_per_operation"):
        assert effects["zlib", key].verdict is Verdict.WORSE
        assert effects["none", key].verdict is Verdict.BETTER
    assert metric("rmw.p99").better is Better.LOWER
    ratio = effects["zlib", "rmw.p99"].ratio
    assert ratio is not None
    assert np.isclose(ratio.value, ZLIB.rmw_p99_us / SNAPPY.rmw_p99_us, rtol=0.01)
