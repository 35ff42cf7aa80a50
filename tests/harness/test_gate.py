"""The gate's command: exit codes, comparability, baseline files, tolerances and what CI reads."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import yaml

from analysis.gate.judge import Gate, GateVerdict
from analysis.gate.pairing import Selection
from harness.cli.gating import Outputs, hold_gate, read_side, write_baseline, write_outputs
from harness.errors import Exit, InputError
from harness.ledger.ledger import HOST_FILE, MIXES_FILE, VERSIONS_FILE, Ledger
from harness.ledger.runs import open_run
from harness.spec.mixes.ycsb import Mix
from tests.analysis.synthetic import QUIET, SNAPPY, ZSTD, campaign, voided
from tests.analysis.test_upgrades import changed
from tests.campaigns import small
from tests.harness.commands import ROOT, Ran
from tests.reports.sample import HOST

if TYPE_CHECKING:
    from pathlib import Path

BOTH = Selection()


@pytest.fixture(autouse=True)
def synthetic(monkeypatch: pytest.MonkeyPatch) -> None:
    """These runs have no evidence that could be read again."""
    monkeypatch.setattr("harness.cli.gating.evidence_faults", lambda _ledger: iter(()))


def gate(*arguments: str | Path) -> Ran:
    """`harness gate …` on such runs."""
    command = [sys.executable, "-m", "tests.harness.synthetic_gate", "gate", *map(str, arguments)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def a_run(folder: Path, run_id: str, *, finished: bool = True, host: dict[str, object] | None = None,
          records: int = 2000, reads: float = 0.0, void: bool = False, criteria: dict[str, str] | None = None,
          build: str = "", **factors: float) -> Path:  # fmt: skip
    """A run's folder with synthetic records of two engines."""
    engines = {version: {"source": "pypi", "version": version} for version in ("6.0.5", "6.0.27")}
    arms = {arm.name: {"block_compressor": arm.compressor.value} for arm in (SNAPPY, ZSTD)}
    decision = {"baseline": "snappy", "baseline_engine": "6.0.5"} | (criteria or {})
    path = small(folder / "two.yaml", 27999, engines=engines, arms=arms, decision=decision, blocks=5, records=records)
    ledger = open_run(folder / "results", "two", path.read_text(), run_id, anew=True)
    ledger.keep(HOST_FILE, {"localhost": HOST | (host or {})})
    ledger.keep(VERSIONS_FILE, {"Pressgauge": run_id})
    ledger.keep(
        MIXES_FILE, {"rmw": Mix(readproportion=reads, updateproportion=0, readmodifywriteproportion=1).properties()}
    )
    (ledger.folder / "dataset-sentences.json").write_text(json.dumps({"digest": "ab" * 32}))
    for record in campaign(arms=(SNAPPY, ZSTD), engines=tuple(engines), blocks=5, noise=QUIET):
        made = changed(record, "6.0.27", **factors)
        if build and made.in_force:
            made = made.model_copy(update={"in_force": made.in_force.model_copy(update={"git_version": build})})
        ledger.commit(voided(made) if void else made, ledger.workspace(record.trial))
    if finished:
        ledger.finish()
    return ledger.folder


def test_exit_codes_of_the_command(tmp_path: Path) -> None:
    slow = a_run(tmp_path, "20260101T000000Z", throughput=0.7)
    ran = gate(slow, slow, "--annotations", "--junit", tmp_path / "out/gate.xml")
    assert ran.code == 1, ran.out + ran.err
    assert "4 regressed" in ran.out
    assert "paired within the blocks of one run" in ran.out
    assert ran.out.count("::error title=regressed ") == 4
    assert gate(slow, tmp_path).code == 2
    other = a_run(tmp_path, "20260102T000000Z", host={"cpu_model": "Another CPU", "kernel": "6.2"}, records=3000)
    ran = gate(slow, other)
    assert ran.code == 2
    assert "host.cpu_model: Example CPU @ 3.0GHz in the baseline, Another CPU in the candidate" in ran.err
    assert "records: 2000 in the baseline, 3000 in the candidate" in ran.err
    assert "regressed" not in ran.out + ran.err, "not comparable: never a number"


