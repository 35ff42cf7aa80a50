"""Status lines that a real client wrote."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.summaries import summary_of
from workloads import Status, read_status_line

RECORDED = Path(__file__).parent / "recorded"


def statuses(phase: str) -> list[Status]:
    lines = (RECORDED / f"{phase}.status.log").read_text().splitlines()
    return [status for line in lines if (status := read_status_line(line))]


def test_a_line_with_everything() -> None:
    line = (
        "2026-11-20 22:08:37:647 5 sec: 1089 operations; 186.25 current ops/sec; est completion in 1 day 2 hours "
        "[READ: Count=187, Max=389887, Min=426, Avg=6181.13, 90=4335, 99=340223, 99.9=389887, 99.99=389887] "
        "[CLEANUP: Count=0, Max=0, Min=0, Avg=0, 90=0, 99=0, 99.9=0, 99.99=0] "
        "[READ-MODIFY-WRITE: Count=185, Max=451839, Min=1083, Avg=10603.76, 90=9639, 99=392191, 99.9=451839, 99.99=1] "
    )
    expected = Status(5, 1089, 186.25, 93_600, {"READ": 340223.0, "READ-MODIFY-WRITE": 392191.0})
    assert read_status_line(line) == expected
    assert read_status_line("some label " + line.replace("186.25", "186,25")) == expected


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("5 second ", 5), ("44 seconds ", 44), ("1 minute ", 60), ("5 hours 52 minutes ", 21_120)],
)
def test_time_left(words: str, seconds: int) -> None:
    status = read_status_line(f"2026-11-20 22:08:37:647 5 sec: 1 operations; est completion in {words}[")
    assert status is not None
    assert status.left_s == seconds


def test_a_whole_run() -> None:
    seen = statuses("rmw")
    assert [one.operations for one in seen] == sorted(one.operations for one in seen)
    assert seen[0] == Status(0, 0, 0.0, 0, {})
    assert seen[-1].operations == summary_of("rmw", "READ")["Operations"]
    assert seen[-1].left_s is None
    assert seen[-1].p99_us["READ-MODIFY-WRITE"] > 0


def test_runs_that_fail_have_their_lines_too() -> None:
    assert statuses("failed")[-1].operations == 8
    failed_p99 = statuses("failed")[-1].p99_us
    assert "READ" not in failed_p99
    assert statuses("killed")[-1].operations == 735
    assert statuses("killed")[-1].current_ops_per_s == 0
    assert max(one.p99_us.get("READ-FAILED", 0) for one in statuses("killed")) > 0


def test_a_guess_of_ages_is_none() -> None:
    line = "2026-11-20 22:09:11:057 1 sec: 0 operations; est completion in 106751991167300 days 15 hours [READ: "
    assert read_status_line(line) == Status(1, 0, 0.0, None, {})


@pytest.mark.parametrize(
    "line",
    ["", "Starting test.", "pressgauge: unfinished: threads died", "2026-11-20 22:08:37:647 5 sec: x operations; "],
)
def test_other_lines_are_none(line: str) -> None:
    assert read_status_line(line) is None


@given(st.text(alphabet=st.sampled_from("0123456789:- sec;operations[]=,.Count99\n"), max_size=300))
def test_no_tail_of_a_line_fails(tail: str) -> None:
    read_status_line(tail)
    assert read_status_line("2026-11-20 22:08:37:647 5 sec: 12 operations; " + tail) is not None
