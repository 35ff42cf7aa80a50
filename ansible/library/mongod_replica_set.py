#!/usr/bin/python
"""Make a replica set of fresh mongods, or wait until all its members hold the same.

- Runs on the first member's host. `initiated` makes a set of members that were started with its name and key, with
  the first as its primary, makes their one user, and returns when all hold data.
- `settled` returns when every member has all that was written so far.
"""

from __future__ import annotations

from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.mongods import replica_sets
from ansible.module_utils.pressgauge.mongods.servers import Credentials, Server

ARGUMENTS: dict[str, Any] = {
    "state": {"type": "str", "required": True, "choices": ["initiated", "settled"]},
    "name": {"type": "str", "required": True},  # The set's name
    "members": {"type": "list", "elements": "str", "required": True},  # Their addresses with ports, the first's first
    "port": {"type": "int", "required": True},  # The first member's port
    "password": {"type": "str", "required": True, "no_log": True},  # Of the one user
    "authority": {"type": "path"},  # Certificate of the authority by which the member is known; plain without
    "timeout_s": {"type": "int", "required": True},  # Seconds that each wait may take
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Make the set, or wait for it."""
    members, credentials = params["members"], Credentials(params["password"])
    if params["state"] == "settled":
        with Server(params["port"], credentials, authority=params["authority"]) as server:
            replica_sets.settle(server, len(members), params["timeout_s"])
        return {"changed": False}
    with Server(params["port"], authority=params["authority"]) as server:
        replica_sets.initiate(server, params["name"], members, params["timeout_s"])
        server.admit(credentials)
        replica_sets.await_members(server, len(members), params["timeout_s"])
        replica_sets.be_patient(server, params["timeout_s"])
    return {"changed": True}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
