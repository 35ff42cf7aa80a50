"""Turns: one picture of each block and workload, the arms side by side as they alternated, on the wall's clock.

Where engine samples have `unix_s` (when each was taken), the checkpoints that begin are marked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.metrics import workload_of
from analysis.stats.quantities import Unit, block_number, quantity
from analysis.stats.rounds import mongod_cpu_us, rate_per_s
from reports.charts.base import Chart, arm_scale, chart_spec, rows, slug
from reports.charts.over_time import checkpoints_begun
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.stats.effects import Group
    from analysis.trial.records import Phase, TrialRecord, Turn
    from reports.material import Material

_HEIGHT_PX = 190
MOST_BLOCKS = 4
"""Of more blocks the first ones are drawn."""
_MOST_TURNS = 400
"""In one picture; of more, every second (third, …) round is drawn."""
_FEW_TURNS = 100
"""In a picture with more, shapes are smaller."""


@dataclass(frozen=True)
class _Of:
    """One trial's part of a block's picture."""

    record: TrialRecord
    phase: Phase
    turns: tuple[Turn, ...]


def blocks_with_turns(material: Material, group: Group, workload: str) -> dict[int, list[_Of]]:
    """The counting trials whose phase was measured in turns, by block, arms in the order of the spec."""
    order = list(material.styles)
    found: dict[int, list[_Of]] = {}
    for record in sorted(material.counting_in(group), key=lambda one: (one.block, order.index(one.cell.arm))):
        for phase in record.phases:
            turns = tuple(turn for turn in phase.turns if rate_per_s(turn) is not None)
            if turns and workload_of(phase) == workload:
                found.setdefault(record.block, []).append(_Of(record, phase, turns))
    return found


def turns(material: Material, group: Group, workload: str) -> list[Chart]:
    """A chart of each of the first blocks, all with the same axes."""
    blocks = dict(list(blocks_with_turns(material, group, workload).items())[:MOST_BLOCKS])
    if not blocks:
        return []
    begun = {block: min(turn.started_at_s for one in parts for turn in one.turns) for block, parts in blocks.items()}
    ends = [
        turn.started_at_s + turn.measured_s - begun[block]
        for block, parts in blocks.items()
        for one in parts
        for turn in one.turns
    ]
    highest = max(rate_per_s(turn) or 0.0 for parts in blocks.values() for one in parts for turn in one.turns)
    title = "seconds from the block's first measured turn"
    x = alt.X("from:Q", title=title, scale=alt.Scale(domain=[0, max(ends)], nice=False))
    y = alt.Y("value:Q", title="operations/s", scale=alt.Scale(domain=[0, highest or 1.0], nice=True))
    return [
        Chart(
            key=slug("turns", workload, str(block_number(block)), *group.names),
            title=f"Block {block_number(block)}",
            caption=_caption(parts),
            spec=chart_spec(alt.layer(*_layers(material, parts, begun[block], x, y)), _HEIGHT_PX),
            table=_table(parts),
            exported=False,
        )
        for block, parts in blocks.items()
    ]


def _layers(material: Material, parts: Sequence[_Of], began_s: float, x: alt.X, y: alt.Y) -> list[Any]:
    """A bar over each turn, its rate as a line at the top, and the arm's shape upon it."""
    styles = [material.styles[one.record.cell.arm] for one in parts]
    colour = alt.Color("arm:N", scale=arm_scale(styles, "colour"), title=None, legend=alt.Legend(symbolOpacity=1))
    shape = alt.Shape("arm:N", scale=arm_scale(styles, "shape"), title=None)
    tips = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("round:Q"),
        alt.Tooltip("shown:N", title="throughput"),
        alt.Tooltip("cpu:N", title="mongod CPU"),
    ]
    bars = _bars(parts, began_s)
    base = alt.Chart(rows(bars)).encode(color=colour, tooltip=tips)
    layers = [
        base.mark_rect(opacity=0.22).encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2("foot:Q")),
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2=alt.X2("to:Q"), y=y),
        base.mark_point(filled=True, size=34 if len(bars) <= _FEW_TURNS else 14, opacity=1).encode(
            x=alt.X("middle:Q"), y=y, shape=shape
        ),
    ]
    if marks := _checkpoints(material, parts, began_s):
        layers.append(
            alt.Chart(rows(marks))
            .mark_point(filled=True, shape="triangle-up", size=60, opacity=1, stroke="var(--ground)", strokeWidth=1,
                        y=_HEIGHT_PX, yOffset=-6)
            .encode(x=x, color=colour, tooltip=[alt.Tooltip("arm:N"), alt.Tooltip("event:N")])
        )  # fmt: skip
    return layers


def _bars(parts: Sequence[_Of], began_s: float) -> list[dict[str, Any]]:
    step = _step(parts)
    return [
        {
            "arm": one.record.cell.arm,
            "round": turn.round,
            "from": turn.started_at_s - began_s,
            "middle": turn.started_at_s - began_s + turn.measured_s / 2,
            "to": turn.started_at_s - began_s + turn.measured_s,
            "foot": 0,
            "value": rate_per_s(turn),
            "shown": _rate(turn),
            "cpu": _cpu(turn),
        }
        for one in parts
        for turn in one.turns
        if turn.round % step == 0
    ]


def _step(parts: Sequence[_Of]) -> int:
    return max(1, math.ceil(sum(len(one.turns) for one in parts) / _MOST_TURNS))


def _checkpoints(material: Material, parts: Sequence[_Of], began_s: float) -> list[dict[str, Any]]:
    """Checkpoints that begin after the first measured turn does, at the moments of the samples that show them first."""
    return [
        {"arm": one.record.cell.arm, "from": at_s - began_s, "event": "a checkpoint begins"}
        for one in parts
        if (samples := material.run.time_series.get(one.record.trial)) is not None
        for at_s in checkpoints_begun(samples, one.phase.name, "unix_s")
        if at_s >= began_s
    ]


def _caption(parts: Sequence[_Of]) -> str:
    said = []
    if (step := _step(parts)) > 1:
        said.append(f"One round in {step} is drawn.")
    if any(one.record.sharing > len(parts) for one in parts):
        said.append("In the gaps other trials of the block had their turns.")
    return " ".join(said)


def _table(parts: Sequence[_Of]) -> Table:
    """A row a round that is drawn: each arm's rate, then each arm's CPU."""
    step = _step(parts)
    at = {(one.record.cell.arm, turn.round): turn for one in parts for turn in one.turns if turn.round % step == 0}
    arms = [one.record.cell.arm for one in parts]
    body = tuple(
        (
            str(round_),
            *(_rate(at[arm, round_]) if (arm, round_) in at else ABSENT for arm in arms),
            *(_cpu(at[arm, round_]) if (arm, round_) in at else ABSENT for arm in arms),
        )
        for round_ in sorted({round_ for _, round_ in at})
    )
    return Table(("round", *arms, *(f"{arm}, mongod CPU" for arm in arms)), body)


def _rate(turn: Turn) -> str:
    return quantity(rate_per_s(turn) or 0.0, Unit.PER_SECOND)


def _cpu(turn: Turn) -> str:
    per_operation = mongod_cpu_us(turn)
    return "not known" if per_operation is None else quantity(per_operation, Unit.US_PER_OPERATION)
