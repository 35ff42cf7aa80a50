"""What the means of the forest plot are made of: each round's ratio as a faint dot, each block's as a tick.

A block has a lane of its own within an effect's row while the blocks are few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from analysis.stats.quantities import block_number, change
from reports.charts.base import rows
from reports.tables import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.stats.rounds import RoundRatio
    from analysis.stats.verdicts import Effect

_LANES_PX = {1: (0,), 2: (-5, 5), 3: (-8, 0, 8), 4: (-9, -3, 3, 9)}
"""By how many lanes there are; from the row's middle."""
_ROOM = 0.02
_MOST_DOTS = 400
"""Of more rounds, every second (third, …) is drawn."""
_MOST_TICKS = 8
"""Of more blocks, or a single one, none has a tick."""


def widened(domain: tuple[float, float], ratios: Sequence[Sequence[RoundRatio]]) -> tuple[float, float]:
    """The domain, wide enough for the rounds but one in fifty at each end: one that stalled must not squeeze all."""
    every = sorted(one.ratio for of_effect in ratios for one in of_effect)
    if not every:
        return domain
    outside = len(every) // 50
    return min(domain[0], every[outside] * (1 - _ROOM)), max(domain[1], every[-1 - outside] * (1 + _ROOM))


def spread_of(ratios: Sequence[RoundRatio]) -> tuple[str, str]:
    """How many rounds there are, and between what changes half of them lie."""
    if not ratios:
        return ABSENT, ABSENT
    low, high = np.percentile([one.ratio for one in ratios], [25, 75]).tolist()
    return str(len(ratios)), f"{change(low)} to {change(high)}"


@dataclass(frozen=True)
class Rounds:
    """What is drawn of the rounds, and what is said of them."""

    dots: list[dict[str, Any]]
    ticks: list[dict[str, Any]]
    caption: str

    @classmethod
    def of(
        cls,
        effects: Sequence[Effect],
        ratios: Sequence[Sequence[RoundRatio]],
        places: Sequence[int],
        domain: tuple[float, float],
    ) -> Rounds:
        """Of the given effects' rounds, at the effects' places in the plot; what lies beyond its domain is left out."""
        step = max(1, math.ceil(sum(map(len, ratios)) / _MOST_DOTS))
        blocks = sorted({one.block for of_effect in ratios for one in of_effect})
        lanes = _LANES_PX[min(max(1, len(blocks)), max(_LANES_PX))]
        offsets_px = {block: lanes[place % len(lanes)] for place, block in enumerate(blocks)}
        dots, ticks, beyond = [], [], 0
        for effect, of_effect, place in zip(effects, ratios, places, strict=True):
            for one in of_effect[::step]:
                if domain[0] <= one.ratio <= domain[1]:
                    at = {"place": place, "offset": offsets_px[one.block], "round": one.round}
                    dots.append(at | _mark(effect, one.block, one.ratio))
                else:
                    beyond += 1
            if of_effect and 1 < effect.n <= _MOST_TICKS:
                ticks += [
                    {"place": place, "offset": offsets_px[one.block]} | _mark(effect, one.block, one.ratio)
                    for one in effect.blocks
                    if one.block in offsets_px and domain[0] <= one.ratio <= domain[1]
                ]
        said = _caption(step, beyond, ticked=bool(ticks), whole=_holds_whole_phases(effects))
        return cls(dots, ticks, said if dots else "")

    def layers(self, x: alt.X) -> list[alt.Chart]:
        """Behind the means; a layer for each lane."""
        y = alt.Y("place:O", axis=None)
        tips = [alt.Tooltip(f"{name}:N") for name in ("arm", "block", "change")]
        found = []
        for offset_px in sorted({dot["offset"] for dot in (*self.dots, *self.ticks)}):
            if dots := [dot for dot in self.dots if dot["offset"] == offset_px]:
                base = alt.Chart(rows(dots)).mark_circle(size=16, color="var(--ink-2)", opacity=0.38, yOffset=offset_px)
                found.append(base.encode(x=x, y=y, tooltip=[*tips, alt.Tooltip("round:N")]))
            if ticks := [tick for tick in self.ticks if tick["offset"] == offset_px]:
                base = alt.Chart(rows(ticks)).mark_tick(
                    orient="vertical", thickness=1.5, size=8, color="var(--ink-2)", opacity=1, yOffset=offset_px
                )
                found.append(base.encode(x=x, y=y, tooltip=tips))
        return found


def _mark(effect: Effect, block: int, ratio: float) -> dict[str, Any]:
    return {"value": ratio, "arm": effect.candidate, "block": block_number(block), "change": change(ratio)}


def _holds_whole_phases(effects: Sequence[Effect]) -> bool:
    return any(effect.metric.endswith(".mongod_cpu_us_per_operation") for effect in effects)


def _caption(step: int, beyond: int, *, ticked: bool, whole: bool) -> str:
    ticks = ", ticks whole blocks" if ticked else ""
    said = [f"Faint dots are single rounds of turns{ticks}."]
    said.append("Turns are not replicates of a load: the interval comes from blocks.")
    if whole:
        said.append("For CPU, dots show the measured turns only; the mean includes closing checkpoints.")
    if step > 1:
        said.append(f"One round in {step} is drawn.")
    if beyond:
        said.append(f"{beyond} round{' lies' if beyond == 1 else 's lie'} beyond the edges.")
    return " " + " ".join(said)
