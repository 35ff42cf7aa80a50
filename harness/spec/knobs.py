"""What an arm may set beside compressor and page sizes: eviction, wire compression, what clients ask and wait for."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from analysis.trial.records import Compressor
from core.model import Part

ReadConcern = Literal["local", "available", "majority", "linearizable"]
ReadPreference = Literal["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"]

_Percent = Annotated[int, Field(ge=1, le=99)]
_Threads = Annotated[int, Field(ge=1, le=20)]
_PAIRS = (
    ("target", 80, "trigger", 95),
    ("dirty_target", 5, "dirty_trigger", 20),
    ("updates_target", None, "updates_trigger", None),
)
"""What has to be below what, each with mongod's own value; None: half of what holds for dirty pages."""
_OWN_THREADS = 4
"""mongod's own, fewest and most."""


class Eviction(Part):
    """When and by how many threads WiredTiger evicts pages, in percent of its cache; left out: mongod's own."""

    target: Annotated[int, Field(ge=10, le=99)] | None = Field(
        None, description="Eviction threads keep what is in the cache at this; mongod's own is 80."
    )
    trigger: Annotated[int, Field(ge=10, le=99)] | None = Field(
        None, description="From here on, application threads evict, too; mongod's own is 95."
    )
    dirty_target: _Percent | None = Field(None, description="Likewise, of modified pages; mongod's own is 5.")
    dirty_trigger: _Percent | None = Field(None, description="mongod's own is 20.")
    updates_target: _Percent | None = Field(
        None, description="Likewise, of updates that are not in pages yet; mongod's own is half of dirty_target."
    )
    updates_trigger: _Percent | None = Field(None, description="mongod's own is half of dirty_trigger.")
    threads_min: _Threads | None = Field(None, description="Fewest eviction threads; mongod's own is 4.")
    threads_max: _Threads | None = Field(None, description="Most eviction threads; mongod's own is 4.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for low, own_low, high, own_high in _PAIRS:
            below, above = getattr(self, low) or own_low, getattr(self, high) or own_high
            if below is not None and above is not None and below >= above:
                raise ValueError(f"{low} {below} has to be below {high} {above}; give both")
        fewest, most = self.threads_min or _OWN_THREADS, self.threads_max or _OWN_THREADS
        if fewest > most:
            raise ValueError(f"threads_min {fewest} is above threads_max {most}; give both")
        return self

    def __str__(self) -> str:
        """As WiredTiger's configuration has it."""
        said = self.model_dump(exclude_none=True)
        threads = ",".join(f"{name}={value}" for name, value in said.items() if name.startswith("threads"))
        levels = [f"eviction_{name}={value}" for name, value in said.items() if not name.startswith("threads")]
        return ",".join([*([f"eviction=({threads})"] if threads else []), *levels])


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
    def asked_by_clients(self) -> str | None:
        """What the clients' driver then asks mongod for, in its own words, e.g. `zlib 9`; None: nothing."""
        if self.compressors in {None, Compressor.NONE}:
            return None
        return f"{self.compressors}" + ("" if self.zlib_level is None else f" {self.zlib_level}")

    @property
    def options(self) -> dict[str, str]:
        """The options of a connection string that has them ask so."""
        if self.compressors in {None, Compressor.NONE}:
            return {}
        level = {} if self.zlib_level is None else {"zlibCompressionLevel": str(self.zlib_level)}
        return {"compressors": str(self.compressors)} | level
