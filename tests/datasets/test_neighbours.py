"""What no row of neighbours exceeds, by brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from datasets.neighbours import MOST, at_most, largest_sums


@given(st.lists(st.integers(5, 2**24), min_size=1, max_size=20), st.integers(1, 100))
def test_no_row_is_larger_and_that_of_a_power_of_two_is_exact(sizes: list[int], length: int) -> None:
    endless = sizes * (2 + length // len(sizes))
    largest = max(sum(endless[at : at + length]) for at in range(len(sizes)))
    found = at_most(largest_sums(sizes), length)
    assert largest <= found <= 2 * largest + max(sizes)
    assert found == largest or length & (length - 1)


def test_rows_may_be_as_long_as_batches() -> None:
    sums = largest_sums([7])
    assert at_most(sums, MOST) == 7 * MOST
    assert at_most(sums, 10_000) == 70_000
