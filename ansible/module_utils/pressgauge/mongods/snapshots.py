"""What a mongod says of itself, in the shapes of in_force.json and snapshot.<moment>.json."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.mongods.page_census import page_sizes
from ansible.module_utils.pressgauge.mongods.servers import LONG_S

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ansible.module_utils.pressgauge.host.processes import Process
    from ansible.module_utils.pressgauge.mongods.servers import Server

    Document = dict[str, Any]

FORMAT_VERSION = 1
DICTIONARY = "dictionary"
"""Where the load generator keeps the values of normalised documents."""
_IN_FORCE_VERSION = 2  # since then every member of a replica set leaves it
_PARAMETERS = ("wiredTiger", "diagnosticDataCollection", "journal", "sync", "storage", "featureCompatibility")
_OPLOG = "local", "oplog.rs"
_FREE_STORAGE_SINCE = (5, 0, 6)


def create_collection(
    server: Server, database: str, collection: str, config: str | None, indexes: str | None = None
) -> None:
    """Create the collection; `config` is WiredTiger's, appended after mongod's defaults, so it wins.

    `indexes` are those beside `_id`'s, as a list in Extended JSON; each is there before any document.
    """
    engine = {"storageEngine": {"wiredTiger": {"configString": config}}} if config else {}
    server.command(database, {"create": collection, **engine})
    if indexes:
        create_indexes(server, database, collection, indexes)


def create_indexes(server: Server, database: str, collection: str, indexes: str) -> None:
    """Create indexes, a list in Extended JSON."""
    from bson import json_util  # noqa: PLC0415  (its absence is reported where the server is asked)

    if wanted := json_util.loads(indexes):
        server.command(database, {"createIndexes": collection, "indexes": wanted}, timeout_s=LONG_S)


def in_force(
    server: Server,
    database: str,
    collection: str,
    opening: str | None,
    asked_parameters: Sequence[str],
    asked_indexes: str | None = None,
) -> Document:
    """The configuration in force, read back from the server; null where this version does not say.

    The indexes are told where any were asked for.
    """
    build = server.command("admin", {"buildInfo": 1})
    status = server.command("admin", {"serverStatus": 1, "tcmalloc": 1})
    parameters = server.command("admin", {"getParameter": "*"})
    fcv = parameters.get("featureCompatibilityVersion", {})
    statistics = collection_statistics(server, database, collection)
    return {
        "format_version": _IN_FORCE_VERSION,
        "version": build["version"],
        "git_version": build.get("gitVersion"),
        "openssl": build.get("openssl", {}).get("running"),
        "allocator": build.get("allocator"),
        "per_cpu_caches": status.get("tcmalloc", {}).get("usingPerCPUCaches"),
        "cmd_line_opts": server.command("admin", {"getCmdLineOpts": 1}).get("parsed"),
        "parameters": {name: value for name, value in parameters.items() if name.startswith(_PARAMETERS)},
        "asked_parameters": {name: parameters.get(name) for name in asked_parameters},
        "fcv": fcv.get("version"),
        "indexes": _indexes(server, database, collection) if asked_indexes else None,
        "creation_string": statistics.get("wiredTiger", {}).get("creationString"),
        "index_creation_strings": {
            name: one.get("creationString") for name, one in statistics.get("indexDetails", {}).items()
        },
        "oplog_max_bytes": collection_statistics(server, *_OPLOG).get("maxSize") if "repl" in status else None,
        "cache_max_bytes": status.get("wiredTiger", {}).get("cache", {}).get("maximum bytes configured"),
        "opening_wiredtiger": opening,
        "storage_engine": status.get("storageEngine"),
    }


def creation_string(server: Server, database: str, collection: str) -> str | None:
    """How WiredTiger created a collection's file."""
    found = collection_statistics(server, database, collection).get("wiredTiger", {}).get("creationString")
    return None if found is None else str(found)


def _indexes(server: Server, database: str, collection: str) -> list[Document]:
    """All indexes, as the server lists them, each key as pairs, whose order tells. There are 64 at most: one answer."""
    found = server.command(database, {"listIndexes": collection})["cursor"]["firstBatch"]
    return [{**one, "key": [list(pair) for pair in one["key"].items()]} for one in found]


