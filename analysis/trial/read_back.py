"""What the running server says of itself, from the raw read-back, and where that differs from what was asked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from analysis.trial.records import InForce, Reason, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_SYNC_PERIOD_S = 60
"""mongod's own time between checkpoints."""

NO_TLS = "disabled"
"""mongod's own TLS mode."""


def read_in_force(raw: Mapping[str, Any]) -> InForce:
    """Interpret `in_force.json` of a trial.

    The collection's compressor and page size come from its creationString, which WiredTiger stored with the
    file; the zstd level and the journal's compressor from log line 22315 "Opening WiredTiger", the configuration
    mongod passed on. That line leaves out the user's own engine configuration string, which carries the zlib level:
    that one comes from the options as the server parsed them, and shows its effect in the sizes only. The write
    concern is the clients' to tell, when they have run.
    """
    creation = str(raw.get("creation_string") or "")
    opening = str(raw.get("opening_wiredtiger") or "")
    cache, memory, cpu = raw.get("cache_max_bytes"), raw.get("memory_limit_bytes"), raw.get("cpu_limit")
    sync = (raw.get("parameters") or {}).get("syncdelay")
    return InForce(
        version=str(raw.get("version") or "unknown"),
        git_version=_text(raw.get("git_version")),
        feature_compatibility_version=_text(raw.get("fcv")),
        block_compressor=_last(r"block_compressor=(\w*)", creation, empty="none"),
        zstd_level=_level("zstd", opening),
        zlib_level=_level("zlib", opening) or _level("zlib", str(raw.get("cmd_line_opts"))),
        journal_compressor=_last(r"log=\([^)]*?compressor=(\w*)", opening, empty="none"),
        cache_size_bytes=int(cache) if isinstance(cache, int | float) else None,
        memory_limit_bytes=int(memory) if isinstance(memory, int) else None,
        cpu_limit=float(cpu) if isinstance(cpu, int | float) else None,
        leaf_page_max=_last(r"leaf_page_max=(\w+)", creation),
        tls_mode=_tls_mode(raw.get("cmd_line_opts")),
        creation_string=creation,
        opening_config=opening,
        sync_period_s=float(sync) if isinstance(sync, int | float) else None,
    )


def mismatches(asked: Settings, found: InForce, engine_version: str) -> Iterator[Reason]:
    """Every setting that is in force otherwise than asked, or could not be read back: each voids the trial."""
    yield from _compare("engine-mismatch", "mongod's version", engine_version, found.version)
    yield from _compare(
        "compressor-mismatch", "the collection's block compressor", asked.block_compressor.value, found.block_compressor
    )
    yield from _compare(
        "journal-compressor-mismatch",
        "the journal's compressor",
        asked.journal_compressor.value,
        found.journal_compressor,
    )
    if asked.zstd_level is not None:
        yield from _compare("level-mismatch", "the zstd level", asked.zstd_level, found.zstd_level)
    if asked.zlib_level is not None:
        yield from _compare("level-mismatch", "the zlib level", asked.zlib_level, found.zlib_level)
    if found.cache_size_bytes is None or abs(found.cache_size_bytes - asked.cache_size_bytes) > 2**20:
        yield from _compare("cache-mismatch", "the cache size in bytes", asked.cache_size_bytes, found.cache_size_bytes)
    limit = asked.memory_limit_bytes
    if limit is not None and abs((found.memory_limit_bytes or 0) - limit) > 2**16:  # the kernel counts whole pages
        yield from _compare("memory-limit-mismatch", "mongod's memory limit in bytes", limit, found.memory_limit_bytes)
    sync_period_s = DEFAULT_SYNC_PERIOD_S if asked.sync_period_s is None else asked.sync_period_s
    yield from _compare("sync-period-mismatch", "seconds between checkpoints", sync_period_s, found.sync_period_s)
    if asked.cpu_limit is not None and abs((found.cpu_limit or 0) - asked.cpu_limit) > 0.001:
        yield from _compare("cpu-limit-mismatch", "mongod's CPU limit", asked.cpu_limit, found.cpu_limit)
    yield from _compare("tls-mismatch", "mongod's TLS mode", "requireTLS" if asked.tls else NO_TLS, found.tls_mode)
    if asked.leaf_page_max_bytes is not None and _bytes(found.leaf_page_max) != asked.leaf_page_max_bytes:
        yield from _compare("page-size-mismatch", "leaf_page_max", asked.leaf_page_max_bytes, found.leaf_page_max)


def concern_faults(phase: str, asked: Mapping[str, Any], sent: str | None) -> Iterator[Reason]:
    """The write concern that a phase's clients sent, as JSON, where it is not the one asked for."""
    yield from _compare("write-concern-mismatch", f"{phase}: the clients' write concern", json.dumps(asked), sent)


def _compare(code: str, what: str, asked: object, found: object) -> Iterator[Reason]:
    if asked != found:
        said = "could not be read back" if found is None else f"is {found}"
        yield Reason(code=code, message=f"{what} {said}; asked was {asked}")


def _last(pattern: str, text: str, empty: str | None = None) -> str | None:
    """The last match, because WiredTiger lets the last of repeated options win."""
    found = re.findall(pattern, text)
    return (found[-1] or empty) if found else None


def _tls_mode(options: object) -> str | None:
    if not isinstance(options, dict):
        return None
    tls = (options.get("net") or {}).get("tls") or {}
    return str(tls.get("mode") or NO_TLS)


def _level(codec: str, opening: str) -> int | None:
    found = re.findall(rf"{codec}=\(?\{{?compression_level=(-?\d+)", opening)
    return int(found[-1]) if found else None


def _bytes(size: str | None) -> int | None:
    match = re.fullmatch(r"(\d+)(B|KB|MB|GB|)", size or "")
    return int(match[1]) * {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}[match[2]] if match else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
