"""What is ours on EC2. Everything is tagged as it is created, so it is found whatever became of who created it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.aws import answers, client

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RUN, CAMPAIGN, OWNER = "pressgauge:run", "pressgauge:campaign", "pressgauge:owner"
EXPIRES, PER_HOUR, KIND, GROUP = "pressgauge:expires", "pressgauge:per-hour", "pressgauge:kind", "pressgauge:group"
_TEMPORARY_SESSION = re.compile(r"/(botocore-session-\d+|\d+)$")
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
        return [next(str(one[key]) for key in keys if key in one) for one in self.everything]

    @property
    def per_hour(self) -> float:
        """What its instances cost an hour, with disks and addresses, as priced at their start."""
        return sum(_price(one) for one in self.instances if _costs(one))

    @property
    def most(self) -> float:
        """What they will have cost when they expire."""
        return sum(_price(one) * _life_h(one) for one in self.instances if _costs(one))


def tag(resource: Mapping[str, Any], key: str) -> str:
    """A resource's tag; empty if it has none of that name."""
    return next((str(one["Value"]) for one in resource.get("Tags", ()) if one["Key"] == key), "")


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
    """What is there, in words, and what it costs an hour."""
    for fleet in fleets.values():
        some = fleet.everything[0]
        yield f"{fleet.run}: {tag(some, CAMPAIGN)}, owner {tag(some, OWNER)}, expires {tag(some, EXPIRES)}"
        for one in fleet.instances:
            state, address = one["State"]["Name"], one.get("PublicIpAddress", "no address")
            what = f"{one['InstanceId']} {one['InstanceType']} {tag(one, GROUP)}"
            yield f"  {what} {state} {address}, {_price(one):.4f} an hour"
        others = len(fleet.everything) - len(fleet.instances)
        yield f"  and {others} disks, groups and keys; {fleet.per_hour:.4f} an hour, {fleet.most:.2f} until it expires"
    total = sum(fleet.per_hour for fleet in fleets.values())
    yield f"together {total:.4f} an hour" if fleets else "nothing of ours is there"


def _price(instance: Mapping[str, Any]) -> float:
    return float(tag(instance, PER_HOUR).partition(" ")[0] or 0.0)


def _costs(instance: Mapping[str, Any]) -> bool:
    return instance["State"]["Name"] in {"pending", "running", "stopping"}


def _life_h(instance: Mapping[str, Any]) -> float:
    expires_at = datetime.fromisoformat(tag(instance, EXPIRES))
    return float((max(expires_at, datetime.now(UTC)) - instance["LaunchTime"]).total_seconds()) / 3600
