"""What the playbooks' modules give back arrives, whatever their tasks are called."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from harness.errors import DefectError
from harness.hosts import playbooks
from harness.hosts.answers import Answer
from harness.hosts.playbook_events import PlaybookRun
from harness.hosts.site import Site
from harness.ledger.ledger import Ledger
from harness.run import canary_book
from harness.run.canary_book import read_canaries, take_canaries

if TYPE_CHECKING:
    from harness.plan.told import Surveyed

SURVEY: dict[str, Any] = {
    "changed": False,
    "invocation": {},
    "survey": {
        "hostname": "db1.example",
        "memory_total_bytes": None,
        "cgroup_for_memory_limits": None,
        "data": {"path": "/srv/data", "free_bytes": 2**40, "filesystem": "xfs"},
        "cores": 8,
    },
    "database": True,
    "database_number": 0,
    "client_processes": 0,
    "client_number": 0,
    "platform": "",
    "address": "10.0.0.1",
    "writable": True,
    "busy_ports": [27117],
}
LINK = {"round_trip_s": 1e-3, "clock_ahead_s": 0.0, "up_bytes_per_s": 1e8, "down_bytes_per_s": 1e8}


def survey_of(answers: list[Answer], monkeypatch: pytest.MonkeyPatch) -> dict[str, Surveyed]:
    """The survey of hosts whose modules gave this back."""
    monkeypatch.setattr("harness.hosts.site.run_playbook", lambda *_, **__: PlaybookRun(ok=True, answers=answers))
    return Site(Path("hosts.yml"), Path("home")).survey([])


def renamed(told: Any) -> Any:
    """A playbook in which every play, block and task has another name."""
    if isinstance(told, list):
        return [renamed(one) for one in told]
    if isinstance(told, dict):
        return {key: "Another name" if key == "name" else renamed(value) for key, value in told.items()}
    return told


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A database's host and a client's apart from it, both this machine, and playbooks of renamed tasks."""
    copy = tmp_path / "ansible"
    shutil.copytree(playbooks.ANSIBLE, copy)
    for name in ("survey.yml", "canary.yml"):
        told = yaml.safe_load((copy / name).read_text(encoding="utf-8"))
        (copy / name).write_text(yaml.safe_dump(renamed(told)), encoding="utf-8")
    monkeypatch.setattr(playbooks, "ANSIBLE", copy)
    place = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    groups = {
        "all": {"vars": place | {"pressgauge_home": str(tmp_path / "there"), "pressgauge_address": "127.0.0.1"}},
        "db": {"hosts": {"database": {}}},
        "clients": {"hosts": {"loader": {}}},
    }
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump(groups), encoding="utf-8")
    return Site(tmp_path / "hosts.yml", tmp_path / "home")


def test_survey_links_and_canaries_arrive_from_tasks_of_other_names(site: Site, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    found = site.survey([{"bind_ip": "127.0.0.1", "port": port}])
    assert {host: (told.database, told.client_processes) for host, told in found.items()} == {
        "database": (True, 0),
        "loader": (False, 1),
    }
    assert "links" not in found["database"].kept()
    assert found["loader"].kept() == found["loader"].survey.as_told() | {
        "links": {"database": found["loader"].links["database"].model_dump()}
    }
    assert found["loader"].links["database"].round_trip_s > 0
    ledger = Ledger(tmp_path / "run")
    ledger.folder.mkdir()
    take_canaries(ledger, site.inventory, site.variables(), 0, "before")
    taken = {one.host: one.disk_bytes_per_s is not None for one in read_canaries(ledger.folder)}
    assert taken == {"database": True, "loader": False}


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        ({}, "cpu_bytes_per_s: is missing"),
        ({"cpu_bytes_per_s": 2e7}, "disk_bytes_per_s: is missing"),
        ({"cpu_bytes_per_s": "2e7", "disk_bytes_per_s": None}, "cpu_bytes_per_s: Input should be a valid number"),
        ({"cpu_bytes_per_s": 0.0, "disk_bytes_per_s": None}, "cpu_bytes_per_s: Input should be greater than 0"),
    ],
)
def test_a_canary_of_another_form_names_host_and_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: dict[str, Any], fault: str
) -> None:
    outcome = PlaybookRun(ok=True, answers=[Answer("db1", "host_canary", result)])
    monkeypatch.setattr(canary_book, "run_playbook", lambda *_, **__: outcome)
    with pytest.raises(
        DefectError, match="^db1: host_canary returned something other than the agreed form: " + fault
    ) as caught:
        take_canaries(Ledger(tmp_path), tmp_path / "hosts.yml", {}, 0, "before")
    assert "RETURN in ansible/library/host_canary.py" in caught.value.do
    assert not read_canaries(tmp_path)


def test_a_run_keeps_the_survey_as_it_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [
        Answer("db1", "host_survey", SURVEY),
        Answer("loader", "host_survey", SURVEY | {"database": False}),
        Answer("db1", "host_link", {"changed": False}),
        Answer("loader", "host_link", {"database": "db1", "link": LINK, "item": "db1"}),
    ]
    found = survey_of(answers, monkeypatch)
    assert {host: told.kept() for host, told in found.items()} == {
        "db1": SURVEY["survey"],
        "loader": SURVEY["survey"] | {"links": {"db1": LINK}},
    }
    assert found["db1"].busy_ports == (27117,)


@pytest.mark.parametrize(
    ("module", "result", "fault"),
    [
        ("host_survey", {}, "database: is missing"),
        ("host_survey", SURVEY | {"platform": None}, "platform: Input should be a valid string"),
        ("host_survey", SURVEY | {"busy_ports": ["27117"]}, "busy_ports.0: Input should be a valid integer"),
        ("host_survey", SURVEY | {"survey": {"hostname": "db1"}}, "survey.memory_total_bytes: is missing"),
        ("host_survey", SURVEY | {"survey": []}, "survey: Input should be a valid dictionary"),
        ("host_link", {"link": LINK}, "database: is missing"),
        ("host_link", {"database": "db1", "link": {"round_trip_s": 1.0}}, "link.clock_ahead_s: is missing"),
    ],
)
def test_a_survey_of_another_form_names_host_and_module(
    monkeypatch: pytest.MonkeyPatch, module: str, result: dict[str, Any], fault: str
) -> None:
    with pytest.raises(DefectError, match=f"^db1: {module} returned something other than the agreed form: {fault}"):
        survey_of([Answer("db1", "host_survey", SURVEY), Answer("db1", module, result)], monkeypatch)
