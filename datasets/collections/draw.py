"""Draws runs of neighbours evenly over a source whose length is known only at its end."""

from collections.abc import Iterator
from dataclasses import dataclass

from datasets.collections.records import Collection, Record
from datasets.collections.spool import Run, Spool
from datasets.documents import draw
from datasets.errors import DatasetError

LEAST_RUNS = 16
"""Of the largest documents: a run ends early, so that a sample holds as many."""
_LARGEST_RUN_BYTES = 2**25


@dataclass(frozen=True)
class Drawn:
    """What was drawn, and what of."""

    runs: tuple[Run, ...]
    documents: int
    """Of the whole source."""
    bytes: int
    """Of the whole source."""
    bytes_estimated: bool
    """Whether most of the source was not parsed, so that its size in BSON follows from what was."""


def draw_runs(collection: Collection, spool: Spool, *, most_bytes: int, run_documents: int, seed: int) -> Drawn:
    """Keep runs of the collection in an empty spool, and tell which; all of it, as one run, where it is small enough.

    While the source is read, one run of each 2, 4, 8, … neighbouring ones is kept, as many as fit twice; at its end
    some of these at equal distances. So each run is as likely as any other, and none of the source's
    regions is left out. What is not drawn is counted, but not parsed. Raises DatasetError and OSError.
    """
    level = number = documents = raw_bytes = looked_at = found = 0
    for records in _runs(collection, run_documents, min(max(most_bytes // LEAST_RUNS, 1), _LARGEST_RUN_BYTES)):
        size = sum(len(record.raw) for record in records)
        if _is_drawn(number, level, seed):
            parsed = [collection.records.document(record) for record in records]
            run = Run(offset=documents, documents=len(records), bytes=sum(map(len, parsed)))
            spool.append(number, run, parsed)
            looked_at, found = looked_at + size, found + run.bytes
        while spool.size_bytes > 2 * most_bytes and len(spool.kept) > 1:
            level += 1
            spool.choose([_is_drawn(kept.number, level, seed) for kept in spool.kept])
            spool.compact()
        number, documents, raw_bytes = number + 1, documents + len(records), raw_bytes + size
    if not documents:
        raise no_documents(str(collection.path))
    thin_out(spool, f"dataset {collection.path}", most_bytes, seed)
    kept = [one.run for one in spool.kept]
    if sum(run.documents for run in kept) == documents:
        kept = [Run(offset=0, documents=documents, bytes=spool.size_bytes)]
    parsed_all = collection.sizes_are_bson or looked_at == raw_bytes
    return Drawn(
        runs=tuple(kept),
        documents=documents,
        bytes=round(raw_bytes * (1 if collection.sizes_are_bson else found / looked_at)),
        bytes_estimated=not parsed_all,
    )


def no_documents(name: str) -> DatasetError:
    """Say that a source is empty."""
    return DatasetError(f"dataset {name}: holds no documents; give a source with at least one")


def _runs(collection: Collection, run_documents: int, run_bytes: int) -> Iterator[list[Record]]:
    """Cut the source into runs: all of its documents, each once."""
    run: list[Record] = []
    size = 0
    for record in collection.records:
        if run and (len(run) >= run_documents or size + len(record.raw) > run_bytes):
            yield run
            run, size = [], 0
        run.append(record)
        size += len(record.raw)
    if run:
        yield run


def _is_drawn(number: int, level: int, seed: int) -> bool:
    """Tell whether a run is the one of its 2^level neighbours: at each level, one of two halves is drawn."""
    return all(number >> (up - 1) & 1 == draw(seed, up, number >> up, 0) & 1 for up in range(level, 0, -1))


def thin_out(spool: Spool, where: str, most_bytes: int, seed: int) -> None:
    """Keep runs at equal distances, as many as fit. Raises DatasetError, which names `where`, if not even one does."""
    runs = len(spool.kept)
    count = runs
    chosen = set(range(runs))
    while (size := sum(spool.kept[one].run.bytes for one in chosen)) > most_bytes:
        count = min(count - 1, count * most_bytes // size)
        if count < 1:
            break
        first = draw(seed, 0, runs, count) % 2**32
        chosen = {(one * 2**32 + first) * runs // (count * 2**32) for one in range(count)}
    if count < 1:
        raise DatasetError(
            f"{where}: has documents that are larger than the {most_bytes:,} bytes that a sample may "
            "have; let it be larger"
        )
    spool.choose([one in chosen for one in range(runs)])
