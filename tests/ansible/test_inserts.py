"""How many documents the run phases put on top of the load."""

import json
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge.clients.inserts import acknowledged_inserts, deletions
from ansible.module_utils.pressgauge.failures import Failure


def account(folder: Path, phase: str, inserted: int, deleted: int = 0, restored: int = 0) -> None:
    told = {"records_inserted": inserted, "records_deleted": deleted, "records_restored": restored}
    (folder / f"{phase}.client.json").write_text(json.dumps(told))


def test_acknowledged_inserts_of_all_phases_add_up(tmp_path: Path) -> None:
    account(tmp_path, "d", 50)
    account(tmp_path, "f", 0)
    account(tmp_path, "e", 10)
    assert acknowledged_inserts(tmp_path, []) == 0
    assert acknowledged_inserts(tmp_path, ["d", "f"]) == 50
    assert acknowledged_inserts(tmp_path, ["d", "f", "e"]) == 60


def test_the_last_account_tells_of_all_deletions(tmp_path: Path) -> None:
    account(tmp_path, "d", 50, 7, 3)
    account(tmp_path, "e", 10, 9, 8)
    assert deletions(tmp_path, []) == (0, 0)
    assert deletions(tmp_path, ["d"]) == (7, 3)
    assert deletions(tmp_path, ["d", "e"]) == (9, 8)


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"records_inserted": "?"}'])
def test_a_phase_without_an_account_is_never_taken_for_one_without_inserts(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "d.client.json").write_text(text)
    with pytest.raises(Failure, match=r"d\.client\.json"):
        acknowledged_inserts(tmp_path, ["d"])
    with pytest.raises(Failure, match=r"d\.client\.json"):
        deletions(tmp_path, ["d"])
