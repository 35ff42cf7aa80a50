"""The base of all that is read from files: frozen, and closed to unknown keys."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a record, a decision or a campaign's spec."""

    model_config = ConfigDict(frozen=True, extra="forbid")
