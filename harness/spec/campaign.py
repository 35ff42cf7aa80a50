"""The campaign spec: the YAML a user writes, as frozen typed objects.

`docs/spec.md` is generated from these types, so every field says what it means, in which unit, and its default.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from analysis.stats.criteria import Criteria, Precision
from analysis.stats.looks import Looks
from analysis.trial.records import Compressor, Regime
from core.bounds import MOST_BLOCKS, Name, Positive
from core.model import Part
from core.sizes import Size
from datasets.documents import DocumentSource
from datasets.recipes import Recipe
from harness.spec.addresses import check_bind_ip, check_cpus
from harness.spec.cloud import Cloud
from harness.spec.engines import Engine
from harness.spec.phases import Load, Workload

Design = Literal["turns", "sequential"]
GIB = 2**30
_BSON_OVERHEAD_BYTES = 34  # length, _id with its key name, terminator
_FIELD_OVERHEAD_BYTES = 14  # type, name, length, terminator
_MOST_CELLS = 500
_Few = Field(max_length=100)
_Some = Field(min_length=1, max_length=100)
_MANY = 2**31 - 1


class WriteConcern(Part):
    """What the clients wait for; always sent, so that no engine's default applies."""

    w: Annotated[int, Field(ge=1, le=7)] | Literal["majority"] = Field(1, description="Members that have acknowledged.")
    journal: bool = Field(False, description="Wait for the journal (j).")


class Arm(Part):
    """A named compressor setting."""

    block_compressor: Compressor = Field(description="Of collections.")
    zstd_level: Annotated[int, Field(ge=1, le=22)] | None = Field(
        None, description="zstd only, engines from 5.0; the engine's default is 6."
    )
    zlib_level: Annotated[int, Field(ge=0, le=9)] | None = Field(
        None, description="zlib only; the engine's default is zlib's own, 6."
    )
    journal_compressor: Compressor = Field(Compressor.SNAPPY, description="Of the write-ahead log.")
    leaf_page_max: Size | None = Field(None, description="Largest leaf page on disk; the engine's default is 32KiB.")
    memory_page_image_max: Size | None = Field(
        None,
        description="Most that one leaf page on disk holds before compression; the engine's default is 4 × "
        "leaf_page_max, and it has no less than that page. Pages of a load are of many sizes up to it; at "
        "leaf_page_max they are alike.",
    )
    collection_config: Annotated[str, Field(max_length=4096)] | None = Field(
        None, description="Further WiredTiger options of the collection."
    )
    sync_period_s: Annotated[int, Field(ge=1, le=3600)] | None = Field(
        None, description="Seconds between checkpoints; the engine's default is 60."
    )
    cache_size: Size | None = Field(None, description="WiredTiger's cache, where it differs from the campaign's.")
    write_concern: WriteConcern | None = Field(None, description="Where it differs from the campaign's.")
    cpu_limit: Annotated[float, Field(ge=0.05, le=1024)] | None = Field(
        None, description="CPUs' worth of time that mongod may use, on hosts with control groups; all if left out."
    )

    @model_validator(mode="after")
    def _level_fits_compressor(self) -> Arm:
        for compressor in Compressor:
            level = self._level_of(compressor)
            if level is not None and self.block_compressor is not compressor:
                raise ValueError(
                    f"{compressor}_level {level} has no effect on block_compressor {self.block_compressor}; "
                    f"leave it out, or set block_compressor: {compressor}"
                )
        return self

    def _level_of(self, compressor: Compressor) -> int | None:
        level: int | None = getattr(self, f"{compressor}_level", None)
        return level

    @property
    def level(self) -> int | None:
        """The block compressor's level; None: the engine's default, or it has no levels."""
        return self._level_of(self.block_compressor)


