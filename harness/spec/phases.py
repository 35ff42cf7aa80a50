"""The phases of a campaign's trials: the load and the run workloads, and how clients drive them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from core.bounds import Name
from core.model import Part
from harness.spec.addresses import check_cpus
from harness.spec.mixes.ycsb import Distribution

_MANY = 2**31 - 1


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


_OF_A_MIX = ("mix", "distribution", "measure_s", "pace", "target_per_s")


class Pace(Part):
    """An offered load that is the same for every arm, from the second block on."""

    of: Name = Field(description="The closed-loop workload whose maximum throughput counts.")
    fraction: Annotated[float, Field(gt=0, le=1)] = Field(
        0.7, description="Offered load as a fraction of the slowest arm's maximum throughput there."
    )


Speed = Annotated[float, Field(gt=0, le=1000)] | Literal["max"]


class Replay(Part):
    """Recorded traffic, asked again in the order and at the times of its sessions: [replay.md](replay.md)."""

    recording: Path = Field(description="What mongod recorded of its traffic, or a dump of `system.profile`.")
    collection: Annotated[str, Field(pattern=r"^[^.]+\..+$", max_length=255)] | None = Field(
        None,
        description="Collection of the recording whose operations are replayed, as `<database>.<collection>`; left "
        "out: that with the most.",
    )
    speed: Speed = Field(1.0, description="How many times as fast as recorded; `max`: each session as fast as it can.")
    unequal_answers: Annotated[int, Field(ge=0, le=_MANY)] | None = Field(
        0,
        description="Answers that may differ from the recorded ones in kind or count. More make the trial void; null: "
        "they are counted, and any number may.",
    )


class Workload(Client):
    """A run workload: its mix, [YCSB's](#mix) or [your own](#mix-file), or a [replay](#replay), how long and hard."""

    mix: Name | None = Field(
        None,
        description="Name of the mix: `<mix>.properties` or `<mix>.mix.yaml` in the campaign's folder, else in "
        "`workloads/`; left out: the workload's name.",
    )
    distribution: Distribution | None = Field(
        None, description="Distribution of the keys, of a mix in YCSB's words; left out: the mix's."
    )
    replay: Replay | None = Field(
        None,
        description="Recorded traffic in place of a mix. It says itself how many threads and operations there are. It "
        "is the campaign's only workload, as it goes on from the documents that are loaded.",
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

    @model_validator(mode="before")
    @classmethod
    def _whole_recording(cls, data: Any) -> Any:
        """A recording is its own bound."""
        return {"measure_s": None, **data} if isinstance(data, dict) and data.get("replay") else data

    @model_validator(mode="after")
    def _one_bound(self) -> Workload:
        if self.replay:
            told = [name for name in _OF_A_MIX if getattr(self, name) is not None]
            if told:
                raise ValueError(f"a replay has no {' or '.join(told)}; leave it out")
            return self
        if (self.measure_s is None) == (self.operations is None):
            raise ValueError("give either measure_s or operations (with measure_s: null)")
        if self.pace and self.target_per_s:
            raise ValueError("give either pace or target_per_s")
        return self
