"""A replica set's evidence: a secondary with another setting than was asked for voids the trial, and says so."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from harness.evidence.trial import read_trial
from harness.plan.topology import Instance
from harness.plan.trials import plan
from harness.spec.campaign import Topology
from harness.spec.load import find_campaign, load_campaign
from tests.harness.recorded_trial import TRIAL, recorded_context

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord

REPLICA = {"term": 1, "primary": "a:1", "states": {"a:1": "PRIMARY", "b:2": "SECONDARY"}, "rollback_id": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The evidence of a recorded trial as if a secondary had left the same."""
    shutil.unpack_archive(TRIAL, tmp_path)
    for path in [*tmp_path.glob("snapshot.*.json"), tmp_path / "in_force.json"]:
        change(path, format_version=2, replica=REPLICA)
    (tmp_path / "members/1").mkdir(parents=True)
    for path in [*tmp_path.glob("snapshot.*.json"), tmp_path / "in_force.json", tmp_path / "stop.json"]:
        shutil.copy(path, tmp_path / "members/1")
    return tmp_path


def change(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def read(folder: Path) -> TrialRecord:
    campaign = load_campaign(find_campaign("smoke"))
    campaign = campaign.model_copy(update={"topology": Topology(kind="replica-set", members=2)})
    instances = (Instance("one", "a", 1), Instance("two", "b", 2, "members/1"))
    trial = next(trial for trial in plan(campaign, 1) if trial.cell.arm == "snappy")
    return read_trial(recorded_context(campaign, trial, instances=instances), folder)


def test_members_alike_count(folder: Path) -> None:
    record = read(folder)
    assert record.void == ()
    primary, secondary = record.members
    assert primary.in_force is None
    assert secondary.in_force is not None
    assert secondary.in_force.block_compressor == "snappy"


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        ({"creation_string": "block_compressor=zstd"}, "compressor-mismatch", "block compressor is zstd"),
        ({"cache_max_bytes": 2**30}, "cache-mismatch", "the cache size in bytes is 1073741824"),
        ({"version": "6.0.27"}, "engine-mismatch", "mongod's version is 6.0.27"),
        ({"parameters": {"syncdelay": 5.0}}, "sync-period-mismatch", "seconds between checkpoints is 5.0"),
        ({"opening_wiredtiger": None}, "journal-compressor-mismatch", "could not be read back"),
    ],
)
def test_a_secondary_with_another_setting_voids_the_trial(
    folder: Path, said: dict[str, Any], code: str, told: str
) -> None:
    change(folder / "members/1/in_force.json", **said)
    (fault,) = read(folder).void
    assert fault.code == code
    assert fault.message.startswith("b:2: ")
    assert told in fault.message


def test_a_secondary_that_says_nothing_voids_the_trial(folder: Path) -> None:
    (folder / "members/1/in_force.json").unlink()
    assert [one.code for one in read(folder).void] == ["evidence-unreadable"]


def test_runs_of_before_have_the_primarys_alone(folder: Path) -> None:
    (folder / "members/1/in_force.json").unlink()
    change(folder / "in_force.json", format_version=1)
    record = read(folder)
    assert record.void == ()
    assert [member.in_force for member in record.members] == [None, None]
