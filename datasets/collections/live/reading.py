"""What was read of a collection so far: kept on disk, so that a reading that was killed goes on where it stopped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from blake3 import blake3
from pydantic import BaseModel, ConfigDict, ValidationError

from core.files import write_whole
from core.stored import read_regular
from datasets.collections.appearing import empty, unfinished
from datasets.collections.spool import Kept, Run, Spool

ASKED, STARTS, READ = "reading.json", "starts.json", "runs.jsonl"
_Part = TypeVar("_Part", bound=BaseModel)


class Asked(BaseModel):
    """What is read, of which server's collection; the counts are those of when reading began."""

    model_config = ConfigDict(frozen=True)

    format_version: int = 1
    collection: str
    uuid: str
    """Of the collection. One that was made anew under its name has another one."""
    member: str | None
    """Its address: another one's records have other ids."""
    most_bytes: int
    most_documents: int | None
    run_documents: int
    run_bytes: int
    seed: int
    documents: int
    bytes: int

    @property
    def is_whole(self) -> bool:
        """Whether all of the collection is read."""
        return self.bytes <= self.limit_bytes

    @property
    def is_counted(self) -> bool:
        """Whether the counts say anything: a server that wasn't shut down cleanly may have none."""
        return self.documents > 0 and self.bytes > 0

    @property
    def limit_bytes(self) -> int:
        """How large the sample may be, as the counts have it."""
        if not self.is_counted:
            return self.most_bytes
        return min(self.most_bytes, round((self.most_documents or self.most_bytes) * self.mean_bytes))

    @property
    def mean_bytes(self) -> float:
        """Of a document."""
        return max(self.bytes / max(self.documents, 1), 1)

    @property
    def of_a_run(self) -> int:
        """Tell how many documents are read at once."""
        return max(self.run_documents, int(self.run_bytes / self.mean_bytes) if self.is_counted else 0)

    def is_like(self, other: "Asked") -> bool:
        """Tell whether the same is asked for, whatever the counts are now."""
        return self == other.model_copy(update={"documents": self.documents, "bytes": self.bytes})


class Starts(BaseModel):
    """Where runs begin."""

    model_config = ConfigDict(frozen=True)

    first: int
    """Id of the collection's first record."""
    last: int
    """Id of its last record."""
    after: list[int]
    """Ids of the records after which runs begin."""


class ReadRun(BaseModel):
    """A run that was read."""

    model_config = ConfigDict(frozen=True)

    start: int | None
    """Id of the record after which it begins; None: it is the collection's first one."""
    end: int | None
    """Id of its last record."""
    run: Run
    digest: str
    """BLAKE3 of its documents."""


@dataclass
class Reading:
    """The runs that were read, in their order; in files where they are to survive this process."""

    asked: Asked
    spool: Spool
    on_disk: bool
    read: list[ReadRun] = field(default_factory=list)

    @classmethod
    def begin(cls, spool: Spool, asked: Asked, *, on_disk: bool) -> "Reading":
        """Go on with what the spool's folder holds of the same reading, or begin in an empty folder. Raises OSError."""
        folder = spool.path.parent
        if on_disk:
            earlier = _stored(folder / ASKED, Asked)
            if earlier and earlier.is_like(asked):
                found = cls(earlier, spool, on_disk)
                found._recall()
                return found
        empty(folder)
        if on_disk:
            write_whole(folder / ASKED, asked.model_dump_json(), mode=0o600)
        return cls(asked, spool, on_disk)

    def starts(self, draw: Callable[[], Starts | None]) -> Starts | None:
        """Give the records to start after: those that were drawn before, or newly drawn ones."""
        path = self.spool.path.parent / STARTS
        earlier = _stored(path, Starts) if self.on_disk else None
        drawn = earlier or draw()
        if self.on_disk and drawn and not earlier:
            write_whole(path, drawn.model_dump_json(), mode=0o600)
        return drawn

    def add(self, start: int | None, end: int | None, run: Run, documents: list[bytes]) -> None:
        """Keep a run, too: first its documents, then the line that says that they are there."""
        self.spool.append(len(self.read), run, documents)
        one = ReadRun(start=start, end=end, run=run, digest=blake3(b"".join(documents)).hexdigest())
        self.read.append(one)
        if self.on_disk:
            with (self.spool.path.parent / READ).open("a", encoding="utf-8") as file:
                file.write(one.model_dump_json() + "\n")

    def _recall(self) -> None:
        """Find the runs whose documents are there, and cut off what came after them when the process was killed."""
        path = self.spool.path.parent / READ
        lines = read_regular(path).splitlines() if path.exists() else []
        self.spool.path.touch()
        with self.spool.path.open("r+b") as file:
            for line in lines:
                one = _parsed(line, ReadRun)
                data = file.read(one.run.bytes) if one else b""
                if one is None or blake3(data).hexdigest() != one.digest:
                    break
                self.spool.recall(Kept(len(self.read), one.run, self.spool.size_bytes))
                self.read.append(one)
            file.truncate(self.spool.size_bytes)
        write_whole(path, "".join(one.model_dump_json() + "\n" for one in self.read), mode=0o600)


def member_of(folder: Path) -> str | None:
    """Give the member that was asked for the sample that `folder` is to be, if that was begun."""
    earlier = _stored(unfinished(folder) / ASKED, Asked)
    return earlier.member if earlier else None


def _stored(path: Path, kind: type[_Part]) -> _Part | None:
    try:
        return _parsed(read_regular(path), kind)
    except OSError:
        return None


def _parsed(text: bytes, kind: type[_Part]) -> _Part | None:
    try:
        return kind.model_validate_json(text)
    except ValidationError:
        return None
