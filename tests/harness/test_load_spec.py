"""Every fault of a spec is told with file, line, key and what is allowed."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.spec.load import campaign_names, find_campaign, load_campaign, load_kept

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
seed: 7
engines:
  6.0.5: {source: pypi, version: 6.0.5}
arms:
  snappy: {block_compressor: snappy}
  zstd: {block_compressor: zstd, zstd_level: 3}
datasets:
  sentences: {recipe: faker-sentences}
records: 1000
workloads:
  rmw: {threads: 2}
decision:
  baseline: snappy
"""


def complaint(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_campaign(path)
    return caught.value.what


def test_a_good_spec_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD, encoding="utf-8")
    campaign = load_campaign(path)
    assert campaign.name == "mine"
    assert campaign.arms["zstd"].zstd_level == 3
    assert campaign.cache_size == 2**30


@pytest.mark.parametrize(
    ("workloads", "prices", "told"),
    [
        ("{rmw: {target_per_s: 9}}", "", "'rmw'"),
        ("{a: {mix: rmw}, b: {mix: rmw, pace: {of: a}}}", ", prices: {workload: b}", "'b'"),
        ("{b: {mix: rmw, target_per_s: 9}, a: {mix: rmw}}", "", "'b'"),
        ("{a: {mix: rmw}, b: {mix: rmw, pace: {of: a}}}", ", prices: {workload: a}", None),
        ("{a: {mix: rmw}, b: {mix: rmw, pace: {of: a}}}", "", None),
    ],
)
@pytest.mark.parametrize("objective", ["cost", "throughput", "cpu"])
def test_what_a_workload_can_do_is_not_known_where_it_is_offered_a_rate(
    tmp_path: Path, workloads: str, prices: str, told: str | None, objective: str
) -> None:
    spec = GOOD.replace("workloads:\n  rmw: {threads: 2}", f"blocks: 2\nworkloads: {workloads}")
    decision = f"decision: {{baseline: snappy, objective: {objective}{prices}}}"
    spec = spec.replace("decision:\n  baseline: snappy", decision)
    if told is None or objective == "cpu":
        path = tmp_path / "mine.yaml"
        path.write_text(spec, encoding="utf-8")
        assert load_campaign(path).decision.objective == objective
    else:
        said = complaint(tmp_path, spec)
        assert "decision.objective" in said
        assert f"`{objective}` rests on the throughput of {told}, which is offered a rate" in said


def test_a_reference_needs_something_that_is_held_against_it(tmp_path: Path) -> None:
    alone = GOOD.replace("  zstd: {block_compressor: zstd, zstd_level: 3}\n", "") + "  reference_engine: 6.0.5\n"
    assert ":13: decision.reference_engine: the reference is the only cell" in complaint(tmp_path, alone)


@pytest.mark.parametrize("name", campaign_names())
def test_every_campaign_that_ships_is_valid(name: str) -> None:
    assert load_campaign(find_campaign(name)).name == name


