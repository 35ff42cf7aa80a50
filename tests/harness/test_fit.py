"""What can't go well on a host is refused before anything is started, with the exit code of who has to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import Exit, HostError, InputError
from harness.plan.fit import check_fit, why_sequential
from harness.plan.load.heap import heap_mib
from harness.spec.load import ROOT, load_campaign
from harness.spec.mixes.ycsb import read_mix
from tests.campaigns import small
from tests.harness.factory import surveyed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.spec.arm import Arm
    from harness.spec.campaign import Campaign

MIXES = {"rmw": read_mix(ROOT / "workloads/rmw.properties")}
OUT_OF_CACHE = {"regime": "out-of-cache", "memory_limit": "512MiB", "records": 600_000}


def campaign(tmp_path: Path, **changes: Any) -> Campaign:
    return load_campaign(small(tmp_path / "mine.yaml", 27272, **changes))


def test_hosts_that_fit(tmp_path: Path) -> None:
    check_fit(campaign(tmp_path), MIXES, {"db": surveyed(database=True, cgroup_for_memory_limits=None)})
    check_fit(campaign(tmp_path, **OUT_OF_CACHE), MIXES, {"db": surveyed(database=True)})


def test_a_host_without_control_groups_can_not_limit_memory(tmp_path: Path) -> None:
    loader = surveyed(cgroup_for_memory_limits=None)
    check_fit(campaign(tmp_path, **OUT_OF_CACHE), MIXES, {"db": surveyed(database=True), "loader": loader})
    with pytest.raises(HostError, match=r"db: regime: out-of-cache .* control group") as caught:
        check_fit(
            campaign(tmp_path, **OUT_OF_CACHE),
            MIXES,
            {"db": surveyed(database=True, cgroup_for_memory_limits=None), "loader": loader},
        )
    assert caught.value.exit_code == Exit.DEPENDENCY_FAILED
    assert caught.value.do


@pytest.mark.parametrize(
    ("limit", "can", "told"),
    [
        ({"read_ops_per_s": 100}, "reads", None),
        ({"write_ops_per_s": 100, "read_ops_per_s": 9}, "reads and writes", None),
        ({"read_ops_per_s": 100}, None, r"db: instance.disk_limit: 100 reads/s: no control group can limit the disk"),
        ({"write_bytes_per_s": "1MiB"}, "reads", r"db: .*1\.0 MiB/s written: .* version 1, which limit no writes"),
    ],
)
def test_a_disk_is_limited_where_a_control_group_can(
    tmp_path: Path, limit: dict[str, Any], can: str | None, told: str | None
) -> None:
    limited = campaign(tmp_path, instance={"port": 27272, "disk_limit": limit})
    surveys = {"db": surveyed(database=True, disk_limits=can), "loader": surveyed(disk_limits=None)}
    if told is None:
        check_fit(limited, MIXES, surveys)
    else:
        with pytest.raises(HostError, match=told):
            check_fit(limited, MIXES, surveys)
    assert "disk limit" in str(
        why_sequential(limited.model_copy(update={"arms": dict(two(limited))}), MIXES, surveys, "")
    )


def two(one: Campaign) -> Iterator[tuple[str, Arm]]:
    for name, arm in one.arms.items():
        yield name, arm
        yield f"{name}-again", arm


def test_other_refusals(tmp_path: Path) -> None:
    plain = campaign(tmp_path)
    with pytest.raises(InputError, match="db: records: 2,000 documents need"):
        check_fit(plain, MIXES, {"db": surveyed(database=True, data={"path": "/srv/data", "free_bytes": 2**20})})
    with pytest.raises(InputError, match=r"db: cache_size: 256\.0 MiB is more than"):
        check_fit(plain, MIXES, {"db": surveyed(database=True, memory_total_bytes=2**27)})
    with pytest.raises(HostError, match="port 27272 is in use"):
        check_fit(plain, MIXES, {"db": surveyed(database=True, busy_ports=[27272])})
    with pytest.raises(HostError, match="/srv/data can't be written"):
        check_fit(plain, MIXES, {"db": surveyed(database=True, writable=False)})


def test_clocks_that_differ_by_more_than_the_way_takes_are_refused(tmp_path: Path) -> None:
    link = {"round_trip_s": 0.2, "up_bytes_per_s": 1e8, "down_bytes_per_s": 1e8}
    near = surveyed(links={"db": link | {"clock_ahead_s": -0.6}})
    check_fit(campaign(tmp_path), MIXES, {"db": surveyed(database=True), "loader": near})
    far = surveyed(links={"db": link | {"clock_ahead_s": -0.9}})
    with pytest.raises(HostError, match=r"loader: its clock and that of db differ by 0\.7 s"):
        check_fit(campaign(tmp_path), MIXES, {"db": surveyed(database=True), "loader": far})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"regime": "out-of-cache"}, "memory_limit: only goes with `regime: out-of-cache`"),
        ({"memory_limit": "1GiB"}, "memory_limit: only goes with `regime: out-of-cache`"),
        ({"regime": "in-cache", "memory_limit": "1GiB"}, "memory_limit: only goes with `regime: out-of-cache`"),
        (OUT_OF_CACHE | {"memory_limit": "300MiB"}, "mongod needs memory in addition to its cache: at least 512.0 MiB"),
        (OUT_OF_CACHE | {"records": 2000}, "records: 2.2 MiB of documents fit into the memory limit of 512.0 MiB"),
        ({"regime": "in-cache", "records": 600_000}, "records: 671.8 MiB of documents do not fit into a cache"),
        ({"regime": "cached"}, "regime"),
    ],
)  # fmt: skip
def test_regimes_that_can_not_come_about_are_faults_of_the_spec(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        campaign(tmp_path, **changes)
    assert said in caught.value.what


LARGE = {"document": {"fields": 100, "field_length": "64KiB"}, "records": 100}


def test_a_batch_that_no_command_holds_is_refused_with_figures(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"batch: 100 documents of 6\.3 MiB are 625\.\d MiB, .* at most 7") as caught:
        campaign(tmp_path, **LARGE)
    assert "mine.yaml" in str(caught.value)
    campaign(tmp_path, **LARGE | {"load": {"batch": 7}})


def test_the_heap_follows_the_documents_and_has_to_fit_the_memory(tmp_path: Path) -> None:
    usual = campaign(tmp_path)
    assert heap_mib(usual.load, None, 1, usual.document.size_bytes) == 512
    large = campaign(tmp_path, **LARGE | {"load": {"batch": 7, "threads": 8}})
    each = large.document.size_bytes
    assert 8 * 5 * 7 * 6.25 < heap_mib(large.load, None, 1, each) < 4096
    assert heap_mib(large.load, None, 4, each) < heap_mib(large.load, None, 1, each)
    scans = MIXES["rmw"].model_copy(update={"scanproportion": 0.5, "maxscanlength": 100})
    assert heap_mib(large.workloads["rmw"], MIXES["rmw"], 1, each) == 512
    assert heap_mib(large.workloads["rmw"], scans, 1, each) > 2 * 100 * 6.25 * 3
    check_fit(large, MIXES, {"db": surveyed(database=True, client_processes=1)})
    with pytest.raises(InputError, match=r"db: documents of 6\.3 MiB need clients with a heap of .* has 2\.0 GiB"):
        check_fit(large, MIXES, {"db": surveyed(database=True, client_processes=1, memory_total_bytes=2**31)})
    small_host = {"db": surveyed(database=True, client_processes=1, memory_total_bytes=2**30)}
    check_fit(campaign(tmp_path), MIXES, small_host)
