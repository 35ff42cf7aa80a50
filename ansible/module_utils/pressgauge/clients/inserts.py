"""Records that run phases put on top of the load, or deleted, by the clients' own accounts of each phase."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DELETED = ("records_deleted", "records_restored")


def acknowledged_inserts(evidence: Path, phases: Sequence[str]) -> int:
    """The records one client had inserted in these phases together; Failure (client) where one left no account."""
    return sum(_told(evidence, phase, "records_inserted") for phase in phases)


def deletions(evidence: Path, phases: Sequence[str]) -> tuple[int, int]:
    """How many of its loaded records one client has deleted by the end of these phases, and how many came back.

    Each account tells of all phases until then. Failure (client) where the last one left none.
    """
    deleted, restored = (_told(evidence, phases[-1], key) if phases else 0 for key in _DELETED)
    return deleted, restored


def _told(evidence: Path, phase: str, key: str) -> int:
    client = evidence / f"{phase}.client.json"
    try:
        return int(json.loads(client.read_text("utf-8"))[key])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure("client", f"{client} is no client's account of a phase: {error!r}") from error
