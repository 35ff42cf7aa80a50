"""Campaigns with hosts on EC2, and looking after them past our own filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from harness.spec.load import find_campaign
from tests.harness.aws_server import REGION

if TYPE_CHECKING:
    from pathlib import Path


def cloud(**changes: Any) -> dict[str, Any]:
    """A cloud section: two kinds of database hosts and a client."""
    disk = {"type": "gp3", "size": "200GiB", "iops": 6000, "throughput_mib_per_s": 250}
    hosts = {
        "graviton": {"group": "db", "instance_type": "c6g.2xlarge", "disk": disk, "platform": "arm"},
        "intel": {"group": "db", "instance_type": "c5.2xlarge", "disk": disk},
        "client": {"group": "clients", "instance_type": "c5.2xlarge", "count": 2},
    }
    prices = {"instances_per_hour": {"c6g.2xlarge": 0.272, "c5.2xlarge": 0.34}}
    section = {"hosts": hosts, "expires_after_h": 2, "cost_limit": 5, "ssh_from": "203.0.113.7/32", "prices": prices}
    return section | {"region": REGION} | changes


def write(folder: Path, name: str = "lab", **changes: Any) -> Path:
    """A campaign with a cloud section."""
    path = folder / f"{name}.yaml"
    spec = yaml.safe_load(find_campaign("smoke").read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump(spec | {"cloud": cloud(**changes)}, sort_keys=False), encoding="utf-8")
    return path


def nothing_is_left(ec2: Any) -> bool:
    """Asked of EC2 without our filters: not one resource is there but the images and the default network."""
    states = {
        one["State"]["Name"]
        for reservation in ec2.describe_instances()["Reservations"]
        for one in reservation["Instances"]
    }
    groups = [one for one in ec2.describe_security_groups()["SecurityGroups"] if one["GroupName"] != "default"]
    others = (
        ec2.describe_volumes()["Volumes"],
        ec2.describe_key_pairs()["KeyPairs"],
        ec2.describe_placement_groups()["PlacementGroups"],
        groups,
    )
    return states <= {"terminated"} and not any(others)
