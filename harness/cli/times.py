"""Where a trial's time went: in the phases that were asked for, and outside of them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.trial.records import TrialRecord

TOTAL = "total"


def outside_s(record: TrialRecord) -> float:
    """Seconds of the trial outside load, warm-up and measurement."""
    return record.steps_s[TOTAL] - sum(phase.warmup_s + phase.measured_s for phase in record.phases)


def describe_times(records: Sequence[TrialRecord]) -> Iterator[str]:
    """Each counting trial's seconds, in all and outside its phases, then each step's, the mean over these trials."""
    counting = [record for record in records if record.counts]
    for record in counting:
        yield f"{record.trial}: {record.steps_s[TOTAL]:.1f} s, {outside_s(record):.1f} s of them outside its phases"
    if not counting:
        yield "there is no valid trial"
        return
    yield "steps, mean of these trials:"
    steps = dict.fromkeys(step for record in counting for step in record.steps_s if step != TOTAL)
    for step in steps:
        yield f"{sum(record.steps_s.get(step, 0.0) for record in counting) / len(counting):8.1f} s  {step}"
