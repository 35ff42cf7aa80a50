"""What every chart shares: its frame, the arms' scales, and the units of its axes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from analysis.stats.quantities import Better, Unit, quantity
from reports.plain import plain_chart
from reports.tables import ABSENT, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from analysis.stats.quantities import Estimate
    from reports.theme import ArmStyle

alt.data_transformers.disable_max_rows()

ROW_PX = 46
"""Height of an arm's row."""


@dataclass(frozen=True)
class Chart:
    """A chart as the templates get it."""

    key: str
    """Its element's id and its file's name."""
    title: str
    caption: str
    """What is drawn and how to read it."""
    spec: Mapping[str, Any]
    table: Table
    exported: bool = True
    """Whether it becomes a file in `figures/` too."""


def slug(*parts: str | None) -> str:
    """Names made safe for an id and a file name; different names may give the same slug."""
    text = "-".join(part for part in parts if part)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "chart"


def chart_spec(layer: Any, height: int) -> dict[str, Any]:
    """The finished specification; its width is that of the page's column."""
    made = dict(layer.properties(width="container", height=height).to_dict(validate=False))
    made["datasets"] = {name: json.loads(values) for name, values in made["datasets"].items()}
    return plain_chart(made)


def rows(records: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Inline data: as text until the specification is finished, because Altair copies whatever it can look into."""
    return alt.InlineData(values=json.dumps(list(records)))


def visible_domain(figures: Sequence[Estimate], scale: float, values: Sequence[float] = ()) -> tuple[float, float]:
    """A domain that holds all means and values, and intervals as far as they leave room for the rest.

    An interval from two blocks may be a hundred times as wide as all that was measured; it runs off the edge.
    """
    inside = [*(figure.value / scale for figure in figures), *values]
    low, high = min(inside), max(inside)
    room = max(high - low, 0.1 * abs(high)) * 0.75
    lows = [figure.low / scale for figure in figures if figure.low is not None]
    highs = [figure.high / scale for figure in figures if figure.high is not None]
    return max(min([low, *lows]), low - room), min(max([high, *highs]), high + room)


def arm_scale(styles: Sequence[ArmStyle], what: str) -> alt.Scale:
    """The arms' fixed colours or shapes."""
    return alt.Scale(
        domain=[style.name for style in styles],
        range=[style.colour if what == "colour" else style.shape for style in styles],
    )


def arm_rows(styles: Sequence[ArmStyle]) -> alt.Y:
    """A row for each arm, in the order of the spec, whether it has figures or not."""
    return alt.Y("arm:N", title=None, scale=alt.Scale(domain=[style.name for style in styles]), sort=None)


_AXES: dict[Unit, tuple[float, str]] = {
    Unit.RATIO: (1, "dataSize ÷ storageSize, ×"),
    Unit.BYTES: (2**20, "MiB"),
    Unit.BYTES_PER_DOCUMENT: (1, "bytes"),
    Unit.BYTES_PER_OPERATION: (1, "bytes"),
    Unit.PER_SECOND: (1, "operations per second"),
    Unit.US: (1000, "milliseconds"),
    Unit.US_PER_OPERATION: (1, "µs"),
    Unit.SHARE: (0.01, "per cent"),
    Unit.GB: (1, "GB"),
}


def on_axis(unit: Unit) -> tuple[float, str]:
    """What to divide a figure by for its axis, and the axis's words for the unit."""
    return _AXES.get(unit, (1, unit.value))


def direction(better: Better) -> str:
    """`higher is better` or `lower is better`."""
    return f"{better.value} is better"


def interval(figure: Estimate | None) -> str:
    """`2.36 × [2.35 ×, 2.37 ×]`, or that there is none."""
    if figure is None:
        return ABSENT
    if figure.low is None or figure.high is None:
        return quantity(figure.value, figure.unit)
    low, value, high = (quantity(one, figure.unit) for one in (figure.low, figure.value, figure.high))
    return f"{value} [{low}, {high}]"
