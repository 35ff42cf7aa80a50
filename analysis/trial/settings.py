"""Every engine setting, declared once: where it is asked for, how it is read back and compared, what it is called.

What a trial asks for, the read-back, the report's tables of settings and the gate's "differs" follow from this table;
the spec's arms, the records and the Ansible role are held to it by `tests/test_settings.py`. Its order is that of the
reasons in a void trial's record.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from analysis.trial.counters import ALWAYS, Version
from analysis.trial.wiredtiger_config import differing, meaning

Reader = Callable[[Mapping[str, Any]], Any]
"""From `in_force.json` to the value in force; None where the server did not say."""

SYNC_PERIOD_S = 60
"""mongod's own time between checkpoints."""
LEAF_PAGE_BYTES = 32 * 2**10
"""mongod's own leaf_page_max."""
_NO_TLS = "disabled"
"""mongod's own TLS mode."""
_NO_WIRE_COMPRESSOR = "disabled"
"""What mongod calls no wire compressor at all."""


def _as_asked(asked: Any) -> object:
    return asked


def _all_that_is_found(_expected: Any, found: Any) -> object:
    return found


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One engine setting."""

    key: str
    """Its name in `Settings`, and in the `mongod_settings` of the Ansible role."""
    arm: str | None
    """Its key of an arm in the spec; None: the campaign or the inventory decides for all arms."""
    found: str
    """Its name in `InForce`."""
    label: str
    subject: str
    """What a mismatch is of, in words."""
    code: str
    """Of a mismatch; stable, for machines."""
    read: Reader
    expected: Callable[[Any], object] = _as_asked
    """What has to be in force, from what was asked; None: whatever the engine has by itself."""
    same: Callable[[Any, Any], bool] = operator.eq
    """Whether what is expected and what is found are one."""
    told: Callable[[Any, Any], object] = _all_that_is_found
    """What a mismatch tells, from what is expected and what is found."""
    unit: Literal["bytes", "s", "CPU"] | None = None
    """Of the value in force; None: shown as it is."""
    unset: str = "not known"
    """What no value in force means, in words."""
    verbatim: bool = False
    """Whether it is a long text, which tables of short ones leave out."""
    since: Version = ALWAYS
    """The first release of mongod that has it."""
    before: object = "default"
    """What earlier releases have built in."""


# ---- readers -------------------------------------------------------------------------------------------------------

_CREATION, _OPENING = "creation_string", "opening_wiredtiger"


def text_of(raw: Mapping[str, Any], key: str) -> str:
    """A text of `in_force.json`; empty where it is missing."""
    return str(raw.get(key) or "")


def _matching(key: str, pattern: str, empty: str | None = None) -> Reader:
    """The last match in a text, because WiredTiger lets the last of repeated options win."""

    def read(raw: Mapping[str, Any]) -> str | None:
        found = re.findall(pattern, text_of(raw, key))
        return (found[-1] or empty) if found else None

    return read


def _level(codec: str, key: str) -> Reader:
    def read(raw: Mapping[str, Any]) -> int | None:
        found = re.findall(rf"{codec}=\(?\{{?compression_level=(-?\d+)", text_of(raw, key))
        return int(found[-1]) if found else None

    return read


def _cache_size_bytes(raw: Mapping[str, Any]) -> int | None:
    found = raw.get("cache_max_bytes")
    return int(found) if isinstance(found, int | float) else None


def _memory_limit_bytes(raw: Mapping[str, Any]) -> int | None:
    found = raw.get("memory_limit_bytes")
    return found if isinstance(found, int) else None


def _inside(found: object, *keys: str) -> object:
    """What lies under these keys, one in the other; None where one of them is no object, or lacks the next."""
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _amount(key: str) -> Reader:
    return lambda raw: float(raw[key]) if isinstance(raw.get(key), int | float) else None


def _sync_period_s(raw: Mapping[str, Any]) -> float | None:
    found = _inside(raw, "parameters", "syncdelay")
    return float(found) if isinstance(found, int | float) else None


def _parameters(raw: Mapping[str, Any]) -> str | None:
    found = raw.get("asked_parameters")
    return json.dumps(found, sort_keys=True) if isinstance(found, dict) and found else None


def _indexes(raw: Mapping[str, Any]) -> str | None:
    """The indexes but that on `_id`, as JSON, keys as pairs in their order; None where none were asked for."""
    found = raw.get("indexes")
    if not isinstance(found, list):
        return None
    return json.dumps([one for one in found if isinstance(one, dict) and one.get("name") != "_id_"])


def _tls_mode(raw: Mapping[str, Any]) -> str | None:
    options = raw.get("cmd_line_opts")
    if not isinstance(options, dict):
        return None
    return str(_inside(options, "net", "tls", "mode") or _NO_TLS)


def _wire_compressors(raw: Mapping[str, Any]) -> str | None:
    found = _inside(raw, "cmd_line_opts", "net", "compression", "compressors")
    return None if found is None else str(found)


# ---- comparators ---------------------------------------------------------------------------------------------------


def _within(tolerance: float) -> Callable[[Any, Any], bool]:
    return lambda expected, found: abs(found - expected) <= tolerance


def _as_meant(expected: int, found: str) -> bool:
    return meaning(found) == expected


def _other_parameters(expected: str, found: str) -> str | None:
    """The server parameters that are in force otherwise than asked, as found; None where each is as asked."""
    there = json.loads(found)
    others = (
        f"{name}={json.dumps(there[name])}" if there.get(name) is not None else f"without {name}"
        for name, value in json.loads(expected).items()
        if not _is_same(value, there.get(name))
    )
    return ", ".join(others) or None


def _is_same(asked: object, found: object) -> bool:
    """Whether the server holds a parameter as it was asked for; it decides of which type it is."""
    if isinstance(asked, bool) or isinstance(found, bool):
        return asked is found
    return asked == found or str(asked) == str(found)


def _other_indexes(expected: str, found: str) -> str | None:
    """The indexes that are missing, are there beside those asked for, or are otherwise; None where each is as asked.

    What a server adds to an index by itself, such as its version, is no difference.
    """
    asked, there = ({str(one.get("name")): one for one in json.loads(text)} for text in (expected, found))
    wrong = [f"without {name}" for name in asked.keys() - there.keys()]
    wrong += [f"with {name}" for name in there.keys() - asked.keys()]
    for name in asked.keys() & there.keys():
        wanted = {**asked[name], "key": [list(pair) for pair in asked[name]["key"].items()]}
        if any(there[name].get(what) != value for what, value in wanted.items()):
            wrong.append(json.dumps(there[name]))
    return ", ".join(sorted(wrong)) or None


# ---- declarations --------------------------------------------------------------------------------------------------

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="block_compressor", arm="block_compressor", found="block_compressor", label="block compressor",
        subject="the collection's block compressor", code="compressor-mismatch",
        read=_matching(_CREATION, r"block_compressor=(\w*)", empty="none"),
    ),
    Setting(
        key="journal_compressor", arm="journal_compressor", found="journal_compressor", label="journal compressor",
        subject="the journal's compressor", code="journal-compressor-mismatch",
        read=_matching(_OPENING, r"log=\([^)]*?compressor=(\w*)", empty="none"),
    ),
    Setting(
        key="zstd_level", arm="zstd_level", found="zstd_level", label="zstd level", unset="default",
        subject="the zstd level", code="level-mismatch", read=_level("zstd", _OPENING), since=(5, 0), before=6,
    ),
    Setting(
        key="zlib_level", arm="zlib_level", found="zlib_level", label="zlib level", unset="default",
        subject="the zlib level", code="level-mismatch", read=_level("zlib", _OPENING),
    ),
    Setting(
        key="cache_size_bytes", arm="cache_size", found="cache_size_bytes", label="cache size", unit="bytes",
        subject="the cache size in bytes", code="cache-mismatch", read=_cache_size_bytes, same=_within(2**20),
    ),
    Setting(
        key="memory_limit_bytes", arm=None, found="memory_limit_bytes", label="memory limit", unit="bytes",
        unset="no limit", subject="mongod's memory limit in bytes", code="memory-limit-mismatch",
        read=_memory_limit_bytes, same=_within(2**16),  # the kernel counts whole pages
    ),
    Setting(
        key="sync_period_s", arm="sync_period_s", found="sync_period_s", label="time between checkpoints", unit="s",
        subject="seconds between checkpoints", code="sync-period-mismatch", read=_sync_period_s,
        expected=lambda asked: SYNC_PERIOD_S if asked is None else asked,
    ),
    Setting(
        key="cpu_limit", arm="cpu_limit", found="cpu_limit", label="CPU limit", unit="CPU", unset="no limit",
        subject="mongod's CPU limit", code="cpu-limit-mismatch", read=_amount("cpu_limit"), same=_within(0.001),
    ),
    Setting(
        key="tls", arm=None, found="tls_mode", label="TLS", subject="mongod's TLS mode", code="tls-mismatch",
        read=_tls_mode, expected=lambda asked: "requireTLS" if asked else _NO_TLS,
    ),
    Setting(
        key="leaf_page_max_bytes", arm="leaf_page_max", found="leaf_page_max", label="leaf_page_max",
        subject="leaf_page_max", code="page-size-mismatch", read=_matching(_CREATION, r"leaf_page_max=(\w+)"),
        same=_as_meant,
    ),
    Setting(
        key="memory_page_image_max_bytes", arm="memory_page_image_max", found="memory_page_image_max",
        label="memory_page_image_max", subject="memory_page_image_max", code="page-image-mismatch",
        read=_matching(_CREATION, r"memory_page_image_max=(\w+)"), same=_as_meant,
    ),
    Setting(
        key="collection_config", arm="collection_config", found="creation_string", label="creationString",
        subject="the collection's configuration", code="collection-config-mismatch", verbatim=True,
        read=lambda raw: text_of(raw, _CREATION), told=differing,
        same=lambda expected, found: differing(expected, found) is None,
    ),
    Setting(
        key="engine_config", arm="engine_config", found="opening_config", label="opening WiredTiger",
        subject="the engine's configuration", code="engine-config-mismatch", verbatim=True,
        read=lambda raw: text_of(raw, _OPENING), told=differing,
        same=lambda expected, found: differing(expected, found) is None,
    ),
    Setting(
        key="parameters", arm="parameters", found="parameters", label="server parameters",
        subject="the server's parameters", code="parameter-mismatch", unset="none set",
        read=_parameters, told=_other_parameters,
        same=lambda expected, found: _other_parameters(expected, found) is None,
    ),
    Setting(
        key="indexes", arm=None, found="indexes", label="indexes beside _id", unset="none",
        subject="the set of indexes", code="index-mismatch", read=_indexes, told=_other_indexes,
        same=lambda expected, found: _other_indexes(expected, found) is None,
    ),
    Setting(
        key="wire_compressor", arm="connection", found="wire_compressors", label="wire compressors that mongod offers",
        subject="what mongod offers as wire compressor", code="wire-compressor-mismatch", unset="its own",
        read=_wire_compressors, expected=lambda asked: _NO_WIRE_COMPRESSOR if asked == "none" else asked,
    ),
)  # fmt: skip
