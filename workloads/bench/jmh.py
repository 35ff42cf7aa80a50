"""What JMH says of codecs and digests in the JVM, as figures; pure."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from workloads.errors import BenchError


@dataclass(frozen=True)
class Score:
    """Operations a second, with the half of JMH's interval of 99.9 %; None where there were too few measurements."""

    benchmark: str
    """Class and method: `CodecBench.compress`."""
    parameters: dict[str, str]
    per_s: float
    error_per_s: float | None


def read_scores(text: str) -> list[Score]:
    """The scores of JMH's JSON, in its order. Raises BenchError."""
    try:
        return [_score(one) for one in json.loads(text)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchError(f"JMH's results can't be read: {type(error).__name__}: {error}") from error


def _score(one: dict[str, Any]) -> Score:
    metric = one["primaryMetric"]
    if metric["scoreUnit"] != "ops/s":
        raise BenchError(f"JMH's results are in {metric['scoreUnit']}, not in ops/s")
    error = float(metric["scoreError"])  # "NaN" is a string in it
    return Score(
        benchmark=".".join(one["benchmark"].split(".")[-2:]),
        parameters=dict(one["params"]),
        per_s=float(metric["score"]),
        error_per_s=error if math.isfinite(error) else None,
    )


def read_ratios(text: str) -> dict[tuple[str, int], float]:
    """Ratios by codec and size of blocks, as the bench's `Facts` prints them. Raises BenchError."""
    try:
        parts = [line.split() for line in text.splitlines()]
        return {(name, int(size)): float(ratio) for name, size, ratio in parts}
    except ValueError as error:
        raise BenchError(f"the ratios can't be read: {error}") from error
