"""Who does what part of a phase, and where the mongods are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.stats.criteria import PlatformPrices, Prices
from harness.errors import InputError
from harness.plan.load.clients import ClientProcess, check_skew, load_part, named_folders, run_part
from harness.plan.places import places
from harness.spec.campaign import Campaign, Instance, Topology
from harness.spec.load import find_campaign, load_campaign
from harness.spec.mixes.ycsb import Mix
from harness.spec.phases import Load
from tests.harness.factory import surveyed

HOSTS = {
    "loader-b": surveyed(client_processes=2, client_number=1),
    "db-b": surveyed(database=True, database_number=1, address="10.0.0.2"),
    "loader-a": surveyed(client_processes=1),
    "db-a": surveyed(database=True, address="10.0.0.1"),
}


MEMBERS_APART = {
    "one": surveyed(database=True, client_processes=1),
    "other": surveyed(database=True, database_number=1, address="10.0.0.2"),
}


def campaign(**changes: Any) -> Campaign:
    return load_campaign(find_campaign("quick")).model_copy(update=changes)


@pytest.mark.parametrize("name", ["../../keys", "a/b", "..", ".hidden", "a b", "db*", "a,b", "x\n", "h #0", ""])
def test_a_host_whose_name_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="names a host"):
        places(campaign(), {name: surveyed(database=True, client_processes=1)})
    assert places(campaign(), {"fd00::1": surveyed(database=True, client_processes=1)})


@given(st.integers(1, 9), st.integers(9, 100_000))
def test_parts_are_neighbours_that_make_the_whole(count: int, records: int) -> None:
    clients = [ClientProcess("host", index, count) for index in range(count)]
    end = 0
    for client in clients:
        part = load_part(client, records) or {"insertstart": 0, "insertcount": records}
        assert part["insertstart"] == end
        assert records // count <= part["insertcount"] <= records // count + 1
        end += part["insertcount"]
    assert end == records


@given(st.integers(2, 9), st.integers(9, 2**31 - 10_000), st.integers(9, 1000))
def test_clients_insert_into_ranges_of_their_own(count: int, records: int, operations: int) -> None:
    parts = [run_part(ClientProcess("host", index, count), records, operations) for index in range(count)]
    starts = [part["pressgauge.insertstart"] for part in parts]
    assert starts[0] == records
    assert starts == sorted(set(starts))
    assert 2**31 - 1 - starts[-1] >= (2**31 - 1 - records) // count
    assert sum(part["operationcount"] for part in parts) == operations


def test_the_only_client_is_told_nothing_of_parts() -> None:
    only = ClientProcess("host")
    assert (load_part(only, 100), run_part(only, 100, None), only.folder) == ({}, {}, ".")


def test_the_inventory_orders_clients_and_members() -> None:
    found = places(campaign(topology=Topology(kind="replica-set", members=3)), HOSTS)[""]
    assert [client.host for client in found.clients] == ["loader-a", "loader-b", "loader-b"]
    assert [str(folder) for folder in named_folders(find_campaign("quick").parent, found.clients)] == [
        "loader-a",
        "loader-b #1",
        "loader-b #2",
    ]
    told = [(one.host, one.address, one.port, one.folder) for one in found.instances]
    assert told == [
        ("db-a", "10.0.0.1", 27117, "."),
        ("db-b", "10.0.0.2", 27117, "members/1"),
        ("db-a", "10.0.0.1", 27118, "members/2"),
    ]


def test_platforms_have_places_of_their_own() -> None:
    hosts = {
        "client-x86": surveyed(client_processes=1, client_number=1, platform="x86"),
        "db-arm": surveyed(database=True, database_number=1, address="10.0.0.2", platform="arm"),
        "client-arm": surveyed(client_processes=1, platform="arm"),
        "db-x86": surveyed(database=True, address="10.0.0.1", platform="x86"),
    }
    found = places(campaign(), hosts)
    assert list(found) == ["x86", "arm"]
    assert [(one.hosts, one.instances[0].host, one.clients[0].host) for one in found.values()] == [
        (("db-x86", "client-x86"), "db-x86", "client-x86"),
        (("db-arm", "client-arm"), "db-arm", "client-arm"),
    ]
    with pytest.raises(InputError, match=r"no host in its group clients.*with pressgauge_platform: arm"):
        places(campaign(), {name: told for name, told in hosts.items() if name != "client-arm"})
    with pytest.raises(InputError, match="'a/b' is not a valid name"):
        places(campaign(), {name: told.model_copy(update={"platform": "a/b"}) for name, told in hosts.items()})
    priced = Prices(platforms={"arm": PlatformPrices(instance_per_hour=1), "c5": PlatformPrices()})
    decision = campaign().decision.model_copy(update={"prices": priced})
    with pytest.raises(InputError, match="x86, a platform of the inventory, is missing; arm, c5 have their own prices"):
        places(campaign(decision=decision), hosts)


def test_database_hosts_that_no_trial_would_use_are_refused() -> None:
    with pytest.raises(InputError, match=r"runs one mongod, and the inventory has 2 database hosts .*db-a, db-b"):
        places(campaign(), HOSTS)


@pytest.mark.parametrize(
    ("asked", "topology", "hosts", "expected"),
    [
        ("auto", Topology(), {"one": surveyed(database=True, client_processes=2)}, False),
        ("auto", Topology(), {"db": surveyed(database=True), "loader": surveyed(client_processes=1)}, True),
        ("auto", Topology(kind="replica-set", members=2), MEMBERS_APART, True),
        ("always", Topology(), {"one": surveyed(database=True, client_processes=2)}, True),
        ("never", Topology(), {"db": surveyed(database=True), "loader": surveyed(client_processes=1)}, False),
    ],
)
def test_what_passes_between_hosts_is_encrypted(
    asked: str, topology: Topology, hosts: dict[str, Any], *, expected: bool
) -> None:
    spec = campaign(topology=topology, instance=Instance.model_validate({"tls": asked}))
    assert {site.tls for site in places(spec, hosts).values()} == {expected}


def test_too_few_threads_for_the_clients_are_refused() -> None:
    with pytest.raises(InputError, match=r"load\.threads: 2 can't be divided among the inventory's 3 client processes"):
        places(campaign(load=Load(threads=2), topology=Topology(kind="replica-set")), HOSTS)


@pytest.mark.parametrize("group", ["db", "clients"])
def test_an_inventory_without_a_group_is_refused(group: str) -> None:
    hosts = {name: found for name, found in HOSTS.items() if name.startswith("db") == (group == "clients")}
    with pytest.raises(InputError, match=f"no host in its group {group}"):
        places(campaign(), hosts)


@pytest.mark.parametrize(
    ("mix", "changes", "why"),
    [
        ({"readmodifywriteproportion": 1.0, "requestdistribution": "zipfian"}, {}, None),
        ({"insertproportion": 0.1, "requestdistribution": "uniform"}, {}, None),
        ({"insertproportion": 0.1, "requestdistribution": "latest"}, {}, "favour the records that it inserts itself"),
        ({"readmodifywriteproportion": 1.0, "writeallfields": True}, {"distribution": "hotspot"}, "write all fields"),
        ({"readmodifywriteproportion": 1.0, "requestdistribution": "zipfian"}, {"fields": 2}, "and a document has 2"),
        ({"updateproportion": 1.0, "requestdistribution": "zipfian"}, {"fields": 2}, None),
    ],
)
def test_several_clients_share_skewed_keys_or_are_refused(
    mix: dict[str, Any], changes: dict[str, Any], why: str | None
) -> None:
    plain = campaign()
    (name, workload), *_ = plain.workloads.items()
    document = plain.document.model_copy(update={"fields": changes.get("fields", 10)})
    skewed = workload.model_copy(update={"distribution": changes.get("distribution")})
    spec = campaign(workloads={name: skewed}, document=document)
    mixes = {name: Mix.model_validate({"readproportion": 0.5, "updateproportion": 0.0, **mix})}
    clients = [ClientProcess("host", index, 3) for index in range(3)]
    check_skew(spec, mixes, clients[:1])
    if why is None:
        check_skew(spec, mixes, clients)
    else:
        with pytest.raises(InputError, match=why):
            check_skew(spec, mixes, clients)


def test_clients_get_the_cores_that_mongod_leaves_or_those_they_are_given() -> None:
    plain = campaign()
    pinned = campaign(instance=Instance(cpus="0-1"))
    given = campaign(instance=Instance(cpus="0-1"), load=Load(cpus="1-2"))
    (site,) = places(plain, {"one": surveyed(database=True, client_processes=1)}).values()
    (apart,) = places(plain, {"db": surveyed(database=True), "loader": surveyed(client_processes=1)}).values()
    assert [site.cpus_taken(one, site.clients[0]) for one in (plain, pinned, given)] == [None, "0-1", None]
    assert apart.cpus_taken(pinned, apart.clients[0]) is None
