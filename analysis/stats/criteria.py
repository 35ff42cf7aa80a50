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

    metric: Word = Field(description="Key of a metric, e.g. `rmw.throughput`; docs/metrics.md lists all keys.")
    at_least: Positive | None = Field(None, description="Smallest allowed ratio, arm ÷ baseline.")
    at_most: Positive | None = Field(None, description="Largest allowed ratio, arm ÷ baseline.")

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a constraint needs at_least or at_most")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"no ratio is at least {self.at_least:g} and at most {self.at_most:g}")
        return self


class Precision(Part):
    """When to stop adding blocks: the interval's half-width on every primary metric, in per cent."""

    half_width_percent: Percent = Field(
        3.0, description="Largest half-width of the interval on every primary metric, in per cent."
    )
    confidence_percent: Percent = Field(95.0, description="Confidence level of the intervals.")


class PlatformPrices(Part):
    """What one platform's hosts cost, where that differs."""

    instance_per_hour: Positive | None = Field(None, description="Price of one database host.")
    storage_per_gb_month: Amount | None = Field(None, description="Price of the data disk.")


class Prices(Part):
    """Prices, and the deployment that they are for. The defaults are examples, not quotes: give your own."""

    dated: Word = Field("2026-11 (example)", description="Date of the prices.")
    currency: Word = Field("USD", description="Currency of all prices.")
    instance_per_hour: Positive = Field(0.272, description="Price of one database host.")
    instance_capacity: Annotated[float, Field(gt=0, le=1)] = Field(
        0.5, description="Share of an instance's measured maximum that the deployment plans to use."
    )
    storage_per_gb_month: Amount = Field(0.08, description="Price of the data disk.")
    data_size_gb: Positive = Field(500.0, description="Size of the data today, as uncompressed BSON.")
    growth_percent_per_month: Annotated[float, Field(ge=0, le=100)] = Field(0.0, description="Growth of the data.")
    horizon_months: Annotated[int, Field(ge=1, le=120)] = Field(12, description="Months over which costs are averaged.")
    operations_per_s: Positive = Field(1000.0, description="Operations per second of the workload named in `workload`.")
    storage_state: Literal["loaded", "aged"] = Field(
        "loaded",
        description="Which storage is paid for: that of the loaded documents, or that after the run workloads.",
    )
    workload: Word = Field("rmw", description="The workload that determines how many instances are needed.")
    replicas: Annotated[int, Field(ge=1, le=50)] = Field(3, description="Number of members that store the data.")
    platforms: dict[NameOrNone, PlatformPrices] = Field(
        {},
        max_length=MOST_PLATFORMS,
        description="Prices by the inventory's `pressgauge_platform`. Other platforms, and prices left out here, "
        "have the prices above.",
    )

    def of(self, platform: str) -> Self:
        """The prices on a platform."""
        own = self.platforms.get(platform, PlatformPrices())
        return self.model_copy(update=own.model_dump(exclude_none=True) | {"platforms": {}})


class Criteria(Part):
    """How the decision is made: the spec's `decision` section."""

    baseline: Word = Field(description="The arm that every other arm is compared with.")
    baseline_engine: Word | None = Field(
        None, description="The engine that every other engine is compared with; left out: engines are not compared."
    )
    reference_engine: Word | None = Field(
        None,
        description="The engine that is the same build in every run of the campaign. Its cell with the baseline "
        "arm is the reference: the gate between runs and the history use each cell's ratio to it. "
        "Left out: they compare the levels of two runs.",
    )
    objective: Objective = Field(
        Objective.STORAGE,
        description="What the recommended arm should be best at. `storage`: that of the loaded documents. "
        "`aged-storage`: that after the run workloads, reusable space included.",
    )
    constraints: Annotated[tuple[Constraint, ...], Field(max_length=100)] = ()
    equivalence_margin_percent: Percent = Field(3.0, description="Differences smaller than this do not matter to you.")
    confidence_percent: Percent = Field(95.0, description="Confidence level of the intervals.")
    primary: Annotated[tuple[Word, ...], Field(max_length=1000)] | Literal["default"] = Field(
        "default",
        description="Primary metrics: those that the verdicts are corrected over. `default`: the declared ones.",
    )
    prices: Prices = Prices()