FAULTS = [
    ("seed: 7", "sede: 7", ":1: sede", "did you mean 'seed'?"),
    ("{block_compressor: snappy}", "{block_compresor: snappy}", ":5: arms.snappy.block_compresor", "unknown key"),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, leaf_page_max: 16}",
        ":5: arms.snappy.leaf_page_max",
        "did you mean 16KiB?",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, leaf_page_max: 30000}",
        ":5: arms.snappy.leaf_page_max",
        "multiples of 4KiB",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, memory_page_image_max: 64}",
        ":5: arms.snappy.memory_page_image_max",
        "did you mean 64KiB?",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, memory_page_image_max: 64KiB, leaf_page_max: 128KiB}",
        ":5: arms.snappy.memory_page_image_max",
        "no less than the leaf page, 128.0 KiB",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, memory_page_image_max: 64KiB, collection_config: leaf_page_max=65537}",
        ":5: arms.snappy.memory_page_image_max",
        "no less than the leaf page, 64.0 KiB",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, collection_config: memory_page_mx=1MB}",
        ":5: arms.snappy.collection_config",
        "no option 'memory_page_mx' (did you mean 'memory_page_max'?)",
    ),
    (
        "{block_compressor: snappy}",
        '{block_compressor: snappy, engine_config: "cache_size=1GB,eviction_trigger=90"}',
        ":5: arms.snappy.engine_config",
        "`cache_size` is not to be set here: say cache_size",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, parameters: {syncdelay: 5}}",
        ":5: arms.snappy.parameters.syncdelay",
        "say sync_period_s",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, parameters: {a b: 5}}",
        ":5: arms.snappy.parameters",
        "a b",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, parameters: {wiredTigerX: [5]}}",
        ":5: arms.snappy.parameters.wiredTigerX",
        "",
    ),
    ("block_compressor: snappy", "block_compressor: lz4", ":5: arms.snappy.block_compressor", "'none', 'snappy'"),
    ("zstd_level: 3", "zstd_level: 30", ":6: arms.zstd.zstd_level", "must be 22 or less (given: 30)"),
    ("zstd_level: 3", "zlib_level: 3", ":6: arms.zstd", "zlib_level 3 has no effect"),
    ("recipe: faker-sentences", "recipe: lorem", ":8: datasets.sentences", "'lorem'"),
    ("{recipe: faker-sentences}", "{recipe: faker-sentences, x: 1}", ":8: datasets.sentences.x", "sentences"),
    ("records: 1000", "records: 3", ":9: records", "(given: 3)"),
    ("records: 1000", "", ": records", "required"),
    ("records: 1000", "records: 1000\ncache_size: 1 gig", ":10: cache_size", "512MiB"),
    ("records: 1000", "records: 1000\ncache_size: 1MiB", ":10: cache_size", "256MiB or more"),
    ("rmw:", "rnw:", ":11: workloads.rnw", "did you mean 'rmw'?"),
    ("rmw:", "load:", ":11: workloads.load", "names the load itself"),
    ("{threads: 2}", "{threads: 2, operations: 5}", ":11: workloads.rmw", "either measure_s or operations"),
    ("{threads: 2}", "{pace: {of: rmw}}", ":11: workloads.rmw.pace.of", "not a closed-loop workload"),
    ("{threads: 2}", "{threads: 8, target_per_s: 7}", ":11: workloads.rmw", "each of 8 threads"),
    ("{threads: 2}", "{pace: {of: a}, target_per_s: 9}", ":11: workloads.rmw", "either pace or target_per_s"),
    (
        "rmw: {threads: 2}",
        "rmw: {}\n  f: {pace: {of: rmw}}\nblocks: 1\ndesign: sequential",
        ":12: workloads.f.pace",
        "at least 2 blocks",
    ),
    ("rmw:", "insert:", ":11: workloads.insert", "names the load itself"),
    ("rmw:", "network:", ":11: workloads.network", "names files of every trial"),
    ("rmw:", "verify:", ":11: workloads.verify", "names files of every trial"),
    ("rmw:", "verify-6.0.5:", ":11: workloads.verify-6", "names files of every trial"),
    ("rmw:", "snapshot.after-a:", ":11: workloads.snapshot.after-a", "names files of every trial"),
    ("rmw:", "loaded:", ":11: workloads.loaded", "names a step of every trial"),
    ("seed: 7", "seed: 7\nname: index.html", ":2: name", "the index of all runs"),
    ("baseline: snappy", "baseline: snappy\n  primary: [rmw.p98]", ":14: decision.primary.0", "'rmw.p99'"),
    (
        "baseline: snappy",
        "baseline: snappy\n  constraints: [{metric: rwm.p99, at_most: 2}]",
        ":14: decision.constraints.0.metric",
        "did you mean",
    ),
    (
        "workloads:\n  rmw: {threads: 2}\ndecision:\n",
        "decision:\n  objective: aged-storage\n",
        ":11: decision.objective",
        "nothing ages",
    ),
    (
        "baseline: snappy",
        "baseline: snappy\n  constraints: [{metric: rmw.scan.p99, at_most: 2}]",
        ":14: decision.constraints.0.metric: 'rmw' has no operation 'scan'",
        "its mix has read, update, read-modify-write",
    ),
    ("rmw:", "a.read:", ":11: workloads.a.read", "names one kind of a workload's operations"),
    ("baseline: snappy", "baseline: snapy", ":13: decision.baseline", "did you mean 'snappy'?"),
    (
        "baseline: snappy",
        "baseline: snappy\n  reference_engine: 6.0.6",
        ":14: decision.reference_engine",
        "did you mean '6.0.5'?",
    ),
    (
        "6.0.5: {source: pypi, version: 6.0.5}",
        "old: {source: pypi, version: 4.4.2}",
        ":6: arms.zstd.zstd_level",
        "5.0",
    ),
    ("version: 6.0.5", "version: 6.1", ":3: engines.6.0.5", "6.0.27"),
    ("{threads: 2}", "{maintenance: vacuum}", ":11: workloads.rmw.maintenance", "'compact' or 'initial-sync'"),
    ("{threads: 2}", "{maintenance: initial-sync}", ":11: workloads.rmw.maintenance", "at least 3 members"),
    ("{threads: 2}", "{}\n  before-rmw: {mix: rmw}", ":12: workloads.before-rmw", "a step of every trial"),
    ("seed: 7", "seed: 7\ntopology: {kind: sharded}", ":2: topology.kind", "'standalone' or 'replica-set'"),
    ("source: pypi", "source: docker", ":3: engines.6.0.5: 'source': 'docker' is not known", "'pypi', 'package'"),
    ("source: pypi, ", "", ":3: engines.6.0.5: the key 'source' is required", "it says what this is"),
    (
        "{source: pypi, version: 6.0.5}",
        "{source: package, version: 7.0}",
        ":3: engines.6.0.5.version: must be a text (in quotes if it looks like a number",
        "(given: 7.0)",
    ),
    (
        "{source: pypi, version: 6.0.5}",
        '{source: package, version: "7.0"}',
        ":3: engines.6.0.5.version: a version has three numbers",
        "for instance 7.0.14",
    ),
    (
        "seed: 7",
        "seed: 7\ncache_size: 256",
        ":2: cache_size: must be 256MiB or more",
        "without a unit counts bytes",
    ),
    (
        "seed: 7",
        "seed: 7\nblocks: many",
        ":2: blocks: must be a whole number or a mapping of keys",
        "(given: 'many')",
    ),
    ("seed: 7", "seed: 7\nblocks: 0", ":2: blocks: must be 1 or more", "(given: 0)"),
    (
        "seed: 7",
        "seed: 7\nwrite_concern: {w: 9}",
        ":2: write_concern.w: must be 7 or less",
        "or must be 'majority'",
    ),
    (
        "seed: 7",
        "seed: 7\nconnection: {compressors: lz4}",
        ":2: connection.compressors: must be one of 'none', 'snappy', 'zlib' or 'zstd'",
        "(given: 'lz4')",
    ),
    (
        "{block_compressor: snappy}",
        "{block_compressor: snappy, connection: {compressors: zstd, zlib_level: 1}}",
        ":5: arms.snappy.connection: zlib_level 1 is for compressors: zlib",
        "leave it out, or choose zlib",
    ),
    ("{block_compressor: snappy}", "", ":5: arms.snappy: must be a mapping of keys", "(given: nothing)"),
    ("  snappy:", "  sn appy:", ":5: arms.sn appy: a name has letters, digits", "(given: 'sn appy')"),
    (
        "{recipe: faker-sentences}",
        "{recipe: file, path: nowhere.txt}",
        ":8: datasets.sentences.path",
        "there is no file 'nowhere.txt', seen from /",
    ),
    (
        "baseline: snappy",
        "baseline: snappy\n  prices: {workload: rnw}",
        ":14: decision.prices.workload: 'rnw' is not a workload of this campaign",
        "did you mean 'rmw'?",
    ),
    ("seed: 7", "seed: 7\nseed: 8", ":2: key 'seed' is given twice", "line 1"),
    ("seed: 7", "seed: [7", ":", "not valid YAML"),
]
"""What is put in the place of what, where it is told, and with which words."""


