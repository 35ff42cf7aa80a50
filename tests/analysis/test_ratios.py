"""Ratios of two means and Fieller's interval."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.inference import t_quantile
from analysis.stats.ratios import Ratio, ratio_of_means
from tests.analysis.simulate_flips import PAIRS, compared

OVER, UNDER = np.array([2.0, 2.4, 1.9, 2.2, 2.6]), np.array([1.0, 1.1, 0.9, 1.2, 1.1])


def test_it_is_the_ratio_of_the_means_and_not_the_mean_of_the_ratios() -> None:
    found = ratio_of_means(OVER, UNDER, 95)
    assert found is not None
    assert found.value == pytest.approx(OVER.sum() / UNDER.sum())
    assert found.value != pytest.approx((OVER / UNDER).mean(), rel=1e-4)


def test_its_interval_holds_the_ratios_that_a_t_test_does_not_reject() -> None:
    """Fieller's definition: at the bounds, the mean of over − ratio · under lies at the t quantile."""
    found = ratio_of_means(OVER, UNDER, 95)
    assert found is not None
    for bound in (found.low, found.high):
        rest = OVER - float(bound or 0) * UNDER
        t = rest.mean() / (rest.std(ddof=1) / np.sqrt(len(rest)))
        assert abs(t) == pytest.approx(-t_quantile(len(rest) - 1, 0.025))


def test_a_denominator_that_may_be_zero_gives_no_ratio() -> None:
    assert ratio_of_means(OVER, np.array([0.1, -0.1, 0.2, -0.2, 0.05]), 95) is None
    assert ratio_of_means([1.0], [0.0], 95) is None
    assert ratio_of_means([], [], 95) is None


def test_one_pair_or_nothing_to_spend_gives_no_interval() -> None:
    assert ratio_of_means([1.0], [2.0], 95) == Ratio(0.5)
    assert ratio_of_means(OVER, UNDER, 95, share=0.0) == Ratio(OVER.mean() / UNDER.mean())


def test_a_part_of_the_level_widens_it() -> None:
    whole, part = (ratio_of_means(OVER, UNDER, 95, share) for share in (1.0, 0.2))
    assert whole is not None
    assert part is not None
    assert (part.low or 0) < (whole.low or 0) < (whole.high or 0) < (part.high or 0)


def test_simulated_flips_are_where_they_are_and_their_intervals_hold() -> None:
    """The mean of each block's ratio lay half as far again away."""
    means, ratios = compared(PAIRS["zstd-6 against zstd-1, quiet"], 8, campaigns=1_000)
    assert means.shown > 950
    assert means.total / means.shown == pytest.approx(1.0, abs=0.06)
    assert 930 <= 1000 * means.held / means.shown <= 970
    assert ratios.total / ratios.shown > 1.3
