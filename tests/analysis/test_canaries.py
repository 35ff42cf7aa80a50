"""Blocks beside which a host was another one than in the rest of the run."""

from __future__ import annotations

import statistics
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.trial.canaries import Canary, moved

MIB = 2.0**20


def canary(
    block: int,
    cpu: float = 20 * MIB,
    disk: float | None = 200 * MIB,
    host: str = "db",
    moment: Literal["before", "after"] = "before",
) -> Canary:
    return Canary(block=block, moment=moment, host=host, cpu_bytes_per_s=cpu, disk_bytes_per_s=disk, at="")


def test_nothing_moved() -> None:
    assert not list(moved([], 15))
    assert not list(moved([canary(0), canary(1, cpu=22 * MIB), canary(2, disk=180 * MIB)], 15))


def test_a_slow_block_is_told() -> None:
    (found,) = moved([canary(0), canary(1, cpu=14 * MIB), canary(2)], 15)
    assert (found.block, found.work, round(found.percent)) == (1, "CPU", -30)
    assert str(found) == "before it, db's CPU was 30 % slower than its median before a block"


def test_what_every_block_does_to_its_host_is_no_movement() -> None:
    after = [canary(block, disk=50 * MIB, moment="after") for block in range(3)]
    assert not list(moved([*(canary(block) for block in range(3)), *after], 15))
    slow = canary(3, disk=30 * MIB, moment="after")
    assert [(one.block, one.moment) for one in moved([*after, slow], 15)] == [(3, "after")]


@pytest.mark.parametrize(("limit", "blocks"), [(15, [1, 2]), (40, [2]), (60, [])])
def test_the_limit_holds_for_faster_and_slower(limit: float, blocks: list[int]) -> None:
    rates = [200, 140, 300, 200, 200]
    found = moved([canary(block, disk=rate * MIB) for block, rate in enumerate(rates)], limit)
    assert [one.block for one in found] == blocks


def test_hosts_are_held_against_themselves_and_loaders_have_no_disk() -> None:
    loaders = [canary(block, cpu=90 * MIB, disk=None, host="loader") for block in range(3)]
    assert not list(moved([canary(0), canary(1), canary(2), *loaders], 15))
    assert [one.host for one in moved([canary(0), canary(1), *loaders[:2], canary(2, disk=9 * MIB)], 15)] == ["db"]


@given(st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=9), st.sampled_from(["CPU", "disk"]))
def test_a_flag_is_exactly_a_distance_from_the_median(rates: list[float], work: Literal["CPU", "disk"]) -> None:
    given_ = [canary(i, cpu=rate) if work == "CPU" else canary(i, disk=rate) for i, rate in enumerate(rates)]
    middle = statistics.median(rates)
    flagged = {one.block for one in moved(given_, 15)}
    assert flagged == {i for i, rate in enumerate(rates) if abs(100 * (rate / middle - 1)) > 15}
