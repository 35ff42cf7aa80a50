"""What every section of the campaign spec is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from analysis.bounds import NAME_PATTERN, Name

__all__ = ["NAME_PATTERN", "Name", "Spec"]


class Spec(BaseModel):
    """Base of the spec's sections: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
