"""What modules of the playbooks tell of a host, as types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasPath, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from core.bounds import LARGEST, LARGEST_INT, Amount, Bytes, Count, Word

_Text = Annotated[str, StringConstraints(max_length=10_000)]
_Whole = Annotated[int, Field(ge=-LARGEST_INT, le=LARGEST_INT)]


def _bounded(told: JsonValue) -> JsonValue:
    for one in told.values() if isinstance(told, dict) else told if isinstance(told, list) else ():
        _bounded(one)
    if isinstance(told, int | float) and not -LARGEST <= told <= LARGEST:
        raise ValueError("a number out of bounds")
    return told


BoundedJson = Annotated[JsonValue, AfterValidator(_bounded)]


class _Facts(BaseModel):
    """Facts of the right type where somebody judges them, else anything of bounded size; None: the host can't tell."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, BoundedJson]


class DiskSurvey(_Facts):
    """What is known of the disk of a host's data."""

    filesystem: Word | None = None
    mount_options: _Text | None = None
    readahead_bytes: Bytes | None = None
    rotational: bool | None = None
    scheduler: Word | None = None


class HostSurvey(_Facts):
    """What is known of a host, as `survey.yml` made it: for the doctor, the gate and the report."""

    os: Word | None = None
    cpu_model: Word | None = None
    cores: Count | None = None
    cores_allowed: Count | None = None
    frequency_governor: Word | None = None
    steal_share: Amount | None = None
    load_average: Annotated[list[Amount], Field(min_length=1, max_length=3)] | None = None
    clock_source: Word | None = None
    numa_nodes: Count | None = None
    zone_reclaim_mode: _Whole | None = None
    memory_total_bytes: Bytes | None = None
    memory_available_bytes: Bytes | None = None
    proactive_reclaim: bool | None = None
    swap_total_bytes: Bytes | None = None
    swappiness: _Whole | None = None
    overcommit_memory: _Whole | None = None
    max_map_count: _Whole | None = None
    open_files_limit: _Whole | None = None
    processes_limit: _Whole | None = None
    kernel: Word | None = None
    thp_enabled: Word | None = None
    thp_defrag: Word | None = None
    data: DiskSurvey | None = None

    @property
    def memory_available_share(self) -> float | None:
        """Of the memory, what is free or can be freed."""
        if not self.memory_total_bytes or self.memory_available_bytes is None:
            return None
        return self.memory_available_bytes / self.memory_total_bytes

    def as_told(self) -> dict[str, Any]:
        """Every fact that was told, as JSON has it."""
        return self.model_dump(exclude_unset=True)


class Told(BaseModel):
    """What a module told, of exactly these types; what Ansible adds to it is left out."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Link(Told):
    """The way from a client's host to a database host."""

    round_trip_s: float
    clock_ahead_s: float
    """Of the client's host before the database's."""
    up_bytes_per_s: float
    down_bytes_per_s: float


class MeasuredLink(Told):
    """What `host_link` gives back on a client's host."""

    database: str
    """The database host's name."""
    link: Link


class DataDisk(Told):
    """The folder of a host's data, and what is free there."""

    path: str
    free_bytes: int


class HostFacts(Told):
    """What of a host's survey decides whether and how a campaign runs there."""

    hostname: str
    memory_total_bytes: int | None
    cgroup_for_memory_limits: str | None
    disk_limits: Literal["reads", "reads and writes"] | None = None
    """What of the data's disk a control group can limit there."""
    data: DataDisk


class Surveyed(Told):
    """What `host_survey` gives back, and the links of the host."""

    database: bool
    """Whether it runs mongods."""
    database_number: int
    """Which of the database hosts it is."""
    client_processes: int
    client_number: int
    """Which of the client hosts it is."""
    platform: str
    address: str
    writable: bool
    """Whether the folder of its data is."""
    busy_ports: tuple[int, ...] = Field(strict=False)  # JSON has no tuples
    shared_files: str | None = None
    """What the file by which the controller asked is, where the host has it, too."""
    facts: HostFacts = Field(validation_alias=AliasPath("survey"))
    survey: HostSurvey
    links: dict[str, Link] = {}
    """By the database host's name."""

    def kept(self) -> dict[str, Any]:
        """The survey and the links, as a run keeps them."""
        links = {database: link.model_dump() for database, link in self.links.items()}
        return self.survey.as_told() | ({"links": links} if links else {})
