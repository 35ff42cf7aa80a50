"""Whether a campaign can go well on its hosts, from their surveys, before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.sizes import show_size
from datasets import TemplatesManifest
from harness.errors import HostError, InputError
from harness.plan import trials as planning
from harness.plan.load.heap import largest_heap_mib, load_heap_mib
from harness.spec.checks.campaign import LARGEST_COMMAND_BYTES
from harness.spec.document_sizes import largest_document_bytes
from workloads.jvm import LEAST_HEAP_MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from datasets import Prepared
    from harness.plan.told import HostFacts, Link, Surveyed
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix

_CLOCKS_APART_S = 0.5
_MONGOD_BYTES = 350 * 2**20
"""What a mongod uses beside its cache."""
_BESIDE_HEAP_BYTES = 288 * 2**20
"""What a client's Java machine uses beside its heap."""
_MEMORY_SHARE = 0.9
_OTHER_HOME = "give another home: HOME_DIR=… on this machine, `pressgauge_home` in the inventory for another host"


def check_fit(campaign: Campaign, mixes: Mapping[str, AnyMix], surveys: Mapping[str, Surveyed]) -> None:
    """Refuse what can't go well, from the hosts' surveys by their names.

    Raises:
        InputError: the campaign's records can't fit the disk, or its cache or its clients the memory.
        HostError: a folder can't be written, a port is taken, or memory or disk can't be limited as the campaign asks.
    """
    for host, found in surveys.items():
        _check_disk(campaign, host, found)
        if found.database:
            _check_memory(campaign, host, found.facts)
            _check_disk_limit(campaign, host, found.facts)
        _check_clients(campaign, mixes, host, surveys)
        _check_clocks(host, found.links)
        for port in found.busy_ports:
            raise HostError(
                f"{host}: port {port} is in use by another process",
                do=f"end it (`ss -ltnp 'sport = :{port}'` names it), or set instance.port in the spec",
            )


def why_sequential(
    campaign: Campaign, mixes: Mapping[str, AnyMix], surveys: Mapping[str, Surveyed], here: str
) -> str | None:
    """Why a campaign's trials can't take turns on these hosts; None where they can.

    `here` is what a host says of its files that shares this machine's.
    """
    alive = planning.compared(campaign)
    if campaign.design == "sequential":
        return "the spec asks for it"
    if alive == 1:
        return "there is one cell, and nothing to take turns with"
    if never := _never_in_turns(campaign):
        return never
    if len(surveys) > 1:
        return "turns are taken on one machine, and the inventory has several"
    ((host, found),) = surveys.items()
    if found.shared_files != here:
        return f"trials can only take turns on the controller's own machine, and {host} is a different one"
    return _too_little(campaign, mixes, alive, found)


def _never_in_turns(campaign: Campaign) -> str | None:
    """What about the trials themselves keeps them from being frozen."""
    if campaign.topology.kind != "standalone":
        return "members of a replica set can't be frozen without their taking each other for lost"
    if campaign.instance.disk_limit:
        return "what a disk limit holds back of one trial would reach the disk in the turns of others"
    return None


def _too_little(campaign: Campaign, mixes: Mapping[str, AnyMix], alive: int, found: Surveyed) -> str | None:
    """What so many mongods and their clients at once would lack."""
    each = [campaign.memory_limit or campaign.arm_cache_bytes(arm) + _MONGOD_BYTES for arm in campaign.arms]
    heap = largest_heap_mib(campaign, mixes, max(1, found.client_processes)) * 2**20
    memory = len(campaign.engines) * sum(each) + alive * found.client_processes * (heap + _BESIDE_HEAP_BYTES)
    has = found.facts.memory_total_bytes
    if has is not None and memory > _MEMORY_SHARE * has:
        return (
            f"{alive} mongods and their clients at once need {show_size(memory)} of memory; the host has "
            f"{show_size(has)}"
        )
    disk = alive * planning.data_disk_bytes(campaign) + campaign.limits.free_disk
    if disk > found.facts.data.free_bytes:
        return (
            f"the data of {alive} trials at once need {show_size(disk)} on {found.facts.data.path}, "
            f"{show_size(found.facts.data.free_bytes)} are free"
        )
    return None


