"""Every key of a spec with values that nobody has a use for: refused in the reader's own words, or planned as asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.plan import trials as planning
from harness.spec.load import ROOT, load_campaign
from tests.fuzz.mutations import Keys, places
from tests.fuzz.test_fuzz import EXAMPLES, ORDINARY, bounded

if TYPE_CHECKING:
    from pathlib import Path

PLACE = "PLACE-OF-A-VALUE"
HOSTILE = [
    "9" * 5000, "9" * 100_000, "-" + "9" * 100_000, "0x" + "f" * 100_000, "0o" + "7" * 5000, "0b" + "1" * 100_000,
    "1" + ":59" * 30_000, "1" + ":59" * 30_000 + ".5", "1.0e+" + "9" * 5000, "1.0e+308", "1e308", ".inf",
    "-.inf", ".nan", "-1", "0", "1", "0.5", "1_0", "true", "null", '""', '"\\0"', '"\\u202e"', '"a\\nb"', "x" * 100_000,
    "&a b", "*a", "2026-13-45", "2026-11-21", "2026-11-21T00:00:00Z", "12:30:45",
    "!!binary aGk=", "!!set {a, b}", "!!omap [a: 1]", "!!str 5", "!!int abc", '!!int ""', "!!float abc", "!!bool x",
    "!!timestamp x", "!!null x", "!!seq x", "!!map x", "!!python/none x",
    "[]", "{}", "[" * 200 + "]" * 200, "[" * 3000, "{a: " * 200 + "1" + "}" * 200, "[1, [2, {3: 4}]]",
    "{1: 2}", "{null: 1}", "{[a]: 1}", "{2026-11-21: 1}", "{<<: {a: 1}}", "{<<: 5}",
    "../../etc/passwd", "/", "{{ 7*7 }}", '"' + "9" * 5000 + 'GiB"', "1e999GiB", "-1GiB", "9999999999999999999TiB",
    "0B", "1KiB", "0-99999999999", "3-0", "0-4095", "0x0", "::ffff:0.0.0.0", "'[::]'", "'*'", "0.0", "localhost",
]  # fmt: skip
SPEC: dict[str, Any] = yaml.safe_load((ROOT / "campaigns/quick.yaml").read_text(encoding="utf-8")) | {
    "engines": {
        "wheel": {"source": "pypi", "version": "6.0.5"},
        "package": {"source": "package", "version": "7.0.1", "upgraded_from": ["wheel"]},
        "tar": {"source": "tarball", "version": "7.0.1", "location": "https://x.example/a.tgz", "sha256": "0" * 64},
        "binary": {"source": "binary", "version": "7.0.1", "path": "/usr/bin/mongod"},
    },
    "arms": {
        "snappy": {"block_compressor": "snappy", "leaf_page_max": "64KiB", "cpu_limit": 2.5, "sync_period_s": 60},
        "snappy-even": {"block_compressor": "snappy", "memory_page_image_max": "32KiB"},
        "knobs": {"block_compressor": "none", "internal_page_max": "8KiB", "allocation_size": "8KiB",
                  "memory_page_max": "1MiB", "index_leaf_page_max": "32KiB", "index_prefix_compression": False,
                  "eviction": {"dirty_target": 6, "dirty_trigger": 30, "threads_max": 8},
                  "journal_commit_interval_ms": 50, "read_concern": "available", "parameters": {"logLevel": 0}},
        "zlib": {"block_compressor": "zlib", "zlib_level": 6, "cache_size": "1GiB", "collection_config": "verbose=a"},
    },
    "datasets": {
        "words": {"recipe": "faker-sentences", "sentences": 1000, "locale": "en_US"},
        "mine": {"recipe": "file", "path": __file__, "format": "json-lines", "field": "a"},
        "noise": {"recipe": "ycsb-random", "size_bytes": 2**20},
    },
    "blocks": {"min": 2, "max": 3, "precision": {"half_width_percent": 3, "confidence_percent": 90}},
    "instance": {"port": 27117, "bind_ip": "127.0.0.1", "cpus": "0-1", "tls": "auto",
                 "disk_limit": {"read_bytes_per_s": "1MiB", "write_ops_per_s": 30}},
    "topology": {"kind": "standalone"},
    "limits": {"attempts": 2, "failed_operations": 0, "verify_all_up_to": 9, "canary_percent": 15, "free_disk": "1GB"},
    "write_concern": {"w": 1, "journal": True},
    "connection": {"compressors": "zlib", "zlib_level": 9},
    "workloads": {
        "rmw": {"threads": 4, "measure_s": 20, "warmup_s": 5, "timeout_s": 60, "distribution": "uniform"},
        "paced": {"mix": "rmw", "pace": {"of": "rmw", "fraction": 0.7}},
    },
    "decision": {
        "baseline": "snappy", "baseline_engine": "wheel", "objective": "cost", "primary": ["rmw.p99"],
        "equivalence_margin_percent": 3, "confidence_percent": 95,
        "constraints": [{"metric": "rmw.p99", "at_most": 2, "at_least": 0.1}],
        "prices": {"instance_per_hour": 0.3, "data_size_gb": 500, "currency": "EUR", "dated": "today", "replicas": 3,
                   "horizon_months": 12, "operations_per_s": 1000, "workload": "rmw",
                   "platforms": {"large": {"instance_per_hour": 1}}},
    },
}  # fmt: skip


def with_place(value: Any, at: Keys, *, key: bool) -> Any:
    """The spec with a mark instead of the value there, or of its key."""
    if not at:
        return PLACE
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = {
        PLACE if key and name == at[0] and len(at) == 1 else name: inner
        if name != at[0] or (key and len(at) == 1)
        else with_place(inner, at[1:], key=key)
        for name, inner in pairs
    }
    return found if isinstance(value, dict) else list(found.values())


PLACES = list(places(SPEC))


def read_and_plan(path: Path) -> None:
    campaign = load_campaign(path)
    list(planning.describe(campaign))
    planning.plan(campaign, campaign.most_blocks)


def told(path: Path) -> str:
    """What is wrong with the spec."""
    try:
        read_and_plan(path)
    except InputError as error:
        return error.what
    return ""


def test_the_spec_is_good(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(SPEC), encoding="utf-8")
    assert told(path) == ""


def test_hostile_values_end_in_the_readers_own_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"

    @settings(max_examples=EXAMPLES, database=None, derandomize=ORDINARY)
    @given(at=st.sampled_from(PLACES), value=st.sampled_from(HOSTILE), key=st.booleans())
    def try_it(at: Keys, value: str, key: bool) -> None:  # noqa: FBT001 hypothesis gives them by name
        text = yaml.safe_dump(with_place(SPEC, at, key=key), sort_keys=False, width=10**9)
        path.write_text(text.replace(PLACE, value), encoding="utf-8")
        with bounded():
            assert len(told(path)) < 20_000

    try_it()


@pytest.mark.parametrize(
    "spec",
    ["a: " + "[" * 100_000, "a: &a [*a]", "? [a]\n: 1", "{" * 10_000, "- " * 50_000, "&a ? *a : 1", "<<: &a {<<: *a}"],
    ids=range(7),
)
def test_hostile_structures_end_in_the_readers_own_error(tmp_path: Path, spec: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(spec, encoding="utf-8")
    with bounded(), pytest.raises(InputError):
        load_campaign(path)


def test_merges_of_merges_end_in_a_message(tmp_path: Path) -> None:
    bomb = "a0: &a0 {x: 1}\n"
    bomb += "".join(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}\n" for i in range(1, 12))
    path = tmp_path / "mine.yaml"
    path.write_text(bomb, encoding="utf-8")
    with bounded(), pytest.raises(InputError, match="values"):
        load_campaign(path)
