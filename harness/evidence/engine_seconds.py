"""The engine's own seconds of a run's trials: mongod's diagnostic data, cut to the phases, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from analysis.trial import ftdc, time_series
from analysis.trial.ftdc_format import FtdcError
from core.stored import read_stored, stored_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analysis.trial.ftdc import Samples
    from analysis.trial.records import TrialRecord
    from harness.ledger.ledger import Ledger

_MOST_TRIALS = 200  # of more, nobody looks at single seconds


def engine_seconds(ledger: Ledger, records: Sequence[TrialRecord]) -> dict[str, pd.DataFrame]:
    """Trial -> a row a second of its phases: `phase`, `second` from the phase's start, and the engine's figures.

    A trial whose diagnostic data is missing or damaged has no rows: the report then draws its phases without marks.
    """
    if len(records) > _MOST_TRIALS:
        return {}
    found = {}
    for record in records:
        if record.counts and record.in_force:
            folder = ledger.trials_folder / record.trial / "diagnostic.data"
            try:
                samples = read_samples(folder, record.in_force.version)
                found[record.trial] = _phases(record, time_series.frame(samples, record.in_force.version))
            except (FtdcError, OSError):
                continue
    return {trial: table for trial, table in found.items() if not table.empty}


def read_samples(folder: Path, version: str) -> Samples:
    """What a trial's diagnostic data tells. Raises FtdcError where it is damaged, OSError where it can't be read."""
    files = ((name, read_stored(folder / name)) for name in ftdc.in_order(stored_names(folder)))
    return ftdc.read(files, time_series.wanted(version))


def _phases(record: TrialRecord, table: pd.DataFrame) -> pd.DataFrame:
    parts = []
    for phase in record.phases:
        if phase.started_at_s is not None:
            end = phase.started_at_s + phase.warmup_s + phase.measured_s
            part = time_series.between(table, phase.started_at_s, end).copy()
            part["phase"] = phase.name
            part["second"] = pd.DatetimeIndex(part.index).as_unit("ms").asi8 / 1000 - phase.started_at_s
            parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
