"""A real trial's evidence, and its record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.clients import ClientProcess
from harness.evidence import TrialContext, read_trial
from harness.load_spec import find_campaign, load_campaign
from harness.places import Places
from harness.plan import plan
from harness.topology import Instance

if TYPE_CHECKING:
    from analysis.records import Reason, TrialRecord

TRIAL = Path(__file__).parent / "recorded/trial.tar.gz"
"""The evidence of a real trial: mongod 6.0.5, the smoke campaign's snappy arm."""


def read_recorded(folder: Path, failure: Reason | None = None) -> TrialRecord:
    """The record of that trial, from its evidence in a folder."""
    campaign = load_campaign(find_campaign("smoke"))
    trial = next(trial for trial in plan(campaign, 1) if trial.cell.arm == "snappy")
    context = TrialContext(
        campaign=campaign,
        trial=trial,
        workloads=campaign.workloads,
        places=Places(instances=(Instance("one", "127.0.0.1", 27117),), clients=(ClientProcess("one"),)),
        attempt=1,
        corpus_digest="0" * 64,
        expected_ratio=2.2,
        started_at="2026-01-01T00:00:00+00:00",
        ended_at="2026-01-01T00:01:00+00:00",
        steps_s={"total": 10.0},
        failure=failure,
    )
    return read_trial(context, folder)
