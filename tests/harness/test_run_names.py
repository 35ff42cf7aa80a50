"""Names of runs: unique, sorted by time, and those of earlier versions are still read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from core.bounds import is_run_name
from harness.ledger.run_names import began_at, new_run_name

NOON = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


def test_runs_of_one_second_have_names_of_their_own_that_sort_by_time() -> None:
    of_one_second = {new_run_name(NOON) for _ in range(20)}
    assert len(of_one_second) == 20
    assert all(is_run_name(name) for name in of_one_second)
    assert max(of_one_second) < new_run_name(NOON + timedelta(seconds=1))
    assert {began_at(name) for name in of_one_second} == {NOON}


def test_a_name_without_a_random_part_is_read_and_sorts_among_the_others() -> None:
    assert began_at("20261122T120000Z") == NOON
    assert new_run_name(NOON - timedelta(seconds=1)) < "20261122T120000Z" < new_run_name(NOON)


@pytest.mark.parametrize("name", ["latest", "", "20261122", "20261322T120000Z-abc"])
def test_what_is_no_runs_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="does not match"):
        began_at(name)