class Document(Part):
    """The shape of a document: text fields of a fixed length, so that adaptive page sizes stay comparable."""

    source: DocumentSource = Field("text", description="What the fields hold; `text`: slices of the dataset's text.")
    fields: Annotated[int, Field(ge=1, le=200)] = Field(10, description="Text fields per document.")
    field_length: Size = Field(100, description="Bytes of UTF-8 text per field, from 16 B to 64 KiB.", ge=16, le=65536)

    @property
    def size_bytes(self) -> int:
        """Size of one document in BSON, in bytes, about."""
        return _BSON_OVERHEAD_BYTES + self.fields * (self.field_length + _FIELD_OVERHEAD_BYTES)


class Turns(Part):
    """How the trials of a block take turns."""

    seconds: Annotated[float, Field(ge=0.5, le=600)] = Field(4.0, description="Of a turn, its beginning included.")
    cut_s: Annotated[float, Field(ge=0, le=60)] = Field(
        0.6, description="Left out at the beginning of each turn: what the switch from another trial brings."
    )

    @model_validator(mode="after")
    def _something_is_left(self) -> Turns:
        if self.cut_s > self.seconds / 2:
            raise ValueError(f"cut_s {self.cut_s:g} leaves less than half of a turn of {self.seconds:g} s")
        return self

    @property
    def measured_s(self) -> float:
        """What is measured of a turn, in seconds."""
        return self.seconds - self.cut_s


class Blocks(Part):
    """How many rounds: at least `min`, at most `max`, and between them until enough is known."""

    until: Literal["precise", "decided"] = Field(
        "precise",
        description="`precise`: until `precision` is met, whatever the intervals show. `decided`: until every primary "
        "question has a verdict; the accepted rate of false verdicts is spent over the looks after each block, so "
        "intervals are wider than those of as many fixed blocks.",
    )
    min: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = Field(
        3, description="Run in any case; below 5 intervals are wide. `decided` needs at least 2."
    )
    max: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = Field(description="Never more than so many.")
    precision: Precision = Precision()

    @model_validator(mode="after")
    def _ordered(self) -> Blocks:
        if self.max < self.min:
            raise ValueError(f"max {self.max} is below min {self.min}")
        return self

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        if self.until == "decided" and "precision" in self.model_fields_set:
            raise ValueError("until: decided looks at verdicts and not at widths: leave precision out")
        if self.until == "decided" and self.min < 2:
            raise ValueError("one block has no verdict: until: decided needs a min of 2 or more")
        return self


class Limits(Part):
    """When a trial, or the whole run, is given up."""

    attempts: Annotated[int, Field(ge=1, le=10)] = Field(
        2, description="Of a trial that the host, the engine or the client fails."
    )
    failed_operations: Annotated[int, Field(ge=0, le=_MANY)] = Field(
        0, description="More than this in one trial void it."
    )
    verify_all_up_to: Annotated[int, Field(ge=0, le=_MANY)] = Field(
        1_000_000, description="Up to so many documents all are verified; of more, a sample of this size."
    )
    canary_percent: Positive = Field(
        15.0, description="A block is flagged when a host's CPU or disk canary beside it moved by more."
    )
    free_disk: Size = Field(GIB, description="Space that must stay free on the data and results disks.")


class Instance(Part):
    """Where a mongod listens and what it may use."""

    port: Annotated[int, Field(ge=1024, le=65535)] = Field(27117, description="Must be free.")
    bind_ip: Annotated[str, Field(max_length=1000), AfterValidator(check_bind_ip)] | None = Field(
        None, description="Where mongod listens; the address the inventory names if left out. Never all addresses."
    )
    cpus: Annotated[str, Field(max_length=1000), AfterValidator(check_cpus)] | None = Field(
        None, description="Cores of mongod, e.g. `0-3`; all if left out."
    )
    tls: Literal["auto", "always", "never"] = Field(
        "auto",
        description="Whether all that reaches mongod is encrypted, in every arm alike; `auto`: where its clients or "
        "other members are on other hosts.",
    )


