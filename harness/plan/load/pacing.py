"""Equal offered load: paced workloads run at a fraction of the slowest arm's maximum, the same rate for every arm.

The first block finds each arm's maximum. Where trials take turns, it is known as soon as all have run the closed
loop; else paced workloads run from the second block on.
Latencies under equal load compare arms as a deployment with headroom would meet them, coordinated omission accounted
for; latencies of a closed loop compare them at their limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.trial.records import TrialRecord
    from harness.plan.trials import PlannedTrial
    from harness.spec.campaign import Campaign
    from harness.spec.phases import Workload


Rates = dict[str, dict[str, int]]
"""Dataset -> paced workload -> operations per second."""


def offered_rates(campaign: Campaign, known: Iterable[TrialRecord]) -> Rates:
    """What paced workloads are offered, by the first block's records; left out where no maximum is known yet.

    Never less than YCSB can pace: one operation a second for each thread.

    A trial of that block may still be repeated, and move them: the run keeps them as they first were offered.
    """
    first = [record for record in known if record.block == 0]
    found: Rates = {}
    for dataset in campaign.datasets:
        of_dataset = [record for record in first if record.cell.dataset == dataset]
        for name, workload in campaign.workloads.items():
            if workload.pace and (slowest := _slowest(of_dataset, workload.pace.of)):
                found.setdefault(dataset, {})[name] = max(workload.threads, round(workload.pace.fraction * slowest))
    return found


def workloads_of(
    campaign: Campaign, trial: PlannedTrial, rates: Rates, *, in_turns: bool = False
) -> dict[str, Workload]:
    """The run workloads of one trial, paced ones with their rate.

    The first block has none of these, or, in turns, those whose rate will be known when their time comes.
    """
    found: dict[str, Workload] = {}
    for name, workload in campaign.workloads.items():
        rate = rates.get(trial.cell.dataset, {}).get(name)
        if workload.pace is None or (in_turns and not rate and workload.pace.of in found):
            found[name] = workload
        elif rate and (in_turns or trial.block > 0):
            found[name] = at_rate(workload, rate)
    return found


def at_rate(workload: Workload, rate: int) -> Workload:
    """A paced workload whose rate is known."""
    return workload.model_copy(update={"target_per_s": rate, "pace": None})


def _slowest(records: Iterable[TrialRecord], workload: str) -> float | None:
    """The lowest throughput that any arm reached in a workload, of the trials that count."""
    reached = [phase.throughput_per_s for r in records if r.counts for phase in r.phases if phase.name == workload]
    return min(reached, default=None)
