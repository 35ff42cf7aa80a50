"""What the user wants decided: baseline, objective, constraints, margins and prices (the spec's `decision` section)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from core.bounds import MOST_PLATFORMS, Amount, NameOrNone, Positive, Word
from core.model import Part

Percent = Annotated[float, Field(gt=0, lt=100)]


class Objective(StrEnum):
    """What the recommended arm should be best at, among those that satisfy the constraints."""

    STORAGE = "storage"
    AGED_STORAGE = "aged-storage"
    COST = "cost"
    CPU = "cpu"
    THROUGHPUT = "throughput"


class Constraint(Part):
    """A bound on one metric's ratio to the baseline. An arm satisfies it only if its whole interval does."""

    metric: Word = Field(description="Key of a metric, e.g. `rmw.throughput`; docs/metrics.md lists them.")
    at_least: Positive | None = Field(None, description="Arm / baseline is at least this.")
    at_most: Positive | None = Field(None, description="Arm / baseline is at most this.")

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a constraint needs at_least or at_most")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"no ratio is at least {self.at_least:g} and at most {self.at_most:g}")
        return self


class Precision(Part):
    """When to stop adding blocks: the interval's half-width on every primary metric, in per cent."""

    half_width_percent: Percent = Field(3.0, description="Of the interval on every primary metric.")
    confidence_percent: Percent = Field(95.0, description="Of the intervals.")


class PlatformPrices(Part):
    """What one platform's hosts cost, where that differs."""

    instance_per_hour: Positive | None = Field(None, description="Of one database host.")
    storage_per_gb_month: Amount | None = Field(None, description="Of the data disk.")


class Prices(Part):
    """Prices and the deployment they are for. The defaults are examples, not quotes: give your own."""

    dated: Word = Field("2026-11 (example)", description="When these prices held.")
    currency: Word = Field("USD", description="Of all prices.")
    instance_per_hour: Positive = Field(0.272, description="Of one database host.")
    instance_capacity: Annotated[float, Field(gt=0, le=1)] = Field(
        0.5, description="Share of the measured maximum that the deployment plans to use of an instance."
    )
    storage_per_gb_month: Amount = Field(0.08, description="Of the data disk.")
    data_size_gb: Positive = Field(500.0, description="Uncompressed BSON today.")
    growth_percent_per_month: Annotated[float, Field(ge=0, le=100)] = Field(0.0, description="Of the data.")
    horizon_months: Annotated[int, Field(ge=1, le=120)] = Field(12, description="Over which costs are averaged.")
    operations_per_s: Positive = Field(1000.0, description="Of the workload named below.")
    storage_state: Literal["loaded", "aged"] = Field(
        "loaded", description="Whether the storage paid for is that of the loaded documents or after the run workloads."
    )
    workload: Word = Field("rmw", description="The phase that sizes the instances.")
    replicas: Annotated[int, Field(ge=1, le=50)] = Field(3, description="Members that store the data.")
    platforms: dict[NameOrNone, PlatformPrices] = Field(
        {},
        max_length=MOST_PLATFORMS,
        description="By the inventory's `pressgauge_platform`; of others, and where left out, the prices above.",
    )

    def of(self, platform: str) -> Self:
        """The prices on a platform."""
        own = self.platforms.get(platform, PlatformPrices())
        return self.model_copy(update=own.model_dump(exclude_none=True) | {"platforms": {}})


class Criteria(Part):
    """The spec's `decision` section."""

    baseline: Word = Field(description="The arm that every other is compared with.")
    baseline_engine: Word | None = Field(
        None, description="The engine that every other is compared with; left out: engines are not compared."
    )
    reference_engine: Word | None = Field(
        None,
        description="The engine that is the same build in every run of the campaign. Its cell with the baseline arm is "
        "the reference: the gate between runs and the history go by each cell's ratio to it. Left out: levels of two "
        "runs are compared.",
    )
    objective: Objective = Field(
        Objective.STORAGE,
        description="What the recommended arm should be best at; `storage` is that of the loaded documents, "
        "`aged-storage` that after the run workloads, space that could be reused included.",
    )
    constraints: Annotated[tuple[Constraint, ...], Field(max_length=100)] = ()
    equivalence_margin_percent: Percent = Field(
        3.0, description="Differences smaller than this do not matter to the user."
    )
    confidence_percent: Percent = Field(95.0, description="Of the intervals.")
    primary: Annotated[tuple[Word, ...], Field(max_length=1000)] | Literal["default"] = Field(
        "default", description="Metrics that the verdicts are corrected over; `default`: the declared ones."
    )
    prices: Prices = Prices()
