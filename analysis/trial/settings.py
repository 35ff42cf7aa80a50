"""Every setting of engine and clients, declared once: where it is asked for, how it is read back and compared.

What a trial asks for, the read-back, the report's tables of settings and the gate's "differs" follow from this table;
the spec's arms, the records and the Ansible role are held to it by `tests/test_settings.py`. Its order is that of the
reasons in a void trial's record.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from analysis.trial import setting_values as values
from analysis.trial.engine.counters import ALWAYS, Version
from analysis.trial.engine.wiredtiger_config import differing
from analysis.trial.records import Compressor, DocumentModel

if TYPE_CHECKING:
    from collections.abc import Callable

SYNC_PERIOD_S = 60
"""mongod's own time between checkpoints."""
LEAF_PAGE_BYTES = 32 * 2**10
"""mongod's own leaf_page_max."""


def _as_asked(asked: Any) -> object:
    return asked


def _all_that_is_found(_expected: Any, found: Any) -> object:
    return found


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting."""

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
    read: values.Reader
    expected: Callable[[Any], object] = _as_asked
    """What has to be in force, from what was asked; None: whatever the engine has by itself."""
    same: Callable[[Any, Any], bool] = operator.eq
    """Whether what is expected and what is found are one."""
    told: Callable[[Any, Any], object] = _all_that_is_found
    """What a mismatch tells, from what is expected and what is found."""
    unit: Literal["bytes", "s", "ms", "CPU"] | None = None
    """Of the value in force; None: shown as it is."""
    unset: str = "not known"
    """What no value in force means, in words."""
    verbatim: bool = False
    """Whether it is a long text, which tables of short ones leave out."""
    since: Version = ALWAYS
    """The first release of mongod that has it."""
    before: object = "default"
    """What earlier releases have built in."""
    by_clients: bool = False
    """Whether the clients apply it, and tell it when they have run."""


def _page(name: str, code: str = "page-size-mismatch") -> Setting:
    """A size of the collection's pages; each has WiredTiger's own name everywhere."""
    return Setting(
        key=f"{name}_bytes", arm=name, found=name, label=name, subject=name, code=code,
        read=values.of_collections(rf"{name}=(\w+)"), same=values.as_meant,
    )  # fmt: skip


SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="block_compressor", arm="block_compressor", found="block_compressor", label="block compressor",
        subject="the collection's block compressor", code="compressor-mismatch",
        read=values.of_collections(r"block_compressor=(\w*)", empty="none"),
    ),
    Setting(
        key="journal_compressor", arm="journal_compressor", found="journal_compressor", label="journal compressor",
        subject="the journal's compressor", code="journal-compressor-mismatch",
        read=values.matching(values.OPENING, r"log=\([^)]*?compressor=(\w*)", empty="none"),
    ),
    Setting(
        key="zstd_level", arm="zstd_level", found="zstd_level", label="zstd level", unset="default",
        subject="the zstd level", code="level-mismatch", read=values.level("zstd"), since=(5, 0), before=6,
    ),
    Setting(
        key="zlib_level", arm="zlib_level", found="zlib_level", label="zlib level", unset="default",
        subject="the zlib level", code="level-mismatch", read=values.level("zlib"),
    ),
    Setting(
        key="cache_size_bytes", arm="cache_size", found="cache_size_bytes", label="cache size", unit="bytes",
        subject="the cache size in bytes", code="cache-mismatch", read=values.whole("cache_max_bytes"),
        same=values.within(2**20),
    ),
    Setting(
        key="memory_limit_bytes", arm=None, found="memory_limit_bytes", label="memory limit", unit="bytes",
        unset="no limit", subject="mongod's memory limit in bytes", code="memory-limit-mismatch",
        read=values.whole("memory_limit_bytes"), same=values.within(2**16),  # the kernel counts whole pages
    ),
    Setting(
        key="sync_period_s", arm="sync_period_s", found="sync_period_s", label="time between checkpoints", unit="s",
        subject="seconds between checkpoints", code="sync-period-mismatch",
        read=values.amount("parameters", "syncdelay"), expected=lambda asked: SYNC_PERIOD_S if asked is None else asked,
    ),
    Setting(
        key="journal_commit_interval_ms", arm="journal_commit_interval_ms", found="journal_commit_interval_ms",
        label="time between journal commits", unit="ms", subject="milliseconds between journal commits",
        code="journal-interval-mismatch", read=values.amount("parameters", "journalCommitInterval"),
    ),
    Setting(
        key="oplog_size_bytes", arm="oplog_size", found="oplog_size_bytes", label="oplog size", unit="bytes",
        unset="no oplog", subject="the oplog's largest size in bytes", code="oplog-size-mismatch",
        read=values.whole("oplog_max_bytes"),
    ),
    Setting(
        key="cpu_limit", arm="cpu_limit", found="cpu_limit", label="CPU limit", unit="CPU", unset="no limit",
        subject="mongod's CPU limit", code="cpu-limit-mismatch", read=values.amount("cpu_limit"),
        same=values.within(0.001),
    ),
    Setting(
        key="disk_limit", arm=None, found="disk_limit", label="disk limit", unset="no limit",
        subject="mongod's disk limit", code="disk-limit-mismatch", read=values.disk_limit,
    ),
    Setting(
        key="tls", arm=None, found="tls_mode", label="TLS", subject="mongod's TLS mode", code="tls-mismatch",
        read=values.tls_mode, expected=lambda asked: "requireTLS" if asked else values.NO_TLS,
    ),
    _page("leaf_page_max"),
    _page("memory_page_image_max", code="page-image-mismatch"),
    _page("internal_page_max"),
    _page("memory_page_max"),
    _page("allocation_size"),
    Setting(
        key="index_leaf_page_max_bytes", arm="index_leaf_page_max", found="index_leaf_page_max",
        label="indexes' leaf_page_max", subject="leaf_page_max of the indexes", code="index-config-mismatch",
        read=values.of_indexes("leaf_page_max"), same=values.as_meant,
    ),
    Setting(
        key="index_prefix_compression", arm="index_prefix_compression", found="index_prefix_compression",
        label="indexes' prefix compression", subject="prefix compression of the indexes",
        code="index-config-mismatch", read=values.of_indexes("prefix_compression"),
        expected=lambda asked: None if asked is None else str(asked).lower(),
    ),
    Setting(
        key="eviction", arm="eviction", found="eviction", label="eviction", unset="the engine's own",
        subject="the engine's eviction", code="eviction-mismatch", told=differing,
        read=lambda raw: values.eviction_options(values.text_of(raw, values.OPENING)),
        expected=lambda asked: asked and values.eviction_options(asked),
        same=lambda expected, found: differing(expected, found) is None,
    ),
    Setting(
        key="collection_config", arm="collection_config", found="creation_string", label="creationString",
        subject="the collection's configuration", code="collection-config-mismatch", verbatim=True,
        read=lambda raw: values.text_of(raw, values.CREATION), told=differing,
        same=lambda expected, found: differing(expected, found) is None,
    ),
    Setting(
        key="engine_config", arm="engine_config", found="opening_config", label="opening WiredTiger",
        subject="the engine's configuration", code="engine-config-mismatch", verbatim=True,
        read=lambda raw: values.text_of(raw, values.OPENING), told=differing,
        same=lambda expected, found: differing(expected, found) is None,
    ),
    Setting(
        key="parameters", arm="parameters", found="parameters", label="server parameters",
        subject="the server's parameters", code="parameter-mismatch", unset="none set",
        read=values.parameters, told=values.other_parameters,
        same=lambda expected, found: values.other_parameters(expected, found) is None,
    ),
    Setting(
        key="indexes", arm=None, found="indexes", label="indexes beside _id", unset="none",
        subject="the set of indexes", code="index-mismatch", read=values.indexes, told=values.other_indexes,
        same=lambda expected, found: values.other_indexes(expected, found) is None,
    ),
    Setting(
        key="wire_compressor", arm="connection", found="wire_compressors", label="wire compressors that mongod offers",
        subject="what mongod offers as wire compressor", code="wire-compressor-mismatch", unset="its own",
        read=values.wire_compressors,
        expected=lambda asked: values.NO_WIRE_COMPRESSOR if asked is Compressor.NONE else asked,
    ),
    Setting(
        key="model", arm="model", found="model", label="documents", subject="how the clients stored documents",
        code="model-mismatch", read=values.of_clients("name"), unset=DocumentModel.EMBEDDED, by_clients=True,
    ),
    Setting(
        key="hash_bits", arm="hash_bits", found="hash_bits", label="bits of a reference", unset="no references",
        subject="the bits of a reference", code="hash-mismatch", read=values.of_clients("hash_bits"),
        by_clients=True,
    ),
    Setting(
        key="known_hashes", arm="known_hashes", found="known_hashes", label="hashes known at most",
        unset="no references", subject="the hashes that a client knows at most", code="known-hashes-mismatch",
        read=values.of_clients("known_hashes"), by_clients=True,
    ),
    Setting(
        key="retry_writes", arm="retry_writes", found="retry_writes", label="retryable writes", by_clients=True,
        subject="whether the clients' writes are retryable", code="retry-writes-mismatch",
        read=values.each_client(values.retry_writes), expected=values.flag,
    ),
    Setting(
        key="read_concern", arm="read_concern", found="read_concern", label="read concern", by_clients=True,
        subject="the clients' read concern", code="read-concern-mismatch",
        read=values.each_client(values.read_concern),
        expected=lambda asked: asked or values.NONE_NAMED,
    ),
    Setting(
        key="read_preference", arm="read_preference", found="read_preference", label="read preference", by_clients=True,
        subject="the clients' read preference", code="read-preference-mismatch",
        read=values.each_client(values.read_preference),
    ),
    Setting(
        key="client_compression", arm="connection", found="client_compression", label="wire compression of the clients",
        subject="what the clients asked for as wire compressor", code="client-compression-mismatch", by_clients=True,
        read=values.each_client(values.wire_compression), unset=values.NO_COMPRESSION,
        expected=lambda asked: asked or values.NO_COMPRESSION,
    ),
)  # fmt: skip
