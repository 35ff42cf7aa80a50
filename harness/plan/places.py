"""What runs where in the trials of a run, found out once from the hosts' surveys. Pure.

Hosts of one kind, database and clients, are a platform. The inventory says which hosts are of which; hosts of which it
says nothing are one platform together. Each platform runs the whole campaign, all of them at the same time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.bounds import is_name
from harness.errors import InputError
from harness.plan.load.clients import ClientProcess, check_clients, client_processes
from harness.plan.topology import Instance, instances

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.plan.told import Surveyed
    from harness.spec.campaign import Campaign

_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:-]{0,199}")
"""Files are named by hosts, and Ansible is limited to them by name."""


@dataclass(frozen=True)
class Places:
    """The mongods and the client processes of each trial on one platform."""

    instances: tuple[Instance, ...] = ()
    clients: tuple[ClientProcess, ...] = ()
    hosts: tuple[str, ...] = ()
    """All of the platform's hosts."""
    tls: bool = False
    """Whether what passes between hosts is encrypted; the same on every platform."""

    @property
    def share_a_host(self) -> bool:
        """Whether a client runs on a mongod's host."""
        return bool({one.host for one in self.instances} & {one.host for one in self.clients})

    def cpus_taken(self, campaign: Campaign, client: ClientProcess) -> str | None:
        """The cores of a client's host that are mongod's alone; None where the campaign says which are the clients'."""
        shared = client.host in {one.host for one in self.instances}
        return campaign.instance.cpus if shared and campaign.load.cpus is None else None

    def beside(self, number: int) -> Places:
        """The same for the trial of this number among those that are alive at once: with ports of its own."""
        first = number * len(self.instances)
        return replace(self, instances=tuple(replace(one, port=one.port + first) for one in self.instances))


def places(campaign: Campaign, surveys: Mapping[str, Surveyed]) -> dict[str, Places]:
    """What runs where by platform, in the order of their database hosts; from the hosts' surveys by their names.

    Raises:
        InputError: a platform lacks hosts, has database hosts that no trial would use or a name that no folder can
            have; a host has a name that no file can have; or the campaign's threads can't be divided among its clients.
    """
    for host in surveys:
        if not _HOST.fullmatch(host):
            raise InputError(
                f"the inventory names a host {host!r}", do="use letters, digits, dot, dash, underscore, colon"
            )
    found = {name: _of_platform(campaign, name, hosts) for name, hosts in _by_platform(surveys).items()}
    priced = campaign.decision.prices.platforms
    unpriced = [name for name in found if name and name not in priced] if priced else []
    if unpriced:
        raise InputError(
            f"decision.prices.platforms: {unpriced[0]}, a platform of the inventory, is missing; {', '.join(priced)} "
            "have their own prices",
            do="give its prices too; an empty entry uses the common prices",
        )
    used = [{one.host for one in site.instances} | {one.host for one in site.clients} for site in found.values()]
    apart = any(len(hosts) > 1 for hosts in used)
    tls = {"auto": apart, "always": True, "never": False}[campaign.instance.tls]
    return {name: replace(site, tls=tls) for name, site in found.items()}


def _by_platform(surveys: Mapping[str, Surveyed]) -> dict[str, dict[str, Surveyed]]:
    def place(host: str) -> tuple[bool, int]:
        return not surveys[host].database, surveys[host].database_number

    found: dict[str, dict[str, Surveyed]] = {}
    for host in sorted(surveys, key=place):
        found.setdefault(surveys[host].platform, {})[host] = surveys[host]
    return found


def _of_platform(campaign: Campaign, name: str, hosts: Mapping[str, Surveyed]) -> Places:
    if name and not is_name(name):
        raise InputError(
            f"pressgauge_platform: {name!r} is not a valid name", do="use letters, digits, dot, dash, underscore"
        )
    try:
        found = Places(instances(campaign, hosts), client_processes(hosts), tuple(hosts))
    except InputError as error:
        where = f" with pressgauge_platform: {name}" if name else ""
        raise InputError(f"{error.what}{where}", do=error.do) from error
    idle = sorted(host for host, told in hosts.items() if told.database) if len(found.instances) == 1 else []
    if len(idle) > 1:
        raise InputError(
            f"a trial of this campaign runs one mongod, and the inventory has {len(idle)} database hosts "
            f"{f'on platform {name}' if name else 'that are of one platform'}: {', '.join(idle)}",
            do="give each and the clients that belong to it a pressgauge_platform of its own, or leave the others out",
        )
    check_clients(campaign, found.clients)
    return found
