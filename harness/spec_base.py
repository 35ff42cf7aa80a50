"""What every section of the campaign spec is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]


class Spec(BaseModel):
    """Base of the spec's sections: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
