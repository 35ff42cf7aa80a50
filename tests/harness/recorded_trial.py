"""A real trial's evidence, its record, and runs made of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.outcome import write_outcome
from harness.evidence.trial import CONTEXT_FILE, TrialContext, read_trial
from harness.ledger.ledger import HOST_FILE, MIXES_FILE, VERSIONS_FILE, Ledger
from harness.ledger.runs import open_run
from harness.plan.load.clients import ClientProcess
from harness.plan.places import Places
from harness.plan.topology import Instance
from harness.plan.trials import PlannedTrial, plan
from harness.run.canary_book import FILE as CANARIES
from harness.spec.load import find_campaign, load_campaign, load_kept
from tests.campaigns import small
from tests.reports.sample import HOST, MANIFEST

if TYPE_CHECKING:
    from analysis.trial.records import Reason, TrialRecord
    from harness.spec.campaign import Campaign

TRIAL = Path(__file__).parent / "recorded/trial.tar.gz"
"""The evidence of a real trial: mongod 6.0.5, the smoke campaign's snappy arm."""


def read_recorded(folder: Path, failure: Reason | None = None, **changes: Any) -> TrialRecord:
    """The record of that trial, from its evidence in a folder; `changes` are to what was asked of its workload."""
    campaign = load_campaign(find_campaign("smoke"))
    workloads = {name: one.model_copy(update=changes) for name, one in campaign.workloads.items()}
    campaign = campaign.model_copy(update={"workloads": workloads})
    trial = next(trial for trial in plan(campaign, 1) if trial.cell.arm == "snappy")
    return read_trial(recorded_context(campaign, trial, failure), folder)


def recorded_run(results: Path, **changes: Any) -> Ledger:
    """A finished run of two trials, both with that trial's evidence, and its report; `changes` are to its spec."""
    spec = small(results / "twice.yaml", 27117, seed=1, blocks=2, **changes)
    campaign = load_kept(spec, "twice")
    ledger = open_run(results, "twice", spec.read_text(encoding="utf-8"), "20260101T000000Z", anew=True)
    ledger.keep_platforms([""])
    ledger.keep(HOST_FILE, {"localhost": HOST})
    ledger.keep(VERSIONS_FILE, {"Pressgauge": "abc"})
    ledger.keep(MIXES_FILE, {"rmw": {"requestdistribution": "uniform"}})
    ledger.keep("dataset-sentences.json", MANIFEST)
    ledger.write(CANARIES, (TRIAL.parent / CANARIES).read_text(encoding="utf-8"))
    for trial in plan(campaign, 2):
        keep_trial(ledger, recorded_context(campaign, trial))
    write_outcome(ledger, campaign)
    ledger.finish()
    return ledger


def keep_trial(ledger: Ledger, context: TrialContext) -> Path:
    """Let that trial appear in a run, as the runner does; its folder."""
    workspace = ledger.workspace(context.trial.attempt_name(context.attempt))
    shutil.unpack_archive(TRIAL, workspace)
    (workspace / CONTEXT_FILE).write_text(context.model_dump_json(indent=1), encoding="utf-8")
    return ledger.commit(read_trial(context, workspace), workspace)


def recorded_context(
    campaign: Campaign,
    trial: PlannedTrial,
    failure: Reason | None = None,
    instances: tuple[Instance, ...] = (Instance("one", "127.0.0.1", 27117),),
) -> TrialContext:
    """What a record of that trial says beside its evidence."""
    return TrialContext(
        campaign=campaign,
        trial=trial,
        workloads=campaign.workloads,
        places=Places(instances=instances, clients=(ClientProcess("one"),)),
        attempt=1,
        corpus_digest="0" * 64,
        expected_ratio=2.2,
        started_at="2026-01-01T00:00:00+00:00",
        ended_at="2026-01-01T00:01:00+00:00",
        steps_s={"total": 10.0},
        failure=failure,
    )
