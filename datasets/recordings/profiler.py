"""What mongod's profiler keeps (`system.profile`), dumped or as JSON: operations with their counts, by their ends."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bson.datetime_ms import DatetimeMS
from bson.raw_bson import RawBSONDocument

from datasets.collections.sample import read_documents
from datasets.recordings.commands import code_of
from datasets.recordings.messages import RAW, MessageError, document, fields_of
from datasets.recordings.records import UNKNOWN, Answer, Kind, Recorded, Request, whole

_STATEMENT = {"update": ("update", "updates"), "remove": ("delete", "deletes")}
"""What the profiler keeps of a write is one statement of its command."""
_OF_STATEMENT = {"q", "u", "c", "multi", "upsert", "collation", "arrayFilters", "hint", "limit"}


@dataclass(frozen=True)
class ProfileFile:
    """A dump of `system.profile`: documents in any form that Pressgauge reads."""

    path: Path

    def __iter__(self) -> Iterator[Recorded]:
        """Give requests, each with its answer, in the order in which they ended. Raises DatasetError."""
        for number, raw in enumerate(read_documents(self.path)):
            try:
                yield _request(number, fields_of(RawBSONDocument(raw, RAW)))
            except MessageError as error:
                yield _unreadable(number, str(error))


def _request(number: int, entry: Mapping[str, Any]) -> Request:
    kind, namespace, asked, ended = (entry.get(name) for name in ("op", "ns", "command", "ts"))
    took_ms = entry.get("millis", 0)
    if not (isinstance(kind, str) and isinstance(namespace, str) and isinstance(asked, RawBSONDocument)):
        return _unreadable(number, "it is no entry of the profiler")
    if not isinstance(ended, DatetimeMS) or not isinstance(took_ms, int):
        return _unreadable(number, "it has no time")
    fields = fields_of(asked)
    database, _, collection = namespace.partition(".")
    body, name = asked, next(iter(fields), "")
    if kind == "insert" or "$truncated" in fields:
        name = "insert (the profiler keeps no documents)" if kind == "insert" else "commands that the profiler cut off"
    elif kind in _STATEMENT:
        name, statements = _STATEMENT[kind]
        one = {key: value for key, value in fields.items() if key in _OF_STATEMENT}
        body = document({name: collection, statements: [one]})
    ended_us = 1000 * int(ended)
    return Request(
        _session(entry, fields), number, ended_us - 1000 * took_ms, database, name, body, _answer(kind, entry), ended_us
    )


def _unreadable(number: int, why: str) -> Request:
    return Request("", number, 0, "", "", RawBSONDocument(b"\x05\0\0\0\0"), Answer(), unreadable=why)


def _session(entry: Mapping[str, Any], fields: Mapping[str, Any]) -> str:
    """The logical session where the command names it, else the application and its host."""
    if isinstance(session := fields.get("lsid"), RawBSONDocument):
        return session.raw.hex()
    return f"{entry.get('client')} {entry.get('appName')}"


def _answer(kind: str, entry: Mapping[str, Any]) -> Answer:
    """What the entry says of the answer; counts of `count` and `distinct` are not in it."""

    if code := code_of(entry.get("errCode")):
        return Answer(Kind.WRITES_REFUSED if kind in _STATEMENT else Kind.REFUSED, code)
    if kind == "update":
        matched = whole(entry.get("nMatched"))
        upserted = bool(entry.get("upsert")) and matched != UNKNOWN
        return Answer(Kind.DONE, 0, matched + upserted, whole(entry.get("nModified")))
    if kind == "remove":
        return Answer(Kind.DONE, 0, whole(entry.get("ndeleted")))
    returned, cursor = whole(entry.get("nreturned")), entry.get("cursorid")
    if returned == UNKNOWN:
        return Answer(Kind.DONE)
    is_open = isinstance(cursor, int) and cursor != 0 and not entry.get("cursorExhausted")
    return Answer(Kind.OPEN if is_open else Kind.DONE, 0, returned, UNKNOWN, int(cursor or 0) if is_open else 0)
