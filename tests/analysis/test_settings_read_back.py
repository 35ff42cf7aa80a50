"""Every setting: in force as asked it is fine, in force otherwise or unknown it voids the trial. None is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from analysis.trial.read_back import client_mismatches, member_faults, mismatches, read_in_force
from analysis.trial.records import Compressor, DocumentModel, Member
from analysis.trial.setting_values import CLIENTS
from analysis.trial.settings import SETTINGS
from tests.analysis.test_read_back import ASKED, OPENED_WITH_ZLIB, THERE, asked, recorded

if TYPE_CHECKING:
    from analysis.trial.records import InForce, Settings


class Case(NamedTuple):
    """A setting with what a server says of it, in `in_force.json`, or a client of itself."""

    asked: Any
    as_asked: dict[str, Any]
    otherwise: dict[str, Any]
    code: str


def collection(config: str) -> dict[str, Any]:
    return {"creation_string": f"block_compressor=snappy,{config}"}


def indexes(*configs: str) -> dict[str, Any]:
    return {"index_creation_strings": {f"i{number}": config for number, config in enumerate(configs)}}


def opened(config: str) -> dict[str, Any]:
    return {"opening_wiredtiger": f"log=(compressor=snappy),eviction=(threads_min=4,threads_max=4),{config}"}


def parameters(**changes: float) -> dict[str, Any]:
    return {"parameters": {"syncdelay": 60.0, "journalCommitInterval": 100} | changes}


def offering(compressors: str) -> dict[str, Any]:
    return {"cmd_line_opts": {"net": {"compression": {"compressors": compressors}}}}


MIB = 2**20
DISK = {"read_bytes_per_s": 50 * MIB, "read_ops_per_s": 300}
CASES = {
    "block_compressor": Case("zlib", {"creation_string": "block_compressor=zlib"}, {}, "compressor-mismatch"),
    "journal_compressor": Case("none", {"opening_wiredtiger": "log=(compressor=)"}, {}, "journal-compressor-mismatch"),
    "zstd_level": Case(3, opened("a={zstd={compression_level=3}}"), {}, "level-mismatch"),
    "zlib_level": Case(
        0, {"opening_wiredtiger": OPENED_WITH_ZLIB}, opened("a={zlib={compression_level=6}}"), "level-mismatch"
    ),
    "cache_size_bytes": Case(512 * MIB, {"cache_max_bytes": 512 * MIB}, {}, "cache-mismatch"),
    "memory_limit_bytes": Case(
        2**30, {"memory_limit_bytes": 2**30}, {"memory_limit_bytes": 2**29}, "memory-limit-mismatch"
    ),
    "sync_period_s": Case(30, parameters(syncdelay=30.0), parameters(), "sync-period-mismatch"),
    "journal_commit_interval_ms": Case(
        50, parameters(journalCommitInterval=50), parameters(), "journal-interval-mismatch"
    ),
    "oplog_size_bytes": Case(
        990 * MIB, {"oplog_max_bytes": 990 * MIB}, {"oplog_max_bytes": 1000 * MIB}, "oplog-size-mismatch"
    ),
    "cpu_limit": Case(1.5, {"cpu_limit": 1.5}, {"cpu_limit": 2.0}, "cpu-limit-mismatch"),
    "disk_limit": Case(
        DISK, {"disk_limit": DISK}, {"disk_limit": DISK | {"read_ops_per_s": 301}}, "disk-limit-mismatch"
    ),
    "tls": Case(True, {"cmd_line_opts": {"net": {"tls": {"mode": "requireTLS"}}}}, {}, "tls-mismatch"),
    "leaf_page_max_bytes": Case(65536, collection("leaf_page_max=64KB"), {}, "page-size-mismatch"),
    "memory_page_image_max_bytes": Case(
        65536, collection("memory_page_image_max=65536"), {}, "page-image-mismatch"
    ),
    "internal_page_max_bytes": Case(16384, collection("internal_page_max=16k"), {}, "page-size-mismatch"),
    "memory_page_max_bytes": Case(2 * MIB, collection("memory_page_max=2MB"), {}, "page-size-mismatch"),
    "allocation_size_bytes": Case(8192, collection("allocation_size=8KB"), {}, "page-size-mismatch"),
    "index_leaf_page_max_bytes": Case(
        32768,
        indexes("leaf_page_max=32k", "prefix_compression=true,leaf_page_max=32k"),
        indexes("leaf_page_max=32k", "leaf_page_max=16k"),
        "index-config-mismatch",
    ),
    "index_prefix_compression": Case(
        False,
        indexes("prefix_compression=false", "prefix_compression=false"),
        indexes("prefix_compression=false", "prefix_compression=true"),
        "index-config-mismatch",
    ),
    "eviction": Case(
        "eviction=(threads_max=8),eviction_dirty_target=10",
        opened("eviction=(threads_max=8),eviction_dirty_target=10"),
        opened("eviction=(threads_max=8),eviction_dirty_target=11"),
        "eviction-mismatch",
    ),
    "collection_config": Case("split_pct=75", collection("split_pct=75"), {}, "collection-config-mismatch"),
    "engine_config": Case("statistics_log=(wait=9)", opened("statistics_log=(wait=9)"), {}, "engine-config-mismatch"),
    "parameters": Case(
        {"a": "5", "b": True},
        {"asked_parameters": {"a": 5, "b": True}},
        {"asked_parameters": {"a": 5, "b": False}},
        "parameter-mismatch",
    ),
    "indexes": Case(ASKED, {"indexes": THERE}, {"indexes": THERE[:2]}, "index-mismatch"),
    "wire_compressor": Case(Compressor.ZSTD, offering("zstd"), offering("snappy,zstd"), "wire-compressor-mismatch"),
    "model": Case(DocumentModel.NORMALISED, {"name": "normalised"}, {"name": "embedded"}, "model-mismatch"),
    "hash_bits": Case(96, {"hash_bits": 96}, {"hash_bits": 64}, "hash-mismatch"),
    "known_hashes": Case(500, {"known_hashes": 500}, {"known_hashes": 400}, "known-hashes-mismatch"),
    "retry_writes": Case(True, {"retry_writes": True}, {"retry_writes": False}, "retry-writes-mismatch"),
    "read_concern": Case("majority", {"read_concern": "majority"}, {"read_concern": None}, "read-concern-mismatch"),
    "read_preference": Case(
        "nearest", {"read_preference": "nearest"}, {"read_preference": "primary"}, "read-preference-mismatch"
    ),
    "client_compression": Case(
        "zlib 9", {"compression": "zlib 9"}, {"compression": "zlib"}, "client-compression-mismatch"
    ),
}  # fmt: skip
BY_CLIENTS = {one.key: one.by_clients for one in SETTINGS}
OF_SERVERS, OF_CLIENTS = ([key for key in CASES if BY_CLIENTS.get(key) is who] for who in (False, True))
CLIENT = {
    "name": "embedded", "hash_bits": None, "known_hashes": None,
    "retry_writes": False, "read_concern": None, "read_preference": "primary", "compression": None,
}  # fmt: skip


def told_by(*clients: dict[str, Any]) -> InForce:
    return read_in_force(recorded() | {CLIENTS: list(clients)})


def wanted(key: str) -> Settings:
    settings = asked().model_dump() | {key: CASES[key].asked}
    return type(asked()).model_validate(settings)


def test_no_setting_is_left_out() -> None:
    assert CASES.keys() == BY_CLIENTS.keys()
    assert [*OF_SERVERS, *OF_CLIENTS] == list(CASES)


@pytest.mark.parametrize("key", OF_SERVERS)
def test_a_server_is_held_to_what_was_asked(key: str) -> None:
    case, before = CASES[key], recorded()
    found = read_in_force(before | case.as_asked)
    assert list(mismatches(wanted(key), found, "6.0.5")) == []
    told = [one.code for one in mismatches(wanted(key), read_in_force(before | case.otherwise), "6.0.5")]
    assert told == [case.code]
    silent = [one.code for one in mismatches(wanted(key), read_in_force({"version": "6.0.5"}), "6.0.5")]
    assert case.code in silent


@pytest.mark.parametrize("key", OF_SERVERS)
def test_a_secondary_is_held_to_it_too(key: str) -> None:
    case = CASES[key]
    good, bad = (
        Member(name=name, in_force=read_in_force(recorded() | said), moments=())
        for name, said in (("b:1", case.as_asked), ("c:1", case.otherwise))
    )
    primary = Member(name="a:1", moments=())
    assert list(member_faults(wanted(key), [primary, good], "6.0.5")) == []
    (fault,) = member_faults(wanted(key), [primary, good, bad], "6.0.5")
    assert fault.code == case.code
    assert fault.message.startswith("c:1: ")


@pytest.mark.parametrize("key", OF_CLIENTS)
def test_clients_are_held_to_what_was_asked(key: str) -> None:
    case, settings = CASES[key], wanted(key)
    good, bad = CLIENT | case.as_asked, CLIENT | case.otherwise
    assert list(client_mismatches(settings, told_by(good, good))) == []
    assert [one.code for one in client_mismatches(settings, told_by(good, bad))] == [case.code]
    assert [one.code for one in client_mismatches(settings, told_by(bad))] == [case.code]
    assert [one.code for one in client_mismatches(settings, told_by())] == [case.code]


@pytest.mark.parametrize("key", ["retry_writes", "read_concern", "read_preference", "client_compression"])
def test_what_nobody_asked_clients_for_voids_the_trial(key: str) -> None:
    (unasked,) = client_mismatches(asked(), told_by(CLIENT | CASES[key].as_asked))
    assert unasked.code == CASES[key].code


def test_clients_of_before_said_nothing_of_what_they_could_not_do() -> None:
    assert list(client_mismatches(asked(), told_by())) == []
    assert list(client_mismatches(asked(), told_by({"name": "embedded"}))) == []
    assert list(client_mismatches(asked(), told_by(CLIENT))) == []
    earlier = {key: told for key, told in CLIENT.items() if key != "compression"}
    assert list(client_mismatches(asked(), told_by(earlier))) == []
    found = told_by(CLIENT, CLIENT | {"retry_writes": True})
    assert (found.retry_writes, found.read_concern, found.read_preference) == ("no | yes", "none named", "primary")
    assert told_by(CLIENT, CLIENT | {"compression": "zstd"}).client_compression == "none | zstd"


@pytest.mark.parametrize(
    ("value", "found", "same"),
    [
        ("true", True, True), (True, True, True), ("false", True, False), (1, True, True), (0, False, True),
        (True, 1, False), ("1e3", 1000, True), (0.5, "0.5", True), ("0.50", 0.5, True), ("5", 5, True), (5, 5.0, True),
        ("lifo", "lifo", True), ("lifo", "fifo", False), ("", 0, False), ("x", 0, False), (5, None, False),
        ("9" * 400, 5, False), ({"a": 1}, {"a": 1}, True),
    ],
)  # fmt: skip
def test_a_parameter_is_of_the_type_of_the_servers_answer(value: object, found: object, *, same: bool) -> None:
    settings = asked(parameters={"p": value})
    told = list(mismatches(settings, read_in_force(recorded() | {"asked_parameters": {"p": found}}), "6.0.5"))
    assert (told == []) is same
