"""Reads what profilers and the oplog of a deployment add, as far as a user may who can only read; keeps no values."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import bson
from blake3 import blake3

from analysis.mirror.commands import of_oplog, of_profile
from analysis.mirror.skew import KeyUse
from datasets.collections.live.server import APP_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.mirror.commands import Seen, Shape
    from datasets.collections import LiveCollection

    Document = dict[str, Any]

_MOST_POLLED = 2000
_MOST_SHAPES = 200_000
_PROFILED = {
    "op": 1, "ts": 1, "planSummary": 1, "nreturned": 1, "ninserted": 1,
    **{f"command.{name}": 1 for name in (
        "find", "filter", "projection", "sort", "limit", "q", "u", "upsert", "query", "update", "remove", "autocommit",
        "count", "aggregate", "findAndModify", "findandmodify", "distinct", "pipeline",
    )},
}  # fmt: skip
"""What is read of a profiler's entry. Documents that are inserted are not."""


@dataclass
class Watched:
    """What a profiler or an oplog showed of one collection."""

    shapes: list[Shape] = field(default_factory=list)
    keys: KeyUse = field(default_factory=KeyUse)
    written: list[Shape] = field(default_factory=list)
    """Of the oplog."""
    written_keys: KeyUse = field(default_factory=KeyUse)


class Watch:
    """What profilers and the oplog showed so far; keys become tokens at once."""

    def __init__(self, live: LiveCollection, names: Sequence[str]) -> None:
        """Begin now, where they may be read."""
        self._live = live
        self._secret = secrets.token_bytes(32)
        self.watched = {name: Watched() for name in names}
        self.seen = 0
        self.profilers: dict[str, str] = {}
        """What each database's shows, in words."""
        self._since: dict[str, datetime] = {}
        for database in dict.fromkeys(name.partition(".")[0] for name in names):
            self.profilers[database] = self._open_profiler(database)
        self._oplog_at = self._oplog_end()

    def poll(self) -> None:
        """Read what is new."""
        for database in list(self._since):
            self._poll_profiler(database)
        if self._oplog_at is not None:
            self._poll_oplog()

    def _open_profiler(self, database: str) -> str:
        """Read on from now where the profiler shows all operations, or an even part of them."""
        level = self._live.ask_if_allowed({"profile": -1}, database=database)
        if level is None:
            return "whether it is on is not to be known"
        if not level.get("was"):
            return "it is off"
        if "filter" in level or (level["was"] == 1 and level.get("slowms", 100) > 0):
            return "it shows only some operations, which are not like the others: not used"
        last = self._profiled(database, {}, newest=True)
        if last is None:
            return "the user may not read it"
        self._since[database] = last[0]["ts"] if last else datetime.min
        return "on"

    def _poll_profiler(self, database: str) -> None:
        while True:
            found = self._profiled(database, {"ts": {"$gt": self._since[database]}})
            for entry in found or ():
                self._since[database] = entry["ts"]
                if seen := of_profile(entry, self._token):
                    watched = self.watched[entry["ns"]]
                    self._keep(seen, watched.shapes, watched.keys)
            if not found or len(found) < _MOST_POLLED:
                return

    def _profiled(self, database: str, asked: Document, *, newest: bool = False) -> list[Document] | None:
        command: Document = {
            "find": "system.profile",
            "filter": {**asked, "ns": {"$in": list(self.watched)}, "appName": {"$ne": APP_NAME}},
            "projection": {**_PROFILED, "ns": 1},
            "sort": {"$natural": -1 if newest else 1},
            "limit": 1 if newest else _MOST_POLLED,
            "batchSize": _MOST_POLLED,
            "singleBatch": True,
        }
        answer = self._live.ask_if_allowed(command, database=database)
        return None if answer is None else list(answer["cursor"]["firstBatch"])

    def _oplog_end(self) -> Any:
        found = self._oplog({}, newest=True)
        return found[0]["ts"] if found else None

    def _poll_oplog(self) -> None:
        for entry in self._oplog(self._new_updates()) or ():
            self._oplog_at = entry["ts"]
            if seen := of_oplog(entry, self._token):
                watched = self.watched[entry["ns"]]
                self._keep(seen, watched.written, watched.written_keys)

    def _new_updates(self) -> Document:
        return {"ts": {"$gt": self._oplog_at}, "op": "u", "ns": {"$in": list(self.watched)}}

    def _oplog(self, asked: Document, *, newest: bool = False) -> list[Document] | None:
        command: Document = {
            "find": "oplog.rs",
            "filter": asked,
            "projection": {"op": 1, "ns": 1, "ts": 1, "o2": 1, "o": 1},
            "sort": {"$natural": -1 if newest else 1},
            "limit": 1 if newest else _MOST_POLLED,
            "batchSize": _MOST_POLLED,
            "singleBatch": True,
        }
        answer = self._live.ask_if_allowed(command, database="local")
        return None if answer is None else list(answer["cursor"]["firstBatch"])

    def _keep(self, seen: Seen, shapes: list[Shape], keys: KeyUse) -> None:
        self.seen += 1
        if len(shapes) < _MOST_SHAPES:
            shapes.append(seen.shape)
            for token in seen.keys:
                keys.add(token)

    def _token(self, key: Any) -> int:
        """A key, as a number under a secret that ends with this process."""
        return int.from_bytes(blake3(bson.encode({"": key}), key=self._secret).digest(length=8), "big")
