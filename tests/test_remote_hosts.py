"""A campaign over real SSH: a replica set on three database hosts and two hosts of clients, in network namespaces.

Its primary is killed, which voids the trial; the next attempt counts.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.mongods.servers import Server
from harness.hosts.authority import certify
from harness.ledger.runs import find_run
from harness.run.preparing import JAR
from tests.campaigns import small
from tests.harness.commands import await_operations, start
from tests.holding import holding
from tests.remote_hosts import inventory, remote_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.trial.records import Member, TrialRecord
    from tests.remote_hosts import Host

pytestmark = [
    pytest.mark.real,
    pytest.mark.beside,
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces are made by root alone"),
]
OPERATIONS = 10_000  # a host that is seconds late with its Java machine still meets the other's
PORT = 27440  # and the next one, of the member that shares the first host
DATABASES, LOADERS = ["first", "second", "third"], ["one", "two"]


@pytest.fixture
def hosts(engine: Path, tmp_path: Path) -> Iterator[dict[str, Host]]:
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    if not any(line.split()[4] == "/" for line in mounts):
        pytest.skip("processes below a root that is no mount point can't enter network namespaces")
    with remote_hosts(tmp_path, DATABASES + LOADERS) as made:
        yield made
        assert {name: host.left() for name, host in made.items()} == {name: {} for name in made}
        for host in made.values():
            assert [*host.place.glob("home/instances/*"), *host.place.glob("home/clients/*")] == []


def test_a_killed_primary_voids_the_trial_and_the_run_goes_on(tmp_path: Path, hosts: dict[str, Host]) -> None:
    spec = small(
        tmp_path / "set.yaml",
        PORT,
        arms={"majority": {"block_compressor": "zstd", "write_concern": {"w": "majority"}}},
        topology={"kind": "replica-set", "members": 4},  # one more than there are hosts: two of them share one
        records=2001,
        load={"threads": 2, "warmup_s": 0},
        workloads={
            "rmw": {"threads": 3, "warmup_s": 1, "measure_s": 9},
            "d": {"threads": 2, "warmup_s": 0, "measure_s": None, "operations": OPERATIONS, "distribution": "uniform"},
        },
        limits={"attempts": 2},
        decision={"baseline": "majority"},
    )
    where = inventory(tmp_path, [hosts[name] for name in DATABASES], [hosts[name] for name in LOADERS])
    places: list[str | Path] = ["--results", tmp_path / "results", "--home", tmp_path / "home", "--inventory", where]
    running = start("run", spec, *places, "--plain")
    await_operations(running, hosts["two"].place / "home/evidence", "*/clients/*/rmw.status.log")
    mongods = {name: [pid for pid, line in hosts[name].left().items() if "bin/mongod" in line] for name in hosts}
    assert {name: len(found) for name, found in mongods.items()} == {
        "first": 2, "second": 1, "third": 1, "one": 0, "two": 0,
    }  # fmt: skip
    check_encryption(tmp_path, hosts)
    primary = next(pid for pid in mongods["first"] if f"t{PORT}/mongod.conf" in hosts["first"].left()[pid])
    os.kill(primary, signal.SIGKILL)
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 0, out + err
    run = find_run(tmp_path / "results/set/latest")
    void, counting = run.records()
    assert void.void[0].code in {"engine-failed", "host-failed", "client-failed", "election"}  # who meets it first
    assert counting.void == ()
    assert counting.attempt == 2
    assert counting.in_force is not None
    assert counting.in_force.tls_mode == "requireTLS"
    assert holding("BEGIN PRIVATE KEY", tmp_path) == []
    assert '"majority"' in (counting.in_force.write_concern or "")
    trial = run.trials_folder / counting.trial
    check_clients(counting, trial)
    addresses = [hosts[name].address for name in DATABASES]
    check_members(counting.members, trial, [*(f"{one}:{PORT}" for one in addresses), f"{addresses[0]}:{PORT + 1}"])
    check_links(json.loads((run.folder / "host.json").read_text()))


def check_encryption(tmp_path: Path, hosts: dict[str, Host]) -> None:
    """A running mongod is reached encrypted alone, by who knows its authority; keys are for their owner's eyes."""
    address, known = hosts["first"].address, tmp_path / "home/authority/authority.pem"
    with Server(PORT, host=address, authority=known) as server:
        assert server.command("admin", {"hello": 1})["isWritablePrimary"]
    with pytest.raises(Failure, match="did not answer ping"):
        Server(PORT, host=address, timeout_s=1)
    certify(tmp_path / "other", {"first": address})
    with pytest.raises(ssl.SSLCertVerificationError):
        Server(PORT, host=address, authority=tmp_path / "other/authority.pem")
    assert "PKIX path" in client_says(tmp_path, address, tmp_path / "other/authority.pem")
    shutil.rmtree(tmp_path / "other")
    keys = [tmp_path / f"home/authority/hosts/{name}.pem" for name in DATABASES]
    keys += [hosts[name].place / f"home/instances/t{PORT}/certificate.pem" for name in DATABASES]
    keys += [hosts["first"].place / f"home/instances/t{PORT + 1}/certificate.pem"]
    private = [tmp_path, *Path(tempfile.gettempdir()).glob("pressgauge-ansible-*")]
    assert set(holding("BEGIN PRIVATE KEY", *private)) == set(keys)
    assert {key.stat().st_mode & 0o077 for key in keys} == {0}


