"""What lies in a finished trial's folder: its record, and the artefacts that the record lists."""

from __future__ import annotations

import errno
from functools import lru_cache
from typing import TYPE_CHECKING

import blake3
from pydantic import ValidationError

from analysis.trial.records import Artefact, TrialRecord
from core.stored import paths_below, read_stored
from harness.errors import InputError
from harness.ledger.run_state import first_fault
from workloads import YcsbOutputError
from workloads.histogram import Histogram

if TYPE_CHECKING:
    from pathlib import Path

RECORD_FILE = "trial.json"
_LARGEST_RECORD_BYTES = 64 * 2**20
_REMEMBERED = 1000  # records; a larger run's are parsed each time


def read_record(path: Path) -> TrialRecord:
    """One trial's record.

    Raises:
        InputError: the file is missing, a link, cut short, of another format version, or not a record.
    """
    try:
        if path.parent.is_symlink():
            raise OSError(errno.ELOOP, "its folder is a link, which is not followed here")
        return _parsed(read_stored(path, _LARGEST_RECORD_BYTES))
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}", do="restore the file") from error
    except (ValidationError, YcsbOutputError) as error:
        raise InputError(
            f"{path}: not a trial record of a version this Pressgauge reads: {first_fault(error)}",
            do="restore the file, or move its folder away and run again: the trial is then repeated",
        ) from error


@lru_cache(_REMEMBERED)
def _parsed(content: bytes) -> TrialRecord:
    """A record by its bytes: verification, decision and report read the same ones, and none of them can change it."""
    record = TrialRecord.model_validate_json(content)
    for latency in (latency for phase in record.phases for latency in phase.latencies):
        Histogram.decode(latency.histogram)
    return record


def list_artefacts(folder: Path) -> tuple[Artefact, ...]:
    """Every file below a trial's folder but its record, with size and digest, sorted by path."""
    return tuple(
        Artefact(path=str(file.relative_to(folder)), size_bytes=file.stat().st_size, blake3=file_digest(file))
        for file in artefacts(folder)
    )


def artefacts(folder: Path) -> list[Path]:
    """A trial's files but its record, sorted by path."""
    return [path for path in paths_below(folder).values() if path.is_file() and path.name != RECORD_FILE]


def file_digest(path: Path) -> str:
    """BLAKE3 of a file, in hex."""
    return blake3.blake3().update_mmap(path).hexdigest()
