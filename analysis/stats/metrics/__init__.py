"""Every metric, declared once.

Summary, comparison, chart and gate derive from these declarations. A declaration's key is a template: metrics of a
workload are `<workload>.<name>`, where the workload of the load phase is `insert` and that of a run phase its name
(so no run workload may be called `insert`), and those of one kind of its operations `<workload>.<operation>.<name>`.
"""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

from analysis.stats.metrics.declaration import INSERT, OF_TRIAL, Declaration, Metric, Scope, covers, workload_of
from analysis.stats.metrics.declared import DECLARATIONS, OPERATIONS, RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analysis.stats.metrics.readers import Reading
    from analysis.trial.records import Phase, TrialRecord

__all__ = [
    "DECLARATIONS", "INSERT", "OPERATIONS", "RECORDED", "Declaration", "Metric", "Scope", "UnknownMetricError", "keys",
    "metric", "operation_of", "readings", "workload_of",
]  # fmt: skip

_BY_NAME = {declaration.name: declaration for declaration in DECLARATIONS}


class UnknownMetricError(ValueError):
    """A key that names no metric; the message says what was probably meant."""


def metric(key: str) -> Metric:
    """The metric of a key such as `compression_ratio` or `rmw.p99`.

    Raises UnknownMetricError for a key that no declaration covers. Whether a campaign has the workload is not checked.
    """
    workload, dot, name = _parts(key)
    declaration = _BY_NAME.get(name)
    needs_workload = declaration is not None and declaration.scope in (Scope.LOAD_AND_RUN, Scope.RUN)
    absent = workload == INSERT and declaration is not None and declaration.scope is Scope.RUN
    if declaration is None or absent or needs_workload != bool(dot and workload):
        near = difflib.get_close_matches(key, keys([workload or "rmw"]), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownMetricError(f"no metric is called {key!r}{hint}")
    return declaration.of(workload)


def operation_of(key: str) -> tuple[str, str] | None:
    """The workload and the kind of operation that a key is of; None for a metric of all operations."""
    workload, _, name = _parts(key)
    return (workload, name.partition(".")[0]) if "." in name else None


def _parts(key: str) -> tuple[str, str, str]:
    """The workload, a dot and the name, which has a dot itself where it is of one kind of operation."""
    workload, dot, name = key.rpartition(".")
    inner, _, operation = workload.rpartition(".")
    longer = f"{operation}.{name}"
    return (inner, dot, longer) if inner and longer in _BY_NAME else (workload, dot, name)


def keys(workloads: Iterable[str]) -> list[str]:
    """The keys of all metrics of a campaign with these run workloads, in the order of declaration."""
    every = (INSERT, *dict.fromkeys(workload for workload in workloads if workload != INSERT))
    found = []
    for declaration in DECLARATIONS:
        if declaration.scope in OF_TRIAL:
            found += [declaration.name] if declaration.scope is not Scope.AGED or len(every) > 1 else []
        else:
            found += [declaration.of(w).key for w in every if covers(declaration.scope, is_load=w == INSERT)]
    return found


def readings(record: TrialRecord) -> Iterable[tuple[Metric, Phase, Reading]]:
    """Every metric that the record holds, with the phase it belongs to and its reading."""
    for phase in record.phases:
        workload = workload_of(phase)
        for declaration in DECLARATIONS:
            if declaration.read is None or not declaration.exists_for(record, phase):
                continue
            reading = declaration.read(record, phase)
            if reading is not None and math.isfinite(reading.value):
                yield declaration.of(workload), phase, reading
