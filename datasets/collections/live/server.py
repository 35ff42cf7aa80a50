"""A collection on a server that is in use: asked as a user who can only read, one member alone, and gently."""

import json
import re
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bson import json_util
from bson.codec_options import CodecOptions
from bson.int64 import Int64
from bson.raw_bson import RawBSONDocument

from core.stored import read_regular
from datasets.collections.files.metadata import Metadata, parse_metadata
from datasets.errors import DatasetError

if TYPE_CHECKING:
    from pymongo import MongoClient
    from pymongo.database import Database
    from pymongo.server_description import ServerDescription

APP_NAME = "pressgauge"
"""What a server is told of who asks."""
_LONGEST_URI_BYTES = 2**16
_SELECTION_MS = 5000
_MORE_THAN_AN_ANSWER_MS = 10_000
_UNAUTHORIZED, _FAILED_LOGIN, _TOO_LONG, _KEY_NOT_FOUND = 13, 18, 50, 211
_PLACE_LOST = 136
_NOT_TO_BE_HAD = {_UNAUTHORIZED, 51300, 26, 59, 72, 73, 76, 115, 167, 303, 8000}
"""Further: not of a standalone, no such namespace, command, option or profiler, or a service's own refusal."""
_READING = re.compile(r"(get|list|view|check|queryStats)[A-Z].*|((all)?[cC]oll(ection)?|db|index)Stats|find")
_HARMLESS = {
    "changeStream",
    "connPoolStats",
    "dbHash",
    "hostInfo",
    "inprog",
    "killCursors",
    "netstat",
    "operationMetrics",
    "planCacheRead",
    "replSetGetConfig",
    "replSetGetStatus",
    "serverStatus",
    "shardedDataDistribution",
    "shardingState",
    "top",
    "useUUID",
}
"""With `_READING`, what the roles `read` and `clusterMonitor` allow. All else might be writing."""
_RAW: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)


