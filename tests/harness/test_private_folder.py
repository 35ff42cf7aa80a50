"""Ansible's private folders: none outlives its harness for long, and none is taken from one that lives."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING

import pytest

from harness.hosts.private_folders import private_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_private_and_goes(tmp_path: Path) -> None:
    with private_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_harness_left_goes_and_what_a_living_one_uses_stays(tmp_path: Path) -> None:
    killed = tmp_path / "pressgauge-ansible-killed"
    killed.mkdir()
    (killed / ".lock").touch()
    (killed / "env").mkdir()
    others = tmp_path / "pressgauge-ansible-not-ours"
    others.mkdir()
    with private_folder() as living, private_folder():
        assert living.is_dir()
        assert not killed.exists()
        assert others.is_dir()


def test_what_works_for_a_killed_harness_is_ended_and_what_works_for_another_is_not(tmp_path: Path) -> None:
    """Ansible's workers and modules lead sessions of their own, and go on without it."""
    with private_folder() as living:
        killed = tmp_path / "pressgauge-ansible-killed"
        killed.mkdir()
        (killed / ".lock").touch()
        with worker(killed) as orphan, worker(living) as another, private_folder():
            assert orphan.wait(timeout=600) == -signal.SIGKILL
            assert another.poll() is None
            another.kill()


def worker(private: Path) -> subprocess.Popen[bytes]:
    mark = {"PRESSGAUGE_PLAYBOOK": str(private)}
    return subprocess.Popen(["sleep", "60"], env=os.environ | mark, start_new_session=True)