def test_runs_of_two_mixes_are_not_compared(tmp_path: Path) -> None:
    before, after = a_run(tmp_path, "20260101T000000Z"), a_run(tmp_path, "20260102T000000Z", reads=0.5)
    with pytest.raises(InputError, match=r"mix\.rmw\.readproportion: 0\.0 in the baseline, 0\.5 in the candidate"):
        hold_gate([before], after, BOTH, None)


def test_a_run_without_a_trial_that_counts_does_not_pass(tmp_path: Path) -> None:
    before = a_run(tmp_path, "20260101T000000Z")
    after = a_run(tmp_path, "20260102T000000Z", void=True)
    for baseline in (before, after):
        ran = gate(baseline, after)
        assert ran.code == 2, ran.out + ran.err
        assert "the candidate has no valid trial" in ran.err
        assert "gate:" not in ran.out


def test_an_equal_run_passes_and_may_differ_in_kernel_and_version(tmp_path: Path) -> None:
    before = a_run(tmp_path, "20260101T000000Z")
    after = a_run(tmp_path, "20260102T000000Z", host={"kernel": "6.2"})
    wide = tmp_path / "tolerances.yaml"
    wide.write_text("percent: 500\n")
    assert hold_gate([before], after, BOTH, wide).exit_code is Exit.FINE
    judged = hold_gate([before], after, BOTH, None)
    assert judged.exit_code is Exit.INCONCLUSIVE, "3 % of a level can't be seen through a host's drift"
    assert judged.found.method == "levels"
    assert [one.fact for one in judged.comparability.warnings] == ["host.kernel", "versions.Pressgauge"]


def test_a_baseline_file_stands_for_its_run(tmp_path: Path) -> None:
    run = a_run(tmp_path, "20260101T000000Z", storage=1.1)
    kept = tmp_path / "baseline.json"
    write_baseline(run, kept)
    assert read_side(kept) == read_side(run)
    assert kept.stat().st_size < 200_000
    assert hold_gate([kept], run, BOTH, None).found == hold_gate([run], run, BOTH, None).found
    kept.write_text(kept.read_text().replace('"format_version": 1', '"format_version": 9'))
    with pytest.raises(InputError, match="not a baseline file"):
        read_side(kept)


def test_an_unfinished_run_is_no_baseline(tmp_path: Path) -> None:
    run = a_run(tmp_path, "20260101T000000Z", finished=False)
    with pytest.raises(InputError, match="not complete"):
        write_baseline(run, tmp_path / "baseline.json")


def test_tolerances_are_read_and_their_faults_have_lines(tmp_path: Path) -> None:
    run = a_run(tmp_path, "20260101T000000Z", throughput=0.7)
    path = tmp_path / "tolerances.yaml"
    path.write_text(yaml.safe_dump({"metrics": {"*.throughput": {"percent": 60}}}))
    assert hold_gate([run], run, BOTH, path).exit_code is Exit.FINE
    path.write_text("percent: 3\nmetrics:\n  rmw.p99: {percents: 5}\n")
    with pytest.raises(InputError, match=r"tolerances.yaml:3: metrics.rmw.p99.percents"):
        hold_gate([run], run, BOTH, path)


def test_what_ci_reads(tmp_path: Path) -> None:
    run = a_run(tmp_path, "20260101T000000Z", throughput=0.7)
    outputs = Outputs(tmp_path / "gate.xml", tmp_path / "gate.md", tmp_path / "gate.json", annotations=True)
    judged = hold_gate([run], run, BOTH, None)
    printed = write_outputs(judged, outputs)
    suite = ET.parse(tmp_path / "gate.xml").getroot()[0]
    cases = {(case.get("classname"), case.get("name")): case for case in suite}
    assert suite.get("failures") == "4"
    assert len(cases) == int(suite.get("tests") or 0) == len(judged.found.checks)
    failure = cases["6.0.5 → 6.0.27, zstd-6, sentences", "rmw.throughput"].find("failure")
    assert failure is not None
    assert "−30" in (failure.get("message") or "")
    assert "| ▼ | rmw throughput | 6.0.5 → 6.0.27, zstd-6, sentences |" in (tmp_path / "gate.md").read_text()
    assert json.loads((tmp_path / "gate.json").read_text())["method"] == "paired"
    assert not any("\n" in line or "100 %," in line for line in printed)


