"""What is told of a campaign under way: trials that are through, not attempts; and that it goes on."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING

from rich.console import Console

from analysis.trial.records import Cell, Reason
from harness.plan.trials import PlannedTrial
from harness.run.progress import PlainView, Progress, TerminalView
from tests.harness.factory import record

if TYPE_CHECKING:
    import pytest

FAILED = (Reason(code="engine-failed", message="mongod ended"),)


def planned(index: int) -> PlannedTrial:
    return PlannedTrial(index, 0, Cell(engine="6.0.5", arm="snappy", dataset="sentences"))


def test_a_trial_that_failed_twice_is_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(PlainView())
    progress.campaign("smoke", trials=2, blocks=1, seconds_each=60, done=0)
    for attempt in (1, 2):
        progress.trial(planned(0), attempt, {})
        progress.trial_done(record(0, void=FAILED, attempt=attempt), 10.0)
    assert "0/2 done" in capsys.readouterr().out.splitlines()[-1]
    progress.trial(planned(0), 3, {})
    progress.trial_done(record(0, attempt=3), 10.0)
    assert "1/2 done" in capsys.readouterr().out.splitlines()[-1]


def test_what_took_turns_with_a_trial_that_failed_is_done_when_all_are_run_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = Progress(PlainView())
    progress.campaign("smoke", trials=4, blocks=2, seconds_each=60, done=2)
    for attempt, void in ((1, FAILED), (2, ())):
        for index in (2, 3):
            progress.trial(planned(index), attempt, {}, lane=str(index))
        assert progress.scene.done == 2
        progress.trial_done(record(2, attempt=attempt), 10.0, lane="2")
        progress.trial_done(record(3, attempt=attempt, void=void), 10.0, lane="3")
    assert "4/4 done" in capsys.readouterr().out.splitlines()[-1]


def test_a_long_step_is_told_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    progress = Progress(PlainView(lambda: now[0]), lambda: now[0])
    progress.step("Each engine is installed")
    for now[0] in (5.0, 16.0, 20.0, 32.0):
        progress.tick()
    assert capsys.readouterr().out.splitlines() == [
        "  Each engine is installed",
        "    16 s: Each engine is installed",
        "    32 s: Each engine is installed",
    ]


def test_an_estimate_that_has_run_out_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(PlainView())
    progress.campaign("smoke", trials=1, blocks=1, seconds_each=60, done=0)
    assert capsys.readouterr().out.endswith("about 1 min 00 s left\n")
    progress.trial(planned(0), 1, {})
    progress.trial_done(record(0), 10.0)
    assert capsys.readouterr().out.endswith("1/1 done, finishing\n")
    progress.finishing("writing the report")
    assert [stage.step for stage in progress.scene.stages.values()] == ["writing the report"]


def test_the_live_picture_moves_while_the_harness_is_busy() -> None:
    """Whoever reads a file, or makes a dataset, does not tick."""
    screen = io.StringIO()
    progress = Progress(TerminalView(Console(file=screen, width=100, force_terminal=True)))
    progress.step("preparing the datasets")
    deadline = time.monotonic() + 60
    while "preparing the datasets 1 s" not in screen.getvalue() and time.monotonic() < deadline:
        time.sleep(0.05)
    progress.close()
    assert "preparing the datasets 1 s" in screen.getvalue()
