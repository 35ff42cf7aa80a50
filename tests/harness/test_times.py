"""Where a trial's time went, from what Ansible tells of its tasks."""

from __future__ import annotations

from typing import Any

import pytest

from harness.cli.times import describe_times, outside_s
from harness.hosts.playbook_events import PlaybookRun
from tests.analysis.synthetic import campaign, voided


def event(kind: str, second: float, **data: Any) -> dict[str, Any]:
    return {"event": kind, "created": f"2026-11-21T12:00:{second:09.6f}+00:00", "event_data": data}


def test_a_step_lasts_until_the_next_one_begins_on_however_many_hosts() -> None:
    heard = PlaybookRun()
    for told in (
        event("playbook_on_task_start", 1, task="Load"),
        event("runner_on_ok", 4, task="Load", host="one", duration=2.9, res={}),
        event("runner_on_ok", 5, task="Load", host="two", duration=3.9, res={}),
        event("playbook_on_task_start", 5.5, task="Skipped everywhere"),
        event("playbook_on_task_start", 6, task="Stop"),
        event("runner_on_failed", 7, task="Stop", host="one", res={"msg": "no"}),
        event("playbook_on_stats", 8),
    ):
        heard.hear(told)
    assert heard.steps_s == {"Load": 4.5, "Stop": 2.0}


def test_the_time_outside_phases_is_what_the_trial_took_beside_them() -> None:
    good, bad = campaign(blocks=1)[:2]
    phases = sum(phase.warmup_s + phase.measured_s for phase in good.phases)
    good = good.model_copy(update={"steps_s": {"Stop": 2.0, "total": phases + 12.5}})
    assert outside_s(good) == pytest.approx(12.5)
    told = list(describe_times([good, voided(bad)]))
    assert told[0] == f"{good.trial}: {phases + 12.5:.1f} s, 12.5 s of them outside its phases"
    assert told[-1].split() == ["2.0", "s", "Stop"]
    assert not any(bad.trial in line for line in told)
    assert list(describe_times([voided(bad)])) == ["there is no valid trial"]
