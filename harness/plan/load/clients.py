"""The load's client processes: how many, on which hosts, and what part of each phase is whose. Pure.

The inventory decides: each host of its group `clients` runs one, or as many as its `pressgauge_processes` says.
Threads, offered load, records and operations of the spec are all clients' together, so that a campaign asks the same
of the database whatever the inventory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import InputError
from harness.spec.document_sizes import field_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harness.plan.told import Surveyed
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix

_LAST_RECORD = 2**31 - 1
FOLDER = "clients"


@dataclass(frozen=True)
class ClientProcess:
    """One client process: its host, and which of how many it is."""

    host: str
    index: int = 0
    count: int = 1

    @property
    def folder(self) -> str:
        """Where a trial keeps its files: the trial's own folder for the only client, else one of its own."""
        return f"{FOLDER}/{self.index}" if self.count > 1 else "."

    def part(self, whole: int) -> int:
        """This client's part of so many; the parts add up, and differ by one at most."""
        return whole // self.count + (self.index < whole % self.count)

    def before(self, whole: int) -> int:
        """The parts of the clients before this one together."""
        return self.index * (whole // self.count) + min(self.index, whole % self.count)


def client_processes(surveys: Mapping[str, Surveyed]) -> tuple[ClientProcess, ...]:
    """The client processes of an inventory, from its hosts' surveys by their names.

    Raises:
        InputError: no host is to run one.
    """
    ordered = sorted((found.client_number, host) for host, found in surveys.items() if found.client_processes)
    hosts = [host for _, host in ordered for _ in range(surveys[host].client_processes)]
    if not hosts:
        raise InputError("the inventory has no host in its group clients", do="put one there; it may be that of db")
    return tuple(ClientProcess(host, index, len(hosts)) for index, host in enumerate(hosts))


def check_clients(campaign: Campaign, clients: Sequence[ClientProcess]) -> None:
    """Refuse a campaign whose threads, or offered load, can't be divided.

    Raises:
        InputError: a client would have none.
    """
    for name, phase in {"load": campaign.load, **campaign.workloads}.items():
        for what, whole in (("threads", phase.threads), ("target_per_s", phase.target_per_s)):
            if whole is not None and whole < len(clients):
                where = name if name == "load" else f"workloads.{name}"
                raise InputError(
                    f"{where}.{what}: {whole} can't be divided among the inventory's {len(clients)} client processes",
                    do=f"give at least {len(clients)}, or fewer clients",
                )


def check_skew(campaign: Campaign, mixes: Mapping[str, AnyMix], clients: Sequence[ClientProcess]) -> None:
    """Refuse skewed workloads in which several clients can't all choose alike among all records.

    Each writes fields of its own, since it knows only the versions that it gave itself (pressgauge.Partition).

    Raises:
        InputError: a client would favour its own new records, or have no field to write.
    """
    fields = min(field_count(campaign, dataset) for dataset in campaign.datasets)
    deleting = [name for name, mix in mixes.items() if mix.deletes]
    for name, mix in mixes.items() if len(clients) > 1 else ():
        skew = campaign.workloads[name].distribution or mix.distribution
        if skew == "uniform":
            continue
        why = mix.why_not_shared(len(clients), fields)
        if why is None and deleting:
            why = f"none knows which records others delete in workload {deleting[0]!r}"
        if why is None:
            continue
        raise InputError(
            f"workloads.{name}: {skew} keys can't be shared among the inventory's {len(clients)} clients: {why}",
            do="use one client, or `distribution: uniform`",
        )


def load_part(client: ClientProcess, records: int) -> dict[str, Any]:
    """The properties by which a load's client fills its part of the records, a row of neighbours."""
    if client.count == 1:
        return {}
    return {"insertstart": client.before(records), "insertcount": client.part(records)}


def run_part(client: ClientProcess, records: int, operations: int | None) -> dict[str, Any]:
    """The properties by which a run phase's client keeps to its part of operations, records and new records."""
    if client.count == 1:
        return {}
    return {
        "pressgauge.clientindex": client.index,
        "pressgauge.clientcount": client.count,
        "pressgauge.insertstart": records + client.index * ((_LAST_RECORD - records) // client.count),
        **({"operationcount": client.part(operations)} if operations else {}),
    }


def named_folders(trial: Path, clients: Sequence[ClientProcess]) -> dict[str, Path]:
    """Each client's files within a trial's folder, by its host, and where that runs several its number."""
    several = {client.host for client in clients if sum(one.host == client.host for one in clients) > 1}
    return {
        f"{client.host} #{client.index}" if client.host in several else client.host: trial / client.folder
        for client in clients
    }
