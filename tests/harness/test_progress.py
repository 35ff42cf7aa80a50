"""What is told of a campaign under way: trials that are through, not attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.trial.records import Cell, Reason
from harness.plan.trials import PlannedTrial
from harness.run.progress import PlainView, Progress
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
