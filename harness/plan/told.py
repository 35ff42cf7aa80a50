"""What modules of the playbooks tell of a host, as types."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Told(BaseModel):
    """What a module told, of exactly these types; what Ansible adds to it is left out."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")
