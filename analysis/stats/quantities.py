"""A figure never travels alone: value, interval, number of blocks and unit, and the one place that formats them."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from core.model import Part

Finite = Annotated[float, Field(allow_inf_nan=False)]

MINUS = "−"


class Unit(StrEnum):
    """What a figure counts. Figures are kept in these units and shown in the ones people read."""

    RATIO = "ratio"
    BYTES = "bytes"
    BYTES_PER_DOCUMENT = "bytes/document"
    BYTES_PER_OPERATION = "bytes/operation"
    PER_SECOND = "operations/s"
    SECONDS = "s"
    US = "us"
    US_PER_OPERATION = "us/operation"
    SHARE = "share"
    INSTANCE_HOURS = "instance-hours/month"
    GB = "GB"
    MONEY_PER_MONTH = "money/month"
    MONEY_PER_MILLION = "money/million operations"
    MONEY_PER_GB_MONTH = "money/GB-month"


class Better(StrEnum):
    """The direction in which a metric improves."""

    HIGHER = "higher"
    LOWER = "lower"


class Estimate(Part):
    """A mean over blocks with its confidence interval.

    The mean is geometric, the interval a t interval on logarithms, unless a value is zero (then both are arithmetic).
    Fewer than two blocks give no interval: `low` and `high` are None.
    """

    value: Finite
    low: Finite | None = None
    high: Finite | None = None
    n: Annotated[int, Field(ge=1)] = Field(description="Blocks it rests on.")
    unit: Unit
    confidence_percent: float

    @property
    def half_width_percent(self) -> float | None:
        """Half the interval's width on the log scale, as a per cent: the `x` of "times or divided by 1 + x %"."""
        if self.low is None or self.high is None or self.low <= 0:
            return None
        return 100 * math.expm1(min(math.log(self.high / self.low) / 2, 700.0))


_TENFOLD_PERCENT = 900.0
_BYTE_STEPS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
_SUFFIX = {
    Unit.BYTES_PER_DOCUMENT: " B/document",
    Unit.BYTES_PER_OPERATION: " B/operation",
    Unit.PER_SECOND: "/s",
    Unit.SECONDS: " s",
    Unit.US_PER_OPERATION: " µs/operation",
    Unit.INSTANCE_HOURS: " instance-hours/month",
    Unit.GB: " GB",
    Unit.MONEY_PER_MONTH: "/month",
    Unit.MONEY_PER_MILLION: "/million operations",
    Unit.MONEY_PER_GB_MONTH: "/GB-month",
}


def block_number(block: int) -> int:
    """A block's number for people, who count from 1, in exported tables too; plans and records count from 0."""
    return block + 1


def number(value: float, digits: int = 3) -> str:
    """The value to `digits` significant digits (integers in full), with thousands separated: 12,345 or 0.0123."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else f"{MINUS if value < 0 else ''}∞"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(decimals, 12)}f}".replace("-", MINUS)


def quantity(value: float, unit: Unit) -> str:
    """The value in the unit people read: bytes in MiB or GiB, latencies in ms, shares in per cent."""
    if unit is Unit.US:
        return f"{number(value / 1000)} ms"
    if unit is Unit.SHARE:
        return f"{number(100 * value)} %"
    if unit is Unit.RATIO:
        return f"{number(value)} ×"
    if unit is Unit.BYTES:
        for name, size in _BYTE_STEPS:
            if abs(value) >= size:
                return f"{number(value / size)} {name}"
        return f"{number(value)} B"
    return number(value) + _SUFFIX[unit]


def estimate(figure: Estimate) -> str:
    """The estimate with its interval and n: `2.36 × [2.35 ×, 2.37 ×], n = 3`."""
    blocks = f"n = {figure.n}"
    if figure.low is None or figure.high is None:
        return f"{quantity(figure.value, figure.unit)} (no interval, {blocks})"
    low, high = quantity(figure.low, figure.unit), quantity(figure.high, figure.unit)
    return f"{quantity(figure.value, figure.unit)} [{low}, {high}], {blocks}"


def percent(value: float) -> str:
    """A signed per cent, with as many decimals as its size can use: `+0.12 %`, `−24.7 %`, `+152 %`."""
    size = abs(value)
    decimals = 0 if size >= 100 else 1 if size >= 1 else 2
    text = f"{value:+.{decimals}f}".replace("-", MINUS)
    return f"{text if float(f'{value:.{decimals}f}') else text[1:]} %"


def visible(percent: float | None) -> str:
    """The smallest difference that blocks would show: `4.2 %`, or in words where it is beyond tenfold."""
    if percent is None:
        return "unknown"
    return "practically nothing" if percent > _TENFOLD_PERCENT else f"{number(percent)} %"


def change(ratio: float) -> str:
    """A ratio to the baseline as a signed per cent."""
    return percent(100 * (ratio - 1))


def spread(figure: Estimate) -> str | None:
    """The interval of a ratio to the baseline: `−26.0 % to −23.3 %`; None without one."""
    if figure.low is None or figure.high is None:
        return None
    return f"{change(figure.low)} to {change(figure.high)}"


def effect(figure: Estimate) -> str:
    """An estimated ratio to the baseline: `−24.7 % [−26.0 %, −23.3 %], n = 3`."""
    blocks = f"n = {figure.n}"
    if figure.low is None or figure.high is None:
        return f"{change(figure.value)} (no interval, {blocks})"
    return f"{change(figure.value)} [{change(figure.low)}, {change(figure.high)}], {blocks}"
