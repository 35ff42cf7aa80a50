"""What modules of the playbooks tell of a host, as types."""

from __future__ import annotations

from typing import Any

from pydantic import AliasPath, BaseModel, ConfigDict, Field


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
    survey: dict[str, Any]
    """All facts, as they were told: for the doctor and the report."""
    links: dict[str, Link] = {}
    """By the database host's name."""

    def kept(self) -> dict[str, Any]:
        """The survey and the links, as a run keeps them."""
        links = {database: link.model_dump() for database, link in self.links.items()}
        return self.survey | ({"links": links} if links else {})
