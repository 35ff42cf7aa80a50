"""What a start will be: hosts, images, network and cost. Looks everything up and refuses; starts nothing."""

from __future__ import annotations

import http.client
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from harness.addons.aws import answers, client
from harness.addons.ec2.fleet import Fleet, Identity, caller, find_fleets
from harness.addons.ec2.prices import Estimate, price_hosts
from harness.errors import HostError, InputError
from harness.ledger.run_names import new_run_name
from harness.plan import trials as planning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.spec.campaign import Campaign
    from harness.spec.cloud import Cloud, Hosts

_OWN_ADDRESS = "https://checkip.amazonaws.com"


@dataclass(frozen=True)
class Machine:
    """An image that fits a kind of hosts."""

    image: str
    root_device: str
    image_name: str


@dataclass(frozen=True)
class Launch:
    """A start, ready to be made."""

    ec2: Any
    cloud: Cloud
    identity: Identity
    hosts: Mapping[str, Hosts]
    machines: Mapping[str, Machine]
    subnet: str
    vpc: str
    ssh_from: str
    estimate: Estimate


def cloud_of(campaign: Campaign) -> Cloud:
    """The spec's cloud section.

    Raises:
        InputError: it has none.
    """
    if campaign.cloud is None:
        raise InputError(f"{campaign.name}: the spec has no `cloud` section", do="add one; docs/ec2.md shows it")
    return campaign.cloud


def prepare(campaign: Campaign, names: Sequence[str], elsewhere: Iterable[str] = ()) -> Launch:
    """Look everything up that a start needs; `names` are kinds of hosts, all of the spec's if there are none, and
    `elsewhere` further regions where hosts of the campaign may be up.

    Raises:
        InputError: it could cost more than its limit, or what is up already can't be told to cost less; it would end
            before the campaign does, or names what EC2 has not.
        HostError: AWS can't be asked.
    """
    cloud = cloud_of(campaign)
    hosts = _chosen(cloud, names)
    ec2 = client("ec2", region=cloud.region)
    owner = caller(ec2.meta.region_name)
    others = (client("ec2", region=region) for region in elsewhere if region != ec2.meta.region_name)
    whose = {"campaign": campaign.name, "owner": owner}
    estimate = Estimate(
        kinds=price_hosts(cloud, hosts, ec2.meta.region_name),
        cloud=cloud,
        needed_s=planning.trial_seconds(campaign) * campaign.fewest_blocks * len(planning.cells(campaign)),
        already=sum(_most(fleet) for one in (ec2, *others) for fleet in find_fleets(one, **whose).values()),
    )
    estimate.check()
    subnet, vpc = _subnet(ec2, cloud, hosts)
    now = datetime.now(UTC)
    identity = Identity(
        run=f"{campaign.name}-{new_run_name(now)}",
        campaign=campaign.name,
        owner=owner,
        expires_at=now + timedelta(hours=cloud.expires_after_h),
    )
    return Launch(
        ec2=ec2,
        cloud=cloud,
        identity=identity,
        hosts=hosts,
        machines=_machines(ec2, hosts),
        subnet=subnet,
        vpc=vpc,
        ssh_from=cloud.ssh_from or f"{own_address()}/32",
        estimate=estimate,
    )


def _most(fleet: Fleet) -> float:
    if fleet.unknown:
        raise InputError(
            f"{', '.join(fleet.unknown)}: up for this campaign, and their tags do not say what they will cost",
            do="see `make cloud-list`; `make cloud-down` removes them",
        )
    return fleet.most


def _chosen(cloud: Cloud, names: Sequence[str]) -> dict[str, Hosts]:
    known = ", ".join(cloud.hosts)
    for name in names:
        if name not in cloud.hosts:
            raise InputError(f"{name!r} is not among the hosts in the spec: {known}", do="check HOSTS")
    chosen = {name: hosts for name, hosts in cloud.hosts.items() if not names or name in names}
    if {hosts.group for hosts in chosen.values()} != {"db", "clients"}:
        raise InputError("a campaign needs hosts in db and in clients", do=f"name some of both in HOSTS: {known}")
    return chosen


def _machines(ec2: Any, hosts: Mapping[str, Hosts]) -> dict[str, Machine]:
    types = sorted({one.instance_type for one in hosts.values()})
    with answers("ec2"):
        known = ec2.describe_instance_types(InstanceTypes=types)["InstanceTypes"]
    architectures = {one["InstanceType"]: one["ProcessorInfo"]["SupportedArchitectures"] for one in known}
    return {name: _machine(ec2, one, architectures.get(one.instance_type, [])) for name, one in hosts.items()}


def _machine(ec2: Any, hosts: Hosts, architectures: Sequence[str]) -> Machine:
    """The newest image of its name for the instance type."""
    filters = {
        "name": [hosts.image.name],
        "architecture": [one for one in architectures if one in {"x86_64", "arm64"}],
        "state": ["available"],
        "root-device-type": ["ebs"],
    }
    with answers("ec2"):
        images = ec2.describe_images(
            Owners=[hosts.image.owner],
            Filters=[{"Name": name, "Values": values} for name, values in filters.items()],
        )["Images"]
    if not images:
        raise InputError(
            f"no image of {hosts.image.owner} is called {hosts.image.name!r} for {', '.join(architectures)} "
            f"({hosts.instance_type}) in {ec2.meta.region_name}",
            do="check image.owner and image.name in the spec's cloud.hosts",
        )
    newest = max(images, key=lambda image: str(image["CreationDate"]))
    return Machine(newest["ImageId"], newest["RootDeviceName"], newest["Name"])


def _subnet(ec2: Any, cloud: Cloud, hosts: Mapping[str, Hosts]) -> tuple[str, str]:
    """A subnet and its VPC: the spec's, or the default VPC's in the first zone that has all instance types."""
    if cloud.subnet:
        with answers("ec2"):
            (found,) = ec2.describe_subnets(SubnetIds=[cloud.subnet])["Subnets"]
        return found["SubnetId"], found["VpcId"]
    types = {one.instance_type for one in hosts.values()}
    offered: dict[str, set[str]] = {}
    with answers("ec2"):
        pages = ec2.get_paginator("describe_instance_type_offerings").paginate(
            LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": sorted(types)}]
        )
        for page in pages:
            for one in page["InstanceTypeOfferings"]:
                offered.setdefault(one["Location"], set()).add(one["InstanceType"])
        subnets = ec2.describe_subnets(Filters=[{"Name": "default-for-az", "Values": ["true"]}])["Subnets"]
    for found in sorted(subnets, key=lambda one: str(one["AvailabilityZone"])):
        if offered.get(found["AvailabilityZone"]) == types:
            return found["SubnetId"], found["VpcId"]
    raise InputError(
        f"no default subnet of {ec2.meta.region_name} is in a zone that has {', '.join(sorted(types))}",
        do="name a subnet in the spec's cloud.subnet, or take another region or other instance types",
    )


def own_address(url: str = _OWN_ADDRESS) -> IPv4Address:
    """This machine's address as AWS sees it.

    Raises:
        HostError: it can't be asked.
    """
    try:
        with urllib.request.urlopen(url, timeout=10) as said:  # noqa: S310 - a constant address
            return IPv4Address(said.read(64).decode().strip())
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise HostError(
            f"{url}: can't tell this machine's public address: {error}",
            do="give the network that may reach SSH in the spec: cloud.ssh_from",
        ) from error
