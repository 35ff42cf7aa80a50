"""The campaign spec: the YAML a user writes, as frozen typed objects.

`docs/spec.md` is generated from these types, so every field says what it means, in which unit, and its default.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from analysis.stats.criteria import Criteria, Precision
from analysis.stats.looks import Looks
from analysis.stats.mirrored import Mirrors
from analysis.trial.records import DiskLimit, Regime
from core.bounds import MOST_BLOCKS, Name, Positive
from core.model import Part
from core.sizes import Size
from datasets.documents import DocumentShape, DocumentSource
from datasets.recipes import Recipe
from harness.spec.addresses import check_bind_ip, check_cpus
from harness.spec.arm import Arm
from harness.spec.cloud import Cloud
from harness.spec.engines import Engine
from harness.spec.knobs import Connection, ReadConcern, ReadPreference, WriteConcern
from harness.spec.phases import Load, Workload

Design = Literal["turns", "sequential"]
GIB = 2**30
_BSON_OVERHEAD_BYTES = 34  # length, _id with its key name, terminator
_FIELD_OVERHEAD_BYTES = 14  # type, name, length, terminator
_MOST_CELLS = 500
_Few = Field(max_length=100)
_Some = Field(min_length=1, max_length=100)
_MANY = 2**31 - 1
_BESIDE_VALUE_BYTES = 160  # of a hash in the client's memory


class Document(Part):
    """The shape of a document of text: fields of a fixed length, so that adaptive page sizes stay comparable."""

    source: DocumentSource = Field("text", description="What the fields hold. `text`: slices of the dataset's text.")
    fields: Annotated[int, Field(ge=1, le=200)] = Field(10, description="Number of text fields per document.")
    field_length: Size = Field(
        100, description="Size of each field as UTF-8 text, from 16 B to 64 KiB.", ge=16, le=65536
    )

    @property
    def shape(self) -> DocumentShape:
        """The same, as the source of documents is told of it."""
        return DocumentShape(field_count=self.fields, field_length_bytes=self.field_length)

    @property
    def size_bytes(self) -> int:
        """Size of one document in BSON, in bytes, about."""
        return _BSON_OVERHEAD_BYTES + self.fields * (self.field_length + _FIELD_OVERHEAD_BYTES)


class Turns(Part):
    """How the trials of a block take turns."""

    seconds: Annotated[float, Field(ge=0.5, le=600)] = Field(
        4.0, description="Length of a turn, its beginning included."
    )
    cut_s: Annotated[float, Field(ge=0, le=60)] = Field(
        0.6, description="Time left out at the beginning of each turn, where the switch from another trial has effects."
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
    """How many blocks: at least `min`, at most `max`, and in between until enough is known."""

    until: Literal["precise", "decided"] = Field(
        "precise",
        description="`precise`: until `precision` is met, whatever the intervals show. `decided`: until every "
        "primary question has a verdict. The accepted rate of false verdicts is then spent over the "
        "looks after each block, so intervals are wider than those of the same fixed number of "
        "blocks.",
    )
    min: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = Field(
        3, description="Blocks that always run. Below 5, intervals are wide. `decided` needs at least 2."
    )
    max: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = Field(description="The largest number of blocks.")
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
    """When to give up a trial or the whole run."""

    attempts: Annotated[int, Field(ge=1, le=10)] = Field(
        2, description="Attempts at a trial that fails because of the host, the engine or the client."
    )
    failed_operations: Annotated[int, Field(ge=0, le=_MANY)] = Field(
        0, description="Failed operations that a trial may have. More make it void."
    )
    verify_all_up_to: Annotated[int, Field(ge=0, le=_MANY)] = Field(
        1_000_000,
        description="Up to this number, all documents are verified. Of more documents, a sample of this size is "
        "verified.",
    )
    canary_percent: Positive = Field(
        15.0,
        description="A block is flagged when a host's CPU or disk canary around it differs from the usual by more "
        "than this.",
    )
    free_disk: Size = Field(GIB, description="Space that must stay free on the data and results disks.")


class Instance(Part):
    """Where a mongod listens and what it may use."""

    port: Annotated[int, Field(ge=1024, le=65535)] = Field(27117, description="Port of mongod. It must be free.")
    bind_ip: Annotated[str, Field(max_length=1000), AfterValidator(check_bind_ip)] | None = Field(
        None,
        description="Address that mongod listens on; left out: the address that the inventory names. Never all "
        "addresses.",
    )
    cpus: Annotated[str, Field(max_length=1000), AfterValidator(check_cpus)] | None = Field(
        None, description="Cores that mongod runs on, e.g. `0-3`; all if left out."
    )
    disk_limit: DiskLimit | None = Field(
        None,
        description="What each mongod may read and write in a second, on hosts with control groups, to imitate a "
        "smaller disk; unlimited if left out. Trials then run one after the other.",
    )
    tls: Literal["auto", "always", "never"] = Field(
        "auto",
        description="Whether all connections to mongod are encrypted, in every arm alike. `auto`: where clients "
        "or other members are on other hosts.",
    )


class Topology(Part):
    """How mongods are arranged: a single mongod, or a replica set over the inventory's database hosts."""

    kind: Literal["standalone", "replica-set"] = Field(
        "standalone", description="One mongod per trial, or several with the same data."
    )
    members: Annotated[int, Field(ge=1, le=7)] | None = Field(
        None,
        description="Members of a replica set, all with data; 3 if left out. They are assigned to the database "
        "hosts in turn.",
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
    """A campaign: the question, its factors, what is held fixed, and how the decision is made."""

    question: str = Field(
        "", max_length=500, description="The question that the campaign asks. It is the heading of the report."
    )
    name: Name = Field("", description="Name of the campaign; left out: the file's name.", validate_default=False)
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = Field(
        1, description="Seed for the order of the trials and for the documents."
    )
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] | Blocks = Field(
        3, description="How often every cell runs. Each block runs every cell once."
    )
    design: Design = Field(
        "turns",
        description="How the trials of a block run. `turns`: all are alive and take turns of seconds, where the "
        "hosts allow it; clients are warm within 2 s. `sequential`: one after the other; clients take "
        "some 14 s to be warm, and then need half the CPU.",
    )
    turns: Turns = Turns()
    engines: Annotated[dict[Name, Engine], _Some] = Field(description="Factor: engines by name.")
    arms: Annotated[dict[Name, Arm], _Some] = Field(description="Factor: compressor settings by name.")
    datasets: Annotated[dict[Name, Recipe], _Some] = Field(
        description="Factor: what is stored, text or documents of your own, by name."
    )
    document: Document = Document()
    records: Annotated[int, Field(ge=10, le=_MANY)] = Field(description="Documents loaded in each trial.")
    cache_size: Annotated[Size, Field(ge=GIB // 4)] = Field(
        GIB, description="Size of WiredTiger's cache, at least 256MiB."
    )
    regime: Regime = Field(
        Regime.ANY, description="Whether the data fits the cache. Engine counters check it, unless it is `any`."
    )
    memory_limit: Size | None = Field(
        None,
        description="Memory that mongod may use, file cache included. For the regime `out-of-cache`, on hosts "
        "with control groups.",
    )
    topology: Topology = Topology()
    write_concern: WriteConcern = WriteConcern()
    connection: Connection = Connection()
    retry_writes: bool = Field(
        False,
        description="Whether the clients' driver makes writes retryable, as most drivers do by themselves. The server "
        "then keeps a record of each session's last write. For replica sets.",
    )
    read_concern: ReadConcern | None = Field(
        None, description="Which data reads return; left out: none is named, and the server's own, `local`, applies."
    )
    read_preference: ReadPreference = Field(
        "primary", description="Which members of a replica set the clients read from."
    )
    load: Load = Load()
    workloads: Annotated[dict[Name, Workload], _Few] = Field(
        {}, description="Run workloads by name. They run after the load, in this order."
    )
    instance: Instance = Instance()
    limits: Limits = Limits()
    cloud: Cloud | None = Field(None, description="Hosts on EC2 for this campaign. `make cloud-up` starts them.")
    mirrors: Mirrors | None = Field(
        None,
        description="What the deployment showed that the campaign mirrors. The decision says first whether the "
        "baseline arm is like it. `make mirror` writes it: [mirror.md](mirror.md).",
    )
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
        concern: WriteConcern = self.of_arm(arm, "write_concern")
        return concern

    def arm_connection(self, arm: str) -> Connection:
        """How messages are compressed in this arm."""
        connection: Connection = self.of_arm(arm, "connection")
        return connection

    def of_arm(self, arm: str, key: str) -> Any:
        """What an arm asks for by a key, or else the campaign for all its arms; None: neither says anything."""
        own = getattr(self.arms[arm], key)
        return getattr(self, key, None) if own is None else own

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

    @property
    def known_bytes(self) -> int:
        """What the values of known hashes take of a client's memory at most, in the arm that knows most."""
        known = max(arm.known_hashes or 0 for arm in self.arms.values())
        return known * (self.document.field_length + _BESIDE_VALUE_BYTES)

    def arm_cache_bytes(self, arm: str) -> int:
        """WiredTiger's cache in this arm."""
        size: int = self.of_arm(arm, "cache_size")
        return size
