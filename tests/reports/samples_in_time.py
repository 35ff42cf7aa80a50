"""Engine samples for the tests of throughput over time: a checkpoint a minute, eviction beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.trial.records import TrialRecord


def engine_samples(records: Sequence[TrialRecord]) -> dict[str, pd.DataFrame]:
    """A frame for each trial, a row a second of each phase."""
    return {
        record.trial: pd.DataFrame(
            [
                {
                    "phase": phase.name,
                    "second": float(second),
                    "checkpoint_running": float(second % 60 in (20, 21, 22)),
                    "app_evicted_per_s": 40.0 if second % 60 == 24 else 0.0,
                }
                for phase in record.phases
                for second in range(len(phase.series_per_s))
            ]
        )
        for record in records
    }
