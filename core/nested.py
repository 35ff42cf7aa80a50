"""Objects within objects, as JSON and BSON have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def inside(found: Any, *keys: str) -> Any:
    """What lies under these keys, one in the other; None where one of them is no object, or lacks the next."""
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found
