"""Every name of an engine's that Pressgauge reads or sets, by kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from analysis.trial.engine.counters import COUNTERS
from analysis.trial.engine.time_series import CHECKPOINT_STATE, SERIES
from analysis.trial.engine.wiredtiger_config import option_names
from harness.plan.estimating import _NOTHING_DELETED
from harness.spec.checks.arms import _OWN_OPTIONS, _OWN_PARAMETERS
from harness.spec.load import ROOT
from tests.ansible.test_mongod_conf import PLAIN, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SERVER_STATISTICS, COLLECTION_STATISTICS = "statistics of the server", "statistics of a collection"
COLLECTION_OPTIONS, ENGINE_OPTIONS = "options of a collection", "options of the engine"
OPTIONS, PARAMETERS, LOG_LINES, FIELDS = "options of mongod", "server parameters", "log lines", "fields of answers"
_LOG_READER = ROOT / "ansible/module_utils/pressgauge/mongods/mongod_log.py"
_ALL = {
    "zlib_level": 9, "sync_period_s": 30, "tls": True, "engine_config": "eviction=(threads_max=4)",
    "wire_compressor": "zstd", "parameters": _NOTHING_DELETED,
}  # fmt: skip
_IN_NETWORK = dict.fromkeys(
    name
    for counter in COUNTERS
    if counter.source == "network"
    for place in counter.places
    for name in (*place.sections, *place.statistics)
)
_READ_FIELDS = (
    # harness.evidence.trial, ansible's snapshots, replica_sets and upgrades
    "storageEngine", "tcmalloc", "usingPerCPUCaches", "creationString", "uri", "freeStorageSize", "indexSizes",
    "objects", "dataSize", "storageSize", "indexSize", "freeStorage", "versionArray", "gitVersion",
    *_IN_NETWORK,
    "allocator", "rbid", "term", "members", "stateStr",
)  # fmt: skip


def names() -> dict[str, list[str]]:
    """All of them, sorted."""
    statistics = {
        kind: [
            ": ".join((*place.sections, name))
            for counter in (*COUNTERS, CHECKPOINT_STATE)
            for place in counter.places
            for name in place.statistics
            if counter.source == source
        ]
        for kind, source in ((SERVER_STATISTICS, "server"), (COLLECTION_STATISTICS, "collection"))
    }
    rendered = [configured(version) for version in ("4.4.29", "6.0.27", "9.0.2")]
    found = {
        **statistics,
        COLLECTION_OPTIONS: option_names(),
        ENGINE_OPTIONS: list(_OWN_OPTIONS),
        OPTIONS: [name for options, _ in rendered for name in options],
        PARAMETERS: [
            "syncdelay",
            "featureCompatibilityVersion",
            *_OWN_PARAMETERS,
            *(p for _, ps in rendered for p in ps),
        ],
        LOG_LINES: re.findall(r"^_[A-Z_]+ = (\d{5,8})$", _LOG_READER.read_text(encoding="utf-8"), re.MULTILINE),
        FIELDS: [*_READ_FIELDS, *_of_series()],
    }
    return {kind: sorted(set(those)) for kind, those in found.items()}


def configured(version: str) -> tuple[set[str], set[str]]:
    """The options and the server parameters that mongod of this version is started with, each that there may be."""
    zstd = {"zstd_level": 3} if version >= "5.0" else {}
    said: dict[str, Any] = yaml.safe_load(render(version, PLAIN | _ALL | zstd, "pressgauge"))
    parameters = said.pop("setParameter")
    return set(_dotted(said)), set(parameters)


def _dotted(section: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in section.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def _of_series() -> Iterator[str]:
    """The last part of each path that is the same in all versions, and the section it is in."""
    for series in SERIES:
        if isinstance(series.place, str):
            yield from series.place.replace("<data disk>.", "").split(".")[1:]
