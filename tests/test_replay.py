"""Traffic that a real mongod recorded, replayed into two arms in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from harness.evidence.verify import evidence_faults
from harness.ledger.run_json import read_traffic
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.datasets.recorder import record, recording_mongod
from tests.harness.commands import HOME, harness, left_running

if TYPE_CHECKING:
    from pathlib import Path

    from tests.datasets.recorder import Recorded

pytestmark = pytest.mark.real
RECORDING_PORT, PORT = 27361, 27362
SESSIONS = 6


@pytest.fixture(scope="module")
def recorded(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded") / "of"
    with recording_mongod(engine, folder, RECORDING_PORT) as client:
        return record(client, folder, RECORDING_PORT, SESSIONS, seconds=6, pause_s=0.02)


def test_every_answer_is_as_recorded_in_both_arms(recorded: Recorded, tmp_path: Path) -> None:
    changes: dict[str, Any] = {
        "arms": {"snappy": {"block_compressor": "snappy"}, "zstd": {"block_compressor": "zstd"}},
        "datasets": {"orders": {"recipe": "documents", "path": str(recorded.dump)}},
        "records": 40 * SESSIONS,
        "turns": {"seconds": 1.0, "cut_s": 0.2},
        "workloads": {"read": {"threads": 2, "warmup_s": 0}},
    }
    base = small(tmp_path / "mine.yaml", PORT, **changes)
    told = harness(
        "replay", recorded.recording, "--campaign", base, "--speed", "2", "--name", "again", "--results", tmp_path,
        "--plain",
    )  # fmt: skip
    assert told.code in (0, 4), told.out + told.err
    ledger = find_run(tmp_path / "again/latest")
    traffic = read_traffic(ledger.folder, "traffic")
    assert traffic["sessions"] == traffic["lanes"] == SESSIONS
    assert traffic["answers"] == sum(traffic["operations"].values()) >= recorded.asked
    assert "left out" in told.out + told.err
    records = ledger.records()
    assert [record.cell.arm for record in records if record.counts] == [record.cell.arm for record in records]
    assert {record.cell.arm for record in records} == {"snappy", "zstd"}
    for one in records:
        load, phase = one.phases
        replayed = phase.replayed
        assert replayed is not None
        assert replayed.compared == traffic["answers"]
        assert not replayed.unequal
        assert one.sizes[1].documents == load.acknowledged + replayed.documents_added
        assert one.verification is not None
        assert one.verification.checked == 40 * SESSIONS
        assert phase.turns
        assert {latency.operation for latency in phase.latencies} >= {"FIND", "GET-MORE", "LATENESS"}
    assert list(evidence_faults(ledger)) == []
    assert left_running(HOME) == []


def test_answers_that_differ_void_a_trial(recorded: Recorded, tmp_path: Path) -> None:
    """The first documents are not there, so what looks for them finds nothing."""
    documents = {"recipe": "documents", "path": str(recorded.dump), "indexes": False}
    replay = {"recording": str(recorded.recording), "speed": "max"}
    changes: dict[str, Any] = {
        "datasets": {"orders": documents},
        "records": 40 * SESSIONS - 60,
        "workloads": {"traffic": {"replay": replay, "warmup_s": 0}},
    }
    spec = small(tmp_path / "fewer.yaml", PORT, **changes)
    told = harness("run", spec, "--results", tmp_path, "--plain")
    assert told.code == 4, told.out + told.err
    (one,) = find_run(tmp_path / "fewer/latest").records()
    assert [reason.code for reason in one.void] == ["answers-differ"]
    assert "FIND" in one.void[0].message
    assert yaml.safe_load(spec.read_text(encoding="utf-8"))["workloads"]["traffic"]["replay"] == replay
