"""What is heard of a playbook while it runs, in ansible-runner's events: its outcome, and what to tell the user."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.hosts.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SKIPPED_WITHIN_S = 0.5
_NOT_STEPS = {"include_tasks", "validate_argument_spec"}
"""Modules whose tasks do nothing on a host."""
_DONE = {"runner_on_ok", "runner_on_failed", "runner_on_unreachable"}


@dataclass
class PlaybookRun:
    """What came of one playbook."""

    ok: bool = False
    timed_out: bool = False
    killed: bool = False
    """Somebody, or a host short of memory, killed Ansible itself."""
    failed_task: str = ""
    unreachable: str = ""
    """The first host that could not be reached."""
    message: str = ""
    steps_s: dict[str, float] = field(default_factory=dict)
    """Task -> seconds from its start to the next one's, of tasks that did something on a host."""
    answers: list[Answer] = field(default_factory=list)
    """What modules gave back, in the order of its coming; of a loop, each item's."""
    under_way: tuple[str, datetime] = ("", datetime.min.replace(tzinfo=UTC))
    """The task under way, and since when."""

    _steps: set[str] = field(default_factory=set)
    """Tasks that did something on a host."""
    _failed_item: str = ""
    """What failed an item of the loop under way: the task itself says only that one did."""

    def answers_of(self, module: str) -> list[Answer]:
        """What a module gave back, whatever its tasks are called."""
        return [one for one in self.answers if one.module == module]

    def hear(self, event: dict[str, Any]) -> None:
        """Take in one of ansible-runner's events."""
        data = event.get("event_data") or {}
        kind, task, host = event.get("event"), str(data.get("task", "")), str(data.get("host", ""))
        told = data.get("res")
        result = told if isinstance(told, dict) else {}
        if kind in {"playbook_on_task_start", "playbook_on_stats"}:
            self._next_step(task, str(event.get("created", "")))
        if kind in {"runner_on_ok", "runner_item_on_ok"}:
            self.answers.append(Answer(host, _module(data), result))
        if kind == "playbook_on_task_start":
            self._failed_item = ""
        if kind == "runner_item_on_failed" and not self._failed_item:
            self._failed_item = _message(result)
        if kind in _DONE and _module(data) not in _NOT_STEPS:
            self._steps.add(task)
        if kind == "runner_on_unreachable" and not self.unreachable:
            self.unreachable, self.failed_task = host, task
            self.message = f"{host} can't be reached: {_message(result)}"
        if kind in {"runner_on_failed", "runner_on_unreachable"} and not data.get("ignore_errors") and not self.message:
            self.failed_task, self.message = task, self._failed_item or _message(result)

    def _next_step(self, task: str, created: str) -> None:
        """A task begins, or the play ends: the one before has ended."""
        before, since = self.under_way
        now = datetime.fromisoformat(created) if created else datetime.now(UTC)
        if before in self._steps:
            self.steps_s[before] = round(self.steps_s.get(before, 0.0) + (now - since).total_seconds(), 3)
        self.under_way = task, now


@dataclass
class Announcer:
    """Tells of each task that is really done: one that is skipped has ended before it is told of."""

    tell: Callable[[str], None]
    task: str = ""
    since: float = 0.0

    def hear(self, event: dict[str, Any]) -> None:
        """Take in one of ansible-runner's events."""
        kind = event.get("event")
        if kind == "playbook_on_task_start":
            data = event.get("event_data") or {}
            self.task = "" if _module(data) in _NOT_STEPS else str(data.get("task", ""))
            self.since = time.monotonic()
        elif kind in _DONE:
            self._tell()

    def tick(self) -> None:
        """Tell of a task that goes on."""
        if time.monotonic() - self.since > _SKIPPED_WITHIN_S:
            self._tell()

    def _tell(self) -> None:
        task, self.task = self.task, ""
        if task:
            self.tell(task)


def _module(data: Mapping[str, Any]) -> str:
    """The module of an event's task, without its collection."""
    return str(data.get("task_action", "")).rpartition(".")[2]


def _message(result: dict[str, Any]) -> str:
    for key in ("msg", "module_stderr", "stderr"):
        if result.get(key):
            return str(result[key]).strip().removeprefix("Task failed: ")
    return "no reason given"