def test_runs_that_two_hosts_began_in_one_second_are_two(tmp_path: Path) -> None:
    """Names of before they had a random part."""
    folders = {name: tmp_path / name for name in ("here", "there")}
    for folder in folders.values():
        folder.mkdir()
    here, there = (
        a_run(folder, "20260101T000000Z", host={"hostname": name}, throughput=0.7) for name, folder in folders.items()
    )
    assert Ledger(here).run_id == Ledger(there).run_id
    assert hold_gate([here], there, BOTH, None).found.method == "levels"
    assert hold_gate([here], here, BOTH, None).found.method == "paired"


PINNED = {"reference_engine": "6.0.5"}


def test_a_folder_stands_for_the_finished_runs_before_the_candidate(tmp_path: Path) -> None:
    for day in (1, 2, 3, 5):
        a_run(tmp_path, f"2026010{day}T000000Z", criteria=PINNED, finished=day != 2)
    candidate = a_run(tmp_path, "20260104T000000Z", criteria=PINNED, throughput=0.7)
    judged = hold_gate([candidate.parent], candidate, BOTH, None)
    assert judged.found.baseline == "2 runs to two/20260103T000000Z"
    assert judged.found.method == "reference"
    assert {check.pair for check in judged.found.of(GateVerdict.REGRESSED)} == {
        f"6.0.27, {arm}, sentences" for arm in ("snappy", "zstd-6")
    }
    told = "\n".join(judged.lines())
    assert "context, no verdict: the reference itself (6.0.5, snappy) moved with the host: " in told
    kept = tmp_path / "baselines"
    for day in (1, 3):
        write_baseline(candidate.with_name(f"2026010{day}T000000Z"), kept / f"{day}.json")
    assert hold_gate([kept], candidate, BOTH, None).found.checks == judged.found.checks
    assert gate(kept, candidate, "--markdown", tmp_path / "gate.md").code == 1
    with pytest.raises(InputError, match="neither a run that finished before 20260101T000000Z"):
        hold_gate([candidate.parent], candidate.with_name("20260101T000000Z"), BOTH, None)


def test_a_reference_of_another_build_is_none(tmp_path: Path) -> None:
    before, after = (
        a_run(tmp_path, f"2026010{day}T000000Z", criteria=PINNED, build=build) for day, build in ((1, "aa"), (2, "bb"))
    )
    with pytest.raises(InputError, match=r"reference\.git_version: aa in the baseline, bb in the candidate"):
        hold_gate([before], after, BOTH, None)
    third = a_run(tmp_path, "20260103T000000Z", criteria=PINNED, build="bb")
    judged = hold_gate([before, after], third, BOTH, None)
    assert judged.found.baseline == "two/20260102T000000Z"
    assert any("20260101T000000Z is left out: reference.git_version" in note for note in judged.found.notes)


def test_what_a_gate_could_not_have_seen_is_told_everywhere(tmp_path: Path) -> None:
    before, after = (a_run(tmp_path, f"2026010{day}T000000Z") for day in (1, 2))
    xml, markdown, told = (tmp_path / f"gate.{kind}" for kind in ("xml", "md", "json"))
    ran = gate(before, after, "--junit", xml, "--markdown", markdown, "--json", told)
    assert ran.code == 5, ran.out + ran.err
    checks = Gate.model_validate_json(told.read_text()).checks
    assert (
        f"inconclusive: {len(checks)} of {len(checks)} checks could miss a change as large as their tolerance"
        in ran.out
    )
    assert ran.out.count(", shows ") == len(checks)
    assert "| tolerance | shows | verdict |" in markdown.read_text()
    assert xml.read_text().count(", shows ") == len(checks)
    assert all(check.shows_percent for check in checks)
    assert gate(before, after, "--strict").code == 1
