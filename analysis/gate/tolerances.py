"""What a gate checks and how much may change: per metric and workload, in per cent, with direction."""

from __future__ import annotations

from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from analysis.stats.quantities import Better
from core.bounds import Word
from core.model import Part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Percent = Annotated[float, Field(gt=0, lt=1000)]
Drift = Annotated[float, Field(ge=0, lt=1000)]


class Regression(StrEnum):
    """Which change of a metric is a regression."""

    WORSE = "worse"
    """Against the metric's own direction."""
    LOWER = "lower"
    HIGHER = "higher"
    EITHER = "either"


class Tolerance(Part):
    """How much one metric may change."""

    percent: Percent | None = Field(None, description="Changes up to this are not a regression; left out: the default.")
    regression: Regression = Field(Regression.WORSE, description="Which change counts as a regression.")
    drift_percent: Drift | None = Field(
        None, description="Movement of the figure from run to run without any change; left out: the default."
    )
    check: bool = Field(True, description="Whether the gate checks the metric at all.")


LEVEL_DRIFT_PERCENT = 8.0
"""What a shared machine's level was seen to move by from one run to another, as a standard deviation."""

RATIO_DRIFT_PERCENT = 3.0
"""What a ratio within a run moves by: a slow hour slows one arm more than another (docs/results/turns.md)."""

SIZE_DRIFT_PERCENT = 1.0
"""What a size moves by: which pages a checkpoint meets is a matter of speed, too."""

TIMELESS = (
    "compression_ratio*", "achieved_over_expected", "storage_*", "index_*", "files_*", "stored_gb",
    "*.compression_ratio_after", "*.storage_bytes_per_document_after",
)  # fmt: skip
"""Metrics that the host's speed does not move."""

ALSO_CHECKED = ("*.disk_written_bytes_per_operation",)
"""Checked by default beside the primary metrics: what is written shows a changed checkpoint before speed does."""


def is_timeless(key: str) -> bool:
    """Whether a metric does not go with the host's speed."""
    return any(fnmatchcase(key, pattern) for pattern in TIMELESS)


class Tolerances(Part):
    """A tolerances file."""

    percent: Percent | None = Field(
        None, description="Tolerance of every metric; left out: the campaign's equivalence margin."
    )
    drift_percent: Drift | None = Field(
        None,
        description="Standard deviation of the movement of a figure of speed from run to run without any change; "
        "left out: 3 for ratios to a reference, 8 for levels. Within one run nothing is allowed for.",
    )
    metrics: dict[Word, Tolerance] = Field(
        {},
        max_length=1000,
        description="By key, or by a pattern such as `*.p99`. An exact key takes precedence over patterns, and "
        "patterns apply in this order.",
    )

    def of(self, key: str) -> Tolerance | None:
        """What is said of a metric; None: nothing."""
        patterns = (pattern for pattern in self.metrics if fnmatchcase(key, pattern))
        named = key if key in self.metrics else next(patterns, None)
        return None if named is None else self.metrics[named]

    def checks(self, key: str, primary: Collection[str]) -> bool:
        """Whether the gate looks at a metric: as the file says, else the primary metrics and what is written."""
        said = self.of(key)
        if said is not None:
            return said.check
        return key in primary or any(fnmatchcase(key, pattern) for pattern in ALSO_CHECKED)

    def percent_of(self, key: str, margin_percent: float) -> float:
        """How much the metric may change, in per cent; `margin_percent` is the campaign's equivalence margin."""
        said = self.of(key)
        return (said.percent if said else None) or self.percent or margin_percent

    def drift_of(self, key: str, *, relative: bool) -> float:
        """The drift between runs to allow for, in per cent: of a ratio to the reference (`relative`) or of a level."""
        said = self.of(key)
        if said is not None and said.drift_percent is not None:
            return said.drift_percent
        if is_timeless(key):
            return SIZE_DRIFT_PERCENT
        if self.drift_percent is not None:
            return self.drift_percent
        return RATIO_DRIFT_PERCENT if relative else LEVEL_DRIFT_PERCENT

    def unknown(self, present: Iterable[str]) -> list[str]:
        """Keys and patterns of the file that match no metric there is."""
        known = list(present)
        return [name for name in self.metrics if not any(fnmatchcase(key, name) for key in known)]


def is_regression(regression: Regression, better: Better, mean_log: float) -> bool:
    """Whether a change in this direction (candidate ÷ baseline, log) counts as a regression."""
    return regression is Regression.EITHER or mean_log * bad_direction(regression, better) > 0


def bad_direction(regression: Regression, better: Better) -> int:
    """Where a metric goes in a regression: −1 down, 1 up; 1 also where either counts."""
    if regression is Regression.WORSE:
        return -1 if better is Better.HIGHER else 1
    return -1 if regression is Regression.LOWER else 1
