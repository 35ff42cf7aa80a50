"""Bounded numbers and texts, which records, canaries, criteria and baselines are made of.

Their files may come from others or be damaged. A reader that lets no endless number, text or list in needs no care
further on.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"
_RUN_NAME = re.compile(r"(?!(?i:latest)$)[A-Za-z0-9][A-Za-z0-9._-]{0,79}")  # `latest` is the link to a run
LARGEST_INT = 2**63 - 1
LARGEST = 1e19
"""Of all figures with a fraction: above every 64-bit counter, and its square is still a number."""
_DUST = 1e-12
MOST_BLOCKS = 1000
MOST_PLATFORMS = 64
_LONGEST_MESSAGE = 20_000
_NO_CONTROL = r"^[^\x00-\x1f\x7f-\x9f]*$"


def _cut(message: object) -> object:
    """A message that is too long by what an engine or a driver said, cut rather than refused."""
    if isinstance(message, str) and len(message) > _LONGEST_MESSAGE:
        return message[: _LONGEST_MESSAGE - 2] + " …"
    return message


def is_name(text: str) -> bool:
    """Whether a campaign, an arm, a platform … may be called so."""
    return re.fullmatch(NAME_PATTERN, text) is not None


def is_run_name(text: str) -> bool:
    """Whether a run, or the hosts of one start, may be called so: a folder's name, wherever it came from."""
    return _RUN_NAME.fullmatch(text) is not None


def _some_run(value: str) -> str:
    if not is_run_name(value):
        raise ValueError(f"{value!r} is not a valid name of a run")
    return value


def _no_dust(value: float) -> float:
    """What differences of floats leave of nothing is nothing: what is divided by it would be beyond all numbers."""
    return value if abs(value) >= _DUST else 0.0


def _more_than_dust(value: float) -> float:
    if value < _DUST:
        raise ValueError(f"must be {_DUST:g} at least")
    return value


Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
"""What people call an engine, an arm, a dataset, a workload or a platform."""
RunName = Annotated[str, AfterValidator(_some_run)]
NameOrNone = Annotated[str, StringConstraints(pattern=rf"^({NAME_PATTERN[1:-1]})?$")]
Word = Annotated[str, StringConstraints(max_length=200, pattern=_NO_CONTROL)]
"""A text of one line."""
Text = Annotated[str, StringConstraints(max_length=100_000)]
Message = Annotated[str, BeforeValidator(_cut), StringConstraints(max_length=_LONGEST_MESSAGE)]

Count = Annotated[int, Field(ge=0, le=LARGEST_INT)]
Bytes = Annotated[int, Field(ge=0, le=LARGEST_INT)]
Block = Annotated[int, Field(ge=0, lt=MOST_BLOCKS)]
Amount = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_no_dust)]
Positive = Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_more_than_dust)]
Figure = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False), AfterValidator(_no_dust)]
Seconds = Annotated[float, Field(ge=0, le=1e10, allow_inf_nan=False), AfterValidator(_no_dust)]
Rate = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]
"""Of one of many seconds, which nothing is divided by."""
UnixTime = Annotated[float, Field(ge=0, le=253_402_300_799, allow_inf_nan=False)]
