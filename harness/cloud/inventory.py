"""The inventory of started hosts, as `make run-campaign INVENTORY=…` takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.cloud.fleet import GROUP, KIND, tag
from harness.ledger import write_whole
from harness.playbooks import as_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from harness.cloud.spec import Hosts

INVENTORY_FILE = "hosts.yml"


def write_inventory(
    folder: Path, instances: Iterable[Mapping[str, Any]], kinds: Mapping[str, Hosts], private_key: Path
) -> Path:
    """Write it for instances of these kinds. Clients reach the database by its private address.

    A host's SSH key is taken for its own at the first contact and held to from then on.
    """
    groups: dict[str, dict[str, Any]] = {"db": {}, "clients": {}}
    numbers: dict[str, int] = {}
    for one in sorted(instances, key=lambda one: (tag(one, KIND), one.get("AmiLaunchIndex", 0), one["InstanceId"])):
        kind, group = tag(one, KIND), tag(one, GROUP)
        numbers[kind] = numbers.get(kind, 0) + 1
        user, platform = kinds[kind].image.ssh_user, kinds[kind].platform
        groups[group][f"{kind}-{numbers[kind]}"] = {
            "ansible_host": one["PublicIpAddress"],
            "ansible_user": user,
            "pressgauge_address": one["PrivateIpAddress"],
            "pressgauge_home": f"/home/{user}/pressgauge",
            "pressgauge_evidence_root": f"/home/{user}/pressgauge/evidence",
            **({"pressgauge_platform": platform} if platform else {}),
        }
    known = folder / "known_hosts"
    common = {
        "ansible_ssh_private_key_file": str(private_key),
        "ansible_ssh_common_args": f"-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile={known}",
        "ansible_python_interpreter": "/usr/bin/python3",
    }
    content = {"all": {"vars": common}} | {group: {"hosts": hosts} for group, hosts in groups.items()}
    path = folder / INVENTORY_FILE
    write_whole(path, as_data(content))
    return path
