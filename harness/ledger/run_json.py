"""JSON files of a run's folder, which may be another's: one that is missing or damaged says nothing, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from core.bounds import LARGEST, LARGEST_INT, Amount, Bytes, Count, Word
from core.stored import read_regular
from harness.ledger.ledger import HOST_FILE, MIXES_FILE, VERSIONS_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_T = TypeVar("_T")
_LARGEST_BYTES = 2**20
_Text = Annotated[str, StringConstraints(max_length=10_000)]
_Whole = Annotated[int, Field(ge=-LARGEST_INT, le=LARGEST_INT)]


def _bounded(told: JsonValue) -> JsonValue:
    for one in told.values() if isinstance(told, dict) else told if isinstance(told, list) else ():
        _bounded(one)
    if isinstance(told, int | float) and not -LARGEST <= told <= LARGEST:
        raise ValueError("not a number of this world")
    return told


_Told = Annotated[JsonValue, AfterValidator(_bounded)]


class _Facts(BaseModel):
    """What is known of a host or its disk: of the right type where somebody judges it, else anything of bounded size.

    The doctor takes both together, so each may hold the other's.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, _Told]

    cpu_model: Word | None = None
    cores_allowed: Count | None = None
    frequency_governor: Word | None = None
    steal_share: Amount | None = None
    load_average: Annotated[list[Amount], Field(min_length=1, max_length=3)] | None = None
    clock_source: Word | None = None
    numa_nodes: Count | None = None
    zone_reclaim_mode: _Whole | None = None
    memory_total_bytes: Bytes | None = None
    memory_available_bytes: Bytes | None = None
    proactive_reclaim: bool | None = None
    swap_total_bytes: Bytes | None = None
    swappiness: _Whole | None = None
    overcommit_memory: _Whole | None = None
    max_map_count: _Whole | None = None
    open_files_limit: _Whole | None = None
    processes_limit: _Whole | None = None
    kernel: Word | None = None
    thp_enabled: Word | None = None
    thp_defrag: Word | None = None
    filesystem: Word | None = None
    mount_options: _Text | None = None
    readahead_bytes: Bytes | None = None
    rotational: bool | None = None
    scheduler: Word | None = None


class _Survey(_Facts):
    """A host's survey, as `survey.yml` made it."""

    data: _Facts | None = None


_HOSTS = TypeAdapter(Annotated[dict[Word, _Survey], Field(max_length=1000)])
_VERSIONS = TypeAdapter(Annotated[dict[Word, Word], Field(max_length=1000)])
_MIXES = TypeAdapter(Annotated[dict[Word, dict[Word, _Told]], Field(max_length=1000)])
_MANIFEST = TypeAdapter(Annotated[dict[Word, _Told], Field(max_length=1000)])


def read_hosts(folder: Path) -> dict[str, dict[str, Any]]:
    """The surveys of a run's hosts, by their names."""
    return parse_hosts(_content(folder / HOST_FILE))


def parse_hosts(text: bytes) -> dict[str, dict[str, Any]]:
    """The surveys that the text of a host file holds."""
    found = _valid(_HOSTS, text)
    return {host: survey.model_dump(exclude_unset=True) for host, survey in found.items()}


def read_versions(folder: Path) -> dict[str, str]:
    """The versions of a run's tools, by their names."""
    return _valid(_VERSIONS, _content(folder / VERSIONS_FILE))


def read_mixes_kept(folder: Path) -> Mapping[str, Mapping[str, JsonValue]]:
    """What a run's clients are told of each workload's mix."""
    return _valid(_MIXES, _content(folder / MIXES_FILE))


def read_manifest(folder: Path, dataset: str) -> Mapping[str, Any]:
    """The manifest of the corpus behind one of a run's datasets."""
    return _valid(_MANIFEST, _content(folder / f"dataset-{dataset}.json"))


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
