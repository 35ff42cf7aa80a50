"""What the module of a phase tells each of its clients."""

from pathlib import Path
from typing import Any

import pytest

from ansible.library.ycsb_phase import _Client  # type: ignore[import-not-found,unused-ignore]


def told(tmp_path: Path, target: float | None) -> Any:
    params: dict[str, Any] = {
        "name": "rmw",
        "mode": "run",
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