def check_batches(
    campaign: Campaign, surveys: Mapping[str, Surveyed], name: str, dataset: Prepared, alive: int
) -> None:
    """Refuse batches of a prepared dataset that are too large where its largest documents are; a mean hides these.

    Args:
        campaign: Whose load it is.
        surveys: Of the hosts, by their names.
        name: The dataset's.
        dataset: What it was prepared to.
        alive: How many trials have clients at once.

    Raises:
        InputError: a command can't hold a batch, or a host's memory the clients that send it.
    """
    if not isinstance(dataset, TemplatesManifest):
        return
    batch, size = campaign.load.batch, dataset.neighbours_bytes(campaign.load.batch)
    if batch > 1 and size > LARGEST_COMMAND_BYTES:
        most = show_size(LARGEST_COMMAND_BYTES)
        fits = max((n for n in range(2, batch) if dataset.neighbours_bytes(n) <= LARGEST_COMMAND_BYTES), default=1)
        raise InputError(
            f"load.batch: {batch:,} neighbours of datasets.{name} are up to {show_size(size)}, and mongod takes {most} "
            "in a command",
            do=f"lower load.batch to {fits:,}",
        )
    heap = load_heap_mib(campaign, dataset, _clients(surveys))
    for host in surveys:
        _check_heap(host, surveys, heap, size / batch, alive)


def _check_clients(campaign: Campaign, mixes: Mapping[str, AnyMix], host: str, surveys: Mapping[str, Surveyed]) -> None:
    heap = largest_heap_mib(campaign, mixes, _clients(surveys))
    _check_heap(host, surveys, heap, largest_document_bytes(campaign))


def _clients(surveys: Mapping[str, Surveyed]) -> int:
    return max(1, sum(found.client_processes for found in surveys.values()))


def _check_heap(host: str, surveys: Mapping[str, Surveyed], heap: int, each: float, alive: int = 1) -> None:
    """Whether a host's memory holds its clients, where documents need more than the usual heap."""
    here, memory = alive * surveys[host].client_processes, surveys[host].facts.memory_total_bytes
    if not here or not memory:
        return
    need = here * (heap * 2**20 + _BESIDE_HEAP_BYTES)
    if heap > LEAST_HEAP_MIB and need > _MEMORY_SHARE * memory:
        raise InputError(
            f"{host}: documents of {show_size(each)} need clients with a heap of "
            f"{show_size(heap * 2**20)}, {show_size(need)} in all; the host has {show_size(memory)} of memory",
            do="lower load.batch, a mix's maxscanlength, or the threads; or give smaller documents"
            + (f"; or set `design: sequential`, since {alive} trials have clients at once" if alive > 1 else ""),
        )


def _check_clocks(host: str, links: Mapping[str, Link]) -> None:
    for database, link in links.items():
        apart = abs(link.clock_ahead_s) - link.round_trip_s
        if apart > _CLOCKS_APART_S:
            raise HostError(
                f"{host}: its clock and that of {database} differ by {apart:.1f} s; clients begin together, and their "
                "measurements are combined, by these clocks",
                do="set both by NTP, e.g. install chrony and run `chronyc makestep`",
            )


def _check_disk(campaign: Campaign, host: str, found: Surveyed) -> None:
    data, need = found.facts.data, planning.data_disk_bytes(campaign) + campaign.limits.free_disk
    if not found.writable:
        raise HostError(f"{host}: {data.path} can't be written", do=_OTHER_HOME)
    if data.free_bytes < need:
        raise InputError(
            f"{host}: records: {campaign.records:,} documents need {show_size(need)} on {data.path}, "
            f"{show_size(data.free_bytes)} are free",
            do=f"lower records, free some space, or {_OTHER_HOME}",
        )


def _check_disk_limit(campaign: Campaign, host: str, facts: HostFacts) -> None:
    limit = campaign.instance.disk_limit
    if limit is None:
        return
    if facts.disk_limits is None:
        raise HostError(
            f"{host}: instance.disk_limit: {limit}: no control group can limit the disk below {facts.data.path}",
            do="run as root where the controller io (version 2, with memory beside it) or blkio (version 1) can be "
            "written, and the data are on a single disk; or leave disk_limit out",
        )
    if facts.disk_limits == "reads" and (limit.write_bytes_per_s or limit.write_ops_per_s):
        raise HostError(
            f"{host}: instance.disk_limit: {limit}: this host has control groups of version 1, which limit no writes "
            "that the kernel does later on behalf of mongod",
            do="limit reads alone, or use a host with control groups of version 2",
        )


def _check_memory(campaign: Campaign, host: str, facts: HostFacts) -> None:
    memory, largest = facts.memory_total_bytes, max(campaign.arm_cache_bytes(arm) for arm in campaign.arms)
    if memory and largest > memory:
        raise InputError(
            f"{host}: cache_size: {show_size(largest)} is more than the host's memory, {show_size(memory)}",
            do="lower cache_size",
        )
    if campaign.memory_limit and not facts.cgroup_for_memory_limits:
        raise HostError(
            f"{host}: regime: {campaign.regime} limits mongod's memory by a control group, "
            "and this host does not let Pressgauge create one",
            do="run as root on a host with a writable memory controller (containers often hide it); "
            "or leave regime out, and load several times the host's memory",
        )
