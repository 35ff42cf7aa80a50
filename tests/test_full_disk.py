"""A filesystem of 300 MB that fills up while a trial runs: stopped in time, and resumed once there is space."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness.ledger.runs import find_run
from tests.campaigns import small
from tests.harness.commands import HOME, await_files, harness, left_running, start

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.real,
    pytest.mark.beside,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a filesystem"),
]
MIB = 2**20
ARMS = {name: {"block_compressor": name} for name in ("none", "snappy")}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of 300 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.parametrize(("design", "done"), [("sequential", [0]), ("turns", [])])
def test_a_disk_that_fills_up(disk: Path, tmp_path: Path, design: str, done: list[int]) -> None:
    """What is done stays; of trials that take turns, all are under way."""
    spec = small(
        tmp_path / "full.yaml",
        27540,
        design=design,
        arms=ARMS,
        workloads={"rmw": {"threads": 1, "warmup_s": 0, "measure_s": 4}},
        limits={"free_disk": "100MiB"},
    )
    arguments = ("run", spec, "--results", disk / "results", "--plain")
    running = start(*arguments)
    trials = disk / "results/full/latest/trials"
    await_files(running, trials, *(f"{number + 1:04d}-*" for number in done), ".0002-*/load.status.log")
    filled = os.statvfs(disk)
    with (disk / "of-somebody-else").open("wb") as other:
        os.posix_fallocate(other.fileno(), 0, filled.f_bavail * filled.f_frsize - 50 * MIB)
    out, err = running.communicate(timeout=3000)
    assert running.returncode == 3, out + err
    assert "must stay free (limits.free_disk)" in err
    assert "make space" in err
    assert "Traceback" not in out + err
    assert left_running(HOME) == []
    assert [record.index for record in find_run(trials.parent).records()] == done

    (disk / "of-somebody-else").unlink()
    ran = harness(*arguments)
    assert ran.code == 0, ran.out + ran.err
    assert [record.index for record in find_run(trials.parent).records()] == [0, 1]
    assert harness("verify", trials.parent).code == 0
