"""Which commands are replayed, what is left of them, and what an answer says in kind and count."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import bson
from bson.raw_bson import RawBSONDocument

from datasets.collections.files.checks import OPTIONS
from datasets.recordings.messages import MessageError, document, fields_of
from datasets.recordings.records import UNKNOWN, Answer, Kind, Reply, Request, whole

OPERATIONS = {
    "find": "FIND",
    "getMore": "GET-MORE",
    "insert": "INSERT",
    "update": "UPDATE",
    "delete": "DELETE",
    "findAndModify": "FIND-AND-MODIFY",
    "findandmodify": "FIND-AND-MODIFY",
    "aggregate": "AGGREGATE",
    "count": "COUNT",
    "distinct": "DISTINCT",
}
"""Command -> the operation that its latencies are of."""
TABLE = "usertable"
"""The collection that every trial loads: YCSB's own name."""
LARGEST_COMMAND_BYTES = 16 * 2**20
_LONGEST_NAME = 255
_WRITES = {"INSERT", "UPDATE", "DELETE"}
_OWN = {"lsid", "txnNumber", "stmtId", "stmtIds", "writeConcern", "readConcern", "apiVersion", "apiStrict"}
_OWN |= {"apiDeprecationErrors", "autocommit", "startTransaction", "maxTimeMSOpOnly", "needsMerge", "fromMongos"}
"""What a session or a deployment says of itself: the replay has its own, and the campaign its write concern."""
_ELSEWHERE = {"$out", "$merge", "$lookup", "$graphLookup", "$unionWith", "$changeStream", "$currentOp", "$collStats"}
_ELSEWHERE |= {"$indexStats", "$planCacheStats", "$listSessions", "$listLocalSessions"}
"""Stages that write, read other collections, or tell of the server itself."""


class NotReplayed(NamedTuple):
    """Why a request is left out: a few words, the same for all requests of a kind."""

    why: str
    ending: bool = False
    """It is none, but where the recording ends within a message."""


_UNREADABLE = NotReplayed("unreadable messages")


class Replayable(NamedTuple):
    """A command of one collection."""

    operation: str
    collection: str
    fields: Mapping[str, Any]
    cursor: int
    """The cursor that it asks for more; 0: none."""


def replayable(request: Request) -> Replayable | NotReplayed:
    """Say whether a request can be asked again, and what is asked."""
    try:
        fields = fields_of(request.body) if request.name in OPERATIONS else {}
    except MessageError:
        return _UNREADABLE
    if why := next(_reasons_against(request, fields), ""):
        return NotReplayed(why)
    more = request.name == "getMore"
    collection = fields["collection" if more else request.name]
    return Replayable(OPERATIONS[request.name], collection, fields, int(fields["getMore"]) if more else 0)


def _reasons_against(request: Request, fields: Mapping[str, Any]) -> Iterator[str]:
    """Why a request is not replayed, the first reason first."""
    name = request.name
    if request.unreadable:
        yield _UNREADABLE.why
    if name not in OPERATIONS:
        yield name[:60] if name and name.isascii() and name.isprintable() else "unnamed commands"
    collection = fields.get("collection" if name == "getMore" else name)
    if not isinstance(collection, str) or not _is_users(request.database, collection):
        yield f"{name} of the server's own"
    if name == "getMore" and not isinstance(fields.get(name), int):
        yield _UNREADABLE.why
    if fields.get("autocommit") is False:
        yield "transactions"
    if name == "find" and fields.get("tailable"):
        yield "find that waits for documents to come"
    if name == "aggregate":
        yield from (f"aggregate with {stage}" for stage in _stages(fields.get("pipeline")))
    if fields.get("explain"):
        yield f"{name} explained"


def _is_users(database: str, collection: str) -> bool:
    """Whether a collection is none of the server's own, and has a name that one can have."""
    own = database in {"", "admin", "config", "local"} or collection.startswith("system.") or "$cmd" in collection
    return not own and len(database) + len(collection) <= _LONGEST_NAME


