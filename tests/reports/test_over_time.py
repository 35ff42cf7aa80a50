"""What counts as a stall in a phase's chart."""

from __future__ import annotations

from reports.charts.over_time import stalls


def test_the_seconds_in_which_the_client_starts_are_no_stall() -> None:
    assert stalls([0, 0, 100, 110, 105, 90, 1]) == []
    assert stalls([0, 100, 110, 3, 105, 90, 1]) == [3]
