"""Objects within objects, as JSON and BSON have them."""

from __future__ import annotations


def inside(found: object, *keys: str) -> object:
    """What lies under these keys, one in the other; None where one of them is no object, or lacks the next."""
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found
