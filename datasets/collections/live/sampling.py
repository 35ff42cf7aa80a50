"""A sample of a collection on a server that is in use."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from core.sizes import show_size
from datasets.collections.anonymise import Anonymise
from datasets.collections.appearing import appearing
from datasets.collections.draw import LEAST_RUNS, Drawn, no_documents, thin_out
from datasets.collections.files.checks import check
from datasets.collections.live.identity import identity
from datasets.collections.live.reading import Asked, Reading, Starts, member_of
from datasets.collections.live.server import LiveCollection, live_collection
from datasets.collections.sample import SPOOL, write_sample
from datasets.collections.spool import Run, Seal, Spool
from datasets.collections.stored_sample import Sample
from datasets.documents import draw
from datasets.errors import DatasetError

BYTES_PER_S = 8 * 2**20
ANSWER_MS = 2000
_PROBES_PER_RUN = 50
_STARTS_PER_RUN = 2
_BEYOND = 4
_TOLD_EVERY_S = 10.0


class Found(NamedTuple):
    """Neighbours that were read."""

    start: int | None
    """Id of the record before them; None where there is none."""
    end: int | None
    """Id of the last one."""
    offset: int
    """How many documents come before them."""
    documents: list[bytes]


def take_live_sample(  # noqa: PLR0913 what a dump's sample has, and how gently
    uri_file: Path,
    name: str,
    folder: Path,
    *,
    most_bytes: int,
    most_documents: int | None = None,
    run_documents: int = 240,
    run_bytes: int = 0,
    seed: int,
    anonymise: Anonymise | None = None,
    bytes_per_s: int = BYTES_PER_S,
    answer_ms: int = ANSWER_MS,
    sleep: Callable[[float], None] = time.sleep,
    tell: Callable[[str], None] = lambda _: None,
) -> Sample:
    """Take runs of neighbours evenly from the collection `<db>.<collection>`, by the connection string in a file.

    Reads no faster than `bytes_per_s` on average, each answer within `answer_ms`, from one member, a secondary where
    there is one. A run has `run_documents`, or more where they are less than `run_bytes`. What a sample is,
    `take_sample` says. Its manifest's figures of the source are the server's counts, or those of what was read where
    that is all; where a run begins in the source follows from its record's id, as exactly as records are evenly
    numbered. A document that is deleted and inserted again in the meantime is taken once.

    If the process is killed, or the server is gone, the runs that were read stay in the folder `unfinished(folder)`,
    and the same call goes on with them; a call that asks for anything else begins anew. What is to be anonymised is
    not kept: only this process can read it.

    Raises DatasetError as `live_collection` and `take_sample` do, and where the collection changes while it is read.
    """
    goes_on = anonymise is None
    member = member_of(folder) if goes_on else None
    with live_collection(uri_file, name, answer_ms=answer_ms, member=member) as live:
        metadata, uuid = live.about()
        documents, size, storage_bytes = live.size()
        asked = Asked(
            collection=name, uuid=uuid, member=live.member, most_bytes=most_bytes, most_documents=most_documents,
            run_documents=run_documents, run_bytes=run_bytes, seed=seed, documents=documents, bytes=size,
        )  # fmt: skip
        with appearing(folder, goes_on=goes_on) as new:
            reading = Reading.begin(Spool(new / SPOOL, None if goes_on else Seal()), asked, on_disk=goes_on)
            if reading.read:
                tell(f"{name}: going on after {len(reading.read):,} runs that were read before")
            _read(live, reading, _Pace(bytes_per_s, sleep), tell)
            manifest = write_sample(
                new, name, metadata.model_copy(update={"storage_bytes": storage_bytes}), _drawn(live, reading),
                reading.spool, seed=seed, anonymise=anonymise,
            )  # fmt: skip
        return Sample(folder, manifest)


class _Pace:
    """Waits so as not to be faster than asked, on average."""

    def __init__(self, bytes_per_s: int, sleep: Callable[[float], None]) -> None:
        self._bytes_per_s, self._sleep = bytes_per_s, sleep
        self._read_bytes = 0
        self._started = time.monotonic()

    def keep(self, read_bytes: int) -> None:
        self._read_bytes += read_bytes
        self._sleep(max(0.0, self._read_bytes / self._bytes_per_s - (time.monotonic() - self._started)))


def _read(live: LiveCollection, reading: Reading, pace: _Pace, tell: Callable[[str], None]) -> None:
    """Read the runs that are not there yet."""
    told_at = time.monotonic()
    seen = set(map(identity, reading.spool.documents()))
    for found in _all(live, reading) if reading.asked.is_whole else _some(live, reading):
        for number, document in enumerate(found.documents, found.offset + 1):
            check(document, f"dataset {live.name}, about document {number}")
        documents = list(_new(found.documents, seen))
        if not documents:
            continue
        run = Run(offset=found.offset, documents=len(documents), bytes=sum(map(len, documents)))
        reading.add(found.start, found.end, run, documents)
        if reading.spool.size_bytes > _BEYOND * reading.asked.limit_bytes:
            few = reading.asked.is_whole
            why = "it has far more than its server counts" if few else "its documents' sizes differ too much"
            raise _unsteady(live, why)
        pace.keep(run.bytes)
        if time.monotonic() - told_at > _TOLD_EVERY_S:
            told_at = time.monotonic()
            tell(
                f"{live.name}: {show_size(reading.spool.size_bytes)} of {show_size(reading.asked.limit_bytes)} are read"
            )


def _new(documents: list[bytes], seen: set[int | None]) -> Iterator[bytes]:
    """Give the documents but for those that were deleted and inserted again since they were read."""
    for document in documents:
        found = identity(document)
        if found is None or found not in seen:
            seen.add(found)
            yield document


def _drawn(live: LiveCollection, reading: Reading) -> Drawn:
    """Choose among what was read, and say what it is."""
    spool, asked = reading.spool, reading.asked
    if not spool.kept:
        raise no_documents(live.name)
    read, size = sum(one.run.documents for one in spool.kept), spool.size_bytes
    if asked.is_whole:  # then what was read is better known than what the server counts
        asked = asked.model_copy(update={"documents": read, "bytes": size})
        if asked.is_whole:
            return Drawn((Run(offset=0, documents=read, bytes=size),), read, size, bytes_estimated=False)
    thin_out(spool, f"dataset {live.name}", asked.limit_bytes, asked.seed)
    runs = tuple(one.run for one in spool.kept)
    return Drawn(runs, max(asked.documents, read), max(asked.bytes, size), bytes_estimated=not reading.asked.is_whole)


def _all(live: LiveCollection, reading: Reading) -> Iterator[Found]:
    """Give all documents that were not read yet."""
    end = reading.read[-1].end if reading.read else None
    while True:
        found = live.after(end, reading.asked.of_a_run)
        if found is None:
            raise _unsteady(live, "a document where reading was to go on was deleted")
        run, ended = found
        if not run:
            return
        last = reading.read[-1].run if reading.read else None
        yield Found(end, ended, last.offset + last.documents if last else 0, run)
        end = ended


def _some(live: LiveCollection, reading: Reading) -> Iterator[Found]:
    """Give runs from starts that are drawn among the records, in stored order, none of which overlap."""
    asked = reading.asked
    of_a_run = max(1, min(asked.of_a_run, int(asked.limit_bytes / LEAST_RUNS / asked.mean_bytes)))
    starts = reading.starts(
        lambda: _starts(live, max(1, int(asked.limit_bytes / asked.mean_bytes / of_a_run)), asked.seed)
    )
    if starts is None:
        return
    read = {one.start: one for one in reading.read}
    ended = starts.first - 1
    for start in starts.after:
        if start in read:
            ended = read[start].end or start
            continue
        found = live.after(start, of_a_run) if start >= ended else None
        if found and found[0]:
            ended = found[1] if found[1] is not None else start + len(found[0])
            offset = (start + 1 - starts.first) * asked.documents // (starts.last + 1 - starts.first)
            yield Found(start, ended, offset, found[0])


def _starts(live: LiveCollection, runs: int, seed: int) -> Starts | None:
    """Draw records to start after: any as likely as another, whatever was deleted, and at about equal distances.

    A number that no record has is drawn again; of twice as many as are needed, sorted, every second one is taken.
    None where there are no documents.
    """
    bounds = live.bounds()
    if bounds is None:
        return None
    first, last = bounds
    found = set[int]()
    for probe in range(_PROBES_PER_RUN * runs):
        record = first + draw(seed, probe, 0, 0) % (last + 1 - first)
        if record not in found and live.after(record, 1) is not None:
            found.add(record)
            if len(found) == _STARTS_PER_RUN * runs:
                break
    if len(found) < runs:
        raise _unsteady(live, "most of what it once held was deleted, so that records to start at are hard to find")
    return Starts(first=first, last=last, after=sorted(found)[::_STARTS_PER_RUN])


def _unsteady(live: LiveCollection, why: str) -> DatasetError:
    return DatasetError(f"dataset {live.name}: {why}; try again, or give a mongodump")
