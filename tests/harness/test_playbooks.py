"""What a playbook's progress tells of: tasks that are done, and none that is skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness import playbooks
from harness.playbooks import Announcer

if TYPE_CHECKING:
    import pytest


def event(kind: str, task: str) -> dict[str, Any]:
    return {"event": kind, "event_data": {"task": task}}


def test_skipped_tasks_are_not_told_of() -> None:
    told: list[str] = []
    announcer = Announcer(told.append)
    for kind, task in [
        ("playbook_on_task_start", "The replica set can be written to"),
        ("runner_on_skipped", "The replica set can be written to"),
        ("playbook_on_task_start", "Counters are on record"),
        ("runner_on_ok", "Counters are on record"),
        ("runner_on_ok", "Counters are on record"),  # of a second host
        ("playbook_on_task_start", "Validating arguments against what a role takes"),
        ("runner_on_ok", "Validating arguments against what a role takes"),
    ]:
        announcer.hear(event(kind, task))
        announcer.tick()
    assert told == ["Counters are on record"]


def test_a_task_that_lasts_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playbooks, "_SKIPPED_WITHIN_S", -1.0)
    told: list[str] = []
    announcer = Announcer(told.append)
    announcer.hear(event("playbook_on_task_start", "The phase ran to its end"))
    announcer.tick()
    announcer.tick()
    announcer.hear(event("runner_on_ok", "The phase ran to its end"))
    assert told == ["The phase ran to its end"]
