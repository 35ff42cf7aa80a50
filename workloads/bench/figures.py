"""From two clients' samples to what an operation costs each; pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np

from workloads.errors import BenchError

Samples = list[list[float]]
"""(unix time s, operations, cpu_s, …), about once a second, all counted from the client's start."""


@dataclass(frozen=True)
class Cost:
    """Client CPU of one operation in one round."""

    cpu_us_per_op: float
    floor_cpu_us_per_op: float

    @property
    def ratio(self) -> float:
        """How much dearer the load generator is than the bare loop; 1 is as cheap."""
        return self.cpu_us_per_op / self.floor_cpu_us_per_op


def cost(ours: Samples, floor: Samples, warmup: int) -> Cost:
    """Both clients' CPU per operation while both were warm and neither had ended.

    Args:
        ours: the load generator's (unix time s, operations, cpu_s, …) samples.
        floor: the bare loop's.
        warmup: operations after which a client is warm.

    Raises:
        BenchError: there was no such time.
    """
    start_s = max(_reached(samples, warmup) for samples in (ours, floor))
    end_s = min(samples[-1][0] for samples in (ours, floor))
    if start_s >= end_s:
        raise BenchError(f"one client was done before the other had warmed up with {warmup} operations")
    return Cost(*(_cpu_us_per_op(samples, start_s, end_s) for samples in (ours, floor)))


def _reached(samples: Samples, operations: int) -> float:
    """When so many operations were done, in Unix time."""
    counts = [sample[1] for sample in samples]
    if not counts or counts[-1] < operations:
        raise BenchError(f"a client did {counts[-1] if counts else 0:.0f} operations, of {operations} to warm up")
    return float(np.interp(operations, counts, [sample[0] for sample in samples]))


def _cpu_us_per_op(samples: Samples, start_s: float, end_s: float) -> float:
    times = [sample[0] for sample in samples]
    operations, cpu_s = (np.interp((start_s, end_s), times, [sample[at] for sample in samples]) for at in (1, 2))
    return float((cpu_s[1] - cpu_s[0]) / (operations[1] - operations[0]) * 1e6)


def summary(rounds: list[Cost]) -> dict[str, Any]:
    """The medians over the rounds; the ratio's is that of the rounds' own ratios, which share the moment."""
    return {
        "cpu_us_per_op": round(statistics.median(one.cpu_us_per_op for one in rounds), 2),
        "floor_cpu_us_per_op": round(statistics.median(one.floor_cpu_us_per_op for one in rounds), 2),
        "ratio": round(statistics.median(one.ratio for one in rounds), 3),
        "rounds": [
            {
                "cpu_us_per_op": round(one.cpu_us_per_op, 2),
                "floor_cpu_us_per_op": round(one.floor_cpu_us_per_op, 2),
                "ratio": round(one.ratio, 3),
            }
            for one in rounds
        ],
    }
