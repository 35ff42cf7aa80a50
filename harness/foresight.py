"""What a campaign will be able to see, as an earlier run scattered. Apart from the plan: statistics load slowly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis import planning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.records import TrialRecord
    from harness.spec import Campaign


def foresee(campaign: Campaign, earlier: Sequence[TrialRecord], blocks: int) -> Iterator[str]:
    """The smallest difference that so many blocks will probably show, if they scatter as an earlier run did."""
    for floor in planning.plan(earlier, campaign.decision, blocks):
        seen = floor.detectable_percent
        told = "its scatter is unknown" if seen is None else f"a difference of {seen:.1f} % is seen four times in five"
        yield f"{floor.metric} ({floor.group.label}): in {floor.blocks} blocks {told}"
