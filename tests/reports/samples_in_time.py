"""Engine samples for the tests of throughput over time: a checkpoint a minute, eviction beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.trial.records import Phase, TrialRecord


def engine_samples(records: Sequence[TrialRecord]) -> dict[str, pd.DataFrame]:
    """A frame for each trial, a row a second of each phase."""
    return {
        record.trial: pd.DataFrame(
            [
                {
                    "phase": phase.name,
                    "second": float(second),
                    "unix_s": _unix_s(phase, second),
                    "checkpoint_running": float(second % 60 in (20, 21, 22)),
                    "app_evicted_per_s": 40.0 if second % 60 == 24 else 0.0,
                }
                for phase in record.phases
                for second in range(len(phase.series_per_s))
            ]
        )
        for record in records
    }


def _unix_s(phase: Phase, second: int) -> float:
    """As if each turn began with its measured part and had four seconds."""
    turn, within_s = divmod(second, 4)
    return phase.turns[turn].started_at_s + within_s if turn < len(phase.turns) else float(second)
