"""A replica set of three real mongods: its primary is killed, the trial is void, and the next attempt counts."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from harness.ledger import find_run
from tests.campaigns import LONG, small
from tests.harness.commands import HOME, await_files, left_running, start

pytestmark = pytest.mark.real
PORT = 27440  # and the two after it


def test_a_killed_primary_voids_the_trial_and_the_run_goes_on(tmp_path: Path) -> None:
    spec = small(
        tmp_path / "set.yaml",
        PORT,
        arms={"majority": {"block_compressor": "snappy", "write_concern": {"w": "majority"}}},
        topology={"kind": "replica-set", "members": 3},
        workloads=LONG,
        limits={"attempts": 2},
        decision={"baseline": "majority"},
    )
    running = start("run", spec, "--results", tmp_path / "results", "--plain")
    trials = tmp_path / "results/set/latest/trials"
    await_files(running, trials, ".*.partial/rmw.status.log")
    time.sleep(1)
    primary = next(pid for pid in mongods() if f"t{PORT}/mongod.conf" in mongods()[pid])
    assert len(mongods()) == 3
    os.kill(primary, signal.SIGKILL)
    out, err = running.communicate(timeout=600)
    assert running.returncode == 0, out + err
    void, counting = find_run(trials.parent).records()
    assert void.void[0].code in {"engine-failed", "host-failed", "client-failed"}  # whoever meets its death first
    assert counting.void == ()
    assert counting.attempt == 2
    assert counting.in_force is not None
    assert '"majority"' in (counting.in_force.write_concern or "")
    assert [member.name for member in counting.members] == [f"127.0.0.1:{PORT + number}" for number in range(3)]
    for member in counting.members:
        assert {moment.primary for moment in member.moments} == {f"127.0.0.1:{PORT}"}
        assert [moment.sizes.documents for moment in member.moments] == [2000, 2000]
    secondary = counting.members[1].moments[0]
    assert (secondary.counters["block_written"] or 0) > 0
    assert left_running(HOME) == []


def mongods() -> dict[int, str]:
    """Command lines of the test's mongods by process number."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if "bin/mongod" in line and f"{HOME}/instances/t{PORT // 10}" in line:
            found[int(folder.name)] = line
    return found
