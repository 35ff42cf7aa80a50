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
        return parse_object(path.read_bytes())
    except OSError:
        return {}


def read_hosts(folder: Path) -> dict[str, dict[str, Any]]:
    """The surveys of a run's hosts, by their names."""
    return parse_hosts((folder / HOST_FILE).read_bytes() if (folder / HOST_FILE).is_file() else b"")


def parse_hosts(text: bytes) -> dict[str, dict[str, Any]]:
    """The surveys that the text of a host file holds; what is none is left out."""
    return {host: survey for host, survey in parse_object(text).items() if isinstance(survey, dict)}


def parse_object(text: bytes) -> dict[str, Any]:
    """The object that a text holds, or an empty one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
