"""What smaller storage may cost, in the campaigns that are written for the user."""

from __future__ import annotations

from typing import Any

from core.text import flow

_THROUGHPUT_AT_LEAST, _P99_AT_MOST = 0.8, 2.0
_CPU_AT_MOST = 1 / _THROUGHPUT_AT_LEAST  # a host whose CPU is all in use does as much less by it

Bounds = list[dict[str, Any]]


def allowed_cost(workload: str, *, at_a_rate: bool) -> Bounds:
    """The decision's `constraints`, of a workload that is offered a rate, or is as fast as it can be.

    Without them the smallest storage would be recommended, whatever it cost.
    """
    price = {"metric": f"{workload}.throughput", "at_least": _THROUGHPUT_AT_LEAST}
    if at_a_rate:
        price = {"metric": f"{workload}.mongod_cpu_us_per_operation", "at_most": _CPU_AT_MOST}
    return [price, {"metric": f"{workload}.p99", "at_most": _P99_AT_MOST}]


def as_yaml(bounds: Bounds) -> str:
    """The lines of `decision` that set them."""
    head = "  constraints: # what smaller storage may cost, as ratios to the baseline: yours to choose"
    return "\n".join([head, *(f"    - {flow(one)}" for one in bounds)])