@dataclass(frozen=True)
class LiveCollection:
    """One collection, as one member of its deployment has it."""

    name: str
    """Database and collection: `shop.orders`."""
    answer_ms: int
    """How long the server may take for an answer."""
    member: str | None
    """Its address, as the member itself gives it; None where it is of no replica set."""
    database: "Database[dict[str, Any]]"

    @property
    def collection(self) -> str:
        """Give the collection's own name."""
        return self.name.partition(".")[2]

    def size(self) -> tuple[int, int, int]:
        """Tell how many documents there are, their bytes of BSON, and what they take on disk, as the server counts."""
        stage: dict[str, Any] = {"$collStats": {"storageStats": {}}}
        found = self.ask({"aggregate": self.collection, "pipeline": [stage], "cursor": {}})
        stats = found["cursor"]["firstBatch"][0]["storageStats"]
        return int(stats["count"]), int(stats["size"]), int(stats["storageSize"])

    def about(self) -> tuple[Metadata, str]:
        """Tell what a dump's metadata would, and the collection's UUID.

        Raises DatasetError for a view and its like, and what is not there.
        """
        listed = self.ask({"listCollections": 1, "filter": {"name": self.collection}})["cursor"]["firstBatch"]
        if not listed:
            raise DatasetError(f"dataset {self.name}: there is no such collection, or the user may not see it")
        found = {"type": listed[0].get("type"), "options": listed[0].get("options", {})}
        uuid = bytes(listed[0].get("info", {}).get("uuid", b"")).hex()
        if found["type"] == "collection":
            if "clusteredIndex" in found["options"]:
                raise DatasetError(f"dataset {self.name}: is a clustered collection, which can't be read live; dump it")
            found["indexes"] = self.ask({"listIndexes": self.collection})["cursor"]["firstBatch"]
        text = json_util.dumps(found, json_options=json_util.CANONICAL_JSON_OPTIONS)
        return parse_metadata(json.dumps(json.loads(text)), f"dataset {self.name}"), uuid

    def bounds(self) -> tuple[int, int] | None:
        """Give the first and the last record's id; None where there are no documents."""
        ends = [self._end(1), self._end(-1)]
        return None if None in ends else (int(ends[0] or 0), int(ends[1] or 0))

    def after(self, record: int | None, count: int) -> tuple[list[bytes], int | None] | None:
        """Give up to `count` neighbours that follow a record in stored order, and the last one's id.

        Without a record it is the collection's first ones. None where there is no such record. An answer ends at
        16 MiB, so that there may be fewer.
        """
        from pymongo.errors import OperationFailure  # noqa: PLC0415 only what asks a server pays for the driver

        command = {
            "find": self.collection,
            "hint": {"$natural": 1},
            "$_requestResumeToken": True,
            "limit": count,
            "batchSize": count,
            "singleBatch": True,
        }
        if record is not None:
            command["$_resumeAfter"] = {"$recordId": Int64(record)}
        try:
            cursor = self.ask(command, raw=True)["cursor"]
        except OperationFailure as error:
            if error.code == _KEY_NOT_FOUND:
                return None
            raise
        documents = [bytes(document.raw) for document in cursor["firstBatch"]]
        last = cursor["postBatchResumeToken"]["$recordId"]
        return documents, int(last) if isinstance(last, int) else None

    def _end(self, direction: int) -> int | None:
        command = {"find": self.collection, "hint": {"$natural": direction}, "limit": 1, "showRecordId": True}
        found = self.ask(command | {"singleBatch": True, "projection": {"_id": 1}})["cursor"]["firstBatch"]
        return int(found[0]["$recordId"]) if found else None

    def ask(self, command: dict[str, Any], *, database: str = "", raw: bool = False) -> Any:
        """Have the member answer a command on the collection's database, or on another one.

        `raw` leaves the documents in its answer as they are stored.
        """
        from pymongo import ReadPreference  # noqa: PLC0415

        asked = command | {"maxTimeMS": self.answer_ms}
        preference = ReadPreference.NEAREST  # of one
        whose = self.database.client.get_database(database) if database else self.database
        if raw:
            return whose.command(asked, read_preference=preference, codec_options=_RAW)
        return whose.command(asked, read_preference=preference)

    def ask_if_allowed(self, command: dict[str, Any], *, database: str = "") -> Any:
        """Have the member answer a command; None where the user may not, or this server doesn't know it.

        A capped collection that overwrote the place that was just read gives no documents; the next question may.
        """
        from pymongo.errors import OperationFailure  # noqa: PLC0415

        try:
            return self.ask(command, database=database)
        except OperationFailure as error:
            if error.code in _NOT_TO_BE_HAD:
                return None
            if error.code == _PLACE_LOST:
                return {"cursor": {"firstBatch": []}}
            raise


class _OneMember:
    """Keeps to one member, once there is one to keep to: another one's records have other ids."""

    def __init__(self, address: str | None) -> None:
        self.address = address
        """As the member itself gives it."""

    def __call__(self, found: "list[ServerDescription]") -> "list[ServerDescription]":
        """Give the members that may be asked."""
        return [one for one in found if self.address is None or _is_of(one, self.address)]


def _is_of(found: "ServerDescription", address: str) -> bool:
    """Tell whether an address is a member's; the driver has its own in small letters, without brackets."""
    host, port = found.address
    return f"{host}:{port}" == address.replace("[", "").replace("]", "").lower()


@contextmanager
def live_collection(
    uri_file: Path, name: str, *, answer_ms: int, member: str | None = None, primary: bool = False
) -> Iterator[LiveCollection]:
    """Open a collection called `<db>.<collection>` by the connection string in a file, preferably on a secondary.

    If a `member` is named, by its address, only that one is asked; the `primary` is, where its counts are wanted.

    Raises DatasetError, in the block too, and never with the connection string: the file is none that only its owner
    can read, the user can do more than read, the deployment is sharded, the server refuses, hangs or is gone.
    """
    database, _, collection = name.partition(".")
    if not database or not collection:
        raise DatasetError(f"dataset {name}: is no collection's name; write it as <database>.<collection>")
    uri = _uri(uri_file)
    from pymongo.errors import PyMongoError  # noqa: PLC0415 only what asks a server pays for the driver

    one = _OneMember(member)
    try:
        with _client(uri, one, answer_ms) as client:
            found = client.get_database(database)
            told = _hello(found, primary=primary)
            one.address = told.get("me")
            live = LiveCollection(name, answer_ms, one.address, found)
            if told.get("msg") == "isdbgrid":
                raise DatasetError(f"dataset {name}: is behind mongos; connect to the members of one shard, or dump it")
            _refuse_writers(live)
            yield live
    except (PyMongoError, UserWarning) as error:
        begun = f"; the sample that was begun goes on with {member} alone" if member else ""
        raise DatasetError(f"dataset {name}, {uri_file}: {_told(error)}{begun}") from None


