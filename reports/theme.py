"""Colours, shapes and type of the charts: fixed per arm and verdict, told apart without colour too.

Charts name colours as CSS variables, so the page alone decides between light, dark and print, and no chart is drawn
twice. Files outside the page get the light values (`with_light_colours`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import Any
from zlib import crc32

from analysis.stats.verdicts import Verdict

STATIC = Path(__file__).parent / "static"

ARM_COLOURS = 8
"""Variables --arm-0 … --arm-7; with more arms the colours come again, with other shapes."""

_OWN = ("none", "snappy", "zlib", "zstd")

SHAPES = {
    "circle": "M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0Z",
    "square": "M-4.5,-4.5h9v9h-9z",
    "triangle-up": "M0,-5.2L5.2,4.2H-5.2Z",
    "diamond": "M0,-6.2L5.2,0L0,6.2L-5.2,0Z",
    "cross": "M-1.9,-5.4h3.8v3.5h3.5v3.8h-3.5v3.5h-3.8v-3.5h-3.5v-3.8h3.5z",
    "triangle-down": "M0,5.2L5.2,-4.2H-5.2Z",
    "triangle-right": "M-4.2,-5.2L5.2,0L-4.2,5.2Z",
}
"""Vega's name of a shape, and its outline for the page's own marks (a box of 14 × 14 around 0, 0)."""


@dataclass(frozen=True)
class ArmStyle:
    """How an arm looks everywhere in a report."""

    name: str
    colour: str
    shape: str
    outline: str
    """The shape as an SVG path around the origin."""


@dataclass(frozen=True)
class VerdictStyle:
    """How a verdict looks: a glyph in text, a shape in charts, and a colour that adds nothing to either."""

    glyph: str
    shape: str
    colour: str


VERDICTS = {
    Verdict.BETTER: VerdictStyle("▲", "triangle-up", "var(--better)"),
    Verdict.WORSE: VerdictStyle("▼", "triangle-down", "var(--worse)"),
    Verdict.EQUIVALENT: VerdictStyle("■", "square", "var(--equal)"),
    Verdict.UNDECIDED: VerdictStyle("◇", "diamond", "var(--open)"),
}


def arm_styles(arms: tuple[str, ...]) -> tuple[ArmStyle, ...]:
    """A style for each arm, by its name: in every run it looks the same, whatever others there are beside it.

    Arms called as a compressor have colours of their own. Of two others that want the same colour, the later one takes
    the next that is free, as long as there is one.
    """
    shapes, places = list(SHAPES.items()), {arm: _OWN.index(arm) for arm in arms if arm in _OWN}
    taken = set(places.values())
    for arm in (one for one in arms if one not in _OWN):
        wanted = len(_OWN) + crc32(arm.encode("utf-8", "surrogatepass")) % (ARM_COLOURS - len(_OWN))
        around = [(wanted + step) % ARM_COLOURS for step in range(ARM_COLOURS)]
        places[arm] = next(place for place in chain(around, count(ARM_COLOURS)) if place not in taken)
        taken.add(places[arm])
    looks = {arm: shapes[(place + place // ARM_COLOURS) % len(shapes)] for arm, place in places.items()}
    return tuple(ArmStyle(arm, f"var(--arm-{places[arm] % ARM_COLOURS})", *looks[arm]) for arm in arms)


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

CONFIG: dict[str, Any] = {
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink-2)",
        "titleColor": "var(--ink-2)",
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "titlePadding": 8,
        "labelPadding": 6,
        "gridColor": "var(--grid)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelLimit": 170,
        "titleLimit": 460,
    },
    "axisQuantitative": {"tickCount": 5, "domain": False, "ticks": False, "labelSeparation": 8},
    "axisBand": {"grid": False, "ticks": False, "domain": False, "labelColor": "var(--ink)"},
    "legend": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--ink-2)",
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": 220,
        "symbolSize": 90,
        "orient": "top",
    },
    "text": {"fontSize": 12, "color": "var(--ink)"},
    "rule": {"color": "var(--ink)"},
}
"""Shared by every chart; passed to Vega-Lite once."""

_VARIABLE = re.compile(r"var\((--[a-z0-9-]+)\)")


@lru_cache(maxsize=1)
def light_colours() -> dict[str, str]:
    """The values of the colour variables in the light scheme, from the style sheet itself."""
    root = (STATIC / "report.css").read_text(encoding="utf-8").partition("}")[0]
    return dict(re.findall(r"(--[a-z0-9-]+):\s*(#[0-9a-fA-F]+)", root))


def with_light_colours(value: Any) -> Any:
    """A specification or configuration with every colour variable replaced by its light value."""
    if isinstance(value, dict):
        names = ("datasets", "domain")  # the user's words, whatever they look like
        return {key: part if key in names else with_light_colours(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [with_light_colours(part) for part in value]
    if isinstance(value, str) and (match := _VARIABLE.fullmatch(value)):
        return light_colours().get(match[1], value)
    return value
