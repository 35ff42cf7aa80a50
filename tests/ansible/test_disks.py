"""What may be asked of a disk, by control groups: on fake trees of both versions, and in force on a real one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from ansible.library.mongod_instance import _limits  # type: ignore[import-not-found,unused-ignore]
from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host import control_groups, disks
from ansible.module_utils.pressgauge.host.limits import MEMORY

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = {"read_bytes_per_s": 1048576, "write_ops_per_s": 30}
MIB = 2**20


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with one disk, 8:16, below a folder `data`; its control groups are for `grouped` to make."""
    for name in ("proc/self", "data", "cgroup", "sys/block/sdb/queue", "sys/block/sdb/sdb1", "sys/dev/block"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "sys/block/sdb/dev").write_text("8:16\n")
    number = (tmp_path / "data").stat().st_dev
    link = tmp_path / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.symlink_to(tmp_path / "sys/block/sdb/sdb1")
    monkeypatch.setattr(disks, "SYS", tmp_path / "sys")
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
    return tmp_path


def grouped(host: Path, own: str, kind: str, **files: str) -> Path:
    mount = host / "cgroup"
    (host / "proc/self/cgroup").write_text(own)
    options = "rw,blkio" if kind == "cgroup" else "rw"
    (host / "proc/self/mountinfo").write_text(f"35 31 0:32 / {mount} rw,relatime - {kind} {kind} {options}\n")
    for name, text in files.items():
        (mount / name).parent.mkdir(parents=True, exist_ok=True)
        (mount / name).write_text(text)
    return mount


def test_version_2_limits_reads_and_writes_below_a_group_with_memory_beside_it(host: Path) -> None:
    files = {
        "cgroup.subtree_control": "cpu io memory\n",
        "user/cgroup.subtree_control": "io\n",
        "user/io.max": "8:0 rbps=5 wbps=max riops=max wiops=max\n8:16 rbps=2000000 wbps=max riops=max wiops=99\n",
        "user/own/cgroup.subtree_control": "\n",
        "user/own/io.max": "8:16 rbps=1048576 wbps=max riops=max wiops=max\n",
    }
    mount = grouped(host, "0::/user/own\n", "cgroup2", **files)
    limit = disks.disk_limit(host / "data")
    assert limit is not None
    assert limit.parent_group() == mount
    assert limit.of() == {"read_bytes_per_s": 1048576, "write_ops_per_s": 99}
    assert disks.what_can_be_limited(host / "data") == "reads and writes"
    (mount / "new").mkdir()
    (mount / "new/io.max").touch()
    limit.write(mount / "new", LIMIT)
    assert (mount / "new/io.max").read_text() == "8:16 rbps=1048576 wiops=30"
    assert limit.read(mount / "new") == LIMIT


def test_several_limits_of_version_2_take_one_group(host: Path) -> None:
    files = {"cgroup.subtree_control": "io memory\n", "user/cgroup.subtree_control": "memory\n", "user/own/x": ""}
    mount = grouped(host, "0::/user/own\n", "cgroup2", **files)
    assert MEMORY.parent_group() == mount / "user"
    limit = disks.disk_limit(host / "data")
    assert limit is not None
    assert MEMORY.parent_group(MEMORY, limit) == limit.parent_group(MEMORY, limit) == mount


def test_an_instances_limits_are_one_groups_in_version_2(host: Path) -> None:
    files = {"cgroup.subtree_control": "cpu io memory\n", "user/cgroup.subtree_control": "cpu\n", "user/own/x": ""}
    mount = grouped(host, "0::/user/own\n", "cgroup2", **files)
    asked = {"memory_limit_bytes": None, "cpu_limit": 1.5, "disk_limit": {"read_ops_per_s": 5, "write_ops_per_s": None}}
    found = _limits(host / "data/t1", asked)
    assert [(kind.name, amount, group) for kind, amount, group in found] == [
        ("CPU", 1.5, mount / "pressgauge-t1"),
        ("disk", {"read_ops_per_s": 5}, mount / "pressgauge-t1"),
    ]
    ((kind, _, group),) = _limits(host / "data/t1", asked | {"disk_limit": None})
    assert (kind.name, group) == ("CPU", mount / "user/pressgauge-t1")
    grouped(host, "0::/\n", "cgroup2", **{"cgroup.subtree_control": "cpu memory\n"})
    with pytest.raises(Failure, match="this host allows no control group with a disk limit"):
        _limits(host / "data/t1", asked | {"cpu_limit": None})


def test_version_1_limits_reads_alone_and_each_group_for_itself(host: Path) -> None:
    read, write = "blkio.throttle.read_bps_device", "blkio.throttle.write_iops_device"
    mount = grouped(host, "7:blkio:/a\n0::/\n", "cgroup", **{read: "8:16 7\n", f"a/{read}": "8:0 1\n8:16 1048576\n"})
    limit = disks.disk_limit(host / "data")
    assert limit is not None
    assert limit.parent_group() == mount / "a"
    assert limit.of() == {"read_bytes_per_s": 1048576}
    assert disks.what_can_be_limited(host / "data") == "reads"
    for name in (read, write):
        (mount / "a" / name).touch()
    limit.write(mount / "a", LIMIT)
    assert [(mount / "a" / name).read_text() for name in (read, write)] == ["8:16 1048576", "8:16 30"]
    assert limit.read(mount / "a") == LIMIT


def test_hosts_where_no_disk_can_be_limited(host: Path) -> None:
    grouped(host, "0::/\n", "cgroup2", **{"cgroup.subtree_control": "io\n"})
    assert disks.what_can_be_limited(host / "data") is None, "written back files would not count"
    grouped(host, "0::/\n", "cgroup2", **{"cgroup.subtree_control": "io memory\n"})
    assert disks.what_can_be_limited(host / "data") == "reads and writes"
    (host / "sys/block/sdb/dev").unlink()
    assert disks.disk_limit(host / "data") is None
    assert disks.what_can_be_limited(host / "data") is None


READ = (
    "import os, sys; fd = os.open(sys.argv[1], os.O_RDONLY); os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)\n"
    "while os.read(fd, 1 << 20): pass\n"
)


@pytest.mark.real
def test_a_process_reads_no_faster_than_its_limit(tmp_path: Path) -> None:
    """What it reads through the file cache, as mongod does, counts; other processes are not held back."""
    limit = disks.disk_limit(tmp_path)
    parent = limit.parent_group() if limit else None
    if limit is None or parent is None:
        pytest.skip("no disk here that a writable control group can limit")
    file, group = tmp_path / "file", parent / "pressgauge-test-disk"
    file.write_bytes(os.urandom(8 * MIB))
    os.sync()
    with limit.confined(group, {"read_bytes_per_s": 4 * MIB}):
        began = time.monotonic()
        child = subprocess.Popen([sys.executable, "-c", READ, str(file)])
        assert limit.of(child.pid) == {"read_bytes_per_s": 4 * MIB}
    assert child.wait() == 0
    assert time.monotonic() - began > 1.2, "8 MiB at 4 MiB a second"
    assert limit.of() is None or limit.of() != {"read_bytes_per_s": 4 * MIB}
    control_groups.remove(group)
    assert not group.exists()