def _client(uri: str, member: _OneMember, answer_ms: int) -> "MongoClient[dict[str, Any]]":
    """Give the driver's client. Raises UserWarning for an option that it would ignore, such as `tls=maybe`."""
    from pymongo import MongoClient  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return MongoClient(
            uri,
            server_selector=member,
            serverSelectionTimeoutMS=_SELECTION_MS,
            socketTimeoutMS=answer_ms + _MORE_THAN_AN_ANSWER_MS,
            maxPoolSize=1,
            appname=APP_NAME,
            datetime_conversion="DATETIME_AUTO",
            unicode_decode_error_handler="replace",
        )


def _hello(database: "Database[dict[str, Any]]", *, primary: bool) -> dict[str, Any]:
    """Have a secondary, or the primary, tell about itself; where none can be had, whoever there is."""
    from pymongo import ReadPreference  # noqa: PLC0415
    from pymongo.errors import ServerSelectionTimeoutError  # noqa: PLC0415

    wanted = ReadPreference.PRIMARY if primary else ReadPreference.SECONDARY
    try:
        return database.command("hello", read_preference=wanted)
    except ServerSelectionTimeoutError:
        return database.command("hello", read_preference=ReadPreference.NEAREST)


def _uri(file: Path) -> str:
    """Read the connection string, of which only its owner may know."""
    try:
        if stat.S_IMODE(file.stat(follow_symlinks=False).st_mode) & 0o077:
            raise DatasetError(f"{file}: holds a password, and others can read it; make it yours alone (chmod 600)")
        return read_regular(file, _LONGEST_URI_BYTES).decode().strip()
    except OSError as error:
        raise DatasetError(f"{file}: cannot be read ({error.strerror}); check path and rights") from None
    except UnicodeDecodeError:
        raise DatasetError(f"{file}: holds no connection string (mongodb://…)") from None


def _refuse_writers(live: LiveCollection) -> None:
    """See to it that the user can do no more than read."""
    known = live.ask({"connectionStatus": 1, "showPrivileges": True})["authInfo"]
    if not known["authenticatedUsers"]:
        raise DatasetError(
            f"dataset {live.name}: the connection string names no user, whom a server without access control "
            "would let write; name one who has the role read alone"
        )
    actions = {action for one in known["authenticatedUserPrivileges"] for action in one["actions"]}
    if more := sorted(action for action in actions - _HARMLESS if not _READING.fullmatch(action)):
        raise DatasetError(
            f"dataset {live.name}: the user can do more than read ({', '.join(more[:4])}{', …' if more[4:] else ''}); "
            "name one who has the role read alone"
        )


def _told(error: Exception) -> str:
    """Say what a driver's error means, without anything that might come from the connection string."""
    from pymongo.errors import ConfigurationError, OperationFailure, ServerSelectionTimeoutError  # noqa: PLC0415

    if isinstance(error, ConfigurationError | UserWarning):
        return "is no connection string that the driver understands (mongodb://user:password@host:port/…)"
    code = error.code if isinstance(error, OperationFailure) else None
    if code == _UNAUTHORIZED:
        return "the user may not read this collection; grant the role read on its database"
    if code == _FAILED_LOGIN:
        return "the server does not accept user and password"
    if code == _TOO_LONG or (getattr(error, "timeout", False) and not isinstance(error, ServerSelectionTimeoutError)):
        return "the server took too long for an answer; try again when it has less to do, or allow more time"
    if code is not None:
        return f"the server refused ({code}): {str(error).partition(', full error')[0][:300]}"
    return f"the server can't be reached, or is gone ({type(error).__name__}); check its address and the network"
