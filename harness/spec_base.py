"""What every section of the campaign spec is made of, and what campaigns and runs may be called."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from analysis.bounds import NAME_PATTERN, Name

__all__ = ["NAME_PATTERN", "Name", "RunName", "Spec", "is_name", "is_run_name"]
_RUN_NAME = re.compile(r"(?!(?i:latest)$)[A-Za-z0-9][A-Za-z0-9._-]{0,79}")  # `latest` is the link to a run


def is_name(text: str) -> bool:
    """Whether a campaign, an arm, a platform … may be called so."""
    return re.fullmatch(NAME_PATTERN, text) is not None


def is_run_name(text: str) -> bool:
    """Whether a run, or the hosts of one start, may be called so: a folder's name, wherever it came from."""
    return _RUN_NAME.fullmatch(text) is not None


def _some_run(value: str) -> str:
    if not is_run_name(value):
        raise ValueError(f"{value!r} is no name of a run")
    return value


RunName = Annotated[str, AfterValidator(_some_run)]


class Spec(BaseModel):
    """Base of the spec's sections: frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
