"""Settings of arms that mongod would refuse, or that nobody could judge; each fault with the key it is at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.trial.engine.counters import release
from analysis.trial.engine.wiredtiger_config import meaning, option_names, options, unknown_options
from analysis.trial.settings import LEAF_PAGE_BYTES
from core.sizes import exact_size, show_size
from harness.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.spec.arm import Arm
    from harness.spec.campaign import Campaign
    from harness.spec.yaml_source import Fault

_ALLOCATION_BYTES, _LARGEST_PAGE_BYTES = 4096, 512 * 2**20  # WiredTiger's, unless allocation_size says otherwise
_LEAST_ALLOCATION_BYTES, _MOST_ALLOCATION_BYTES = 512, 128 * 2**20
_INTERNAL_PAGE_BYTES = 4096
_MIB = 2**20
_OWN_OPTIONS = {
    "builtin_extension_config": "say zstd_level or zlib_level",
    "cache_size": "say cache_size",
    "checkpoint": "say sync_period_s",
    "log": "say journal_compressor",
    "statistics": "the counters are read from them",
}
_OWN_PARAMETERS = {
    "diagnosticDataCollectionEnabled": "the diagnostic data are evidence",
    "diagnosticDataCollectionPeriodMillis": "the diagnostic data are evidence",
    "journalCommitInterval": "say journal_commit_interval_ms",
    "syncdelay": "say sync_period_s",
    "wiredTigerEngineRuntimeConfig": "say engine_config",
}


def arm_checks(campaign: Campaign) -> Iterator[Fault]:
    """Settings of arms with which mongod could not create the collection. Kept runs have their trials to say so."""
    releases = {release(engine.version) for engine in campaign.engines.values()}
    for name, arm in campaign.arms.items():
        for key, message in (*_page_faults(arm), *_engine_faults(arm)):
            yield ("arms", name, *key), message
        further = arm.collection_config or ""
        for option in sorted({option for each in releases for option in unknown_options(further, each)}):
            message = f"WiredTiger's collections have no option {option!r}{did_you_mean(option, option_names())}"
            yield ("arms", name, "collection_config"), message
        if arm.oplog_size is not None and (arm.oplog_size % _MIB or not arm.oplog_size):
            yield ("arms", name, "oplog_size"), f"{show_size(arm.oplog_size)}: mongod counts it in whole MiB"


_OfArm = tuple[tuple[str, ...], str]
"""The key below the arm's, and what is wrong there."""


def _page_faults(arm: Arm) -> Iterator[_OfArm]:
    unit = arm.allocation_size or _ALLOCATION_BYTES
    if unit & (unit - 1) or not _LEAST_ALLOCATION_BYTES <= unit <= _MOST_ALLOCATION_BYTES:
        yield ("allocation_size",), f"{show_size(unit)}: blocks are a power of two from 512 B to 128 MiB"
        return
    further = options(arm.collection_config or "")
    if "allocation_size" in further:
        unit = 1
    elif unit > _INTERNAL_PAGE_BYTES and arm.internal_page_max is None and "internal_page_max" not in further:
        least = show_size(unit)
        yield ("allocation_size",), f"internal pages of 4 KiB are no multiple of {least}: set internal_page_max, too"
    if arm.leaf_page_max is None and LEAF_PAGE_BYTES % unit and "leaf_page_max" not in further:
        yield ("allocation_size",), f"leaf pages of 32 KiB are no multiple of {show_size(unit)}: set leaf_page_max, too"
    multiples = {"leaf_page_max": unit, "internal_page_max": unit, "index_leaf_page_max": _ALLOCATION_BYTES}
    for key, of in multiples.items():
        size = getattr(arm, key)
        if size is not None and (not size or size % of or size > _LARGEST_PAGE_BYTES):
            told = f"{show_size(size)}: pages are multiples of {exact_size(of)}, up to 512MiB"
            yield (key,), f"{told}{_meant(size)}"
    image, page = arm.memory_page_image_max, _leaf_page_bytes(arm)
    if image is not None and 0 < image < page:
        message = f"{show_size(image)}: WiredTiger accepts no less than the leaf page, {show_size(page)}{_meant(image)}"
        yield ("memory_page_image_max",), message
    if arm.memory_page_max is not None and arm.memory_page_max < page:
        size = show_size(arm.memory_page_max)
        yield ("memory_page_max",), f"{size} is less than the leaf page, {show_size(page)}{_meant(arm.memory_page_max)}"


def _meant(size: int) -> str:
    """For a size that was given without its unit."""
    return f" (did you mean {size}KiB?)" if 0 < size < _ALLOCATION_BYTES else ""


def _engine_faults(arm: Arm) -> Iterator[_OfArm]:
    """Options and parameters that have a key of their own, or that measuring itself rests on."""
    further = options(arm.engine_config or "")
    for option in sorted({one.partition(".")[0] for one in further} & _OWN_OPTIONS.keys()):
        yield ("engine_config",), f"`{option}` is not to be set here: {_OWN_OPTIONS[option]}"
    twice = {name for name, value in options(str(arm.eviction or "")).items() if value and name in further}
    for option in sorted(twice):
        yield ("engine_config",), f"`{option}` is set by `eviction`, too: say it once"
    for parameter in sorted((arm.parameters or {}).keys() & _OWN_PARAMETERS.keys()):
        yield ("parameters", parameter), f"not to be set here: {_OWN_PARAMETERS[parameter]}"


def _leaf_page_bytes(arm: Arm) -> int:
    """The largest leaf page on disk with these settings; what `collection_config` says comes last, so it wins."""
    said = meaning(options(arm.collection_config or "").get("leaf_page_max", ""))
    return said if isinstance(said, int) else (arm.leaf_page_max or LEAF_PAGE_BYTES)
