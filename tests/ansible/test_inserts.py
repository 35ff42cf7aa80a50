"""How many documents the run phases put on top of the load."""

import json
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.inserts import acknowledged_inserts


def account(folder: Path, phase: str, operations: dict[str, dict[str, int]]) -> None:
    (folder / f"{phase}.client.json").write_text(json.dumps({"operations": operations}))


def test_acknowledged_inserts_of_all_phases_add_up(tmp_path: Path) -> None:
    account(tmp_path, "d", {"READ": {"ok": 950}, "INSERT": {"attempted": 51, "ok": 50}})
    account(tmp_path, "f", {"READ": {"ok": 600}})
    account(tmp_path, "e", {"SCAN": {"ok": 590}, "INSERT": {"attempted": 10, "ok": 10}})
    assert acknowledged_inserts(tmp_path, []) == 0
    assert acknowledged_inserts(tmp_path, ["d", "f"]) == 50
    assert acknowledged_inserts(tmp_path, ["d", "f", "e"]) == 60


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"operations": {"INSERT": 3}}'])
def test_a_phase_without_an_account_is_never_taken_for_one_without_inserts(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "d.client.json").write_text(text)
    with pytest.raises(Failure, match=r"d\.client\.json"):
        acknowledged_inserts(tmp_path, ["d"])
