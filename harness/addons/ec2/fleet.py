"""What is ours on EC2. Everything is tagged as it is created, so it is found whatever became of who created it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.addons.aws import answers, client

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RUN, CAMPAIGN, OWNER = "pressgauge:run", "pressgauge:campaign", "pressgauge:owner"
EXPIRES, PER_HOUR, KIND, GROUP = "pressgauge:expires", "pressgauge:per-hour", "pressgauge:kind", "pressgauge:group"
_TEMPORARY_SESSION = re.compile(r"/(botocore-session-\d+|\d+)$")
_DEAREST_PER_HOUR = 1e6  # no host costs so much, in any currency: that is no price
_THERE = ["pending", "running", "shutting-down", "stopping", "stopped"]


@dataclass(frozen=True)
class Identity:
    """Whose hosts these are; every resource bears it as tags."""

    run: str
    campaign: str
    owner: str
    expires_at: datetime

    @property
    def name(self) -> str:
        """Of the things that EC2 knows by name."""
        return f"pressgauge-{self.run}"

    @property
    def wanted(self) -> dict[str, str]:
        """What `find_fleets` and `take_down` are told to find this and nothing else."""
        return {"campaign": self.campaign, "owner": self.owner, "run": self.run}

    def tags(self, kind: str, **more: str) -> list[dict[str, Any]]:
        """Tags as EC2 takes them beside what is created, for a resource of this kind."""
        tags = {
            "Name": self.name,
            RUN: self.run,
            CAMPAIGN: self.campaign,
            OWNER: self.owner,
            EXPIRES: self.expires_at.isoformat(timespec="seconds"),
        }
        pairs = [{"Key": key, "Value": value} for key, value in (tags | more).items()]
        return [{"ResourceType": kind, "Tags": pairs}]


@dataclass
class Fleet:
    """What there is of one `cloud-up`."""

    run: str
    instances: list[Mapping[str, Any]] = field(default_factory=list)
    volumes: list[Mapping[str, Any]] = field(default_factory=list)
    security_groups: list[Mapping[str, Any]] = field(default_factory=list)
    placement_groups: list[Mapping[str, Any]] = field(default_factory=list)
    key_pairs: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def everything(self) -> list[Mapping[str, Any]]:
        """All its resources."""
        return [
            *self.instances,
            *self.volumes,
            *self.security_groups,
            *self.placement_groups,
            *self.key_pairs,
        ]

    @property
    def names(self) -> list[str]:
        """What each of them is called by EC2."""
        keys = ("InstanceId", "VolumeId", "GroupId", "GroupName", "KeyName")
        return [shown(next(str(one[key]) for key in keys if key in one)) for one in self.everything]

    @property
    def costing(self) -> list[Mapping[str, Any]]:
        """Its instances that cost something."""
        return [one for one in self.instances if one["State"]["Name"] in {"pending", "running", "stopping"}]

    @property
    def per_hour(self) -> float:
        """What its instances cost per hour, with disks and addresses, as priced at their start; see `unknown`."""
        return sum(_price(one) or 0.0 for one in self.costing)

    @property
    def most(self) -> float:
        """What they will have cost when they expire; see `unknown`."""
        return sum((_price(one) or 0.0) * (_life_h(one) or 0.0) for one in self.costing)

    @property
    def unknown(self) -> list[str]:
        """The instances whose tags don't tell what they cost, or until when: no sum has them in it."""
        return [one["InstanceId"] for one in self.costing if _price(one) is None or _life_h(one) is None]


def tag(resource: Mapping[str, Any], key: str) -> str:
    """A resource's tag; empty if it has none of that name."""
    return next((str(one["Value"]) for one in resource.get("Tags", ()) if one["Key"] == key), "")


def shown(text: str) -> str:
    """What a tag says, as it can be printed: quoted and escaped where it holds what no one can see."""
    return text if text and text.isprintable() else repr(text)


