"""The configuration file: by version, by arm, against golden files.

A change that is meant is taken over with `PRESSGAUGE_GOLDEN=write pytest tests/ansible/test_mongod_conf.py`.
"""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

GOLDEN = Path(__file__).parent / "golden"
TEMPLATE = Path(__file__).parents[2] / "ansible/roles/mongod/templates/mongod.conf.j2"
PLAIN = {"block_compressor": "snappy", "journal_compressor": "snappy", "cache_size_bytes": 1 << 30}
KNOBS = {
    "index_leaf_page_max_bytes": 32768,
    "index_prefix_compression": False,
    "journal_commit_interval_ms": 50,
    "eviction": "eviction=(threads_max=8),eviction_dirty_target=10",
    "oplog_size_bytes": 2000 << 20,
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "4.4-snappy": ("4.4.2", PLAIN),
    "4.4-zlib-1": ("4.4.2", {**PLAIN, "block_compressor": "zlib", "zlib_level": 1}),
    "6.0-zlib-0": ("6.0.5", {**PLAIN, "block_compressor": "zlib", "zlib_level": 0, "zstd_level": None}),
    "6.0-zstd-19": ("6.0.5", {**PLAIN, "block_compressor": "zstd", "zstd_level": 19, "zlib_level": None}),
    "6.0-both-levels": ("6.0.5", {**PLAIN, "block_compressor": "zstd", "zstd_level": 1, "zlib_level": 9}),
    "6.1-none-300MiB": ("6.1.0", {**PLAIN, "block_compressor": "none", "cache_size_bytes": 300 << 20}),
    "4.4-tls": ("4.4.2", {**PLAIN, "tls": True}),
    "6.0-engine": (
        "6.0.5",
        {
            **PLAIN,
            "zlib_level": 9,
            "engine_config": 'eviction=(threads_max=8),eviction_dirty_target=10,x="\\"',
            "parameters": '{"notablescan": true, "wiredTigerConcurrentReadTransactions": 64, "logLevel": "0"}',
        },
    ),
    "4.4-wire-none": ("4.4.2", {**PLAIN, "wire_compressor": "none"}),
    "6.0-wire-zstd": ("6.0.5", {**PLAIN, "wire_compressor": "zstd", "tls": True}),
    "4.4-knobs": ("4.4.2", {**PLAIN, **KNOBS}),
    "8.0-knobs": ("8.0.4", {**PLAIN, **KNOBS, "index_leaf_page_max_bytes": None, "engine_config": "x=1"}),
    "8.0-sync-30": ("8.0.4", {**PLAIN, "sync_period_s": 30, "journal_compressor": "zstd"}),
}


def render(version: str, settings: dict[str, Any], replica_set: str | None = None) -> str:
    """The template as Ansible renders it."""
    variables = {
        "mongod_replica_set": replica_set,
        "mongod_version": version,
        "mongod_settings": settings,
        "mongod_directory": "/srv/pressgauge/instances/t1",
        "mongod_instance_spec": {"name": "t1", "port": 27117, "bind_ip": "127.0.0.1"},
    }
    return str(Templar(DataLoader(), variables).template(trust_as_template(TEMPLATE.read_text())))


PAGES = {"leaf_page_max_bytes": 65536, "internal_page_max_bytes": None, "memory_page_max_bytes": 2097152}


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        ({}, ""),
        (PAGES, "leaf_page_max=65536,memory_page_max=2097152"),
        ({**PAGES, "allocation_size_bytes": 8192, "collection_config": "split_pct=75,leaf_page_max=32KB"},
         "allocation_size=8192,leaf_page_max=65536,memory_page_max=2097152,split_pct=75,leaf_page_max=32KB"),
        ({"memory_page_image_max_bytes": 0}, "memory_page_image_max=0"),
        ({"collection_config": "split_pct=75"}, "split_pct=75"),
    ],
)  # fmt: skip
def test_the_collection_is_made_with_its_pages(settings: dict[str, Any], config: str) -> None:
    told = yaml.safe_load((TEMPLATE.parents[1] / "vars/main.yml").read_text())
    trusted = {name: trust(value) for name, value in told.items()}
    found = Templar(DataLoader(), {**trusted, "mongod_settings": PLAIN | settings}).template(
        trust_as_template("{{ mongod_collection_config }}")
    )
    assert (found or "") == config


def trust(value: Any) -> Any:
    return {key: trust(one) for key, one in value.items()} if isinstance(value, dict) else trust_as_template(value)


@pytest.mark.parametrize(("version", "quick"), [("4.4.2", False), ("6.0.5", True)])
def test_a_member_has_its_set_and_its_key(version: str, *, quick: bool) -> None:
    text = render(version, PLAIN, "pressgauge")
    assert 'keyFile: "/srv/pressgauge/instances/t1/key"\nreplication:\n  replSetName: pressgauge\n' in text
    assert ("shutdownTimeoutMillisForSignaledShutdown" in text) == quick


def test_a_member_has_the_oplog_that_was_asked_for() -> None:
    assert "\n  replSetName: pressgauge\n  oplogSizeMB: 2000\n" in render("6.0.5", {**PLAIN, **KNOBS}, "pressgauge")
    assert "oplog" not in render("6.0.5", {**PLAIN, **KNOBS})


@pytest.mark.parametrize("name", CASES)
def test_configuration_is_the_golden_one(name: str) -> None:
    text = render(*CASES[name])
    golden = GOLDEN / f"mongod-{name}.conf"
    if os.environ.get("PRESSGAUGE_GOLDEN") == "write":
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize(
    ("version", "has_option"), [("4.4.29", True), ("6.0.27", True), ("6.1.0", False), ("8.0.0", False)]
)
def test_the_journal_option_goes_with_6_1(version: str, has_option: bool) -> None:  # noqa: FBT001
    assert ("journal" in yaml.safe_load(render(version, PLAIN))["storage"]) is has_option


@pytest.mark.parametrize("mebibytes", [256, 300, 1000, 1023, 1537, 65537])
def test_the_cache_is_exact_to_the_mebibyte(mebibytes: int) -> None:
    settings = {**PLAIN, "cache_size_bytes": mebibytes << 20}
    gigabytes = yaml.safe_load(render("6.0.5", settings))["storage"]["wiredTiger"]["engineConfig"]["cacheSizeGB"]
    assert int(1024 * gigabytes) == mebibytes  # mongod's own arithmetic


def test_a_zstd_level_is_refused_where_mongod_has_none() -> None:
    with pytest.raises(AnsibleError, match=r"5\.0"):
        render("4.4.2", {**PLAIN, "block_compressor": "zstd", "zstd_level": 3})
