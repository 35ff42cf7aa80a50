"""What runs where in the trials of a run, found out once from the hosts' surveys. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.clients import ClientProcess, check_clients, client_processes
from harness.topology import Instance, instances

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.spec import Campaign


@dataclass(frozen=True)
class Places:
    """The mongods and the client processes of each trial, and whether what passes between them is encrypted."""

    instances: tuple[Instance, ...] = ()
    clients: tuple[ClientProcess, ...] = ()
    tls: bool = False


def places(campaign: Campaign, surveys: Mapping[str, Mapping[str, Any]]) -> Places:
    """What runs where, from the result of `survey.yml` by host.

    Raises:
        InputError: the inventory lacks hosts, or the campaign's threads can't be divided among its clients.
    """
    mongods, clients = instances(campaign, surveys), client_processes(surveys)
    check_clients(campaign, clients)
    hosts = {one.host for one in mongods} | {one.host for one in clients}
    tls = {"auto": len(hosts) > 1, "always": True, "never": False}[campaign.instance.tls]
    return Places(mongods, clients, tls)
