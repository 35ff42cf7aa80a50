"""The client's account of itself, with turns and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workloads.client_file import ClientFile, Turn, of_all, read_client_file
from workloads.errors import YcsbOutputError

RECORDED = Path(__file__).parents[1] / "harness/recorded"
TURNS = RECORDED / "turns.client.json"
"""Four turns, paced at 200.5/s, the mongod frozen between them."""


def with_changes(tmp_path: Path, **changes: Any) -> ClientFile:
    path = tmp_path / "x.client.json"
    path.write_text(json.dumps(json.loads(TURNS.read_bytes()) | changes))
    return read_client_file(path)


def test_operations_in_flight_at_a_turns_end_are_outside_its_measured_part() -> None:
    told = Turn(opened_s=1, measured_s=2, all_until_s=4, closed_s=4.5)
    assert told.measured == (2, 4)
    assert Turn(opened_s=1, measured_s=2, closed_s=4.5).measured == (2, 4.5)


def turn(opened_s: float, measured_s: float | None, closed_s: float) -> dict[str, float | None]:
    return {"opened_s": opened_s, "measured_s": measured_s, "closed_s": closed_s}


def test_a_client_with_a_gate_lists_its_turns() -> None:
    account = read_client_file(TURNS)
    assert len(account.turns) == 4
    assert account.target_per_s == 200.5
    moments = {sample[0] for sample in account.samples}
    assert {moment for one in account.turns for moment in (one.opened_s, one.measured_s, one.closed_s)} <= moments


def test_several_clients_counts_add_up(tmp_path: Path) -> None:
    counts = {"writes_counted": 5, "writes_uncertain": 1, "documents_overwritten": 2, "records_inserted": 3}
    both = of_all([with_changes(tmp_path, **counts), with_changes(tmp_path, **counts)])
    assert {name: getattr(both, name) for name in counts} == {name: 2 * count for name, count in counts.items()}


def test_a_client_without_a_gate_has_none(tmp_path: Path) -> None:
    assert read_client_file(RECORDED / "load.client.json").turns == ()
    assert with_changes(tmp_path, turns=[]).turns == ()


def test_a_warm_up_has_no_measured_part(tmp_path: Path) -> None:
    account = with_changes(tmp_path, turns=[turn(1, None, 3), turn(3, 4, 5)])
    assert account.turns == (
        Turn(opened_s=1, measured_s=None, closed_s=3),
        Turn(opened_s=3, measured_s=4, closed_s=5),
    )


@pytest.mark.parametrize(
    ("turns", "where"),
    [
        pytest.param([turn(3, None, 1)], "turns.0", id="closed before it opened"),
        pytest.param([turn(1, 4, 3)], "turns.0", id="measured after its end"),
        pytest.param([turn(1, 0.5, 3)], "turns.0", id="measured before it opened"),
        pytest.param([turn(1, None, 3), turn(2, None, 4)], "", id="two at once"),
        pytest.param([turn(-1, None, 3)], "turns.0.opened_s", id="before time began"),
        pytest.param([turn(1, None, float("inf"))], "turns.0.closed_s", id="without end"),
        pytest.param([turn(float("nan"), None, 3)], "turns.0.opened_s", id="no number"),
        pytest.param([{"opened_s": 1}], "turns.0.measured_s", id="half a turn"),
        pytest.param("many", "turns", id="no list"),
    ],
)
def test_turns_that_cannot_be_are_refused(tmp_path: Path, turns: Any, where: str) -> None:
    with pytest.raises(YcsbOutputError, match=f"not a client's account: {where}: "):
        with_changes(tmp_path, turns=turns)


def samples(*at: tuple[float, float]) -> list[tuple[float, float, float, float]]:
    return [(at_s, operations, 0, 0) for at_s, operations in at]


def test_the_time_between_turns_is_no_stall(tmp_path: Path) -> None:
    steady = samples((0, 0), (10, 0), (11, 5), (12, 9), (13, 9), (40, 9), (41, 20), (42, 30), (80, 30))
    account = with_changes(tmp_path, turns=[turn(10, 10.5, 12), turn(40, None, 42)], samples=steady)
    assert account.longest_stall_s == pytest.approx(1)
    assert with_changes(tmp_path, turns=[], samples=steady).longest_stall_s == pytest.approx(38)


def test_a_stall_goes_on_in_the_next_turn(tmp_path: Path) -> None:
    stalled = samples((10, 0), (11, 5), (14, 5), (40, 5), (42, 5), (43, 8), (44, 9))
    account = with_changes(tmp_path, turns=[turn(10, None, 14), turn(40, None, 44)], samples=stalled)
    assert account.longest_stall_s == pytest.approx(3 + 3)


def test_several_clients_together_have_no_turns_of_their_own() -> None:
    assert of_all([read_client_file(TURNS)] * 2).turns == ()
