"""Looking after every block: what a look may spend, and that no way of stopping makes false verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.stats.forecast import Course, blocks_for_half_width
from analysis.stats.inference import infer, p_difference, p_equivalence
from analysis.stats.looks import Looks
from tests.analysis import simulate_looks, simulate_scatter
from tests.analysis.simulate import rate

SEVERAL = Looks(fewest=3, most=8)
SAMPLE = np.array([0.031, 0.052, 0.018, 0.044, 0.039])


@pytest.mark.parametrize("looks", [SEVERAL, Looks(fewest=2, most=2), Looks(fewest=5, most=1000)], ids=str)
def test_all_looks_together_spend_the_level_once(looks: Looks) -> None:
    shares = [looks.share(n) for n in range(looks.most + 3)]
    assert math.fsum(shares) == pytest.approx(1)
    assert [n for n, share in enumerate(shares) if share > 0] == list(range(looks.fewest, looks.most + 1))
    assert shares[looks.most] == max(shares) or looks.share(looks.fewest) == max(shares)


def test_a_look_tests_at_its_share_of_the_level() -> None:
    fixed, look = infer(SAMPLE), infer(SAMPLE)._replace(share=0.1)
    assert float(p_difference(look)) == pytest.approx(10 * float(p_difference(fixed)))
    assert float(p_equivalence(look, 0.05)) == pytest.approx(min(1, 10 * float(p_equivalence(fixed, 0.05))))
    assert float(look.half_width(95)) == pytest.approx(float(fixed.half_width(99.5)))
    assert float(p_difference(infer(SAMPLE - SAMPLE.mean())._replace(share=0.1))) == 1.0


def test_a_forecast_knows_what_each_look_may_spend() -> None:
    n = blocks_for_half_width(0.04, 0.05, 0.025, course=Course(1.5, SEVERAL))
    assert n is not None
    widths = []
    for blocks in (n - 1, n):
        values = np.zeros(blocks)
        found = infer(values)._replace(se=np.asarray(0.04 / math.sqrt(blocks)), df=blocks - 1 + 1.5)
        widths.append(float(found._replace(share=SEVERAL.share(blocks)).half_width(95)))
    assert widths[0] > 0.05 >= widths[1]
    fixed = blocks_for_half_width(0.04, 0.05, 0.025, course=Course(1.5))
    assert fixed is not None
    assert fixed < n


@pytest.mark.parametrize("looks", [SEVERAL, Looks(fewest=2, most=12)], ids=str)
@pytest.mark.parametrize(
    "case",
    [
        "all alike", "baseline × 3", "one arm × 3", "heavy tails (t, 3 df)", "heavy tails, baseline × 3", "skew",
        "metrics correlated 0.7", "drift", "drift, baseline × 3", "autocorrelated",
    ],
)  # fmt: skip
def test_no_way_of_stopping_makes_false_verdicts(case: str, looks: Looks) -> None:
    found = rate(simulate_looks.ever_false(case, looks, 1_500)[0])
    assert found.value <= 0.05 + 2 * found.error


def test_the_simulation_can_tell_dishonest_looks() -> None:
    assert rate(simulate_looks.ever_false("baseline × 3", SEVERAL, 1_000)[1]).value > 0.1


@pytest.mark.parametrize("case", ["all alike", "baseline × 3", "heavy tails (t, 3 df)", "drift"])
def test_no_way_of_stopping_makes_false_equivalences_or_wrong_intervals(case: str) -> None:
    equal = rate(simulate_looks.ever_equal(case, SEVERAL, 1_500))
    assert equal.value <= 0.05 + 2 * equal.error
    assert simulate_looks.always_covered(case, SEVERAL, 1_000) >= 0.95


def test_quiet_campaigns_end_early_with_nearly_every_verdict() -> None:
    blocks, verdicts = simulate_looks.until_decided("turns, quiet", SEVERAL, 300)
    assert blocks < 5
    assert verdicts > 0.98 * simulate_scatter.QUICK.size
    assert 1 < simulate_looks.price(SEVERAL, 8) < 1.6
