"""What a campaign will be able to see, as an earlier run scattered. Apart from the plan: statistics load slowly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.decide import planning
from analysis.stats.metrics import INSERT, keys
from analysis.stats.primary import deciding_workload, primary_metrics, primary_of
from analysis.stats.quantities import visible
from harness.plan.trial_vars import settings
from harness.plan.trials import plan_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.stats.effects import Factor
    from analysis.trial.records import Cell, TrialRecord
    from harness.spec.campaign import Campaign


def foresee(campaign: Campaign, earlier: Sequence[TrialRecord], blocks: int) -> Iterator[str]:
    """The smallest difference that so many blocks will probably show, if they scatter as an earlier run did, and how
    many would decide what that run found.

    The inventory is not read for a plan, so the platforms are those of the earlier run.
    """
    ordered = sorted(earlier, key=lambda record: record.index)
    platforms = list(dict.fromkeys(record.cell.platform for record in ordered)) or [""]
    asked = comparisons(campaign, platforms)
    for floor in planning.plan(earlier, campaign.decision, blocks, asked, campaign.looks):
        seen = floor.detectable_percent
        told = "its scatter is unknown" if seen is None else f"{_seen(seen)} is found four times in five"
        what = f"{floor.metric} between {floor.group.factor}s ({floor.group.label})"
        yield f"{what}: in {floor.blocks} blocks {told}{_decided_by(floor)}{_rounds_or_blocks(floor)}"


def _seen(percent: float) -> str:
    found = visible(percent)
    return f"a difference of {found}" if found.endswith("%") else found


def _decided_by(floor: planning.NoiseFloor) -> str:
    """The blocks that the earlier run's effects would take, with what the planned run has of them."""
    if floor.deciding_blocks is None:
        return ""
    if floor.deciding_blocks <= floor.blocks:
        return ", and the earlier run's effects are decided"
    more = floor.deciding_blocks - floor.blocks
    return f"; about {more} more block{'' if more == 1 else 's'} would decide the earlier run's effects"


def _rounds_or_blocks(floor: planning.NoiseFloor) -> str:
    """Where trials took turns: whether a given time is better spent on more rounds or on more blocks."""
    if floor.rounds is None:
        return ""
    scatters = f"rounds scatter by {floor.round_scatter_percent:.1f} %, loads by {floor.load_scatter_percent:.1f} %"
    if floor.best_rounds is None or floor.best_rounds > floor.rounds:
        best = "many" if floor.best_rounds is None else f"about {floor.best_rounds:.0f}"
        return f"; {scatters}: longer phases ({best} rounds instead of {floor.rounds:.0f}) are cheaper than more blocks"
    return f"; {scatters}: more blocks are cheaper than more than {floor.rounds:.0f} rounds"


def comparisons(campaign: Campaign, platforms: Sequence[str]) -> dict[Factor, int]:
    """How many primary comparisons the campaign will make of each factor: candidates × groups × primary metrics."""
    criteria = campaign.decision
    workload = deciding_workload((INSERT, *campaign.workloads), criteria.prices.workload)
    primary = primary_metrics(keys(campaign.workloads), criteria, workload)
    alike = [arm for arm in campaign.arms if _asked(campaign, arm) == _asked(campaign, criteria.baseline)]
    cells = [trial.cell for trial in plan_block(campaign, 0, platforms)]
    candidates: dict[Factor, list[Cell]] = {
        "platform": [cell for cell in cells if cell.platform != platforms[0]],
        "engine": [cell for cell in cells if criteria.baseline_engine not in (None, cell.engine)],
        "arm": [cell for cell in cells if cell.arm not in alike],
    }
    return {factor: len(found) * len(primary_of(factor, primary)) for factor, found in candidates.items()}


def _asked(campaign: Campaign, arm: str) -> tuple[object, ...]:
    """What makes an arm a control where it is the baseline's."""
    return settings(campaign, arm, tls=False), campaign.arm_write_concern(arm)
