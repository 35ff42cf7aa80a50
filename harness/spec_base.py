"""What every section of the campaign spec is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")]


class Spec(BaseModel):
    """Base of the spec's sections: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
