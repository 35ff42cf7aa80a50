"""Prepares recorded traffic for being replayed: one file of commands in their order, with what each was answered.

A record is, little-endian: its length without these 4 bytes (4), the lane (4), microseconds since the first request
(8), the operation's number in `OPERATIONS` (1), of its answer the kind (1), error code (4), count (8) and modified (8),
the cursor that it opened or asks (8), its place among those that ask it (4), and the command as BSON.
`pressgauge.RecordedOperation` reads it.

A lane is what one thread replays: sessions that are over make room for later ones.
"""

import json
import os
import struct
from collections import Counter, deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.files import half_written, write_whole
from datasets.errors import DatasetError
from datasets.recordings.commands import OPERATIONS as COMMANDS
from datasets.recordings.commands import NotReplayed, replayable
from datasets.recordings.exchanges import Exchange, exchanges, named
from datasets.recordings.profiler import ProfileFile
from datasets.recordings.records import Answer, Kind, Recorded, Request
from datasets.recordings.traffic import TrafficFile, is_traffic

FORMAT_VERSION = 1
MAGIC = b"PGREPLAY" + FORMAT_VERSION.to_bytes(4, "little")
OPERATIONS = tuple(dict.fromkeys(COMMANDS.values()))
RECORD = struct.Struct("<IIqBBiqqqI")
MOST_LANES = 1000
"""Sessions at once, each of which is a thread."""
_MOST_SESSIONS = 1_000_000
_MOST_NAMED = 200
_LONGEST_US = 30 * 86_400 * 1_000_000
_OWNERS, _OWNERS_FILE = 0o700, 0o600


class Traffic(BaseModel):
    """What is replayed of a recording, and what is not; stored as JSON."""

    model_config = ConfigDict(frozen=True)

    format_version: int = Field(FORMAT_VERSION, description="Version of this format.")
    source: str = Field(description="What the recording's file is called.")
    kind: str = Field(description="`traffic`: mongod's own recording; `profile`: its profiler's.")
    collection: str = Field(description="The collection whose operations are replayed, with its database.")
    collections: dict[str, int] = Field(description="Operations of each collection that could be replayed.")
    operations: dict[str, int] = Field(description="Operations that are replayed, by their kind.")
    answers: int = Field(description="Those of which the answer is known.")
    left_out: dict[str, int] = Field(description="Requests that are not replayed, by why not.")
    sessions: int = Field(description="Sessions with operations that are replayed.")
    lanes: int = Field(description="The most of them at once.")
    seconds: float = Field(description="From the first operation to the last.")
    ending: str = Field(description="Where the recording ends within a message: where; else empty.")
    digest: str = Field(description="BLAKE3 of the prepared file.")
    path: Path = Field(description="The prepared file; not stored, since it may move.", exclude=True)

    @property
    def count(self) -> int:
        """The operations that are replayed."""
        return sum(self.operations.values())


def prepare_traffic(recording: Path, collection: str | None, folder: Path) -> Traffic:
    """Give a recording's traffic with one collection: from the cache where it is whole, else prepared.

    A recording is another one when its size or time of change is. Without a collection it is the one with most
    operations. The prepared file holds the commands in clear, for the owner's eyes. Raises DatasetError.
    """
    try:
        told = recording.stat()
    except OSError as error:
        raise DatasetError(f"recording {recording}: cannot be read ({error.strerror}); check path and rights") from None
    about = [FORMAT_VERSION, str(recording.resolve()), told.st_size, told.st_mtime_ns, collection]
    path = folder / f"{blake3(json.dumps(about).encode()).hexdigest()}.traffic"
    manifest = path.with_suffix(".traffic.json")
    try:
        kept = json.loads(manifest.read_bytes())
        if path.is_file():
            return Traffic.model_validate(kept | {"path": path})
    except (OSError, ValueError, TypeError, ValidationError):
        pass
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(_OWNERS)
        found = _prepare(recording, collection, path)
        write_whole(manifest, found.model_dump_json(indent=1) + "\n", durable=True, mode=_OWNERS_FILE)
    except OSError as error:
        raise DatasetError(
            f"datasets directory {folder}: cannot be written ({error.strerror}); check rights and free space"
        ) from None
    return found


def _prepare(recording: Path, collection: str | None, path: Path) -> Traffic:
    kind = "traffic" if is_traffic(recording) else "profile"
    recorded: Iterable[Recorded] = TrafficFile(recording) if kind == "traffic" else ProfileFile(recording)
    survey = _Survey()
    for one in recorded:
        if isinstance(one, Request):
            survey.add(one)
    chosen = survey.chosen(recording, collection)
    half = path.with_name(half_written(f"{path.name}.{os.getpid()}"))
    try:
        with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _OWNERS_FILE), "wb") as file:  # noqa: PTH123
            writer = _Writer(recording, file, _Lanes(recording, survey.of_session(chosen)))
            for found in exchanges(recorded, chosen):
                writer.add(found)
            file.flush()
            os.fsync(file.fileno())
        if not writer.operations:
            raise DatasetError(f"recording {recording}: holds no operation that can be replayed; {survey.described()}")
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    return Traffic(
        source=recording.name,
        kind=kind,
        collection=chosen,
        collections=dict(survey.collections.most_common(_MOST_NAMED)),
        operations={name: writer.operations[name] for name in OPERATIONS if writer.operations[name]},
        answers=writer.answers,
        left_out=dict(writer.left_out.most_common()),
        sessions=writer.lanes.sessions,
        lanes=writer.lanes.most,
        seconds=writer.last_us / 1e6,
        ending=writer.ending,
        digest=writer.digest.hexdigest(),
        path=path,
    )


