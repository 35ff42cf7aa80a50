"""Which disks are watched, and what is said when one runs out."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import pytest

from harness.errors import Exit, HostError
from harness.run.disk_watch import DiskWatch
from tests.harness.factory import surveyed

if TYPE_CHECKING:
    from pathlib import Path

    from harness.plan.told import Surveyed


def host(name: str, path: Path) -> Surveyed:
    return surveyed(hostname=name, data={"path": str(path), "free_bytes": 1})


def test_the_results_and_the_data_on_this_machine_are_watched(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    surveys = {
        "here": host(platform.node(), data),
        "elsewhere": host("another.example", tmp_path),
        "in-a-container": host(platform.node(), tmp_path / "not-seen-from-here"),
    }
    assert DiskWatch.of(surveys, tmp_path / "results", 1).folders == (tmp_path / "results", data)


def test_too_little_space_stops_the_run_and_says_what_to_do(tmp_path: Path) -> None:
    DiskWatch((tmp_path,), 1).check()
    with pytest.raises(HostError, match=r"must stay free \(limits.free_disk\)") as caught:
        DiskWatch((tmp_path,), 2**60).check()
    assert str(tmp_path) in caught.value.what
    assert "make space" in caught.value.do
    assert caught.value.exit_code == Exit.DEPENDENCY_FAILED
