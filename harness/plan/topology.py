"""The mongods of a trial: one, or the members of a replica set, spread over the inventory's database hosts. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import InputError
from harness.spec.addresses import check_bind_ip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.plan.told import Surveyed
    from harness.spec.campaign import Campaign

FOLDER = "members"
REPLICA_SET = "pressgauge"


@dataclass(frozen=True)
class Instance:
    """One mongod: its host and where the others find it, its port, where a trial keeps its files."""

    host: str
    address: str
    port: int
    folder: str = "."

    @property
    def name(self) -> str:
        """The name of its directory on the host."""
        return f"t{self.port}"


def instances(campaign: Campaign, surveys: Mapping[str, Surveyed]) -> tuple[Instance, ...]:
    """The mongods of each trial, from the hosts' surveys by their names; the first is the one that is written to.

    Members take the database hosts in turn; those of one host take one port after another.

    Raises:
        InputError: the inventory has no database host, or one whose address is none or stands for all.
    """
    ordered = sorted((found.database_number, host) for host, found in surveys.items() if found.database)
    if not ordered:
        raise InputError("the inventory has no host in its group db", do="put one there")
    for _, host in ordered:
        try:
            check_bind_ip(surveys[host].address)
        except ValueError as error:
            raise InputError(f"{host}: pressgauge_address: {error}", do="give the host's own address") from error
    taken: Counter[str] = Counter()
    found = []
    for number in range(campaign.topology.member_count):
        host = ordered[number % len(ordered)][1]
        port = campaign.instance.port + taken[host]
        taken[host] += 1
        folder = f"{FOLDER}/{number}" if number else "."
        found.append(Instance(host, surveys[host].address, port, folder))
    return tuple(found)
