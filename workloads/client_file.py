"""The YCSB client's account of itself: `<phase>.client.json`, written by the load generator when it ends."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.bounds import Word
from core.stored import read_stored
from workloads.errors import YcsbOutputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Self

_Moment = Annotated[float, Field(ge=0, le=1e11)]
_LARGEST_FILE_BYTES = 32 * 2**20  # about a week of samples

FLUSH = "FLUSH"
"""The bulk writes of a batched load; its latencies are of whole batches, its statuses are counted by document."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Death(_Part):
    """A client thread that did not finish."""

    thread: int
    why: str


class Threads(_Part):
    """What became of the client's threads."""

    asked: int
    started: int
    finished: int
    died: tuple[Death, ...]


class Operations(_Part):
    """One operation's calls, by the status they returned."""

    attempted: int
    ok: int
    by_status: dict[str, int]


class Collections(_Part):
    """Garbage collections of the client's JVM."""

    count: int
    total_ms: float


class StoredAs(_Part):
    """How the client stored documents; of normalised ones, what became of their values."""

    name: str = "embedded"
    hash_bits: int | None = None
    known_hashes: int | None = None
    hits: int = 0
    misses: int = 0
    met: int = 0


class Answers(_Part):
    """How the answers of a replay compare with the recorded ones."""

    compared: int
    not_recorded: int
    unequal: dict[str, int]
    documents_added: int
    examples: tuple[str, ...]


