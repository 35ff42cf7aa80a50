"""What Ansible is told, none of it a template; what is told of its progress: tasks done, none that is skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import HostError
from harness.hosts import playbook_events
from harness.hosts.playbook_events import Announcer, PlaybookRun
from harness.hosts.playbooks import as_data, run_playbook

if TYPE_CHECKING:
    from pathlib import Path


def event(kind: str, task: str, action: str = "mongod_snapshot") -> dict[str, Any]:
    return {"event": kind, "event_data": {"task": task, "task_action": action}}


def test_skipped_tasks_are_not_told_of() -> None:
    told: list[str] = []
    announcer = Announcer(told.append)
    for kind, task in [
        ("playbook_on_task_start", "The replica set can be written to"),
        ("runner_on_skipped", "The replica set can be written to"),
        ("playbook_on_task_start", "Counters are on record"),
        ("runner_on_ok", "Counters are on record"),
        ("runner_on_ok", "Counters are on record"),  # of a second host
    ]:
        announcer.hear(event(kind, task))
        announcer.tick()
    assert told == ["Counters are on record"]


@pytest.mark.parametrize("action", ["ansible.builtin.validate_argument_spec", "ansible.builtin.include_tasks"])
@pytest.mark.parametrize("task", ["Validating arguments against what a role takes", "Renamed"])
def test_tasks_that_do_nothing_on_a_host_are_no_steps(action: str, task: str) -> None:
    told: list[str] = []
    announcer, outcome = Announcer(told.append), PlaybookRun()
    for kind, name, module in [
        ("playbook_on_task_start", task, action),
        ("runner_on_ok", task, action),
        ("playbook_on_task_start", "Each run phase ends", "ycsb_phase"),
        ("runner_on_ok", "Each run phase ends", "ycsb_phase"),
        ("playbook_on_stats", "", ""),
    ]:
        announcer.hear(event(kind, name, module))
        outcome.hear(event(kind, name, module))
    assert told == list(outcome.steps_s) == ["Each run phase ends"]


def test_what_failed_an_item_of_a_loop_is_told_and_not_that_one_did() -> None:
    outcome = PlaybookRun()
    task = "Each engine is installed"
    for kind, message in [
        ("runner_item_on_ok", ""),
        ("runner_item_on_failed", "the wheel's digest is another one"),
        ("runner_on_failed", "One or more items failed"),
    ]:
        told = event(kind, task, "engine_installed")
        outcome.hear({**told, "event_data": told["event_data"] | {"res": {"msg": message}}})
    assert outcome.message == "the wheel's digest is another one"
    assert outcome.failed_task == task


def test_without_pseudo_terminals_it_is_said_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> tuple[int, int]:
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr("os.openpty", none_left)
    with pytest.raises(HostError, match="Ansible needs a pseudo-terminal") as caught:
        run_playbook("teardown.yml", tmp_path / "inventory", {})
    assert "/dev/pts" in caught.value.do


def test_a_task_that_lasts_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playbook_events, "_SKIPPED_WITHIN_S", -1.0)
    told: list[str] = []
    announcer = Announcer(told.append)
    announcer.hear(event("playbook_on_task_start", "The phase ran to its end"))
    announcer.tick()
    announcer.tick()
    announcer.hear(event("runner_on_ok", "The phase ran to its end"))
    assert told == ["The phase ran to its end"]


PLAY = """
- hosts: db
  gather_facts: false
  vars:
    settings: "{{ trial.settings }}"
  tasks:
    - name: What arrives
      ansible.builtin.set_fact:
        option: "{{ settings.collection_config }}"
        first: "{{ trial.instances | map(attribute='bind_ip') | first }}"
        in_the_midst: "at {{ trial.instances[0].bind_ip }}/x"
        of_the_host: "{{ place }}"
"""


def test_templates_in_a_spec_arrive_as_the_text_they_are(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hostile = f"é 'x' {{{{ lookup('ansible.builtin.pipe', 'touch {ran}') }}}}{{% if true %}}{{# no #}}"
    play, inventory = tmp_path / "play.yml", tmp_path / "hosts.yml"
    play.write_text(PLAY)
    inventory.write_text(
        as_data({"db": {"hosts": {"here": {"ansible_connection": "local", "place": hostile}}}}), encoding="utf-8"
    )
    trial = {"settings": {"collection_config": hostile}, "instances": [{"bind_ip": hostile}]}
    outcome = run_playbook(str(play), inventory, {"trial": trial})
    assert outcome.ok, outcome.message
    assert not ran.exists()
    (answer,) = outcome.answers_of("set_fact")
    assert answer.host == "here"
    assert answer.result["ansible_facts"] == {
        "option": hostile,
        "first": hostile,
        "in_the_midst": f"at {hostile}/x",
        "of_the_host": hostile,
    }