@pytest.mark.parametrize(("old", "new", "where", "says"), FAULTS)
def test_a_fault_is_told_where_it_stands(tmp_path: Path, old: str, new: str, where: str, says: str) -> None:
    assert old in GOOD
    told = complaint(tmp_path, GOOD.replace(old, new, 1))
    assert where in told
    assert says in told
    assert str(tmp_path) in told


def test_a_key_that_takes_a_number_or_a_mapping_is_told_what_lacks_in_the_one_that_was_given(tmp_path: Path) -> None:
    told = complaint(tmp_path, GOOD.replace("seed: 7", "seed: 7\nblocks: {min: 3}"))
    assert told.splitlines() == [f"{tmp_path}/mine.yaml:2: blocks.max: this key is required"]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        (
            "cache_size",
            '"' + "9" * 5000 + 'GiB"',
            f":10: cache_size: '{'9' * 40}' is not a size",
        ),
        ("cache_size", "999999999TiB", ":10: cache_size: larger than any disk or memory"),
        ("memory_limit", "9" * 100_000, ":10: a number of 100000 characters"),
        ("seed2", "0x" + "f" * 100_000, ":10: a number of 100002 characters"),
        ("limits", "{canary_percent: .inf}", ":10: limits.canary_percent"),
        ("question", "2026-11-21", ":10: question: must be a text (in quotes"),
        ("question", "!!timestamp x", "not valid YAML"),
        ("question", "x" * 100_000, ":10: question"),
        ("instance", "{cpus: 0-99999999999}", ":10: instance.cpus: '0-99999999999' is not a core or range of cores"),
        ("instance", "{cpus: 3-0}", ":10: instance.cpus: '3-0' is not a range of cores"),
        ("instance", "{bind_ip: '0'}", ":10: instance.bind_ip: '0' is neither an address nor a host name"),
        (
            "instance",
            "{bind_ip: '::ffff:0.0.0.0'}",
            ":10: instance.bind_ip: name the addresses: a mongod never listens",
        ),
        ("datasets", "{d: {recipe: " + "x" * 100_000 + "}}", ":10: datasets.d: 'recipe': 'xxx"),
        ("blocks", "{[a]: 1}", ":10: a key must be a text"),
    ],
)
def test_hostile_values_are_told_like_others(tmp_path: Path, key: str, value: str, says: str) -> None:
    spec = GOOD.replace("datasets:\n  sentences: {recipe: faker-sentences}\n", "\n\n") if key == "datasets" else GOOD
    told = complaint(tmp_path, spec.replace("records: 1000", f"records: 1000\n{key}: {value}"))
    assert says in told
    assert len(told) < 2000


