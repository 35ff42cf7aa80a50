"""The phases of a campaign's trials: the load and the run workloads, and how clients drive them and are connected."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from analysis.trial.records import Compressor
from core.bounds import Name
from core.model import Part
from harness.spec.addresses import check_cpus
from harness.spec.mix import Distribution

_MANY = 2**31 - 1


class WriteConcern(Part):
    """What the clients wait for. It is always sent, so that no engine's default applies."""

    w: Annotated[int, Field(ge=1, le=7)] | Literal["majority"] = Field(
        1, description="How many members must acknowledge a write."
    )
    journal: bool = Field(False, description="Wait for the journal (j).")


class Connection(Part):
    """How messages between clients and mongod are compressed on their way."""

    compressors: Compressor | None = Field(
        None,
        description="Wire compressor, the only one that mongod then offers; `none`: it offers none. Left out: clients "
        "ask for none, and mongod offers its own, which members of a replica set use among themselves.",
    )
    zlib_level: Annotated[int, Field(ge=0, le=9)] | None = Field(
        None,
        description="For zlib only: of what clients send. mongod, and clients without it, send with zlib's own, 6.",
    )

    @model_validator(mode="after")
    def _level_fits_compressor(self) -> Self:
        if self.zlib_level is not None and self.compressors is not Compressor.ZLIB:
            raise ValueError(f"zlib_level {self.zlib_level} is for compressors: zlib; leave it out, or choose zlib")
        return self

    @property
    def told(self) -> str | None:
        """What the clients' driver then asks mongod for, as it says so itself; None: it asks for none."""
        if self.compressors in {None, Compressor.NONE}:
            return None
        return f"{self.compressors}" + ("" if self.zlib_level is None else f" {self.zlib_level}")


class Client(Part):
    """How a YCSB client drives a phase."""

    threads: Annotated[int, Field(ge=1, le=1024)] = Field(
        4, description="Number of client threads, all clients together."
    )
    target_per_s: Annotated[int, Field(ge=1, le=_MANY)] | None = Field(
        None,
        description="Offered load in operations per second, all clients together, at least 1 per thread. Left "
        "out: clients run as fast as they can.",
    )
    timeout_s: Annotated[int, Field(ge=10, le=86400 * 3)] = Field(
        3600, description="Longest time for the phase. A phase that takes longer is ended, and its trial is void."
    )
    warmup_s: Annotated[int, Field(ge=0, le=86400)] = Field(
        5,
        description="Warm-up that is left out of the measured window. A phase that is hardly longer keeps it and "
        "is flagged.",
    )
    warmup_operations: Annotated[int, Field(ge=0, le=_MANY)] | None = Field(
        None,
        description="Warm-up operations of each client, also left out. The window begins when both these and "
        "`warmup_s` are done. It begins without them after ten times `warmup_s` (at least a minute), "
        "and the phase is flagged. If not given, what the client's compiler needs: 30,000 with "
        "`design: sequential`, otherwise 3,000, but at most half of a phase that is bounded by "
        "operations or documents, and none where `warmup_s` is 0.",
    )

    @model_validator(mode="after")
    def _not_too_slow(self) -> Self:
        if self.target_per_s and self.target_per_s < self.threads:  # YCSB's clock of a thread ends at two seconds
            raise ValueError(f"target_per_s is below one operation per second for each of {self.threads} threads")
        return self


class Load(Client):
    """The load, measured as the insert workload."""

    cpus: Annotated[str, Field(max_length=1000), AfterValidator(check_cpus)] | None = Field(
        None,
        description="Cores that clients run on, in every phase, e.g. `4-7`. Left out: on a host of mongods, those that "
        "`instance.cpus` leaves; all elsewhere.",
    )
    batch: Annotated[int, Field(ge=1, le=10_000)] = Field(1, description="Documents per insert command of up to 48 MB.")
    warmup_s: Annotated[int, Field(ge=0, le=86400)] = Field(2, description="As in a workload.")


class Pace(Part):
    """An offered load that is the same for every arm, from the second block on."""

    of: Name = Field(description="The closed-loop workload whose maximum throughput counts.")
    fraction: Annotated[float, Field(gt=0, le=1)] = Field(
        0.7, description="Offered load as a fraction of the slowest arm's maximum throughput there."
    )


class Workload(Client):
    """A run workload: its mix, [YCSB's](#mix) or [your own](#mix-file), how long it runs and how hard."""

    mix: Name | None = Field(
        None,
        description="Name of the mix: `<mix>.properties` or `<mix>.mix.yaml` in the campaign's folder, else in "
        "`workloads/`; left out: the workload's name.",
    )
    distribution: Distribution | None = Field(
        None, description="Distribution of the keys, of a mix in YCSB's words; left out: the mix's."
    )
    measure_s: Annotated[int, Field(ge=1, le=86400 * 2)] | None = Field(
        20, description="Length of the measured window."
    )
    pace: Pace | None = Field(None, description="Offers every arm the same load, which the first block determines.")
    operations: Annotated[int, Field(ge=1, le=_MANY)] | None = Field(
        None, description="Ends the phase after this number of operations instead; `measure_s` must then be null."
    )
    maintenance: Literal["compact", "initial-sync"] | None = Field(
        None,
        description="What is done to the data before the workload. `compact`: each member gives back what its files "
        "could reuse. `initial-sync`: the last member of a replica set is emptied, and copies everything anew. It is "
        "timed, sizes after it are on record, and no workload is charged for it.",
    )

    @model_validator(mode="after")
    def _one_bound(self) -> Workload:
        if (self.measure_s is None) == (self.operations is None):
            raise ValueError("give either measure_s or operations (with measure_s: null)")
        if self.pace and self.target_per_s:
            raise ValueError("give either pace or target_per_s")
        return self
