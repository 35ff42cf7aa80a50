"""Where a campaign's mongods come from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from core.bounds import Name
from core.model import Part

Version = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Place = Annotated[str, StringConstraints(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f\x7f]*$")]


class AnyEngine(Part):
    """What engines of all sources have in common."""

    upgraded_from: tuple[Name, ...] = Field(
        (),
        max_length=100,
        description="Engines of this campaign, oldest first: the first loads the data, each next one takes its files "
        "over, this one last; run workloads are measured under this one. Left out: a fresh load.",
    )


class WheelEngine(AnyEngine):
    """A mongod carried by a Python wheel; nothing else is needed."""

    source: Literal["pypi"] = Field("pypi", description="The embedded default.")
    version: Literal["4.4.2", "5.0.4", "6.0.5", "6.0.27"] = Field(description="mongod's version.")


class PackageEngine(AnyEngine):
    """A mongod from MongoDB's own package repository."""

    source: Literal["package"] = Field(description="MongoDB's repository, through the host's package manager.")
    version: Version = Field(description="mongod's version; its major version names the repository.")


class TarballEngine(AnyEngine):
    """A mongod from a tarball."""

    source: Literal["tarball"] = Field(description="A tarball, by URL or path.")
    version: Version = Field(description="The version its mongod must report.")
    location: Place = Field(description="URL, or path on the database host.")
    sha256: Sha256 | None = Field(None, description="Of the tarball; required for a URL.")

    @model_validator(mode="after")
    def _checksum_for_urls(self) -> TarballEngine:
        if "://" in self.location and self.sha256 is None:
            raise ValueError("a tarball from a URL needs its sha256")
        return self


class BinaryEngine(AnyEngine):
    """A mongod that is already on the database host."""

    source: Literal["binary"] = Field(description="A binary that is there.")
    version: Version = Field(description="The version it must report.")
    path: Annotated[Place, StringConstraints(pattern=r"^/")] = Field(description="Absolute path on the database host.")


Engine = Annotated[WheelEngine | PackageEngine | TarballEngine | BinaryEngine, Field(discriminator="source")]
