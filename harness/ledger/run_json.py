"""JSON files of a run's folder, which may be another's: one that is missing or damaged says nothing, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from core.bounds import Word
from core.stored import read_regular
from harness.ledger.ledger import HOST_FILE, MIXES_FILE, VERSIONS_FILE
from harness.plan.told import BoundedJson, HostSurvey

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_T = TypeVar("_T")
_LARGEST_BYTES = 2**20
_HOSTS = TypeAdapter(Annotated[dict[Word, HostSurvey], Field(max_length=1000)])
_VERSIONS = TypeAdapter(Annotated[dict[Word, Word], Field(max_length=1000)])
_MIXES = TypeAdapter(Annotated[dict[Word, dict[Word, BoundedJson]], Field(max_length=1000)])
_MANIFEST = TypeAdapter(Annotated[dict[Word, BoundedJson], Field(max_length=1000)])


def read_hosts(folder: Path) -> dict[str, dict[str, Any]]:
    """The surveys of a run's hosts, by their names, as they were told."""
    return {host: survey.as_told() for host, survey in read_surveys(folder).items()}


def read_surveys(folder: Path) -> dict[str, HostSurvey]:
    """The surveys of a run's hosts, by their names."""
    return parse_surveys(_content(folder / HOST_FILE))


def parse_surveys(text: bytes) -> dict[str, HostSurvey]:
    """The surveys that the text of a host file holds."""
    return _valid(_HOSTS, text)


def read_versions(folder: Path) -> dict[str, str]:
    """The versions of a run's tools, by their names."""
    return _valid(_VERSIONS, _content(folder / VERSIONS_FILE))


def read_mixes_kept(folder: Path) -> Mapping[str, Mapping[str, JsonValue]]:
    """What a run's clients are told of each workload's mix."""
    return _valid(_MIXES, _content(folder / MIXES_FILE))


def read_manifest(folder: Path, dataset: str) -> Mapping[str, Any]:
    """The manifest of the corpus behind one of a run's datasets."""
    return _valid(_MANIFEST, _content(folder / f"dataset-{dataset}.json"))


def read_traffic(folder: Path, workload: str) -> Mapping[str, Any]:
    """The manifest of the traffic that one of a run's workloads replays."""
    return _valid(_MANIFEST, _content(folder / f"traffic-{workload}.json"))


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, _LARGEST_BYTES)
    except OSError:
        return b""


def _valid(kind: TypeAdapter[dict[str, _T]], text: bytes) -> dict[str, _T]:
    try:
        return kind.validate_json(text)
    except ValidationError:
        return {}
