#!/usr/bin/python
"""Describe a host as a benchmark sees it. Reads only; changes nothing."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.files import identity
from ansible.module_utils.pressgauge.host.survey import survey

DOCUMENTATION = r"""
module: host_survey
short_description: What this host is, and what on it would spoil the numbers
description:
  - Reads CPU, memory, kernel, disk and limits from /proc and /sys. Changes nothing but making data_root, which
    the trials need.
options:
  data_root: {type: path, required: true, description: Where the instances' data will be.}
  database: {type: bool, required: true, description: Whether instances will run here.}
  ports:
    type: list
    elements: dict
    default: []
    description: "Addresses {bind_ip, port} that the instances need; without a bind_ip at O(address)."
  shared: {type: path, description: A file of the controller's.}
  platform: {type: str, default: "", description: Name of the kind of hosts that this one belongs to.}
  address: {type: str, default: 127.0.0.1, description: Where the clients find this host's instances.}
  database_number: {type: int, default: 0, description: Which of the database hosts this is.}
  client_processes: {type: int, default: 0, description: How many client processes will run here.}
  client_number: {type: int, default: 0, description: Which of the client hosts this is.}
author: The Pressgauge authors
"""
EXAMPLES = r"""
- name: The host is surveyed
  host_survey:
    data_root: /srv/pressgauge/instances
    database: true
"""
RETURN = r"""
survey: {type: dict, returned: success, description: Facts; null where the host does not tell.}
database: {type: bool, returned: success, description: As asked.}
platform: {type: str, returned: success, description: As asked.}
address: {type: str, returned: success, description: As asked.}
database_number: {type: int, returned: success, description: As asked.}
client_processes: {type: int, returned: success, description: As asked.}
client_number: {type: int, returned: success, description: As asked.}
shared_files: {type: str, returned: success, description: "What O(shared) is, as boot, device and inode; or null."}
busy_ports: {type: list, returned: success, description: Ports of the asked that something listens on.}
"""


_AS_ASKED = ("database", "platform", "address", "database_number", "client_processes", "client_number")


def busy(address: str, port: int) -> bool:
    """Whether something already listens there."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((address, port)) == 0


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Survey the host."""
    data_root = Path(params["data_root"])
    data_root.mkdir(parents=True, exist_ok=True)
    return {
        "changed": False,
        "survey": survey(data_root),
        "writable": os.access(data_root, os.W_OK),
        **{name: params[name] for name in _AS_ASKED},
        "shared_files": identity(Path(params["shared"])) if params["shared"] else None,
        "busy_ports": [
            int(one["port"])
            for one in params["ports"]
            if params["database"] and busy(one.get("bind_ip") or params["address"], int(one["port"]))
        ],
    }


if __name__ == "__main__":
    run_module(
        {
            "data_root": {"type": "path", "required": True},
            "database": {"type": "bool", "required": True},
            "ports": {"type": "list", "elements": "dict", "default": []},
            "shared": {"type": "path"},
            "platform": {"type": "str", "default": ""},
            "address": {"type": "str", "default": "127.0.0.1"},
            "database_number": {"type": "int", "default": 0},
            "client_processes": {"type": "int", "default": 0},
            "client_number": {"type": "int", "default": 0},
        },
        act,
    )
