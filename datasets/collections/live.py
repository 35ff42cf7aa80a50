"""A sample of a collection on a server that is in use."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from datasets.collections.checks import check
from datasets.collections.draw import LEAST_RUNS, Drawn, Run, Spool, no_documents, thin_out
from datasets.collections.sample import Sample, write_sample
from datasets.collections.server import LiveCollection, live_collection
from datasets.documents import draw
from datasets.errors import DatasetError

BYTES_PER_S = 8 * 2**20
ANSWER_MS = 2000
_PROBES_PER_RUN = 50
_STARTS_PER_RUN = 2
_BEYOND = 4

Placed = tuple[int, list[bytes]]
"""Neighbours, and how many documents come before them."""


def take_live_sample(  # noqa: PLR0913 what a dump's sample has, and how gently
    uri_file: Path,
    name: str,
    folder: Path,
    *,
    most_bytes: int,
    run_documents: int = 240,
    seed: int,
    bytes_per_s: int = BYTES_PER_S,
    answer_ms: int = ANSWER_MS,
    sleep: Callable[[float], None] = time.sleep,
) -> Sample:
    """Take runs of neighbours evenly from the collection `<db>.<collection>`, by the connection string in a file.

    Reads no faster than `bytes_per_s` on average, each answer within `answer_ms`, from one member, a secondary where
    there is one. What a sample is, `take_sample` says. Its manifest's figures of the source are the server's counts;
    where a run begins in the source follows from its record's id, as exactly as records are evenly numbered.

    Raises DatasetError as `live_collection` does, and where the collection changes while it is read.
    """
    with live_collection(uri_file, name, answer_ms=answer_ms) as live:
        metadata = live.metadata()
        documents, size, storage_bytes = live.size()
        whole = size <= most_bytes
        runs = _all(live, run_documents) if whole else _some(live, (documents, size), most_bytes, run_documents, seed)

        def drawn(path: Path) -> Drawn:
            spool = Spool(path)
            path.touch()
            started = time.monotonic()
            for offset, run in runs:
                for number, document in enumerate(run, offset + 1):
                    check(document, f"dataset {name}, about document {number}")
                spool.append(offset, Run(offset=offset, documents=len(run), bytes=sum(map(len, run))), run)
                if spool.size_bytes > _BEYOND * most_bytes:
                    raise _unsteady(live, "its documents' sizes differ too much")
                sleep(max(0.0, spool.size_bytes / bytes_per_s - (time.monotonic() - started)))
            if not spool.kept:
                raise no_documents(name)
            kept = sum(run.documents for _, run in spool.kept)
            if whole and spool.size_bytes <= most_bytes:
                return Drawn((Run(offset=0, documents=kept, bytes=spool.size_bytes),), kept, spool.size_bytes, False)
            thin_out(spool, f"dataset {name}", most_bytes, seed)
            return Drawn(tuple(run for _, run in spool.kept), documents, size, bytes_estimated=True)

        return write_sample(folder, name, metadata.model_copy(update={"storage_bytes": storage_bytes}), drawn, seed)


def _all(live: LiveCollection, run_documents: int) -> Iterator[Placed]:
    """Give all documents, from the first on."""
    offset, last = 0, None
    while True:
        found = live.after(last, run_documents)
        if found is None:
            raise _unsteady(live, "a document where reading was to go on was deleted")
        run, last = found
        if not run:
            return
        yield offset, run
        offset += len(run)


def _some(
    live: LiveCollection, source: tuple[int, int], most_bytes: int, run_documents: int, seed: int
) -> Iterator[Placed]:
    """Give runs from starts that are drawn among the records, in stored order, none of which overlap."""
    documents, size = source
    bounds = live.bounds()
    if bounds is None:
        return
    first, last = bounds
    mean_bytes = max(size / max(documents, 1), 1)
    of_a_run = max(1, min(run_documents, int(most_bytes / LEAST_RUNS / mean_bytes)))
    ended = first - 1
    for start in _starts(live, bounds, max(1, int(most_bytes / mean_bytes / of_a_run)), seed):
        found = live.after(start, of_a_run) if start >= ended else None
        if found and found[0]:
            yield (start + 1 - first) * documents // (last + 1 - first), found[0]
            ended = found[1] if found[1] is not None else start + len(found[0])


def _starts(live: LiveCollection, bounds: tuple[int, int], runs: int, seed: int) -> list[int]:
    """Draw records to start after: any as likely as another, whatever was deleted, and at about equal distances.

    A number that no record has is drawn again; of twice as many as are needed, sorted, every second one is taken.
    """
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
    return sorted(found)[::_STARTS_PER_RUN]


def _unsteady(live: LiveCollection, why: str) -> DatasetError:
    return DatasetError(f"dataset {live.name}: {why}; try again, or give a mongodump")
