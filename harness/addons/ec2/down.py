"""Removing hosts and everything that came with them, found by tags: it needs nothing that `cloud-up` kept here."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from core.bounds import is_run_name
from harness.addons.aws import answers, error_code
from harness.addons.ec2.fleet import Fleet, find_fleets, shown
from harness.addons.ec2.kept import kept
from harness.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_TRIES, _PAUSE_S = 20, 3.0
_STILL_USED = {"DependencyViolation", "InvalidPlacementGroup.InUse", "VolumeInUse"}


def take_down(ec2: Any, home: Path, **tags: str) -> Iterator[str]:
    """Remove what has such tags (campaign, owner, run) in a region, and the folders below `home` whose markers say that
    they belong to it; a line a fleet. What a tag says names no folder.

    Raises:
        HostError: something is left; the message names it.
    """
    runs = []
    for fleet in find_fleets(ec2, **tags).values():
        _remove(ec2, fleet)
        runs.append(fleet.run)
        yield f"{shown(fleet.run)}: removed {', '.join(fleet.names)}"
    if left := find_fleets(ec2, **tags):
        names = ", ".join(name for fleet in left.values() for name in fleet.names)
        raise HostError(f"still there: {names}", do="`make cloud-list` shows it; run `make cloud-down` again")
    for one in kept(home, **tags):
        if one.region == ec2.meta.region_name:
            one.forget()
            if one.run not in runs:
                yield f"{one.run}: nothing of it is there any more"
    for folder in (home / run for run in runs if is_run_name(run)):
        if folder.exists():
            yield f"{folder} is left as it is: it has no marker of these hosts"


def _remove(ec2: Any, fleet: Fleet) -> None:
    """Instances first: the rest can go only when they have."""
    ids = [one["InstanceId"] for one in fleet.instances]
    with answers("ec2"):
        if ids:
            ec2.terminate_instances(InstanceIds=ids)
        for pair in fleet.key_pairs:
            ec2.delete_key_pair(KeyName=pair["KeyName"])
        if ids:
            ec2.get_waiter("instance_terminated").wait(InstanceIds=ids)
        for volume in fleet.volumes:
            _delete(ec2.delete_volume, {"VolumeId": volume["VolumeId"]})
        for group in fleet.security_groups:
            _delete(ec2.delete_security_group, {"GroupId": group["GroupId"]})
        for placement in fleet.placement_groups:
            _delete(ec2.delete_placement_group, {"GroupName": placement["GroupName"]})


def _delete(delete: Callable[..., Any], arguments: Mapping[str, str]) -> None:
    """Delete what an instance that has just gone may hold for some seconds more; what is gone already is fine."""
    for tried in range(_TRIES):
        try:
            delete(**arguments)
        except ClientError as error:
            code = error_code(error)
            if code.endswith((".NotFound", ".Unknown")):
                return
            if code not in _STILL_USED or tried == _TRIES - 1:
                raise
            time.sleep(_PAUSE_S)
        else:
            return
