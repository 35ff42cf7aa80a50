"""A whole run with one of its files damaged: decided, rendered and held against a gate, as every command would."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from analysis.gate.pairing import Selection
from analysis.stats import frames
from harness.cli.gating import baseline_text, hold_gate, read_side
from harness.cli.outcome import blocks_wanted, exit_code, read_run
from harness.cli.times import describe_times
from harness.ledger.facts import conditions, host_facts, read_campaign, version_facts
from harness.ledger.ledger import HOST_FILE, SPEC_FILE, STATE_FILE, VERSIONS_FILE
from harness.ledger.run_json import read_hosts, read_manifest, read_surveys, read_versions
from harness.plan import doctor
from harness.plan.trials import plan
from harness.run.canary_book import FILE as CANARIES
from reports.material import Material
from reports.output.rendering import render
from reports.output.write import given
from reports.page import evidence
from reports.page.context import page
from tests.harness.recorded_trial import recorded_run

if TYPE_CHECKING:
    from harness.ledger.ledger import Ledger

RECORD = "trial.json"
BESIDE = (HOST_FILE, VERSIONS_FILE, "dataset-sentences.json")
FILES = (SPEC_FILE, STATE_FILE, *BESIDE, CANARIES, RECORD)


@cache
def _run() -> tuple[TemporaryDirectory[str], Ledger]:
    """A run of two blocks; made once, gone with the process."""
    scratch = TemporaryDirectory(prefix="pressgauge-fuzz-")
    return scratch, recorded_run(Path(scratch.name))


def seed(name: str) -> bytes:
    """The whole file, as the run has it."""
    return _place(name).read_bytes()


def read_with(path: Path) -> None:
    """Everything that is made of the run, with this file in the place of its own."""
    place, ledger = _place(path.name), _run()[1]
    whole = place.read_bytes()
    try:
        place.write_bytes(path.read_bytes())
        _read(ledger)
    finally:
        place.write_bytes(whole)


def read_beside(path: Path) -> None:
    """What is told of a run by the file beside its trials that lies at `path`: hosts, versions or a corpus."""
    folder, whole = path.parent, _whole()
    hosts, versions, manifest = read_hosts(folder), read_versions(folder), read_manifest(folder, "sentences")
    run = replace(whole.run, hosts=hosts, versions=versions, manifests={"sentences": manifest})
    for table in (evidence.hosts, evidence.versions, evidence.corpora):
        table(Material(run))
    for name, survey in read_surveys(folder).items():
        list(doctor.report(name, survey, doctor.examine(survey, ["6.0.5", "8.0.0"])))
    json.dumps(host_facts(hosts) | version_facts(versions), allow_nan=False)


@cache
def _whole() -> Material:
    ledger = _run()[1]
    return Material(read_run(ledger, read_campaign(ledger)))


def hold_gate_with(path: Path) -> None:
    """The run held against the baseline file."""
    judged = hold_gate([path], _run()[1].folder, Selection(), None)
    list(judged.lines())
    judged.found.model_dump_json()


def baseline() -> bytes:
    """The run as a baseline file."""
    return baseline_text(read_side(_run()[1].folder)).encode()


def _read(ledger: Ledger) -> None:
    spec = read_campaign(ledger)
    run = read_run(ledger, spec)
    material = Material(run)
    render(given(page(material), ""), None)
    json.dumps(material.decision.model_dump(mode="json"), allow_nan=False)
    frames.trials(run.records).to_csv()
    exit_code(material.decision, run.records, plan(spec, blocks_wanted(spec, run.records), ledger.platforms))
    conditions(ledger, spec)
    baseline_text(read_side(ledger.folder))
    list(describe_times(run.records))


def _place(name: str) -> Path:
    ledger = _run()[1]
    return next(ledger.trials_folder.glob(f"*/{RECORD}")) if name == RECORD else ledger.folder / name
