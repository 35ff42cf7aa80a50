"""What a run is called: the second it began in, and a random part, since two hosts may begin in the same one.

Estimates and profiles are called by their data.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BEGAN = "%Y%m%dT%H%M%SZ"
_RANDOM_BYTES = 3
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 40


def new_run_name(now: datetime) -> str:
    """A name that no other run has, e.g. `20260101T010000Z-4f9c02`; names sort by the second."""
    return f"{now.astimezone(UTC).strftime(_BEGAN)}-{secrets.token_hex(_RANDOM_BYTES)}"


def began_at(run_id: str) -> datetime:
    """When a run began, by its name; those of before 2026-11-22 have no random part.

    Raises:
        ValueError: the name is no run's.
    """
    return datetime.strptime(run_id.partition("-")[0], _BEGAN).replace(tzinfo=UTC)


def name_of_data(data: Path) -> str:
    """What the folder of an estimate or a profile is called if nobody says: by its data, e.g. `orders`."""
    return _NO_NAME.sub("-", data.name.partition(".")[0]).strip("-._")[:_LONGEST] or "documents"
