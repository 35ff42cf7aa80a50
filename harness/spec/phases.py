"""The phases of a campaign's trials: the load and the run workloads, and how clients drive them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from core.bounds import Name
from core.model import Part
from harness.spec.mix import Distribution

_MANY = 2**31 - 1


class Client(Part):
    """How a YCSB client drives a phase."""

    threads: Annotated[int, Field(ge=1, le=1024)] = Field(4, description="Client threads of all clients together.")
    target_per_s: Annotated[int, Field(ge=1, le=_MANY)] | None = Field(
        None,
        description="Offered load of all clients, at least 1 for each thread; without it they go as fast as they can.",
    )
    timeout_s: Annotated[int, Field(ge=10, le=86400 * 3)] = Field(
        3600, description="A phase that takes longer is ended and its trial void."
    )
    warmup_s: Annotated[int, Field(ge=0, le=86400)] = Field(
        5, description="Left out of the measured window; kept, and flagged, where the phase is hardly longer."
    )
    warmup_operations: Annotated[int, Field(ge=0, le=_MANY)] | None = Field(
        None,
        description="Of each client, left out as well: the window begins when these and `warmup_s` are past, but after "
        "ten times `warmup_s`, or a minute, in any case, and is flagged then. Left out: what the client's compiler "
        "needs, 30,000 in `design: sequential` and 3,000 else, at most half of a phase that operations or documents "
        "bound, and none where `warmup_s` is 0.",
    )

    @model_validator(mode="after")
    def _not_too_slow(self) -> Self:
        if self.target_per_s and self.target_per_s < self.threads:  # YCSB's clock of a thread ends at two seconds
            raise ValueError(f"target_per_s is below one operation per second for each of {self.threads} threads")
        return self


class Load(Client):
    """The load, measured as the insert workload."""

    batch: Annotated[int, Field(ge=1, le=10_000)] = Field(1, description="Documents per insert command.")
    warmup_s: Annotated[int, Field(ge=0, le=86400)] = Field(2, description="As for a workload.")


class Pace(Part):
    """An offered load that is the same for every arm, from the second block on."""

    of: Name = Field(description="The closed-loop workload whose maximum counts.")
    fraction: Annotated[float, Field(gt=0, le=1)] = Field(0.7, description="Of the slowest arm's maximum there.")


class Workload(Client):
    """A run workload: a [mix](#mix), and how long and how hard it runs."""

    mix: Name | None = Field(
        None,
        description="`<mix>.properties` beside the campaign, else in `workloads/`; left out: the workload's name.",
    )
    distribution: Distribution | None = Field(None, description="Of the keys; the mix's if left out.")
    measure_s: Annotated[int, Field(ge=1, le=86400 * 2)] | None = Field(20, description="The measured window.")
    pace: Pace | None = Field(None, description="Offer every arm the same load, found in the first block.")
    operations: Annotated[int, Field(ge=1, le=_MANY)] | None = Field(
        None, description="Bound the phase by operations instead; measure_s must then be null."
    )

    @model_validator(mode="after")
    def _one_bound(self) -> Workload:
        if (self.measure_s is None) == (self.operations is None):
            raise ValueError("give either measure_s or operations (with measure_s: null)")
        if self.pace and self.target_per_s:
            raise ValueError("give either pace or target_per_s")
        return self
