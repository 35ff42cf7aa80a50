"""What a mongod says of itself, in the shapes of in_force.json and snapshot.<moment>.json."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pymongo import MongoClient
    from pymongo.database import Database

    from ansible.module_utils.pressgauge.processes import Process

    Document = dict[str, Any]

FORMAT_VERSION = 1
_PARAMETERS = ("wiredTiger", "diagnosticDataCollection", "journal", "sync", "storage", "featureCompatibility")
_FREE_STORAGE_SINCE = (5, 0, 6)


def create_collection(database: Database[Document], name: str, config: str | None) -> None:
    """Create the collection; `config` is WiredTiger's, appended after mongod's defaults, so it wins."""
    engine = {"storageEngine": {"wiredTiger": {"configString": config}}} if config else {}
    database.create_collection(name, **engine)


def in_force(client: MongoClient[Document], database: str, collection: str, opening: str | None) -> Document:
    """The configuration in force, read back from the server; null where this version does not say."""
    build = client.admin.command("buildInfo")
    status = client.admin.command("serverStatus")
    parameters = client.admin.command("getParameter", "*")
    fcv = parameters.get("featureCompatibilityVersion", {})
    statistics = _collection_statistics(client, database, collection)
    return {
        "format_version": FORMAT_VERSION,
        "version": build["version"],
        "git_version": build.get("gitVersion"),
        "openssl": build.get("openssl", {}).get("running"),
        "allocator": build.get("allocator"),
        "cmd_line_opts": client.admin.command("getCmdLineOpts").get("parsed"),
        "parameters": {name: value for name, value in parameters.items() if name.startswith(_PARAMETERS)},
        "fcv": fcv.get("version"),
        "creation_string": statistics.get("wiredTiger", {}).get("creationString"),
        "cache_max_bytes": status.get("wiredTiger", {}).get("cache", {}).get("maximum bytes configured"),
        "opening_wiredtiger": opening,
        "storage_engine": status.get("storageEngine"),
    }


def snapshot(
    client: MongoClient[Document], process: Process, directory: Path, moment: str, database: str, collection: str
) -> Document:
    """Counters and sizes at a moment, around two checkpoints.

    Two, because blocks that a checkpoint frees become reusable only after its metadata is written.
    """
    before = _counters(client, process)
    began = time.monotonic()
    for _ in range(2):
        client.admin.command({"fsync": 1})
    checkpoint_s = time.monotonic() - began
    version = tuple(client.server_info()["versionArray"][:3])
    free_storage = {"freeStorage": 1} if version >= _FREE_STORAGE_SINCE else {}
    return {
        "format_version": FORMAT_VERSION,
        "moment": moment,
        "counters_before_checkpoint": before,
        "checkpoint_s": checkpoint_s,
        "counters_after_checkpoint": _counters(client, process),
        "db_stats": client[database].command({"dbStats": 1, **free_storage}),
        "coll_stats": _collection_statistics(client, database, collection),
        "files": file_bytes(directory / "data"),
    }


def plain(document: Document) -> Any:
    """The document as JSON has it: numbers plain, dates as {"$date": …}."""
    from bson import json_util  # noqa: PLC0415  (pymongo's absence is reported by servers.connect)

    return json.loads(json_util.dumps(document, json_options=json_util.RELAXED_JSON_OPTIONS))


def file_bytes(data: Path) -> dict[str, int]:
    """Bytes below a dbPath by class of file, from the names WiredTiger gives them."""
    totals = dict.fromkeys(("collection", "index", "history_store", "journal", "diagnostic", "other"), 0)
    for path in data.rglob("*"):
        try:
            if path.is_file():
                totals[_file_class(path.relative_to(data).parts)] += path.stat().st_size
        except FileNotFoundError:
            continue  # journal and diagnostic files come and go under a running mongod
    return totals


def _file_class(parts: tuple[str, ...]) -> str:
    name = parts[-1]
    if parts[0] == "journal":
        return "journal"
    if parts[0] == "diagnostic.data":
        return "diagnostic"
    if name == "WiredTigerHS.wt":
        return "history_store"
    for kind in ("collection", "index"):
        if name.startswith(f"{kind}-") and name.endswith(".wt"):
            return kind
    return "other"


def _counters(client: MongoClient[Document], process: Process) -> Document:
    at_s = time.time()
    return {"at_s": at_s, "server_status": client.admin.command("serverStatus"), "process": process.counters()}


def _collection_statistics(client: MongoClient[Document], database: str, collection: str) -> Document:
    """The aggregation stage has been there since 3.4; the collStats command is deprecated from 6.2."""
    (statistics,) = client[database][collection].aggregate([{"$collStats": {"storageStats": {}}}])
    return dict(statistics["storageStats"])