def _stages(pipeline: object) -> Iterator[str]:
    """The stages of a pipeline that can't be replayed, wherever they are in it."""
    for stage in pipeline if isinstance(pipeline, list) else ():
        if not isinstance(stage, RawBSONDocument):
            continue
        # A name may also stand in a text: then a stage is left out that need not be, which is told like the others.
        yield from (name for name in sorted(_ELSEWHERE) if name.encode() + b"\0" in stage.raw)


def command(found: Replayable) -> bytes | NotReplayed:
    """The command as it is sent again, of the collection that trials load. Its write concern is the campaign's."""
    kept = {name: value for name, value in found.fields.items() if name not in _OWN and not name.startswith("$")}
    kept["collection" if found.operation == "GET-MORE" else next(iter(kept))] = TABLE
    try:
        raw = bytes(document(kept).raw)
        bson.decode(raw, OPTIONS)
    except (MessageError, bson.errors.BSONError, ValueError, TypeError, OverflowError, RecursionError):
        return _UNREADABLE
    if len(raw) > LARGEST_COMMAND_BYTES:
        return NotReplayed(f"{found.operation.lower()} of more than 16 MiB")
    return raw


def answer_of(operation: str, reply: Reply) -> Answer:
    """What a reply says in kind and count; where it can't be read, nothing is known of it."""
    try:
        told = fields_of(reply.body)
        return _ANSWERS.get(operation, _plain)(told) if _is_ok(told) else _refused(told)
    except (MessageError, ValueError, TypeError, OverflowError):
        return Answer()


def _is_ok(told: Mapping[str, Any]) -> bool:
    return float(told.get("ok", 0)) == 1.0


def _refused(told: Mapping[str, Any]) -> Answer:
    return Answer(Kind.REFUSED, _code(told))


def _code(told: Mapping[str, Any]) -> int:
    return code_of(told.get("code"))


def code_of(value: object) -> int:
    """An error's code; 0 where it has none."""
    return value if isinstance(value, int) and 0 <= value < 2**31 else 0


def _cursor(told: Mapping[str, Any]) -> Answer:
    cursor = fields_of(told["cursor"]) if isinstance(told.get("cursor"), RawBSONDocument) else {}
    batch = cursor.get("firstBatch", cursor.get("nextBatch"))
    if not isinstance(batch, list):
        return Answer()
    more = cursor.get("id")
    more = int(more) if isinstance(more, int) else 0
    return Answer(Kind.OPEN if more else Kind.DONE, n=len(batch), cursor=more)


def _write(told: Mapping[str, Any]) -> Answer:
    errors = told.get("writeErrors")
    first = errors[0] if isinstance(errors, list) and errors else None
    kind, code = Kind.DONE, 0
    if isinstance(first, RawBSONDocument):
        kind, code = Kind.WRITES_REFUSED, _code(fields_of(first))
    return Answer(kind, code, whole(told.get("n")), whole(told.get("nModified")))


def _found(told: Mapping[str, Any]) -> Answer:
    last = told.get("lastErrorObject")
    if not isinstance(last, RawBSONDocument):
        return Answer(Kind.DONE)
    return Answer(Kind.DONE, n=whole(fields_of(last).get("n")))


def _count(told: Mapping[str, Any]) -> Answer:
    return Answer(Kind.DONE, n=whole(told.get("n")))


def _distinct(told: Mapping[str, Any]) -> Answer:
    values = told.get("values")
    return Answer(Kind.DONE, n=len(values) if isinstance(values, list) else UNKNOWN)


def _plain(_: Mapping[str, Any]) -> Answer:
    return Answer(Kind.DONE)


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Answer]] = {
    "FIND": _cursor,
    "GET-MORE": _cursor,
    "AGGREGATE": _cursor,
    **dict.fromkeys(_WRITES, _write),
    "FIND-AND-MODIFY": _found,
    "COUNT": _count,
    "DISTINCT": _distinct,
}
