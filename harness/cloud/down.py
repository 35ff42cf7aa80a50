"""Removing hosts and everything that came with them, found by tags: it needs nothing that `cloud-up` left here."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from harness.aws import answers, error_code
from harness.cloud.fleet import Fleet, find_fleets
from harness.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_TRIES, _PAUSE_S = 20, 3.0
_STILL_USED = {"DependencyViolation", "InvalidPlacementGroup.InUse", "VolumeInUse"}


def take_down(ec2: Any, home: Path, **tags: str) -> Iterator[str]:
    """Remove what has such tags (campaign, owner, run), and the inventory and key of it here; a line a fleet.

    Raises:
        HostError: something is left; the message names it.
    """
    for fleet in find_fleets(ec2, **tags).values():
        _remove(ec2, fleet)
        if (home / fleet.run).is_dir():
            shutil.rmtree(home / fleet.run)
        yield f"{fleet.run}: removed {', '.join(fleet.names)}"
    if left := find_fleets(ec2, **tags):
        names = ", ".join(name for fleet in left.values() for name in fleet.names)
        raise HostError(f"still there: {names}", do="`make cloud-list` shows it; run `make cloud-down` again")


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
