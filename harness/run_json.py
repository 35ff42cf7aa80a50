"""JSON files of a run's folder, which may be another's: one that is missing or damaged says nothing, and no more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.ledger import HOST_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_json(path: Path) -> Mapping[str, Any]:
    """The object that a file holds; an empty one where it is missing, damaged or none."""
    try:
        return _object(path.read_bytes())
    except OSError:
        return {}


def read_hosts(folder: Path) -> dict[str, dict[str, Any]]:
    """The surveys of a run's hosts, by their names."""
    return _surveys(read_json(folder / HOST_FILE))


def parse_hosts(text: bytes) -> dict[str, dict[str, Any]]:
    """The surveys that the text of a host file holds; what is none is left out."""
    return _surveys(_object(text))


def _surveys(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {host: survey for host, survey in found.items() if isinstance(survey, dict)}


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
