"""Trials that take turns, on real mongods: what each turn was, a kill and a resume, a mongod that dies in between."""

from __future__ import annotations

import os
import signal
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from analysis.stats.frames import once_per_cell
from harness.evidence.turns import read_turns
from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import HOME, await_operations, harness, left_running, start

if TYPE_CHECKING:
    from analysis.trial.records import Phase, TrialRecord

pytestmark = pytest.mark.real
PORT = 27340
ARMS = {"snappy": {"block_compressor": "snappy"}, "zstd": {"block_compressor": "zstd"}}
TURNS = {"seconds": 1.0, "cut_s": 0.2}


def rmw(measure_s: int) -> dict[str, Any]:
    return {"threads": 2, "warmup_s": 1, "warmup_operations": 0, "measure_s": measure_s}


def spec(folder: Path, name: str, port: int, workloads: dict[str, Any], **changes: object) -> Path:
    common = {"arms": ARMS, "turns": TURNS, "workloads": workloads, "load": {"threads": 2, "warmup_s": 0}}
    return small(folder / f"{name}.yaml", port, **common, records=4000, **changes)


def phase(record: TrialRecord, name: str) -> Phase:
    return next(phase for phase in record.phases if phase.name == name)


def state_of(pid_file: Path) -> str:
    """T: stopped."""
    pid = pid_file.read_text().partition('"pid": ')[2].partition(",")[0]
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def children(pid: int) -> list[int]:
    """The processes that any thread of a process has started."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def test_turns_end_to_end(tmp_path: Path) -> None:
    workloads = {"rmw": rmw(4), "paced": rmw(2) | {"mix": "rmw", "pace": {"of": "rmw"}}}
    ran = harness("run", spec(tmp_path, "turns", PORT, workloads), "--results", tmp_path, "--plain")
    assert ran.code == 0, ran.out + ran.err
    ledger = find_run(tmp_path / "turns/latest")
    records = ledger.records()
    assert [record.sharing for record in records] == [2, 2]
    assert all(record.counts for record in records), [record.void for record in records]
    assert {record.in_force.sync_period_s for record in records if record.in_force} == {120}  # 60 s of its own time
    spans = []
    for record in records:
        folder = ledger.trials_folder / record.trial
        closed = phase(record, "rmw")
        assert [turn.round for turn in closed.turns] == [
            1,
            2,
            3,
            4,
            5,
        ]  # the first is a warm-up; 0.8 s count of each
        assert closed.measured_s == pytest.approx(sum(turn.measured_s for turn in closed.turns), abs=0.01)
        assert closed.measured_operations == sum(turn.operations for turn in closed.turns)
        assert closed.window is not None
        assert closed.window.mongod_cpu_s == pytest.approx(sum(turn.mongod_cpu_s or 0 for turn in closed.turns))
        assert closed.window.pages_read is not None
        assert sum(turn.frozen_cpu_s or 0 for turn in closed.turns) < 0.1
        assert phase(record, "paced").target_per_s
        for name in ("load", "rmw", "paced"):
            spans += [(turn.opened_s or 0, turn.closed_s or 0, record.trial) for turn in read_turns(folder, name)]
    assert len({phase(record, "paced").target_per_s for record in records}) == 1
    spans.sort()
    for before, after in pairwise(spans):
        assert before[1] <= after[0], "two trials had the floor at once"
    rmw_of = [trial for _, _, trial in spans]
    assert len(set(rmw_of)) == 2
    assert harness("verify", ledger.folder).code == 0
    assert left_running(HOME) == []
    assert not (HOME / "floor").exists()


def test_a_kill_a_resume_and_a_mongod_that_dies_in_its_neighbours_turn(tmp_path: Path) -> None:
    path = spec(tmp_path, "kills", PORT + 2, {"rmw": rmw(8)}, limits={"attempts": 2})
    arguments = ("run", path, "--results", tmp_path / "results", "--plain")
    trials = tmp_path / "results/kills/latest/trials"
    killed = start(*arguments)
    await_operations(killed, trials, ".*.partial/rmw.status.log")
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    for left in trials.glob(".*.partial/rmw.status.log"):
        left.unlink()  # so that the next one is of the resumed trials
    resumed = start(*arguments)
    await_operations(resumed, trials, ".*.partial/rmw.status.log")
    victim = next(
        folder for folder in (HOME / f"instances/t{PORT + 2}", HOME / f"instances/t{PORT + 3}")
        if folder.is_dir()
    )  # fmt: skip
    subprocess.run(["pkill", "-KILL", "-f", f"{victim}/mongod.conf"], check=True)
    out, err = resumed.communicate(timeout=600)
    assert resumed.returncode == 0, out + err
    ledger = find_run(tmp_path / "results/kills/latest")
    records = ledger.records()
    assert [(record.index, record.attempt) for record in records] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    first, second = ([record.counts for record in records if record.attempt == number] for number in (1, 2))
    assert sorted(first) == [False, True]  # the neighbour went on, and has been run again to be compared
    assert second == [True, True]
    standing = [record for record in once_per_cell(records) if record.counts]
    assert {record.attempt for record in standing} == {2}
    assert harness("verify", ledger.folder).code == 0
    assert left_running(HOME) == []


def test_tear_down_ends_what_is_frozen(tmp_path: Path) -> None:
    path = spec(tmp_path, "frozen", PORT + 4, {"rmw": rmw(60)})
    running = start("run", path, "--results", tmp_path / "results", "--plain")
    await_operations(running, tmp_path / "results/frozen/latest/trials", ".*.partial/rmw.status.log")
    playbooks = children(running.pid)
    running.kill()
    for playbook in playbooks:
        os.kill(playbook, signal.SIGKILL)
    running.communicate()
    pid_files = sorted((HOME / "instances").glob(f"t2734[{4}{5}]/mongod.pid"))
    assert "T" in {state_of(pid_file) for pid_file in pid_files}
    torn = harness("tear-down")
    assert torn.code == 0, torn.out + torn.err
    assert left_running(HOME) == []
