"""Figures as people read them."""

from __future__ import annotations

import pytest

from analysis.decide import sentences
from analysis.stats import quantities
from analysis.stats.quantities import Estimate, Unit
from analysis.stats.verdicts import FurtherBlocks


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (14_900.0, Unit.US, "14.9 ms"),
        (2.3642, Unit.RATIO, "2.36 ×"),
        (7_123.4, Unit.PER_SECOND, "7,123/s"),
        (5 * 2**30, Unit.BYTES, "5.00 GiB"),
        (512.0, Unit.BYTES, "512 B"),
        (0.0, Unit.BYTES_PER_OPERATION, "0 B/operation"),
        (0.412, Unit.SHARE, "41.2 %"),
        (535.4, Unit.US_PER_OPERATION, "535 µs/operation"),
    ],
)
def test_quantity(value: float, unit: Unit, text: str) -> None:
    assert quantities.quantity(value, unit) == text


def test_every_unit_can_be_shown() -> None:
    assert all(quantities.quantity(1.5, unit) for unit in Unit)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.753, "−24.7 %"), (1.0, "0.00 %"), (1.0012, "+0.12 %"), (2.52, "+152 %"), (0.99999, "0.00 %")],
)
def test_change(ratio: float, text: str) -> None:
    assert quantities.change(ratio) == text


def test_an_estimate_says_its_interval_and_blocks() -> None:
    figure = Estimate(value=2.36, low=2.35, high=2.37, n=3, unit=Unit.RATIO, confidence_percent=95)
    assert quantities.estimate(figure) == "2.36 × [2.35 ×, 2.37 ×], n = 3"
    alone = Estimate(value=0.75, n=1, unit=Unit.RATIO, confidence_percent=95)
    assert quantities.effect(alone) == "−25.0 % (no interval, n = 1)"


def test_half_width_is_that_of_the_log_scale() -> None:
    figure = Estimate(value=1.0, low=1 / 1.03, high=1.03, n=3, unit=Unit.RATIO, confidence_percent=95)
    assert figure.half_width_percent == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (None, "more blocks would not decide this comparison"),
        (FurtherBlocks(blocks=1, at_least=False), "about 1 more block would decide this comparison, if"),
        (FurtherBlocks(blocks=2, at_least=True), "at least 2 more blocks would be needed for this comparison"),
    ],
)
def test_further_blocks_in_words(more: FurtherBlocks | None, text: str) -> None:
    assert sentences.further(more, "this comparison").startswith(text)


@pytest.mark.parametrize(
    ("percent", "said"), [(None, "unknown"), (4.21, "4.21 %"), (899.0, "899 %"), (901.0, "practically nothing")]
)
def test_the_smallest_visible_difference_in_words(percent: float | None, said: str) -> None:
    assert quantities.visible(percent) == said


def test_lists_in_words() -> None:
    assert [sentences.listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c",
    ]  # fmt: skip
