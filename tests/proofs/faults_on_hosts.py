"""Faults on real hosts over SSH, minutes long: `make prove-hosts`.

A link that is cut for ten seconds, then a client's host that is lost with all that runs on it and comes back: each
voids its attempt with the reason, nothing is left on any host, and the run goes on to a trial that counts.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import await_files, start
from tests.remote_hosts import inventory, remote_hosts

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.real
PORT = 27450


def test_a_link_cut_and_a_host_lost(engine: Path, tmp_path: Path) -> None:
    spec = small(
        tmp_path / "faults.yaml",
        PORT,
        load={"threads": 2},
        workloads={"rmw": {"threads": 2, "warmup_s": 1, "measure_s": 15, "timeout_s": 60}},
        limits={"attempts": 3},
    )
    with remote_hosts(tmp_path, ["database", "one", "two"]) as hosts:
        where = inventory(tmp_path, [hosts["database"]], [hosts["one"], hosts["two"]])
        places: list[str | Path] = ["--results", tmp_path / "results", "--home", tmp_path / "home"]
        running = start("run", spec, *places, "--inventory", where, "--plain")
        trials = tmp_path / "results/faults/latest/trials"

        def in_run_phase() -> None:
            """Return when a client on the second client host has worked for a while."""
            await_files(running, hosts["two"].place / "home/evidence", "*/clients/*/rmw.status.log")
            time.sleep(5)

        in_run_phase()
        hosts["two"].cut()
        time.sleep(10)
        hosts["two"].mend()
        await_files(running, trials, "[!.]*/trial.json")

        in_run_phase()
        hosts["two"].die()
        time.sleep(30)
        hosts["two"].mend()
        hosts["two"].boot()

        out, err = running.communicate(timeout=600)
        print(out, err)  # noqa: T201
        assert running.returncode == 0, out + err
        assert not any(host.left() for host in hosts.values())
        assert not [path for host in hosts.values() for path in (host.place / "home/clients").glob("*")]
    cut, lost, counting = find_run(trials.parent).records()
    assert "link-failed" in {reason.code for reason in cut.void}, cut.void
    assert [reason.code for reason in lost.void] == ["host-failed"]
    assert "two can't be reached" in lost.void[0].message
    assert counting.void == ()
