"""The inventory of started hosts, as `make run-campaign INVENTORY=…` takes it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from harness.hosts.playbooks import as_data
from harness.ledger.ledger import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harness.spec.cloud import Hosts

INVENTORY_FILE = "hosts.yml"


def write_inventory(
    folder: Path, instances: Mapping[str, Sequence[Mapping[str, Any]]], kinds: Mapping[str, Hosts], private_key: Path
) -> Path:
    """Write it for the instances of each kind. Clients reach the database by its private address.

    A host's SSH key is taken for its own at the first contact and held to from then on.
    """
    groups: dict[str, dict[str, Any]] = {"db": {}, "clients": {}}
    for kind, hosts in sorted(kinds.items()):
        user = hosts.image.ssh_user
        for number, one in enumerate(instances[kind], 1):
            groups[hosts.group][f"{kind}-{number}"] = {
                "ansible_host": one["PublicIpAddress"],
                "ansible_user": user,
                "pressgauge_address": one["PrivateIpAddress"],
                "pressgauge_home": f"/home/{user}/pressgauge",
                "pressgauge_evidence_root": f"/home/{user}/pressgauge/evidence",
                **({"pressgauge_platform": hosts.platform} if hosts.platform else {}),
            }
    known = str(folder.resolve() / "known_hosts").replace("%", "%%")  # a sign of its own to ssh
    common = {
        "ansible_ssh_private_key_file": str(private_key),
        "ansible_ssh_common_args": shlex.join(
            ["-o", "StrictHostKeyChecking=accept-new", "-o", f'UserKnownHostsFile="{known}"']
        ),
        "ansible_python_interpreter": "/usr/bin/python3",
    }
    content = {"all": {"vars": common}} | {group: {"hosts": hosts} for group, hosts in groups.items()}
    path = folder / INVENTORY_FILE
    write_whole(path, as_data(content))
    return path
