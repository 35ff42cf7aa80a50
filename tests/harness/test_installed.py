"""Pressgauge as an installed tool: the wheel's command, what people are told to type, and the API."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import pressgauge
from harness.cli.installed import as_typed
from harness.spec.load import ROOT
from tests.harness.test_gate import a_run

CALL = """
import pressgauge, sys
assert str(pressgauge.HOUSE).startswith(sys.prefix), pressgauge.HOUSE
"""


@pytest.fixture(scope="session")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and the packages of this one."""
    folder = tmp_path_factory.mktemp("tool")
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "build", "-q", "--wheel", "-o", folder, ROOT], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run([uv, "pip", "install", "-q", "--no-deps", "--python", python, wheel], check=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / f"venv/lib/{version}/site-packages"
    (packages / "beside.pth").write_text(sysconfig.get_path("purelib"))
    return python


def test_the_command_works_from_any_folder(tool: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text((ROOT / "campaigns/smoke.yaml").read_text(encoding="utf-8"))
    (tmp_path / "rmw.properties").write_text("readmodifywriteproportion=1\nreadproportion=0\nupdateproportion=0\n")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    environment.pop("PRESSGAUGE_HOME", None)

    def pressgauge_says(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(tool.parent / "pressgauge"), *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    planned = pressgauge_says("plan", "mine.yaml")
    assert planned.returncode == 0, planned.stderr
    assert planned.stdout.startswith("mine: Does everything work here?")
    unknown = pressgauge_says("decide", "results/none")
    assert unknown.returncode == 2
    assert "make " not in unknown.stderr


def test_its_rooms_are_its_own(tool: Path, tmp_path: Path) -> None:
    subprocess.run([tool, "-c", CALL], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    ("told", "typed"),
    [
        ("`make verify RUN=results/a/b` lists everything", "`pressgauge verify results/a/b` lists everything"),
        ("make run-campaign CAMPAIGN=mine INVENTORY=hosts.yml", "pressgauge run mine --inventory hosts.yml"),
        ("make cloud-down CAMPAIGN=mine; then", "pressgauge cloud-down mine; then"),
        ("choose another folder: HOME_DIR=…", "choose another folder: --home …"),
        ("`make check-regression BASELINE=a CANDIDATE=b STRICT=1`", "`pressgauge gate a b --strict`"),
        ("make space there; the same command resumes", "make space there; the same command resumes"),
        ("take fewer: BYTES=4MiB, or give AS_BYTES=1", "take fewer: --bytes 4MiB, or give --as-bytes"),
    ],
)
def test_people_are_told_what_works_here(told: str, typed: str) -> None:
    assert as_typed(told, checkout=False) == typed
    assert as_typed(told, checkout=True) == told


def test_a_run_and_the_gate_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cli.gating.evidence_faults", lambda _ledger: iter(()))  # synthetic runs have none
    slow = a_run(tmp_path, "20260101T000000Z", throughput=0.7)
    run = pressgauge.open_run(slow)
    assert run.name == slow.name
    assert len(run.trials) == len(run.records) == 20
    assert set(run.measurements["run"]) == {run.name}
    assert run.decision.baseline == run.campaign.decision.baseline == "snappy"
    held = pressgauge.gate([slow], slow)
    assert held.exit_code == 1
    assert any("regressed" in line for line in held.lines())
    with pytest.raises(pressgauge.PressgaugeError):
        pressgauge.open_run(tmp_path / "nothing")
