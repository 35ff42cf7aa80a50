#!/usr/bin/python
"""Have an instance give back to its system what the files of its collection and indexes could reuse.

- Writes maintenance.<workload>.json - how long it took, how many tables WiredTiger went through or failed on, how
  often it found nothing, or nothing more, to gain, and what the server says it freed.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.files import write_json
from ansible.module_utils.pressgauge.mongods import replica_sets
from ansible.module_utils.pressgauge.mongods.compaction import compact
from ansible.module_utils.pressgauge.mongods.mongod_log import living_mongod
from ansible.module_utils.pressgauge.mongods.servers import Credentials, Server
from ansible.module_utils.pressgauge.mongods.snapshots import plain

RETURN = r"""
seconds: {type: float, returned: always, description: How long it took.}
"""

ARGUMENTS: dict[str, Any] = {
    "directory": {"type": "path", "required": True},  # The instance directory
    "evidence_dir": {"type": "path", "required": True},  # Where the file goes
    "workload": {"type": "str", "required": True},  # The workload that it is done for; names the file
    "port": {"type": "int", "required": True},  # The instance's port
    "password": {"type": "str", "required": True, "no_log": True},  # Of the instance's user
    "authority": {"type": "path"},  # Certificate of the authority by which the instance is known; plain without
    "database": {"type": "str", "required": True},
    "collection": {"type": "str", "required": True},
    "timeout_s": {"type": "int", "required": True},  # Seconds that it may take
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Compact the collection, and write down what came of it."""
    living_mongod(Path(params["directory"]))
    with Server(params["port"], Credentials(params["password"]), authority=params["authority"]) as server:
        began = time.monotonic()
        told = compact(server, params["database"], params["collection"], params["timeout_s"])
        seconds = time.monotonic() - began
        replica_sets.await_data(server, params["timeout_s"])  # some versions let no secondary serve while it compacts
    account = {"format_version": 1, "kind": "compact", "seconds": seconds, **plain(told)}
    write_json(Path(params["evidence_dir"], f"maintenance.{params['workload']}.json"), account)
    return {"changed": True, "seconds": seconds}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
