"""How many blocks a campaign gets, its exit code, and the tables beside its report."""

from __future__ import annotations

import re
import shutil
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from pydantic import ValidationError

from analysis.decide.decision import decide
from analysis.stats.looks import Looks
from harness.cli.outcome import (
    blocks_wanted,
    decide_run,
    exit_code,
    read_run,
    report_faults,
    write_outcome,
    write_tables,
)
from harness.errors import Exit, InputError
from harness.evidence.verify import evidence_faults
from harness.ledger.facts import read_campaign
from harness.ledger.ledger import SPEC_FILE
from harness.ledger.runs import find_run, open_run
from harness.plan.trials import plan
from harness.spec.campaign import Campaign
from harness.spec.load import ROOT, load_campaign
from tests.analysis import synthetic
from tests.campaigns import small
from tests.harness.recorded_trial import recorded_run
from tests.reports import sample

if TYPE_CHECKING:
    from pathlib import Path


def campaign(blocks: object) -> Campaign:
    return Campaign.model_validate(
        {
            "name": "c",
            "blocks": blocks,
            "engines": {"6.0.5": {"source": "pypi", "version": "6.0.5"}},
            "arms": {arm.name: {"block_compressor": "snappy"} for arm in synthetic.ARTICLE},
            "datasets": {"sentences": {"recipe": "faker-sentences"}},
            "records": 1000,
            "workloads": {"rmw": {}},
            "decision": {"baseline": "snappy"},
        }
    )


def test_a_fixed_number_of_blocks_stays() -> None:
    assert blocks_wanted(campaign(3), []) == 3
    assert blocks_wanted(campaign(3), synthetic.campaign(blocks=3)) == 3


def test_blocks_are_added_until_intervals_are_narrow_enough_or_max() -> None:
    wide = {"min": 3, "max": 6, "precision": {"half_width_percent": 0.0001}}
    assert blocks_wanted(campaign(wide), []) == 3
    assert blocks_wanted(campaign(wide), synthetic.campaign(blocks=3)) == 4
    assert blocks_wanted(campaign(wide), synthetic.campaign(blocks=6)) == 6
    narrow = {"min": 3, "max": 6, "precision": {"half_width_percent": 99}}
    assert blocks_wanted(campaign(narrow), synthetic.campaign(blocks=3)) == 3


def test_blocks_are_added_until_every_question_is_decided_or_max() -> None:
    spec = campaign({"until": "decided", "min": 3, "max": 6})
    quiet, loud = (synthetic.Noise(residual=sd) for sd in (0.001, 0.3))
    assert blocks_wanted(spec, []) == 3
    assert blocks_wanted(spec, synthetic.campaign(blocks=3, noise=quiet)) == 3
    assert blocks_wanted(spec, synthetic.campaign(blocks=3, noise=loud)) == 4
    assert blocks_wanted(spec, synthetic.campaign(blocks=6, noise=loud)) == 6


def test_a_run_until_decided_is_decided_by_intervals_that_hold_at_every_look(tmp_path: Path) -> None:
    spec_path = small(tmp_path / "looked.yaml", 27998, blocks={"until": "decided", "min": 2, "max": 8})
    spec = load_campaign(spec_path)
    ledger = open_run(
        tmp_path / "results", spec.name, spec_path.read_text(encoding="utf-8"), "20260101T000000Z", anew=True
    )
    assert decide_run(ledger, spec).looks == read_run(ledger, spec).decision.looks == Looks(fewest=2, most=8)
    assert decide_run(ledger, spec.model_copy(update={"blocks": 3})).looks is None


@pytest.mark.parametrize(
    "blocks",
    [
        {"until": "decided", "max": 6, "precision": {"half_width_percent": 3}},
        {"until": "decided", "min": 1, "max": 6},
        {"until": "sure", "min": 2, "max": 6},
    ],
    ids=["precision has no say", "one block has no verdict", "no such rule"],
)
def test_rules_that_make_no_sense_are_refused(blocks: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="blocks"):
        campaign(blocks)


def test_missing_and_void_trials_end_in_incomplete() -> None:
    spec, records = campaign(2), synthetic.campaign(blocks=2)
    decision = decide(records, spec.decision)
    planned = plan(spec, 2)
    assert exit_code(decision, records, planned) == (Exit.GATE_FAILED if decision.exit_code else Exit.FINE)
    assert exit_code(decision, records[:-1], planned) == Exit.INCOMPLETE
    assert exit_code(decision, [*records[:-1], synthetic.voided(records[-1])], planned) == Exit.INCOMPLETE


