"""By how much anonymising changes what codecs make of a sample.

python -m tests.proofs.anonymised            eight collections of 12 MB (three minutes on two cores)
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from datasets.collections import Anonymise, take_sample
from tests.proofs.collections import KINDS, documents

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTES = 12_000_000
ANY_CHANGE = Anonymise(most_change=1e9)


def row(kind: str, folder: Path) -> str:
    """A line of the table: the ratio before, and by how much it changes, for each codec."""
    source = folder / "documents.bson"
    with source.open("wb") as file:
        file.writelines(documents(kind, BYTES, seed=7))
    began = time.process_time()
    told = take_sample(source, folder / "sample", most_bytes=2 * BYTES, seed=1, anonymise=ANY_CHANGE).manifest
    took_s = time.process_time() - began
    changes = told.anonymised.ratios if told.anonymised else ()
    cells = [f"{one.before:.2f} | {100 * one.share:+.1f} %" for one in changes]
    return f"| {kind} | {' | '.join(cells)} | {took_s:.0f} |"


def lines() -> Iterator[str]:
    """The table."""
    yield "| collection | snappy | change | zlib 6 | change | zstd 6 | change | CPU s |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in KINDS:
        with TemporaryDirectory() as name:
            yield row(kind, Path(name))


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)  # noqa: T201
