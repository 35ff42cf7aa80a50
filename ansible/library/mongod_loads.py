#!/usr/bin/python
"""Load documents into collections that differ by their settings, one after the other, and say what each takes.

- Each collection is made, loaded by one connection, brought to disk by two checkpoints, read and dropped.
- One without indexes is in the database `local`, where a collection needs none on `_id`, either: so the same documents
  may be loaded several times over, until `most_seconds` are past, and mongod's CPU is that of the collection.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure, run_module
from ansible.module_utils.pressgauge.mongods.mongod_log import living_mongod, opening_wiredtiger
from ansible.module_utils.pressgauge.mongods.page_census import NotReadableError, census
from ansible.module_utils.pressgauge.mongods.servers import LONG_S, Credentials, Server
from ansible.module_utils.pressgauge.mongods.snapshots import (
    bring_to_disk,
    collection_file,
    collection_statistics,
    create_indexes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ansible.module_utils.pressgauge.host.processes import Process

RETURN = r"""
opening_wiredtiger: {type: str, returned: always, description: "What mongod passed to WiredTiger, its levels among it."}
loads:
  type: list
  returned: always
  description: >-
    Of each load its name, creation_string, documents, document_bytes, storage_bytes, free_bytes, index_bytes (by
    index), seconds, cpu_s (mongod's), internal_bytes and pages, the leaf pages in stored order, each or a few
    neighbours' bytes in memory and on disk, documents, and how many pages they are.
"""

ARGUMENTS: dict[str, Any] = {
    "directory": {"type": "path", "required": True},  # The instance directory
    "port": {"type": "int", "required": True},
    "password": {"type": "str", "required": True, "no_log": True},  # Of the instance's user
    "documents": {"type": "path", "required": True},  # A file of BSON, one document after the other
    "loads": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "config": {"type": "str", "required": True},  # WiredTiger's of the collection
            "times": {"type": "int", "default": 1},  # How often the documents are loaded, at most
            # Those to have beside `_id`'s, as a list in Extended JSON; without, not even that one.
            "indexes": {"type": "str"},
        },
    },
    "most_seconds": {"type": "float", "required": True},  # After which a load begins no further time
}
_COLLECTION = "estimate"
_WITH_INDEXES, _WITHOUT = "pressgauge", "local"
_MOST_TOLD = 1000
_BATCH_BYTES, _BATCH_DOCUMENTS = 2**20, 1000


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Load each collection in turn."""
    directory = Path(params["directory"])
    process = living_mongod(directory)
    with Server(params["port"], Credentials(params["password"])) as server:
        batches = list(_batches(Path(params["documents"]).read_bytes()))
        loads = [_load(server, process, directory, batches, one, params["most_seconds"]) for one in params["loads"]]
    return {"changed": True, "opening_wiredtiger": opening_wiredtiger(directory / "mongod.log") or "", "loads": loads}


def _load(
    server: Server,
    process: Process,
    directory: Path,
    batches: list[list[Any]],
    load: dict[str, Any],
    most_seconds: float,
) -> dict[str, Any]:
    database = _WITHOUT if load["indexes"] is None else _WITH_INDEXES
    _create(server, database, load)
    began, cpu_before = time.monotonic(), _cpu_s(process)
    documents = size = 0
    for _ in range(load["times"]):
        for batch in batches:
            _insert(server, database, batch)
            documents += len(batch)
            size += sum(len(one.raw) for one in batch)
        if time.monotonic() - began > most_seconds:
            break
    bring_to_disk(server)
    seconds, cpu_s = time.monotonic() - began, _cpu_s(process) - cpu_before
    said = collection_statistics(server, database, _COLLECTION)
    try:
        found = census(collection_file(directory, said))
    except (NotReadableError, OSError, ValueError) as error:
        raise Failure("engine", f"the pages of collection {load['name']} can't be read: {error}") from error
    server.command(database, {"drop": _COLLECTION})
    return {
        "name": load["name"],
        "creation_string": said["wiredTiger"]["creationString"],
        "documents": documents,
        "document_bytes": size,
        "storage_bytes": int(said["storageSize"]),
        "free_bytes": int(said.get("freeStorageSize", 0)),
        "index_bytes": {name: int(size) for name, size in said.get("indexSizes", {}).items()},
        "seconds": seconds,
        "cpu_s": cpu_s,
        "internal_bytes": found.internal_bytes,
        "pages": list(_merged(found.leaves)),
    }


def _merged(leaves: list[list[int]]) -> Iterator[list[int]]:
    """Pages with their neighbours, so that they are not too many to be told."""
    step = -(-len(leaves) // _MOST_TOLD)
    for at in range(0, len(leaves), step):
        some = leaves[at : at + step]
        yield [*(sum(page[of] for page in some) for of in range(3)), len(some)]


def _create(server: Server, database: str, load: dict[str, Any]) -> None:
    engine = {"wiredTiger": {"configString": load["config"]}}
    bare = {"autoIndexId": False} if database == _WITHOUT else {}
    server.command(database, {"create": _COLLECTION, "storageEngine": engine, **bare})
    if load["indexes"] is not None:
        create_indexes(server, database, _COLLECTION, load["indexes"])


def _batches(content: bytes) -> Iterator[list[Any]]:
    """The documents in stored order, a batch at a time."""
    from bson.raw_bson import RawBSONDocument  # noqa: PLC0415  (as above)

    batch: list[Any] = []
    at = size = 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        if batch and (size + length > _BATCH_BYTES or len(batch) == _BATCH_DOCUMENTS):
            yield batch
            batch, size = [], 0
        batch.append(RawBSONDocument(content[at : at + length]))
        at, size = at + length, size + length
    yield batch


def _insert(server: Server, database: str, batch: list[Any]) -> None:
    command = {"insert": _COLLECTION, "documents": batch, "ordered": False, "writeConcern": {"w": 1, "j": False}}
    answer = server.command(database, command, timeout_s=LONG_S)
    for error in answer.get("writeErrors", []):
        # Its message would quote values of the documents.
        what = " ".join(str(error[said]) for said in ("code", "codeName") if said in error)
        raise Failure("spec", f"mongod refused a document of the sample: error {what}")


def _cpu_s(process: Process) -> float:
    counters = process.counters()
    return float(counters["user_cpu_s"] or 0.0) + float(counters["system_cpu_s"] or 0.0)


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
