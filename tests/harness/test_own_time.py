"""A trial's own time, which stands still while it is frozen, and the way back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.evidence.turns import OwnTime, TurnTaken, Used

USED = Used(cpu_s=0.0, read_bytes=0, written_bytes=0, host_cpu_s=0.0, host_idle_s=0.0)
BEGAN_S = 1.8e9


def taken(lengths_s: list[tuple[int, int]]) -> list[TurnTaken]:
    """Turns of so many seconds, each with so many seconds frozen after it."""
    found, at_s = [], BEGAN_S
    for round_, (awake_s, frozen_s) in enumerate(lengths_s):
        found.append(
            TurnTaken(round=round_, measured=True, thawed_s=at_s, frozen_s=at_s + awake_s, at_thaw=USED, at_freeze=USED)
        )
        at_s += awake_s + frozen_s
    return found


def test_of_and_unix() -> None:
    own = OwnTime(taken([(4, 12), (4, 12), (4, 12)]))
    at_s = BEGAN_S + np.array([-1.0, 3.0, 17.0, 35.0])
    of_own_s = BEGAN_S + np.array([-1.0, 3.0, 5.0, 11.0])
    assert own.of(at_s).tolist() == of_own_s.tolist()
    assert own.unix(of_own_s).tolist() == at_s.tolist()
    assert own.unix(BEGAN_S + 4.0) == BEGAN_S + 4.0, "as it was frozen"


def test_without_turns_both_are_the_same() -> None:
    assert OwnTime(()).unix([BEGAN_S, 5.0]).tolist() == [BEGAN_S, 5.0]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 99)), min_size=1, max_size=9), st.floats(0.01, 0.99))
def test_every_moment_awake_is_found_again(lengths_s: list[tuple[int, int]], within: float) -> None:
    turns = taken(lengths_s)
    own = OwnTime(turns)
    awake = [one.thawed_s + within * (one.frozen_s - one.thawed_s) for one in turns]
    assert own.unix(own.of(awake)).tolist() == pytest.approx(awake, abs=1e-5, rel=0)
    assert all(a < b for a, b in itertools.pairwise(own.of(awake)))
