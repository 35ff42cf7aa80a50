"""Which metrics a campaign is decided by: the objective's, and the primary ones of each factor's comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.stats.criteria import Criteria, Objective
from analysis.stats.metrics import INSERT, metric

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analysis.stats.effects import Factor

SAME_QUESTION = {"compression_ratio": "storage_bytes_per_document"}
"""Metrics that are another one turned around, since all arms store the same documents with the same indexes: asked
once, as that one."""

PLATFORM_METRIC = "cost_per_million_operations"
"""A platform is chosen by it, so between platforms it is primary whatever the spec chose."""


def objective_metric(objective: Objective, workload: str) -> str:
    """The metric of an objective."""
    return {
        Objective.STORAGE: "storage_bytes_per_document",
        Objective.AGED_STORAGE: "storage_bytes_per_document_aged",
        Objective.COST: "monthly_cost",
        Objective.CPU: f"{workload}.mongod_cpu_us_per_operation",
        Objective.THROUGHPUT: f"{workload}.throughput",
    }[objective]


def deciding_workload(present: Iterable[str], wished: str) -> str:
    """The wished workload, else the first run workload there is, else the load."""
    names = list(present)
    runs = [name for name in names if name != INSERT]
    return wished if wished in names else (runs or [INSERT])[0]


def primary_metrics(present: Iterable[str], criteria: Criteria, workload: str) -> tuple[str, ...]:
    """The primary metrics: declared or chosen ones, and always the one that the objective rests on.

    Of metrics that ask the same question the one that answers it is primary.
    """
    chosen = [key for key in present if metric(key).primary] if criteria.primary == "default" else criteria.primary
    asked = (*chosen, objective_metric(criteria.objective, workload))
    return tuple(dict.fromkeys(SAME_QUESTION.get(key, key) for key in asked))


def primary_of(factor: Factor, primary: Sequence[str]) -> tuple[str, ...]:
    """The primary metrics of one factor's comparisons, of those of the campaign."""
    return tuple(dict.fromkeys((*primary, PLATFORM_METRIC))) if factor == "platform" else tuple(primary)
