"""The engine's own seconds of a run's trials: mongod's diagnostic data, cut to the phases, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from analysis.trial.engine import ftdc, time_series
from analysis.trial.engine.ftdc_format import FtdcError
from core.stored import read_stored, stored_names
from harness.evidence.turns import OwnTime, read_turns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analysis.trial.engine.ftdc import Samples
    from analysis.trial.records import TrialRecord
    from harness.ledger.ledger import Ledger

_MOST_TRIALS = 200  # of more, nobody looks at single seconds


def engine_seconds(ledger: Ledger, records: Sequence[TrialRecord]) -> dict[str, pd.DataFrame]:
    """Trial -> a row a second of its phases: `phase`, `second` from the phase's start, and the engine's figures.

    `second` is the trial's own time, which stands still while it is frozen; `unix_s` is when the row was taken.
    A trial whose diagnostic data is missing or damaged has no rows: the report then draws its phases without marks.
    """
    if len(records) > _MOST_TRIALS:
        return {}
    found = {}
    for record in records:
        if record.counts and record.in_force:
            folder = ledger.trials_folder / record.trial
            try:
                samples = read_samples(folder / "diagnostic.data", record.in_force.version)
                own = OwnTime(turn for phase in record.phases for turn in read_turns(folder, phase.name))
                table = time_series.frame(own.samples(samples), record.in_force.version)
                found[record.trial] = _phases(record, table, own)
            except (FtdcError, OSError, ValueError):
                continue
    return {trial: table for trial, table in found.items() if not table.empty}


def read_samples(folder: Path, version: str) -> Samples:
    """What a trial's diagnostic data tells. Raises FtdcError where it is damaged, OSError where it can't be read."""
    files = ((name, read_stored(folder / name)) for name in ftdc.in_order(stored_names(folder)))
    return ftdc.read(files, time_series.wanted(version))


def _phases(record: TrialRecord, table: pd.DataFrame, own: OwnTime) -> pd.DataFrame:
    parts = []
    for phase in record.phases:
        if phase.started_at_s is not None:
            began = float(own.of(phase.started_at_s))
            part = time_series.between(table, began, began + phase.warmup_s + phase.measured_s).copy()
            part["phase"] = phase.name
            at_own_s = pd.DatetimeIndex(part.index).as_unit("ms").asi8 / 1000
            part["second"], part["unix_s"] = at_own_s - began, own.unix(at_own_s)
            parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
