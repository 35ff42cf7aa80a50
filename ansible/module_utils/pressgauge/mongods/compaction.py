"""A collection's files without what they could reuse, and by which counters the engine tells that it tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible.module_utils.pressgauge.mongods.servers import Server

_CALLS = {
    "compacted": "table compact successful calls",
    "skipped": "table compact skipped as process would not reduce file size",
    "failed": "table compact failed calls",
}
_TARGET_SINCE = 8
_LEAST_MB = 1  # which these versions compact for; 20 by default


def compact(server: Server, database: str, collection: str, timeout_s: float) -> dict[str, Any]:
    """Compact a collection and its indexes, on a primary, too; says what WiredTiger counted.

    `bytes_freed` is the server's own word, where its version has one. Raises Failure (engine) when it refuses.
    """
    major = server.command("admin", {"buildInfo": 1})["versionArray"][0]
    target = {"freeSpaceTargetMB": _LEAST_MB} if major >= _TARGET_SINCE else {}
    before = _calls(server)
    answer = server.command(database, {"compact": collection, "force": True, **target}, timeout_s=timeout_s)
    after = _calls(server)
    return {
        **{name: after[name] - before[name] for name in _CALLS},
        "bytes_freed": answer.get("bytesFreed"),
    }


def _calls(server: Server) -> Mapping[str, int]:
    """How often each has happened; versions that never skip have no counter for it."""
    session = server.command("admin", {"serverStatus": 1})["wiredTiger"]["session"]
    return {name: int(session.get(counter, 0)) for name, counter in _CALLS.items()}
