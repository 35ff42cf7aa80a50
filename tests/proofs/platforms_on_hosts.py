"""Two platforms side by side over SSH, three minutes long: `make prove-hosts`.

Two database hosts, each with a client of its own, run one campaign at the same time. A client's host is lost on the
way: its platform tries the trial again, and the other one goes on as if nothing had happened.
"""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from tests import campaigns
from tests.harness.commands import await_files, harness, start
from tests.remote_hosts import inventory, remote_hosts

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord

pytestmark = pytest.mark.real
PORT = 27460


def at_once(one: TrialRecord, other: TrialRecord) -> bool:
    """Whether two trials ran at the same time."""
    began, ended = (
        [datetime.fromisoformat(getattr(record, what)) for record in (one, other)]
        for what in ("started_at", "ended_at")
    )
    return max(began) < min(ended)


def test_two_platforms_at_the_same_time_and_one_that_loses_a_host(engine: Path, tmp_path: Path) -> None:
    prices = {"large": {"instance_per_hour": 0.4}, "small": {"instance_per_hour": 0.2}}
    spec = campaigns.small(
        tmp_path / "platforms.yaml",
        PORT,
        blocks=2,
        arms={name: {"block_compressor": name} for name in ("snappy", "zstd")},
        load={"threads": 2},
        workloads={"rmw": {"threads": 2, "warmup_s": 1, "measure_s": 8, "timeout_s": 60}},
        limits={"attempts": 2},
        decision={"baseline": "snappy", "prices": {"platforms": prices}},
    )
    with remote_hosts(tmp_path, ["db-large", "db-small", "client-large", "client-small"]) as hosts:
        for host in hosts.values():
            host.platform = host.name.partition("-")[2]
        where = inventory(
            tmp_path,
            [hosts["db-large"], hosts["db-small"]],
            [hosts["client-small"], hosts["client-large"]],
        )
        places: list[str | Path] = ["--results", tmp_path / "results", "--home", tmp_path / "home"]
        running = start("run", spec, *places, "--inventory", where, "--plain")
        await_files(running, hosts["client-small"].place / "home/evidence", "*/rmw.status.log")
        hosts["client-small"].die()
        time.sleep(20)
        hosts["client-small"].mend()
        hosts["client-small"].boot()
        out, err = running.communicate(timeout=600)
        assert running.returncode == 0, out + err
        assert {line for host in hosts.values() for line in host.left()} == set()
    ledger = find_run(tmp_path / "results/platforms/latest")
    large, small = (
        [record for record in ledger.records() if record.cell.platform == name] for name in ("large", "small")
    )
    assert ledger.platforms == ("large", "small")
    assert [(record.attempt, record.void) for record in large] == [(1, ())] * 4
    assert [reason.code for reason in small[0].void] == ["host-failed"]
    assert "client-small can't be reached" in small[0].void[0].message
    assert [record.counts for record in small[1:]] == [True] * 4
    order = [[(record.block, record.cell.arm) for record in side if record.counts] for side in (large, small)]
    assert order[0] == order[1]
    for block in (0, 1):
        beside = [(one, other) for one in large for other in small if one.block == other.block == block]
        assert any(at_once(one, other) for one, other in beside)
    assert max(record.ended_at for record in small if record.block == 0) <= min(
        record.started_at for record in large if record.block == 1
    )
    decision = json.loads((ledger.report_folder / "decision.json").read_text(encoding="utf-8"))
    (contrast,) = decision["platforms"]
    assert (contrast["baseline"], contrast["platform"]) == ("large", "small")
    costs = {one["choice"]["group"]["platform"]: one["choice"]["costs"] for one in decision["recommendations"]}
    assert {name: found["prices"]["instance_per_hour"] for name, found in costs.items()} == {"large": 0.4, "small": 0.2}
    links = json.loads((ledger.folder / "host.json").read_text(encoding="utf-8"))
    assert list(links["client-large"]["links"]) == ["db-large"]
    page = (ledger.report_folder / "index.html").read_text(encoding="utf-8")
    assert '<section id="platforms">' in page
    again = harness("decide", ledger.folder)
    assert again.code == 0, again.out
    assert "the move from large to small" in again.out