@dataclass
class _Survey:
    """What a first look at a recording finds: its collections, and which sessions work on them how often."""

    collections: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    sessions: Counter[tuple[Hashable, str]] = field(default_factory=Counter)

    def add(self, request: Request) -> None:
        """Take in a request."""
        found = replayable(request)
        if isinstance(found, NotReplayed):
            _count(self.others, found.why)
            return
        collection = named(request, found)
        if collection not in self.collections and len(self.collections) >= _MOST_NAMED:
            return
        self.collections[collection] += 1
        key = request.session, collection
        if key in self.sessions or len(self.sessions) < _MOST_SESSIONS:
            self.sessions[key] += 1

    def chosen(self, recording: Path, collection: str | None) -> str:
        """The collection that was asked for, or has most operations. Raises DatasetError."""
        if collection is None and self.collections:
            return min(self.collections, key=lambda name: (-self.collections[name], name))
        if collection is not None and collection in self.collections:
            return collection
        what = f"no operation on {collection} that" if collection else "no operation that"
        raise DatasetError(f"recording {recording}: holds {what} can be replayed; {self.described()}")

    def described(self) -> str:
        """What there is, in words."""
        names = [f"{count:,} × {name}" for name, count in (self.collections or self.others).most_common(8)]
        return "it has " + (", ".join(names) if names else "no commands at all")

    def of_session(self, collection: str) -> Counter[Hashable]:
        """How many operations each session has on a collection."""
        return Counter({session: count for (session, name), count in self.sessions.items() if name == collection})


@dataclass
class _Lanes:
    """Gives sessions lanes, and those of sessions that are over to later ones, the longest free first."""

    recording: Path
    left: Counter[Hashable]
    taken: dict[Hashable, int] = field(default_factory=dict)
    free: deque[tuple[int, int]] = field(default_factory=deque)
    """Since when, and which."""
    most: int = 0
    sessions: int = 0

    def of(self, one: Exchange) -> int:
        """The lane of a session's next operation. Raises DatasetError."""
        session = one.session
        lane = self.taken.get(session)
        if lane is None:
            self.sessions += 1
            lane = self.free.popleft()[1] if self.free and self.free[0][0] <= one.at_us else self.most
            self.most = max(self.most, lane + 1)
            if self.most > MOST_LANES:
                raise DatasetError(
                    f"recording {self.recording}: more than {MOST_LANES:,} sessions at once; record a part of the "
                    "clients, or for a shorter time"
                )
            self.taken[session] = lane
        self.left[session] -= 1
        if self.left[session] == 0 and one.answered_us is not None:
            self.free.append((one.answered_us, self.taken.pop(session)))
        return lane


class _Writer:
    """Writes the records, and counts what it writes and what is left out."""

    def __init__(self, recording: Path, file: BinaryIO, lanes: _Lanes) -> None:
        self.recording, self.file, self.lanes = recording, file, lanes
        self.operations, self.left_out = Counter[str](), Counter[str]()
        self.answers = self.last_us = 0
        self.first_us: int | None = None
        self.ending = ""
        self.cursors = dict[int, int]()
        self.digest = blake3()
        self._write(MAGIC)

    def add(self, found: Exchange | NotReplayed) -> None:
        """Write an exchange, or count what is none. Raises DatasetError, OSError."""
        if isinstance(found, Exchange):
            self._record(found)
        elif found.ending:
            self.ending = found.why
        else:
            _count(self.left_out, found.why)

    def _record(self, one: Exchange) -> None:
        if self.first_us is None:
            self.first_us = one.at_us
        at_us = max(0, one.at_us - self.first_us)
        if at_us > _LONGEST_US:
            raise DatasetError(
                f"recording {self.recording}: its times jump by more than 30 days; it is damaged, or several "
                "recordings in one: record it again"
            )
        self.last_us = max(self.last_us, at_us)
        answer, lane = one.answer or Answer(), self.lanes.of(one)
        if one.operation == "GET-MORE" and one.asks_cursor not in self.cursors:
            _count(self.left_out, "getMore of cursors whose beginning is not replayed")
            return
        asks = self._asks(one, answer)
        self.answers += answer.kind != Kind.NOT_RECORDED
        self.operations[one.operation] += 1
        head = RECORD.pack(
            RECORD.size - 4 + len(one.command), lane, at_us, OPERATIONS.index(one.operation),
            answer.kind, answer.code, answer.n, answer.modified, one.asks_cursor or answer.cursor,
            asks,
        )  # fmt: skip
        self._write(head + one.command)

    def _asks(self, one: Exchange, answer: Answer) -> int:
        """An exchange's place among those that ask its cursor for more, from 1; 0 for one that asks none."""
        if one.operation != "GET-MORE":
            if answer.kind == Kind.OPEN and len(self.cursors) < _MOST_SESSIONS:
                self.cursors[answer.cursor] = 0
            return 0
        self.cursors[one.asks_cursor] += 1
        asks = self.cursors[one.asks_cursor]
        if answer.kind in {Kind.DONE, Kind.REFUSED}:
            del self.cursors[one.asks_cursor]
        return asks

    def _write(self, content: bytes) -> None:
        self.digest.update(content)
        self.file.write(content)


def _count(counter: Counter[str], what: str) -> None:
    """Count under a name; of names that a recording makes up there are only so many."""
    counter[what if what in counter or len(counter) < _MOST_NAMED else "others"] += 1
