"""Starting a campaign's hosts. What fails half-way is taken down again at once."""

from __future__ import annotations

import math
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.addons.aws import answers
from harness.addons.ec2.down import take_down
from harness.addons.ec2.fleet import GROUP, KIND, PER_HOUR
from harness.addons.ec2.inventory import write_inventory
from harness.addons.ec2.kept import keep
from harness.errors import HostError, PressgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.addons.ec2.launch import Launch
    from harness.spec.cloud import Disk

# A timer of the calendar beside the plain shutdown, because that one does not outlive a reboot. Package updates of
# their own accord would run into trials. pymongo is what docs/hosts.md asks for and images lack; it is there long
# before EC2's own checks of the host have passed, for which the start waits.
_USER_DATA = """#!/bin/sh
shutdown -h +{minutes} "the campaign's hosts expire"
cat >/etc/systemd/system/pressgauge-expiry.service <<'END'
[Service]
Type=oneshot
ExecStart=/sbin/shutdown -h now
END
cat >/etc/systemd/system/pressgauge-expiry.timer <<'END'
[Timer]
OnCalendar={expires:%Y-%m-%d %H:%M:%S} UTC
Persistent=true
[Install]
WantedBy=timers.target
END
systemctl daemon-reload
systemctl enable --now pressgauge-expiry.timer
systemctl disable --now apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service || true
if command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q -o DPkg::Lock::Timeout=300 update
    apt-get -q -y -o DPkg::Lock::Timeout=300 install python3-pymongo
fi
"""


def bring_up(launch: Launch, home: Path, tell: Callable[[str], None]) -> Path:
    """Start the hosts, wait until EC2 finds them well, and write their inventory below `home`; its path.

    Raises:
        HostError, InputError: a start failed; nothing of it is left, or the message says what.
    """
    folder = keep(home, launch.identity, launch.ec2.meta.region_name)
    try:
        return _start(launch, folder, tell)
    except BaseException as error:
        tell("taking down what was started")
        try:
            for line in take_down(launch.ec2, home, **launch.identity.wanted):
                tell(line)
        except PressgaugeError as second:
            raise HostError(
                f"{error.what if isinstance(error, PressgaugeError) else error}\n{second.what}",
                do=f"take it down yourself: make cloud-down CAMPAIGN={launch.identity.campaign}; "
                f"whatever is left ends itself at {launch.identity.expires_at:%Y-%m-%d %H:%M} UTC",
            ) from error
        raise


def _start(launch: Launch, folder: Path, tell: Callable[[str], None]) -> Path:
    key_name, private_key = _key_pair(launch, folder)
    group = _security_group(launch)
    if launch.cloud.placement_group:
        _placement_group(launch)
    started: dict[str, list[str]] = {}
    for name in launch.hosts:
        tell(f"starting {name}: {launch.machines[name].image_name}")
        started[name] = _run_instances(launch, name, group, key_name)
    tell("waiting until the hosts are well")
    with answers("ec2"):
        ids = [one for some in started.values() for one in some]
        launch.ec2.get_waiter("instance_status_ok").wait(InstanceIds=ids)
        pages = launch.ec2.get_paginator("describe_instances").paginate(InstanceIds=ids)
        up = {one["InstanceId"]: one for page in pages for some in page["Reservations"] for one in some["Instances"]}
    instances = {name: [up[one] for one in some] for name, some in started.items()}
    return write_inventory(folder, instances, launch.hosts, private_key)


def _key_pair(launch: Launch, folder: Path) -> tuple[str, Path]:
    if launch.cloud.key_pair:
        return launch.cloud.key_pair.name, Path(launch.cloud.key_pair.private_key).expanduser().resolve()
    name, path = launch.identity.name, folder / "id_ed25519"
    with answers("ec2"):
        made = launch.ec2.create_key_pair(
            KeyName=name, KeyType="ed25519", TagSpecifications=launch.identity.tags("key-pair")
        )
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(made["KeyMaterial"])
    return name, path.resolve()


def _security_group(launch: Launch) -> str:
    """Everything among its members; from outside SSH alone, and from the caller's network alone."""
    ec2 = launch.ec2
    with answers("ec2"):
        group = str(
            ec2.create_security_group(
                GroupName=launch.identity.name,
                Description="Pressgauge: hosts of one campaign",
                VpcId=launch.vpc,
                TagSpecifications=launch.identity.tags("security-group"),
            )["GroupId"]
        )
        members = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}
        ssh = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": launch.ssh_from}]}
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[members, ssh])
    return group


def _placement_group(launch: Launch) -> None:
    with answers("ec2"):
        launch.ec2.create_placement_group(
            GroupName=launch.identity.name,
            Strategy="cluster",
            TagSpecifications=launch.identity.tags("placement-group"),
        )


def _run_instances(launch: Launch, name: str, group: str, key_name: str) -> list[str]:
    """Start the hosts of a kind; their ids, in the order of their numbers."""
    hosts, machine, identity = launch.hosts[name], launch.machines[name], launch.identity
    price = next(kind for kind in launch.estimate.kinds if kind.name == name)
    tags = {KIND: name, GROUP: hosts.group, PER_HOUR: f"{price.per_hour:.6f} {launch.cloud.prices.currency}"}
    network = {
        "DeviceIndex": 0,
        "SubnetId": launch.subnet,
        "Groups": [group],
        "AssociatePublicIpAddress": True,
        "DeleteOnTermination": True,
    }
    minutes = math.floor((identity.expires_at - datetime.now(UTC)).total_seconds() / 60)
    with answers("ec2"):
        started = launch.ec2.run_instances(
            ImageId=machine.image,
            InstanceType=hosts.instance_type,
            MinCount=hosts.count,
            MaxCount=hosts.count,
            KeyName=key_name,
            NetworkInterfaces=[network],
            BlockDeviceMappings=[{"DeviceName": machine.root_device, "Ebs": _volume(hosts.disk)}],
            InstanceInitiatedShutdownBehavior="terminate",
            MetadataOptions={"HttpTokens": "required"},
            UserData=_USER_DATA.format(minutes=max(1, minutes), expires=identity.expires_at),
            ClientToken=f"{identity.run}-{name}"[-64:],  # a request that is sent twice starts hosts once
            TagSpecifications=identity.tags("instance", **tags) + identity.tags("volume"),
            **({"Placement": {"GroupName": identity.name}} if launch.cloud.placement_group else {}),
        )["Instances"]
    return [
        one["InstanceId"] for one in sorted(started, key=lambda one: (one.get("AmiLaunchIndex", 0), one["InstanceId"]))
    ]


def _volume(disk: Disk) -> dict[str, Any]:
    wanted = {
        "VolumeType": disk.type,
        "VolumeSize": disk.size_gib,
        "Iops": disk.iops,
        "Throughput": disk.throughput_mib_per_s,
        "DeleteOnTermination": True,
    }
    return {key: value for key, value in wanted.items() if value is not None}