def find_fleets(ec2: Any, **tags: str) -> dict[str, Fleet]:
    """What there is with such tags, by run; everything of ours without any."""
    wanted = {CAMPAIGN: tags.get("campaign"), OWNER: tags.get("owner"), RUN: tags.get("run")}
    filters = [{"Name": "tag-key", "Values": [RUN]}]
    filters += [{"Name": f"tag:{key}", "Values": [value]} for key, value in wanted.items() if value]
    fleets: dict[str, Fleet] = {}
    for kind, resource in _resources(ec2, filters):
        run = tag(resource, RUN)
        getattr(fleets.setdefault(run, Fleet(run)), kind).append(resource)
    return dict(sorted(fleets.items()))


def _resources(ec2: Any, filters: list[dict[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    there = [*filters, {"Name": "instance-state-name", "Values": _THERE}]
    with answers("ec2"):
        for page in ec2.get_paginator("describe_instances").paginate(Filters=there):
            for reservation in page["Reservations"]:
                yield from (("instances", one) for one in reservation["Instances"])
        for page in ec2.get_paginator("describe_volumes").paginate(Filters=filters):
            yield from (("volumes", one) for one in page["Volumes"])
        for page in ec2.get_paginator("describe_security_groups").paginate(Filters=filters):
            yield from (("security_groups", one) for one in page["SecurityGroups"])
        groups = ec2.describe_placement_groups(Filters=filters)["PlacementGroups"]
        yield from (("placement_groups", one) for one in groups if one.get("State") != "deleted")
        yield from (("key_pairs", one) for one in ec2.describe_key_pairs(Filters=filters)["KeyPairs"])


def caller(region: str) -> str:
    """Who owns what is started: the caller's ARN, without the name of a session that only lasts for hours."""
    with answers("sts"):
        arn = str(client("sts", region=region).get_caller_identity()["Arn"])
    return _TEMPORARY_SESSION.sub("", arn)


def describe(fleets: Mapping[str, Fleet]) -> Iterator[str]:
    """The hosts that are up, in words, and what they cost per hour; a tag that can't be read is marked."""
    for fleet in fleets.values():
        some = fleet.everything[0]
        expires = shown(tag(some, EXPIRES)) + ("" if _expiry(some) else " (no time with its zone)")
        whose = f"{shown(tag(some, CAMPAIGN))}, owner {shown(tag(some, OWNER))}"
        yield f"{shown(fleet.run)}: {whose}, expires {expires}"
        for one in fleet.instances:
            state, address, price = one["State"]["Name"], one.get("PublicIpAddress", "no address"), _price(one)
            what = f"{one['InstanceId']} {one['InstanceType']} {shown(tag(one, GROUP))} {state} {address}"
            cost = f"{price:.4f} per hour" if price is not None else f"{shown(tag(one, PER_HOUR))} (no price) per hour"
            yield f"  {what}, {cost}"
        others = len(fleet.everything) - len(fleet.instances)
        yield (
            f"  and {others} disks, groups and keys; {fleet.per_hour:.4f} per hour, {fleet.most:.2f} until it expires"
            + (f", without {', '.join(fleet.unknown)}" if fleet.unknown else "")
        )
    total = sum(fleet.per_hour for fleet in fleets.values())
    unknown = sum(len(fleet.unknown) for fleet in fleets.values())
    without = f", without {unknown} whose tags can't be read" if unknown else ""
    yield f"together {total:.4f} per hour{without}" if fleets else "there are no Pressgauge hosts"


def _price(instance: Mapping[str, Any]) -> float | None:
    """An hour's price by the instance's tag; None where that is no price."""
    try:
        price = float(tag(instance, PER_HOUR).partition(" ")[0])
    except ValueError:
        return None
    return price if math.isfinite(price) and 0 <= price < _DEAREST_PER_HOUR else None


def _expiry(resource: Mapping[str, Any]) -> datetime | None:
    """When it ends by its tag; None where that is no point in time."""
    try:
        expires_at = datetime.fromisoformat(tag(resource, EXPIRES))
    except ValueError:
        return None
    return expires_at if expires_at.tzinfo else None


def _life_h(instance: Mapping[str, Any]) -> float | None:
    expires_at = _expiry(instance)
    if expires_at is None:
        return None
    return float((max(expires_at, datetime.now(UTC)) - instance["LaunchTime"]).total_seconds()) / 3600
