"""Stopping an instance leaves a word on how it ended, whatever it was that ran there."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible.library.mongod_instance import stop  # type: ignore[import-not-found,unused-ignore]
from ansible.module_utils.pressgauge.files import create_owned
from ansible.module_utils.pressgauge.host.processes import Process

OBEDIENT = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {OBEDIENT}"


def stopped(tmp_path: Path, program: str | None, timeout_s: int = 60, **facts: object) -> dict[str, Any]:
    """What stop.json says after an instance, whose mongod is a small program, was stopped."""
    directory, evidence = tmp_path / "instance", tmp_path / "evidence"
    create_owned(directory, {"evidence_dir": str(evidence), **facts})
    (directory / "mongod.log").write_text("so it went")
    child = None
    if program:
        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True, text=True
        )
        assert child.stdout
        assert child.stdout.readline() == "up\n"
        identity = Process.of(child.pid)
        assert identity
        identity.record(directory / "mongod.pid")
    told = stop({"directory": str(directory), "evidence_dir": str(evidence), "timeout_s": timeout_s})
    if child:
        child.communicate()
    said = json.loads((evidence / "stop.json").read_text())
    assert told == {"changed": True} | {name: value for name, value in said.items() if name != "format_version"}
    assert not directory.exists()
    assert isinstance(said, dict)
    return said


@pytest.mark.parametrize(
    ("program", "was_running", "killed"), [(OBEDIENT, True, False), (STUBBORN, True, True), (None, False, False)]
)
def test_how_it_ended(tmp_path: Path, program: str | None, was_running: bool, killed: bool) -> None:  # noqa: FBT001
    said = stopped(tmp_path, program, timeout_s=1 if program == STUBBORN else 60)
    assert (said["format_version"], said["was_running"], said["killed"]) == (1, was_running, killed)
    assert (said.get("last_words") is not None) is not was_running


def test_its_control_group_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "group").mkdir()
    stopped(tmp_path, OBEDIENT, control_groups=[str(tmp_path / "group")])
    assert not (tmp_path / "group").exists()


def test_an_instance_started_for_another_place_is_left_alone(tmp_path: Path) -> None:
    create_owned(tmp_path / "instance", {"evidence_dir": "/elsewhere"})
    asked = {"directory": str(tmp_path / "instance"), "evidence_dir": str(tmp_path), "timeout_s": 1}
    assert stop(asked)["changed"] is False
    assert not (tmp_path / "stop.json").exists()
