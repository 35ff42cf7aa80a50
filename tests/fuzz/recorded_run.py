"""A whole run with one of its files damaged: decided, rendered and held against a gate, as every command would."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis import frames
from analysis.pairing import Selection
from harness import doctor
from harness.canaries import FILE as CANARIES
from harness.facts import host_facts, read_campaign, version_facts
from harness.gate import baseline_text, hold_gate, read_side
from harness.ledger import HOST_FILE, SPEC_FILE, STATE_FILE, VERSIONS_FILE, Ledger, open_run
from harness.outcome import blocks_wanted, exit_code, read_run
from harness.plan import plan
from harness.run_json import read_hosts, read_manifest, read_versions
from harness.times import describe_times
from reports import evidence
from reports.context import page
from reports.material import Material
from reports.write import render
from tests.analysis.synthetic import SNAPPY, ZSTD, campaign
from tests.campaigns import small
from tests.reports.sample import HOST, MANIFEST, with_counters

RECORDED = Path(__file__).parents[1] / "harness/recorded"
RECORD = "trial.json"
BESIDE = (HOST_FILE, VERSIONS_FILE, "dataset-sentences.json")
FILES = (SPEC_FILE, STATE_FILE, *BESIDE, CANARIES, RECORD)


@cache
def _run() -> tuple[TemporaryDirectory[str], Ledger]:
    """A run of two arms and two blocks; made once, gone with the process."""
    scratch = TemporaryDirectory(prefix="pressgauge-fuzz-")
    spec = small(Path(scratch.name, "small.yaml"), 27998, arms={
        "snappy": {"block_compressor": "snappy"}, "zstd-6": {"block_compressor": "zstd", "zstd_level": 6},
    }, blocks=2, instance={"bind_ip": "127.0.0.1", "cpus": "0-1"})  # fmt: skip
    ledger = open_run(Path(scratch.name), "small", spec.read_text(encoding="utf-8"), "20260101T000000Z", anew=True)
    ledger.keep_platforms([""])
    ledger.keep_rates({"sentences": {"rmw": 700}})
    ledger.keep(HOST_FILE, {"localhost": HOST})
    ledger.keep(VERSIONS_FILE, {"Pressgauge": "abc", "YCSB core": "0.17.0"})
    ledger.keep("dataset-sentences.json", MANIFEST)
    (ledger.folder / CANARIES).write_bytes((RECORDED / CANARIES).read_bytes())
    for record in with_counters(campaign(arms=(SNAPPY, ZSTD), blocks=2)):
        ledger.commit(record, ledger.workspace(record.trial))
    return scratch, ledger


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
        table(Material(run, whole.decision))
    for name, survey in hosts.items():
        list(doctor.report(name, survey, doctor.examine(survey, ["6.0.5", "8.0.0"])))
    json.dumps(host_facts(hosts) | version_facts(versions), allow_nan=False)


@cache
def _whole() -> Material:
    ledger = _run()[1]
    return Material.of(read_run(ledger, read_campaign(ledger)))


def hold_gate_with(path: Path) -> None:
    """The run held against the baseline file."""
    judged = hold_gate(path, _run()[1].folder, Selection(), None)
    list(judged.lines())
    judged.found.model_dump_json()


def baseline() -> bytes:
    """The run as a baseline file."""
    return baseline_text(read_side(_run()[1].folder)).encode()


def _read(ledger: Ledger) -> None:
    spec = read_campaign(ledger)
    run = read_run(ledger, spec)
    material = Material.of(run)
    render(page(material), "", None)
    json.dumps(material.decision.model_dump(mode="json"), allow_nan=False)
    frames.trials(run.records).to_csv()
    exit_code(material.decision, run.records, plan(spec, blocks_wanted(spec, run.records), ledger.platforms))
    baseline_text(read_side(ledger.folder))
    list(describe_times(run.records))


def _place(name: str) -> Path:
    ledger = _run()[1]
    return next(ledger.trials_folder.glob(f"*/{RECORD}")) if name == RECORD else ledger.folder / name