def test_a_constraint_may_name_one_kind_of_operation(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"{GOOD}  constraints: [{{metric: rmw.read.p99, at_most: 2}}]\n", encoding="utf-8")
    assert load_campaign(path).decision.constraints[0].metric == "rmw.read.p99"


def test_more_cells_than_anybody_runs(tmp_path: Path) -> None:
    arms = "".join(f"  a{number}: {{block_compressor: snappy}}\n" for number in range(90))
    datasets = "".join(f"  d{number}: {{recipe: faker-sentences}}\n" for number in range(9))
    spec = GOOD.replace("arms:\n", f"arms:\n{arms}").replace("datasets:\n", f"datasets:\n{datasets}")
    assert "engines × arms × datasets: " in complaint(tmp_path, spec)


def test_a_spec_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.yaml")
    with pytest.raises(InputError, match="not a regular file"):
        load_campaign(tmp_path / "mine.yaml")


def test_a_users_spec_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "mine.yaml").symlink_to("real.yaml")
    assert load_campaign(tmp_path / "mine.yaml").name == "mine"
    with pytest.raises(InputError, match="a link, which is not followed"):
        load_kept(tmp_path / "mine.yaml", "mine")


def test_a_spec_never_builds_objects(tmp_path: Path) -> None:
    assert "not valid YAML" in complaint(tmp_path, "!!python/object/apply:os.system ['true']")


def test_aliases_of_aliases_end_in_a_message(tmp_path: Path) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
    assert "values" in complaint(tmp_path, bomb)
    assert complaint(tmp_path, "a: &a [*a]")


def test_a_missing_campaign_offers_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean 'quick'"):
        find_campaign("quik")
    with pytest.raises(InputError, match="no such campaign file"):
        find_campaign("nowhere/x.yaml")


@settings(max_examples=200)
@given(at=st.integers(0, len(GOOD)), junk=st.text(max_size=8))
def test_any_damage_is_read_or_told(tmp_path_factory: pytest.TempPathFactory, at: int, junk: str) -> None:
    path = tmp_path_factory.mktemp("spec") / "mine.yaml"
    path.write_text(GOOD[:at] + junk + GOOD[at:], encoding="utf-8", errors="surrogatepass")
    with contextlib.suppress(InputError):  # anything else is a defect
        load_campaign(path)
