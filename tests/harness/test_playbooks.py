"""What Ansible is told, none of it a template; what is told of its progress: tasks done, none that is skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.run import playbooks
from harness.run.playbooks import Announcer, as_data, run_playbook

if TYPE_CHECKING:
    from pathlib import Path

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
    assert outcome.by_host["What arrives"]["here"]["ansible_facts"] == {
        "option": hostile,
        "first": hostile,
        "in_the_midst": f"at {hostile}/x",
        "of_the_host": hostile,
    }