class Turn(_Part):
    """A time in which the client's gate was open (Unix time, in whole milliseconds), and its measured part.

    The edges of intervals lie on these moments: none reaches across one.
    """

    opened_s: _Moment
    measured_s: _Moment | None = Field(description="None in a warm-up.")
    all_until_s: _Moment | None = Field(None, description="When no more operations were let through; None: not told.")
    closed_s: _Moment = Field(description="When those in flight had ended, too.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        moments = [self.opened_s, self.measured_s, self.all_until_s, self.closed_s]
        told = [moment for moment in moments if moment is not None]
        if told != sorted(told):
            raise ValueError("opened, measured, all until and closed are not in this order")
        return self

    @property
    def measured(self) -> tuple[float, float] | None:
        """The span in which it was measured: as long as every thread worked."""
        until = self.closed_s if self.all_until_s is None else self.all_until_s
        return None if self.measured_s is None else (self.measured_s, until)


class Connection(_Part):
    """What the client's driver does of itself."""

    retry_writes: bool
    read_concern: Word | None = Field(description="None: it names none.")
    read_preference: Word
    compression: Word | None = Field(
        None, description="Wire compressor that it asks for, with its level if it was told one (`zlib 9`)."
    )


class ClientFile(_Part):
    """Threads, operations by status, CPU and collections of one client process."""

    threads: Threads
    operations: dict[str, Operations]
    versions_written: int = Field(
        description="Field versions that read-modify-writes gave, failed ones included: the most that is stored, and …"
    )
    versions_unsettled: int = Field(
        0, description="… so many fewer at least: of writes that overlap, or fail, the client can't know the last."
    )
    writes_counted: int = Field(
        0, description="Acknowledged updates of mixes of one's own, which documents count, too."
    )
    writes_uncertain: int = Field(0, description="Such updates that failed: they may have been done.")
    documents_overwritten: int = Field(
        0, description="Documents that were deleted or replaced, and their counts of updates with them."
    )
    records_inserted: int = Field(0, description="New records that were acknowledged.")
    last_inserted_record: int | None
    model: StoredAs = Field(default_factory=StoredAs, description="Earlier clients had no other, and told none.")
    write_concern: str | None = Field(None, description='What the driver sent with each write, as JSON: `{"w": 1, …}`.')
    connections: tuple[Connection, ...] = Field(
        (), description="Its driver's; of several clients each that differs. None of clients that were not asked yet."
    )
    duration_s: float
    target_per_s: float | None
    achieved_per_s: float
    cpu_s: float
    gc: Collections
    cores: int = Field(description="Processors that the client's process may use.")
    samples: tuple[tuple[float, float, float, float], ...] = Field(
        description="(unix time s, operations, cpu_s, gc_ms) once a second, and at the edges of turns"
    )
    turns: tuple[Turn, ...] = Field((), description="In order; none of a client that ran without a gate.")
    all_until_s: _Moment | None = Field(
        None, description="Until when every thread worked; None: it took turns, or it was not told."
    )

    answers: Answers | None = Field(None, description="Of a replay.")

    @model_validator(mode="after")
    def _turns_in_order(self) -> Self:
        if any(later.opened_s < earlier.closed_s for earlier, later in pairwise(self.turns)):
            raise ValueError("turns are not one after the other")
        return self

    @property
    def counted(self) -> dict[str, Operations]:
        """The operations as the database answered them: of a batched load its documents' fate in the bulk writes.

        There an insert only puts a document into the batch; what became of it, `FLUSH` tells, document by document.
        """
        flushed = self.operations.get(FLUSH)
        return {FLUSH: flushed} if flushed else self.operations

    @property
    def acknowledged(self) -> int:
        """Operations (of a batched load: documents) that returned OK."""
        return sum(one.ok for one in self.counted.values())

    @property
    def failed(self) -> int:
        """Operations (of a batched load: documents) that did not return OK."""
        return sum(one.attempted - one.ok for one in self.counted.values())

    @property
    def longest_stall_s(self) -> float:
        """The longest time between two samples' moments over which no operation ended, in seconds.

        Of a client that took turns, only the time within its turns counts, as if one followed the other.
        """
        if not self.samples:
            return 0.0
        passed_s = [self._passed_s(sample[0]) for sample in self.samples]
        longest, since = 0.0, 0
        for number, sample in enumerate(self.samples):
            if sample[1] > self.samples[since][1]:
                longest = max(longest, passed_s[number] - passed_s[since])
                since = number
        return max(longest, passed_s[-1] - passed_s[since])

    def _passed_s(self, at_s: float) -> float:
        """The time until a moment in which the gate was open; without a gate, the moment itself."""
        if not self.turns:
            return at_s
        before = bisect_right(self.turns, at_s, key=lambda turn: turn.opened_s)
        if not before:
            return 0.0
        last = self.turns[before - 1]
        return self._open_s[before - 1] + min(at_s, last.closed_s) - last.opened_s

    @cached_property
    def _open_s(self) -> list[float]:
        """The time in turns before each turn."""
        return [0.0, *accumulate(turn.closed_s - turn.opened_s for turn in self.turns)]


def of_all(clients: Iterable[ClientFile]) -> ClientFile:
    """Several clients' accounts of one phase as one; samples and turns stay with their clients.

    Threads are numbered client by client.
    """
    every = list(clients)
    if len(every) == 1:
        return every[0]
    deaths, started = [], 0
    for one in every:
        deaths += [Death(thread=started + death.thread, why=death.why) for death in one.threads.died]
        started += one.threads.asked
    targets = [one.target_per_s for one in every if one.target_per_s is not None]
    inserted = [one.last_inserted_record for one in every if one.last_inserted_record is not None]
    return ClientFile(
        threads=Threads(
            asked=sum(one.threads.asked for one in every),
            started=sum(one.threads.started for one in every),
            finished=sum(one.threads.finished for one in every),
            died=tuple(deaths),
        ),
        operations={
            name: _sum([one.operations[name] for one in every if name in one.operations])
            for name in sorted({name for one in every for name in one.operations})
        },
        versions_written=sum(one.versions_written for one in every),
        versions_unsettled=sum(one.versions_unsettled for one in every),
        writes_counted=sum(one.writes_counted for one in every),
        writes_uncertain=sum(one.writes_uncertain for one in every),
        documents_overwritten=sum(one.documents_overwritten for one in every),
        records_inserted=sum(one.records_inserted for one in every),
        last_inserted_record=max(inserted, default=None),
        model=_model_of_all([one.model for one in every]),
        write_concern=" | ".join(dict.fromkeys(str(one.write_concern) for one in every)),
        connections=tuple(dict.fromkeys(found for one in every for found in one.connections)),
        duration_s=max(one.duration_s for one in every),
        target_per_s=sum(targets) if targets else None,
        achieved_per_s=sum(one.achieved_per_s for one in every),
        cpu_s=sum(one.cpu_s for one in every),
        gc=Collections(
            count=sum(one.gc.count for one in every),
            total_ms=sum(one.gc.total_ms for one in every),
        ),
        cores=sum(one.cores for one in every),
        samples=(),
    )


def _model_of_all(models: list[StoredAs]) -> StoredAs:
    """Their counts together; a setting in which they differ is none."""
    named = {key: {getattr(one, key) for one in models} for key in ("name", "hash_bits", "known_hashes")}
    alike = {key: found.pop() if len(found) == 1 else None for key, found in named.items()}
    counted = {key: sum(getattr(one, key) for one in models) for key in ("hits", "misses", "met")}
    return StoredAs.model_validate({**alike, **counted, "name": alike["name"] or "of several kinds"})


def _sum(parts: list[Operations]) -> Operations:
    by_status: Counter[str] = Counter()
    for part in parts:
        by_status.update(part.by_status)
    return Operations(
        attempted=sum(part.attempted for part in parts), ok=sum(part.ok for part in parts), by_status=dict(by_status)
    )


def read_client_file(path: Path) -> ClientFile:
    """Read a client's own account.

    Raises:
        YcsbOutputError: it is missing (the client did not end by itself), cut short or of another form.
    """
    try:
        return ClientFile.model_validate_json(read_stored(path, _LARGEST_FILE_BYTES))
    except OSError as error:
        raise YcsbOutputError(f"{path}: {error.strerror}; the client did not end by itself") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise YcsbOutputError(f"{path}: not a client's account: {where}: {first['msg']}") from error
