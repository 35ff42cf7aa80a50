"""When a phase's clients are warm: after so many seconds and so many operations, whichever comes later. Pure.

A client's compiler works by what it has seen run, so seconds alone would measure a slow arm's client cold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.bounds import Count, Seconds
from core.model import Part
from harness.spec.phases import Load, Workload
from workloads.jvm import WARM_AFTER, WARM_AFTER_IN_SHORT_PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.spec.campaign import Campaign

_AT_LEAST_S = 60
_TIMES = 10


class WarmUp(Part):
    """What comes before a phase's measured window."""

    seconds: Seconds = 0
    operations: Count = 0
    """Of each client process."""
    wanted: Count = 0
    """What its compiler needs, where the phase is too short to wait for that."""

    @property
    def asked(self) -> tuple[float, int]:
        """Seconds, and operations of a client, before which it can't be said to be warm."""
        return self.seconds, self.wanted

    @property
    def longest_s(self) -> float:
        """The measured window begins then, whatever has been done: a very slow arm must come to an end, too."""
        return max(_AT_LEAST_S, _TIMES * self.seconds) if self.operations else self.seconds


def warm_ups(campaign: Campaign, workloads: Mapping[str, Workload], clients: int) -> dict[str, WarmUp]:
    """The warm-ups of a trial's phases, the load's included."""
    phases: dict[str, Load | Workload] = {"load": campaign.load, **workloads}
    return {name: warm_up(campaign, phase, clients) for name, phase in phases.items()}


def warm_up(campaign: Campaign, phase: Load | Workload, clients: int) -> WarmUp:
    """The warm-up of a phase that so many client processes drive."""
    if phase.warmup_operations is not None:
        return WarmUp(seconds=phase.warmup_s, operations=phase.warmup_operations, wanted=phase.warmup_operations)
    if not phase.warmup_s:
        return WarmUp()
    wanted = WARM_AFTER if campaign.design == "sequential" else WARM_AFTER_IN_SHORT_PHASES
    bound = campaign.records if isinstance(phase, Load) else phase.operations
    operations = wanted if bound is None else min(wanted, bound // clients // 2)
    return WarmUp(seconds=phase.warmup_s, operations=operations, wanted=wanted)
