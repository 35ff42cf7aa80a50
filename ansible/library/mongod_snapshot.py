#!/usr/bin/python
"""Write down what a running instance has in force, counts and stores.

- Writes snapshot.<moment>.json - counters, two forced checkpoints, counters again, then dbStats, collStats and the
  bytes on disk by class of file.
- With `turns` it does so while the trial has the floor, in the stage that the moment names.
- With `create` it first creates the collection; with it, or with `read_back`, it writes in_force.json.
- With `dictionary` it does all of this for the dictionary of normalised documents, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.clients.turns import TURNS, alone
from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.files import drop_file_cache, write_json
from ansible.module_utils.pressgauge.host import limits
from ansible.module_utils.pressgauge.host.disks import disk_limit
from ansible.module_utils.pressgauge.host.processes import TUNABLES, environment_variable
from ansible.module_utils.pressgauge.mongods import replica_sets
from ansible.module_utils.pressgauge.mongods.mongod_log import living_mongod, opening_wiredtiger
from ansible.module_utils.pressgauge.mongods.servers import Credentials, Server
from ansible.module_utils.pressgauge.mongods.snapshots import (
    DICTIONARY,
    collection_statistics,
    create_collection,
    creation_string,
    in_force,
    oplog_sizes,
    plain,
    snapshot,
)

RETURN = r"""
creation_string: {type: str, returned: with create or read_back, description: The collection's, from WiredTiger.}
checkpoint_s: {type: float, returned: always, description: Seconds that the two checkpoints took.}
"""

ARGUMENTS: dict[str, Any] = {
    "directory": {"type": "path", "required": True},  # The instance directory
    "evidence_dir": {"type": "path", "required": True},  # Where the files go
    "moment": {"type": "str", "required": True},  # A name such as empty, loaded or after-rmw
    "port": {"type": "int", "required": True},  # The instance's port
    "password": {"type": "str", "required": True, "no_log": True},  # Of the instance's user
    "authority": {"type": "path"},  # Certificate of the authority by which the instance is known; plain without
    "database": {"type": "str", "default": "pressgauge"},  # The database measured
    "collection": {"type": "str", "default": "usertable"},  # The collection measured
    "dictionary": {"type": "bool", "default": False},  # The documents refer to values in a second collection
    "replica_set": {"type": "bool", "default": False},  # The instance is a member of one
    "create": {"type": "bool", "default": False},  # Create the collection, and read back what is in force
    "read_back": {"type": "bool", "default": False},  # Read back what is in force
    "collection_config": {"type": "str"},  # WiredTiger's configuration of the collection
    "indexes": {"type": "str"},  # The collection's beside that on `_id`, as a list in Extended JSON
    "parameters": {"type": "list", "elements": "str", "default": []},  # Server parameters to read back
    "drop_file_cache": {"type": "bool", "default": False},  # Afterwards, let the system forget the data files
    "turns": TURNS,  # How the trial takes turns
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Read the instance and write its evidence, while the trial has the floor."""
    with alone(params["turns"], params["moment"]):
        return _observe(params)


def _observe(params: dict[str, Any]) -> dict[str, Any]:
    directory, evidence = Path(params["directory"]), Path(params["evidence_dir"])
    process = living_mongod(directory)
    evidence.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {"changed": True}
    names = params["database"], params["collection"]
    with Server(params["port"], Credentials(params["password"]), authority=params["authority"]) as server:
        if params["create"]:
            create_collection(server, *names, params["collection_config"], params["indexes"])
            if params["dictionary"]:
                create_collection(server, params["database"], DICTIONARY, params["collection_config"])
        if params["create"] or params["read_back"]:
            opening = opening_wiredtiger(directory / "mongod.log")
            settings = plain(in_force(server, *names, opening, params["parameters"], params["indexes"]))
            settings["memory_limit_bytes"] = limits.MEMORY.of(process.pid)
            settings["cpu_limit"] = limits.CPU.of(process.pid)
            settings["glibc_tunables"] = environment_variable(process.pid, TUNABLES)
            if params["dictionary"]:
                settings["dictionary_creation_string"] = creation_string(server, params["database"], DICTIONARY)
            disk = disk_limit(directory)
            settings["disk_limit"] = disk and disk.of(process.pid)
            write_json(evidence / "in_force.json", settings)
            result["creation_string"] = settings["creation_string"]
        taken = plain(snapshot(server, process, directory, params["moment"], *names))
        if params["dictionary"]:
            taken["dictionary_stats"] = plain(collection_statistics(server, params["database"], DICTIONARY))
        if params["replica_set"]:
            taken["replica"] = replica_sets.account(server)
            taken["oplog"] = plain(oplog_sizes(server))
    if params["drop_file_cache"]:
        drop_file_cache(directory / "data")
    write_json(evidence / f"snapshot.{params['moment']}.json", taken)
    return {**result, "checkpoint_s": taken["checkpoint_s"]}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