class Topology(Part):
    """What is made of mongods: one, or a replica set over the inventory's database hosts."""

    kind: Literal["standalone", "replica-set"] = Field(
        "standalone", description="One mongod a trial, or several with the same data."
    )
    members: Annotated[int, Field(ge=1, le=7)] | None = Field(
        None, description="Of a replica set, all with data; 3 if left out. They take the database hosts in turn."
    )

    @model_validator(mode="after")
    def _members_of_a_set(self) -> Topology:
        if self.members is not None and self.kind != "replica-set":
            raise ValueError(f"members are a replica set's, not a {self.kind}'s; leave them out")
        return self

    @property
    def member_count(self) -> int:
        """How many mongods a trial has."""
        return (self.members or 3) if self.kind == "replica-set" else 1


class Campaign(Part):
    """A campaign: the question, its factors, what is held fixed, and how it is decided."""

    question: str = Field("", max_length=500, description="Heads the report.")
    name: Name = Field("", description="Taken from the file's name.", validate_default=False)
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = Field(1, description="Of order and documents.")
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] | Blocks = Field(3, description="Rounds; each runs every cell.")
    design: Design = Field(
        "turns",
        description="How the trials of a block run: all alive, taking turns of seconds, where the hosts allow it, with "
        "clients that are warm within 2 s; or one after the other, with clients that take some 14 s to be warm and "
        "half the CPU then.",
    )
    turns: Turns = Turns()
    engines: Annotated[dict[Name, Engine], _Some] = Field(description="Factor: engines by name.")
    arms: Annotated[dict[Name, Arm], _Some] = Field(description="Factor: compressor settings by name.")
    datasets: Annotated[dict[Name, Recipe], _Some] = Field(description="Factor: what is stored, by name.")
    document: Document = Document()
    records: Annotated[int, Field(ge=10, le=_MANY)] = Field(description="Documents loaded in each trial.")
    cache_size: Annotated[Size, Field(ge=GIB // 4)] = Field(GIB, description="WiredTiger's cache, at least 256MiB.")
    regime: Regime = Field(
        Regime.ANY, description="Whether the data fits the cache; checked by engine counters, unless `any`."
    )
    memory_limit: Size | None = Field(
        None, description="Of mongod, file cache included; for the regime out-of-cache, on hosts with control groups."
    )
    topology: Topology = Topology()
    write_concern: WriteConcern = WriteConcern()
    load: Load = Load()
    workloads: Annotated[dict[Name, Workload], _Few] = Field({}, description="Run after the load, in this order.")
    instance: Instance = Instance()
    limits: Limits = Limits()
    cloud: Cloud | None = Field(None, description="Hosts on EC2 for this campaign, started by `make cloud-up`.")
    decision: Criteria

    @model_validator(mode="after")
    def _can_be_planned(self) -> Campaign:
        cells = len(self.engines) * len(self.arms) * len(self.datasets)
        if cells > _MOST_CELLS:
            raise ValueError(f"engines × arms × datasets: {cells} cells; {_MOST_CELLS} at most")
        return self

    @model_validator(mode="after")
    def _members_can_acknowledge(self) -> Campaign:
        for name in self.arms:
            concern = self.arm_write_concern(name)
            if isinstance(concern.w, int) and concern.w > self.topology.member_count:
                raise ValueError(
                    f"arms.{name}: w: {concern.w} can't be acknowledged by {self.topology.member_count} member(s)"
                )
        return self

    def arm_write_concern(self, arm: str) -> WriteConcern:
        """What the clients wait for in this arm."""
        return self.arms[arm].write_concern or self.write_concern

    @property
    def most_blocks(self) -> int:
        """The largest number of blocks the campaign may run."""
        return self.blocks if isinstance(self.blocks, int) else self.blocks.max

    @property
    def fewest_blocks(self) -> int:
        """The number of blocks the campaign runs in any case."""
        return self.blocks if isinstance(self.blocks, int) else self.blocks.min

    @property
    def looks(self) -> Looks | None:
        """After which blocks the campaign may end because of what it shows; None: it never ends for that."""
        if isinstance(self.blocks, int) or self.blocks.until != "decided":
            return None
        return Looks(fewest=self.blocks.min, most=self.blocks.max)

    def arm_cache_bytes(self, arm: str) -> int:
        """WiredTiger's cache in this arm."""
        return self.arms[arm].cache_size or self.cache_size
