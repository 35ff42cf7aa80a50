"""What the modules of the playbooks give back: found by the module, whatever its task is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Answer:
    """What a module gave back on one host."""

    host: str
    module: str
    """Its name without a collection's."""
    result: Mapping[str, Any]