def test_the_tables_hold_every_trial(tmp_path: Path) -> None:
    records = synthetic.campaign(blocks=2)
    write_tables(sample.run(records, campaign="nightly", run_id="second"), tmp_path)
    trials = pd.read_parquet(tmp_path / "trials.parquet")
    assert len(trials) == len(records) == len(pd.read_csv(tmp_path / "trials.csv"))
    measurements = pd.read_parquet(tmp_path / "measurements.parquet")
    assert {"trial", "block", "arm", "engine", "dataset", "workload", "metric", "value", "unit"} <= set(measurements)
    for table in (trials, measurements, pd.read_csv(tmp_path / "measurements.csv")):
        assert set(zip(table["campaign"], table["run"], strict=True)) == {("nightly", "second")}


def two_runs(results: Path) -> None:
    """The tables of two runs of a campaign, the second one a fifth slower."""
    for run_id, pace in (("20260101T000000Z", 1.0), ("20260102T000000Z", 0.8)):
        arms = [arm.scaled(arm.name, pace) for arm in synthetic.ARTICLE]
        folder = results / run_id / "report"
        folder.mkdir(parents=True)
        records = synthetic.campaign(blocks=3, arms=arms, noise=synthetic.QUIET)
        write_tables(sample.run(records, campaign=results.name, run_id=run_id), folder)
    (results / "latest").symlink_to(run_id)


def test_the_example_of_two_runs_in_pandas_works(tmp_path: Path) -> None:
    page = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    example = page.split("```python")[1].split("```")[0]
    two_runs(tmp_path / "results/quick")
    names: dict[str, Any] = {}
    with chdir(tmp_path):
        exec(example, names)
    change = names["change"]
    assert set(change.index) == {arm.name for arm in synthetic.ARTICLE}
    assert all(abs(value - 0.8) < 0.05 for value in change)


def test_the_first_tasks_scripts_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/first-tasks.md").read_text(encoding="utf-8")
    pandas, chart = re.findall(r"<<'END'\n(.*?)^END$", page, re.DOTALL | re.MULTILINE)
    two_runs(tmp_path / "results/mine")
    with chdir(tmp_path):
        exec(pandas, {})
        exec(chart, {})
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("20260101T000000Z", "20260102T000000Z", "snappy"))
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_is_rendered_where_none_of_its_inputs_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text, its campaign and its mixes are elsewhere, as are the mixes that ship: it has been pulled."""
    (tmp_path / "there").mkdir()
    ledger = recorded_run(
        tmp_path / "there",
        datasets={"sentences": {"recipe": "file", "path": "/nowhere/text.txt"}},
        workloads={"rmw": {"mix": "gone", "threads": 2, "warmup_s": 0, "measure_s": None, "operations": 2000}},
        decision={"baseline": "snappy", "constraints": [{"metric": "rmw.read.p99", "at_most": 2}]},
    )
    before = ledger.report_folder.joinpath("decision.json").read_bytes()
    copy = tmp_path / "here/run"
    shutil.copytree(ledger.folder, copy)
    shutil.rmtree(tmp_path / "there")
    monkeypatch.setattr("harness.spec.load.ROOT", tmp_path / "no-checkout")
    monkeypatch.chdir(tmp_path / "here")
    pulled = find_run(copy)
    write_outcome(pulled, read_campaign(pulled))
    assert list(evidence_faults(pulled)) == []
    assert list(report_faults(pulled)) == []
    assert (copy / "report/decision.json").read_bytes() == before
    assert "rmw" in (copy / "report/index.html").read_text(encoding="utf-8")


def test_tables_are_not_written_through_links_and_hold_no_formula(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    for name in ("trials.csv", "trials.parquet", "measurements.csv", "measurements.parquet"):
        (tmp_path / name).symlink_to(victim)
    records = [
        record.model_copy(update={"cell": record.cell.model_copy(update={"arm": "=1+1"})})
        for record in synthetic.campaign(blocks=1)
    ]
    write_tables(sample.run(records), tmp_path)
    assert victim.read_text() == "theirs"
    assert set(pd.read_csv(tmp_path / "trials.csv")["arm"]) == {"'=1+1"}
    assert set(pd.read_parquet(tmp_path / "trials.parquet")["arm"]) == {"=1+1"}


def test_a_report_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    spec = small(tmp_path / "spec.yaml", 27999).read_text(encoding="utf-8")
    ledger = open_run(tmp_path / "results", "small", spec, "20260101T000000Z", anew=True)
    (tmp_path / "theirs").mkdir()
    ledger.report_folder.symlink_to(tmp_path / "theirs")
    with pytest.raises(InputError, match="report is a symbolic link"):
        write_outcome(ledger, load_campaign(ledger.folder / SPEC_FILE))
    assert not list((tmp_path / "theirs").iterdir())
