"""Checks a run bit by bit: every record readable, every artefact as its record names it, and nothing else there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import InputError
from harness.ledger import RECORD_FILE, file_digest, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.ledger import Ledger


def faults(ledger: Ledger) -> Iterator[str]:
    """Everything that is wrong with a run's trials, one line each; nothing when it is whole."""
    for folder in sorted(ledger.trials_folder.glob("[!.]*")):
        yield from _trial_faults(folder)


def _trial_faults(folder: Path) -> Iterator[str]:
    try:
        record = read_record(folder / RECORD_FILE)
    except InputError as error:
        yield error.what
        return
    if record.trial != folder.name:
        yield f"{folder}: its record is of trial {record.trial}"
    listed = {artefact.path: artefact for artefact in record.artefacts}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {RECORD_FILE}
    for name in sorted(listed.keys() - there):
        yield f"{folder / name}: missing"
    for name in sorted(there - listed.keys()):
        yield f"{folder / name}: the record does not name it"
    for name in sorted(there & listed.keys()):
        if (folder / name).stat().st_size != listed[name].size_bytes:
            yield f"{folder / name}: {(folder / name).stat().st_size} bytes, {listed[name].size_bytes} when recorded"
        elif file_digest(folder / name) != listed[name].blake3:
            yield f"{folder / name}: its content changed since it was recorded"
