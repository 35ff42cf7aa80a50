"""The statistics against textbook values and SciPy's own tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from analysis.stats.forecast import (
    Levels,
    blocks_for_half_width,
    blocks_to_decide,
    detectable_effect,
    power,
)
from analysis.stats.inference import holm, infer, p_difference, p_equivalence, pooled

SAMPLE = np.array([0.031, 0.052, 0.018, 0.044, 0.039])
MARGIN = math.log(1.03)


def test_interval_and_tests_agree_with_scipy() -> None:
    found = infer(SAMPLE)
    expected = stats.ttest_1samp(SAMPLE, 0.0)
    low, high = expected.confidence_interval(0.95)
    assert found.mean - found.half_width(95) == pytest.approx(low)
    assert found.mean + found.half_width(95) == pytest.approx(high)
    assert p_difference(found) == pytest.approx(expected.pvalue)
    below = stats.ttest_1samp(SAMPLE, MARGIN, alternative="less").pvalue
    above = stats.ttest_1samp(SAMPLE, -MARGIN, alternative="greater").pvalue
    assert p_equivalence(found, MARGIN) == pytest.approx(max(below, above))


def test_identical_readings_are_known_no_better_than_their_resolution() -> None:
    found = infer([0.0, 0.0, 0.0], floor=1e-4)
    assert found.half_width(95) == pytest.approx(stats.t.ppf(0.975, 2) * 1e-4)
    assert p_difference(found) == 1.0
    assert p_equivalence(found, MARGIN) < 1e-4


def test_two_samples_that_scatter_alike_agree_with_scipy() -> None:
    for ours, theirs in ((SAMPLE, SAMPLE[:3] + 0.02), (SAMPLE[:1] + 0.1, SAMPLE), (SAMPLE[:2], SAMPLE[2:4])):
        found = pooled(ours, theirs)
        assert p_difference(found) == pytest.approx(stats.ttest_ind(ours, theirs).pvalue, rel=1e-9)
        assert float(found.mean) == pytest.approx(ours.mean() - theirs.mean())
    with pytest.raises(ValueError, match="three values"):
        pooled([0.1], [0.2])


def test_no_scatter_and_no_resolution_says_nothing() -> None:
    found = infer([0.5, 0.5, 0.5])
    assert p_difference(found) == 1.0
    assert p_equivalence(found, MARGIN) == 1.0


def test_one_block_is_refused() -> None:
    with pytest.raises(ValueError, match="two blocks"):
        infer([0.1])


@pytest.mark.parametrize(
    ("raw", "adjusted"),
    [
        pytest.param([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02], id="textbook"),
        pytest.param([0.02, 0.02], [0.04, 0.04], id="equal"),
        pytest.param([0.6, 0.9], [1.0, 1.0], id="capped"),
        pytest.param([0.03], [0.03], id="alone"),
    ],
)
def test_holm(raw: list[float], adjusted: list[float]) -> None:
    assert holm(raw) == pytest.approx(adjusted)
    assert holm([raw, raw]) == pytest.approx(np.array([adjusted, adjusted]))


@pytest.mark.parametrize("blocks", [2, 3, 8, 20])
@pytest.mark.parametrize("effect", [0.5, 2.0])
def test_power_is_that_of_the_noncentral_t(blocks: int, effect: float) -> None:
    critical = stats.t.ppf(0.975, blocks - 1)
    shift = effect * math.sqrt(blocks)
    expected = stats.nct.sf(critical, blocks - 1, shift) + stats.nct.cdf(-critical, blocks - 1, shift)
    assert power(effect, 1.0, blocks, 0.05) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("blocks", [2, 3, 10, 100])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 60])
def test_detectable_effect_is_found_with_the_wished_power(blocks: int, alpha: float) -> None:
    effect = detectable_effect(0.04, blocks, alpha, 0.8)
    assert effect is not None
    assert power(effect, 0.04, blocks, alpha) == pytest.approx(0.8, abs=1e-3)


def test_nothing_is_detectable_with_one_block() -> None:
    assert detectable_effect(0.04, 1, 0.05) is None


def test_blocks_for_a_half_width_are_the_first_that_suffice() -> None:
    n = blocks_for_half_width(0.042, 0.03, 0.025)
    assert n is not None
    widths = [stats.t.ppf(0.975, m - 1) * 0.042 / math.sqrt(m) for m in (n - 1, n)]
    assert widths[0] > 0.03 >= widths[1]


def test_no_number_of_blocks_sees_below_the_resolution() -> None:
    assert blocks_for_half_width(0.042, 0.01, 0.025, floor=0.01) is None
    assert blocks_for_half_width(0.042, 0.0, 0.025) is None


def test_decided_by_whichever_test_needs_fewer_blocks() -> None:
    levels = Levels(0.05, 0.05)
    different = blocks_to_decide(0.05, 0.04, 0.0, MARGIN, levels)
    equal = blocks_to_decide(0.001, 0.04, 0.0, MARGIN, levels)
    assert different == blocks_for_half_width(0.04, 0.05, 0.025)
    assert equal == blocks_for_half_width(0.04, MARGIN - 0.001, 0.05)
