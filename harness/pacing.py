"""Equal offered load: paced workloads run at a fraction of the slowest arm's maximum, the same rate for every arm.

The first block has closed loops only: it finds each arm's maximum. From the second block on, paced workloads run too.
Latencies under equal load compare arms as a deployment with headroom would meet them, coordinated omission accounted
for; latencies of a closed loop compare them at their limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.records import TrialRecord
    from harness.plan import PlannedTrial
    from harness.spec import Campaign, Workload


def workloads_of(campaign: Campaign, trial: PlannedTrial, known: Iterable[TrialRecord]) -> dict[str, Workload]:
    """The run workloads of one trial, paced ones with their rate; left out where no maximum is known yet.

    The rate rests on the first block's records of the trial's dataset alone, so a resumed run offers the same.
    """
    first = [record for record in known if record.block == 0 and record.cell.dataset == trial.cell.dataset]
    found: dict[str, Workload] = {}
    for name, workload in campaign.workloads.items():
        if workload.pace is None:
            found[name] = workload
        elif trial.block > 0 and (slowest := _slowest(first, workload.pace.of)):
            rate = max(1, round(workload.pace.fraction * slowest))
            found[name] = workload.model_copy(update={"target_per_s": rate})
    return found


def _slowest(records: Iterable[TrialRecord], workload: str) -> float | None:
    """The lowest throughput that any arm reached in a workload, of the trials that count."""
    reached = [phase.throughput_per_s for r in records if r.counts for phase in r.phases if phase.name == workload]
    return min(reached, default=None)
