"""What the module of a phase tells each of its clients."""

from pathlib import Path
from typing import Any

import pytest

from ansible.library.ycsb_phase import _Client  # type: ignore[import-not-found,unused-ignore]


def told(tmp_path: Path, target: float | None, kind: str = "mix") -> Any:
    params: dict[str, Any] = {
        "name": "rmw",
        "mode": "run",
        "kind": kind,
        "directory": str(tmp_path / "private"),
        "evidence_dir": str(tmp_path),
        "properties": {"recordcount": 1000},
        "earlier_phases": [],
        "start_at_ms": None,
    }
    return _Client(params, {"folder": ".", "threads": 4, "target": target, "properties": {}}).run()


@pytest.mark.parametrize("target", [200, 12.5])
def test_a_rate_is_paced_by_the_workload_and_not_by_ycsb(tmp_path: Path, target: float) -> None:
    run = told(tmp_path, target)
    assert run.properties["pressgauge.pace"] == target
    assert "-target" not in run.arguments


def test_without_a_rate_there_is_no_pace(tmp_path: Path) -> None:
    assert "pressgauge.pace" not in told(tmp_path, None).properties


def test_a_replay_has_its_own_workload(tmp_path: Path) -> None:
    of_mix, of_replay = told(tmp_path, None), told(tmp_path, None, "replay")
    assert (of_mix.properties["workload"], of_mix.arguments[2]) == (
        "pressgauge.TextWorkload",
        "pressgauge.MongoBinding",
    )
    assert of_replay.properties["workload"] == "pressgauge.Replay"
    assert of_replay.arguments[2] == "pressgauge.ReplayBinding"
