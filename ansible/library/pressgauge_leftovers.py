#!/usr/bin/python
"""End what killed trials left running, and delete its directories.

Kills load clients first, then mongods, whose data goes anyway, and deletes their control groups. Only a directory
with our marker is looked into and deleted, only the very process that its pid file names is killed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import Failure, run_module
from ansible.module_utils.pressgauge.files import is_owned, owned_below, owner_facts, remove_owned
from ansible.module_utils.pressgauge.host import control_groups
from ansible.module_utils.pressgauge.host.processes import Process

RETURN = r"""
ended: {type: list, returned: always, description: "The processes ended, as client or mongod, instance and pid."}
removed: {type: list, returned: always, description: The directories deleted.}
"""

ARGUMENTS: dict[str, Any] = {
    "instances": {"type": "path", "required": True},  # The directory of the instances
    "clients": {"type": "path", "required": True},  # The directory of the clients' private directories
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """End and delete."""
    ended, removed = [], []
    for kind, root in (("client", Path(params["clients"])), ("mongod", Path(params["instances"]))):
        for directory in owned_below(root):
            process = Process.recorded(directory / f"{kind}.pid")
            if process:
                process.kill()
                ended.append(f"{kind} {directory.name} (pid {process.pid})")
            try:
                for group in owner_facts(directory).get("control_groups", []):
                    control_groups.remove(Path(group))
                remove_owned(directory)
            except (Failure, FileNotFoundError):
                if is_owned(directory):
                    raise
                continue  # the client it belongs to was deleting it at the same time
            removed.append(str(directory))
    return {"changed": bool(removed), "ended": ended, "removed": removed}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