def snapshot(
    server: Server, process: Process, directory: Path, moment: str, database: str, collection: str
) -> Document:
    """Counters and sizes at a moment, around the checkpoints that bring all to disk."""
    served_before = _served(server, database, collection)
    before = _counters(server, process)
    began = time.monotonic()
    bring_to_disk(server)
    checkpoint_s = time.monotonic() - began
    version = tuple(server.command("admin", {"buildInfo": 1})["versionArray"][:3])
    free_storage = {"freeStorage": 1} if version >= _FREE_STORAGE_SINCE else {}
    statistics = collection_statistics(server, database, collection)
    return {
        "format_version": FORMAT_VERSION,
        "moment": moment,
        "counters_before_checkpoint": before,
        "checkpoint_s": checkpoint_s,
        "counters_after_checkpoint": _counters(server, process),
        "db_stats": server.command(database, {"dbStats": 1, **free_storage}),
        "coll_stats": statistics,
        "pages": page_sizes(collection_file(directory, statistics)),
        "files": file_bytes(directory / "data"),
        "served": {"before": served_before, "after": _served(server, database, collection)},
    }


def oplog_sizes(server: Server) -> Document:
    """What a replica set's member keeps of the writes, for others to follow: bytes before and after compression."""
    statistics = collection_statistics(server, "local", "oplog.rs")
    return {name: statistics.get(name) for name in ("size", "storageSize", "freeStorageSize", "maxSize")}


def bring_to_disk(server: Server) -> None:
    """Take two checkpoints: blocks that one frees become reusable only after its metadata is written."""
    for _ in range(2):
        server.command("admin", {"fsync": 1}, timeout_s=LONG_S)


def collection_file(directory: Path, statistics: Document) -> Path:
    """Where an instance keeps a collection, from the collection's statistics."""
    return directory / "data" / (str(statistics["wiredTiger"]["uri"]).rpartition(":")[2] + ".wt")


def plain(document: Document) -> Any:
    """The document as JSON has it: numbers plain, dates as {"$date": …}."""
    from bson import json_util  # noqa: PLC0415  (its absence is reported where the server is asked)

    return json.loads(json_util.dumps(document, json_options=json_util.RELAXED_JSON_OPTIONS))


def file_bytes(data: Path) -> dict[str, int]:
    """Bytes below a dbPath by class of file, from the names WiredTiger gives them."""
    kinds = ("collection", "index", "history_store", "journal", "journal_preallocated", "diagnostic", "other")
    totals = dict.fromkeys(kinds, 0)
    for path in data.rglob("*"):
        try:
            if path.is_file():
                totals[_file_class(path.relative_to(data).parts)] += path.stat().st_size
        except FileNotFoundError:
            continue  # journal and diagnostic files come and go under a running mongod
    return totals


def _file_class(parts: tuple[str, ...]) -> str:
    name = parts[-1]
    if parts[0] == "journal":  # WiredTiger sets files aside, empty, before it needs them
        return "journal_preallocated" if name.startswith("WiredTigerPreplog") else "journal"
    if parts[0] == "diagnostic.data":
        return "diagnostic"
    if name == "WiredTigerHS.wt":
        return "history_store"
    for kind in ("collection", "index"):
        if name.startswith(f"{kind}-") and name.endswith(".wt"):
            return kind
    return "other"


def _counters(server: Server, process: Process) -> Document:
    at_s = time.time()
    return {"at_s": at_s, "server_status": server.command("admin", {"serverStatus": 1}), "process": process.counters()}


def _served(server: Server, database: str, collection: str) -> Document:
    """What the collection has been asked since the server's start. `top` comes first: asking counts, too."""
    top = server.command("admin", {"top": 1})["totals"].get(f"{database}.{collection}", {})
    stage: Document = {"$collStats": {"latencyStats": {"histograms": True}}}
    answer = server.command(database, {"aggregate": collection, "pipeline": [stage], "cursor": {}})
    (statistics,) = answer["cursor"]["firstBatch"]
    return {"top": top, "latency": dict(statistics["latencyStats"])}


def collection_statistics(server: Server, database: str, collection: str) -> Document:
    """The aggregation stage has been there since 3.4; the collStats command is deprecated from 6.2."""
    stage: Document = {"$collStats": {"storageStats": {}}}
    answer = server.command(database, {"aggregate": collection, "pipeline": [stage], "cursor": {}})
    (statistics,) = answer["cursor"]["firstBatch"]
    return dict(statistics["storageStats"])
