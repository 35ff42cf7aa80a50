"""Documents that run phases put on top of the load, by the clients' own accounts of each phase."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def acknowledged_inserts(evidence: Path, phases: Iterable[str]) -> int:
    """The inserts one client had acknowledged in these phases together; Failure (client) where one left no account."""
    return sum(_inserts(evidence / f"{phase}.client.json") for phase in phases)


def _inserts(client: Path) -> int:
    try:
        return int(json.loads(client.read_text("utf-8"))["operations"].get("INSERT", {"ok": 0})["ok"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure("client", f"{client} is no client's account of a phase: {error!r}") from error
