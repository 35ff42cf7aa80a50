"""Hosts that SSH doesn't reach: which one, why, and what to do."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest
import yaml

from harness.errors import HostError, InputError
from harness.hosts.site import Site
from harness.ledger.runs import find_run
from tests.harness.commands import await_files, harness, start

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.real


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """An inventory of one host that nobody answers for."""
    path = tmp_path / "hosts.yml"
    place = {"ansible_host": "127.0.0.1", "ansible_port": 1, "pressgauge_home": str(tmp_path / "there")}
    groups = {name: {"hosts": {"lost": place | {"pressgauge_address": "127.0.0.1"}}} for name in ("db", "clients")}
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")
    return path


def test_a_host_that_is_not_there_is_named(where: Path, tmp_path: Path) -> None:
    ran = harness("doctor", "smoke", "--inventory", where, "--home", tmp_path / "home")
    assert ran.code == 3
    assert "lost can't be reached" in ran.err
    assert "Connection refused" in ran.err
    assert "see that `ssh` reaches lost without a question" in ran.err
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("content", ["[1, 2", "all: {hosts: 5}", "", "all: {children: {db: {hosts: }}}"])
def test_an_inventory_without_hosts_is_told(tmp_path: Path, content: str) -> None:
    """Ansible itself would go on with none."""
    path = tmp_path / "hosts.yml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="there is no host in it, or it is not an inventory"):
        Site(path, tmp_path / "home").survey([])


def test_stopping_is_stopping_where_a_host_is_lost(where: Path, tmp_path: Path) -> None:
    folders: list[str | Path] = ["--results", tmp_path / "results", "--home", tmp_path / "home"]
    running = start("run", "smoke", *folders, "--inventory", where, "--plain")
    await_files(running, tmp_path, "home/.lock")  # from now on it waits for the host
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 130, out + err
    assert "stopped; every finished trial is kept" in err
    assert "lost can't be reached" in err
    assert "the same command resumes the run" in err
    command = find_run(tmp_path / "results/smoke/latest").state()["command"]
    assert command == f"make run-campaign CAMPAIGN=smoke INVENTORY={where}"


@pytest.mark.parametrize("error", [RuntimeError("a defect"), OSError(28, "No space left on device")])
def test_the_first_error_is_told_where_a_host_is_lost(where: Path, tmp_path: Path, error: Exception) -> None:
    first = str(error)
    Site(where, tmp_path / "home").tear_down_after(error, wait_s=0)
    assert str(error) == first
    (note,) = error.__notes__
    assert "lost can't be reached" in note


def test_the_same_is_not_told_twice(where: Path, tmp_path: Path) -> None:
    site = Site(where, tmp_path / "home")
    with pytest.raises(HostError) as lost:
        site.tear_down(wait_s=0)
    site.tear_down_after(lost.value, wait_s=0)
    assert not hasattr(lost.value, "__notes__")