def client_says(tmp_path: Path, address: str, authority: Path) -> str:
    """What the load's client says of a server that it can't use."""
    uri = tmp_path / "uri"
    uri.touch(mode=0o600)
    uri.write_text(f"mongodb://{address}:{PORT}/?w=1&journal=false&tls=true", encoding="utf-8")
    properties = {"mongodb.uri.file": uri, "mongodb.authority.file": authority, "verify.out": tmp_path / "out.json"}
    options = [word for name, value in properties.items() for word in ("-p", f"{name}={value}")]
    client = ["java", "-cp", str(JAR), "pressgauge.Verify", *options]
    ran = subprocess.run(client, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 3, ran.stderr
    return ran.stderr


def check_clients(record: TrialRecord, trial: Path) -> None:
    """Each client did its part, and the parts make the whole."""
    load, rmw, mixed = record.phases
    assert load.acknowledged == 2001
    assert [client.name for client in rmw.clients] == LOADERS
    assert sum(client.throughput_per_s for client in rmw.clients) == pytest.approx(rmw.throughput_per_s)
    assert all(client.throughput_per_s > 0 for client in rmw.clients)
    accounts = [json.loads((trial / f"clients/{n}/rmw.client.json").read_text()) for n in (0, 1)]
    assert [account["threads"]["asked"] for account in accounts] == [2, 1]
    assert rmw.acknowledged == sum(one["operations"]["READ-MODIFY-WRITE"]["ok"] for one in accounts)
    assert rmw.start_skew_s is not None
    assert mixed.acknowledged == OPERATIONS
    assert record.verification is not None
    assert record.verification.checked == record.verification.counted == 2001 + inserted(trial)


def inserted(trial: Path) -> int:
    accounts = [json.loads((trial / f"clients/{n}/d.client.json").read_text()) for n in (0, 1)]
    return sum(int(account["operations"]["INSERT"]["ok"]) for account in accounts)


def check_members(members: tuple[Member, ...], trial: Path, names: list[str]) -> None:
    """Each member was where the inventory says, had all documents, and left its evidence."""
    assert [member.name for member in members] == names
    for number, member in enumerate(members):
        assert {moment.primary for moment in member.moments} == {names[0]}
        documents = [moment.sizes.documents for moment in member.moments]
        assert documents == [2001, 2001, 2001 + inserted(trial)]
        assert all((moment.counters["block_written"] or 0) > 0 for moment in member.moments[:1])
        folder = trial / f"members/{number}" if number else trial
        left = {path.name.removesuffix(".zst") for path in folder.iterdir()}
        assert {"mongod.conf", "mongod.log", "diagnostic.data", "stop.json", "snapshot.loaded.json"} <= left
        configuration = (folder / "mongod.conf").read_text(encoding="utf-8")
        assert f'bindIp: "127.0.0.1,{names[number].split(":")[0]}"' in configuration
        assert "keyFile:" in configuration


def check_links(facts: dict[str, dict[str, dict[str, dict[str, float]]]]) -> None:
    """Every host is on record, and every way between a client and a database host."""
    assert set(facts) == {*DATABASES, *LOADERS}
    for client in LOADERS:
        assert set(facts[client]["links"]) == set(DATABASES)
        for link in facts[client]["links"].values():
            assert link["round_trip_s"] > 0
            assert link["up_bytes_per_s"] > 0
            assert abs(link["clock_ahead_s"]) <= link["round_trip_s"], "there is one clock"
