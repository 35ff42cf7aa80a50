"""What a metric is, and for which phases it exists."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analysis.stats.metrics.readers import Reader
    from analysis.stats.quantities import Better, Unit
    from analysis.trial.records import Phase, TrialRecord

INSERT = "insert"
"""The workload name of the load phase."""


class Scope(Enum):
    """Which phases a metric exists for."""

    LOADED = "the trial, after its load"
    AGED = "the trial, after the last of run workloads that wrote"
    LOAD_AND_RUN = "every phase"
    RUN = "run phases"
    DERIVED = "computed from several trials or with prices"


@dataclass(frozen=True)
class Metric:
    """A metric of one workload (or of the loaded data): what a declaration becomes."""

    key: str
    label: str
    unit: Unit
    better: Better
    primary: bool
    workload: str
    """`insert` or the name of a run phase."""


@dataclass(frozen=True)
class Declaration:
    """One kind of metric. `primary` says for which phases it is primary unless the spec chooses."""

    name: str
    label: str
    unit: Unit
    better: Better
    scope: Scope
    primary: Scope | None
    read: Reader | None

    def exists_for(self, record: TrialRecord, phase: Phase) -> bool:
        """Whether the record's phase has this metric."""
        if self.scope is Scope.AGED:
            return phase is next(filter(_has_written, reversed(record.phases)), None)
        return covers(self.scope, is_load=phase.kind == "load")

    def of(self, workload: str) -> Metric:
        """The metric of one workload. Metrics of the trial have no workload in their key."""
        if self.scope in OF_TRIAL:
            return Metric(self.name, self.label, self.unit, self.better, self.primary is not None, INSERT)
        primary = self.primary is not None and covers(self.primary, is_load=workload == INSERT)
        return Metric(f"{workload}.{self.name}", f"{workload} {self.label}", self.unit, self.better, primary, workload)


OF_TRIAL = (Scope.LOADED, Scope.AGED, Scope.DERIVED)
"""The scopes of metrics that are of no workload."""
_WRITES = (
    "INSERT", "UPDATE", "READ-MODIFY-WRITE", "REPLACE", "DELETE", "UPSERT", "TRANSACTION", "FIND-AND-MODIFY",
)  # fmt: skip


def _has_written(phase: Phase) -> bool:
    return phase.kind == "run" and any(operation in phase.statuses for operation in _WRITES)


def covers(scope: Scope, *, is_load: bool) -> bool:
    """Whether a metric of this scope exists for the load, or for run phases."""
    if is_load:
        return scope in (Scope.LOADED, Scope.LOAD_AND_RUN)
    return scope in (Scope.RUN, Scope.LOAD_AND_RUN)


def workload_of(phase: Phase) -> str:
    """The workload a phase runs: `insert` for the load, else the phase's name."""
    return INSERT if phase.kind == "load" else phase.name
