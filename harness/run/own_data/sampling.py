"""A sample of documents, wherever they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasets import OwnDocuments, mean_bytes, run_documents
from datasets.collections import take_live_sample, take_sample
from datasets.errors import DatasetError
from datasets.own_documents import LEAST_RUN, RUN_BYTES
from harness.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from datasets.collections import Anonymise, Sample

_SEED = 1


@dataclass(frozen=True)
class Live:
    """A collection on a server."""

    uri_file: Path
    collection: str
    """Database and collection: `shop.orders`."""


@dataclass(frozen=True)
class Wanted:
    """What is to be sampled, and how."""

    data: Path | Live
    bytes: int
    documents: int | None = None
    """At most; None: as many as those bytes hold."""
    seed: int = _SEED
    anonymise: Anonymise | None = None


def sample(wanted: Wanted, folder: Path, tell: Callable[[str], None]) -> Sample:
    """Take a sample whose runs fill several pages each. A live one that was killed goes on where it stopped.

    Raises:
        InputError: the source can't be read, the folder not be written, or anonymising changes too much.
    """
    try:
        if isinstance(wanted.data, Live):
            return take_live_sample(
                wanted.data.uri_file, wanted.data.collection, folder, most_bytes=wanted.bytes,
                most_documents=wanted.documents, run_documents=LEAST_RUN, run_bytes=RUN_BYTES, seed=wanted.seed,
                anonymise=wanted.anonymise, tell=tell,
            )  # fmt: skip
        most_bytes = min(wanted.bytes, (wanted.documents or wanted.bytes) * mean_bytes(OwnDocuments(path=wanted.data)))
        return take_sample(
            wanted.data, folder, most_bytes=most_bytes, run_documents=run_documents(wanted.data), seed=wanted.seed,
            anonymise=wanted.anonymise,
        )  # fmt: skip
    except DatasetError as error:
        raise InputError(str(error), do="see docs/own-data.md for what can be read, and how") from error


def describe(found: Sample) -> Iterator[str]:
    """Say what a sample is, and what anonymising it did."""
    told = found.manifest
    yield (
        f"{told.source}: {told.documents:,} of {told.source_documents:,} documents, {told.bytes:,} bytes of BSON in "
        f"{len(told.runs):,} {'run' if len(told.runs) == 1 else 'runs'} of neighbours"
    )
    if told.anonymised:
        yield f"anonymised; BSON ÷ compressed, before → after: {told.anonymised.changes}"
