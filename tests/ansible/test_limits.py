"""Limits by control groups: found on fake trees of every kind, and in force on a real one."""

import ctypes
import mmap
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host import control_groups
from ansible.module_utils.pressgauge.host.limits import CPU, MEMORY, Limit

LIMIT = 64 << 20
Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Make a fake /proc and control group file system; `files` are relative to the mount point, which is returned."""

    def make(own: str, kind: str, options: str = "rw", root: str = "/", **files: str) -> Path:
        mount, process = tmp_path / "cgroup", tmp_path / "proc/self"
        mount.mkdir()
        process.mkdir(parents=True)
        (process / "cgroup").write_text(own)
        (process / "mountinfo").write_text(
            f"31 23 0:28 / /sys rw - sysfs sysfs rw\n35 31 0:32 {root} {mount} rw,relatime - {kind} {kind} {options}\n"
        )
        for name, text in files.items():
            (mount / name).parent.mkdir(parents=True, exist_ok=True)
            (mount / name).write_text(text)
        monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
        return mount

    return make


def test_version_1_takes_a_group_below_our_own(tree: Tree) -> None:
    files = {"memory.limit_in_bytes": str(1 << 40), "a/b/memory.limit_in_bytes": f"{0x7FFFFFFFFFFFF000}\n"}
    mount = tree("4:memory:/a/b\n0::/elsewhere\n", "cgroup", "rw,memory", **files)
    assert MEMORY.parent_group() == mount / "a/b"
    assert MEMORY.of() == 1 << 40


def test_version_1_in_a_container_that_sees_its_own_part_only(tree: Tree) -> None:
    mount = tree(
        "4:cpu,memory:/docker/x\n", "cgroup", "rw,cpu,memory", "/docker/x", **{"memory.limit_in_bytes": "4096000"}
    )
    assert MEMORY.parent_group() == mount
    assert MEMORY.of() == 4096000


def test_version_2_takes_the_nearest_group_whose_children_have_limits(tree: Tree) -> None:
    files = {
        "cgroup.subtree_control": "cpu memory pids\n",
        "user/cgroup.subtree_control": "memory\n",
        "user/memory.max": "9000000\n",
        "user/session/cgroup.subtree_control": "\n",
        "user/session/memory.max": "max\n",
    }
    mount = tree("0::/user/session\n", "cgroup2", **files)
    assert MEMORY.parent_group() == mount / "user"
    assert MEMORY.of() == 9000000


@pytest.mark.parametrize(
    ("own", "kind", "options"),
    [
        ("0::/\n", "cgroup2", "rw"),  # no controller handed down
        ("4:memory:/gone\n", "cgroup", "rw,memory"),
        ("4:memory:/\n", "cgroup", "rw,cpu"),  # the memory hierarchy is not mounted
        ("", "tmpfs", "rw"),
    ],
)
def test_hosts_that_allow_none(tree: Tree, own: str, kind: str, options: str) -> None:
    tree(own, kind, options)
    assert MEMORY.parent_group() is None
    assert MEMORY.of() is None


def test_no_proc_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_groups, "PROC", tmp_path)
    assert MEMORY.parent_group() is None
    assert MEMORY.of() is None


def test_without_a_limit_nothing_changes(tmp_path: Path) -> None:
    with MEMORY.confined(None, None), MEMORY.confined(tmp_path / "never", None):
        pass
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize("kind", [MEMORY, CPU], ids=lambda kind: kind.name)
def test_a_group_that_can_not_be_made_is_told(tmp_path: Path, kind: Limit[Any]) -> None:
    with (
        pytest.raises(Failure, match=f"{kind.name} limit can't be set"),
        kind.confined(tmp_path / "a/b", LIMIT),
    ):
        pytest.fail("it ran without its limit")


def test_version_1_says_cpu_time_in_two_files(tree: Tree) -> None:
    files = {
        "cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n",
        "a/cpu.cfs_quota_us": "150000\n", "a/cpu.cfs_period_us": "100000\n",
        "a/b/cpu.cfs_quota_us": "-1\n", "a/b/cpu.cfs_period_us": "100000\n",
    }  # fmt: skip
    mount = tree("4:cpu,cpuacct:/a/b\n", "cgroup", "rw,cpu,cpuacct", **files)
    assert CPU.of() == 1.5
    assert CPU.parent_group() == mount / "a/b"


def test_version_2_says_cpu_time_in_one_file(tree: Tree) -> None:
    files = {"cgroup.subtree_control": "cpu memory\n", "a/cpu.max": "80000 100000\n", "a/b/cpu.max": "max 100000\n"}
    mount = tree("0::/a/b\n", "cgroup2", **files)
    assert CPU.of() == 0.8
    assert CPU.parent_group() == mount


@pytest.mark.real
class TestForReal:
    @pytest.fixture
    def group(self) -> Path:
        parent = MEMORY.parent_group()
        if parent is None:
            pytest.skip("no writable control group with a memory controller on this host")
        return parent / "pressgauge-test"

    def run(self, group: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        with MEMORY.confined(group, LIMIT):
            child = subprocess.Popen(
                [sys.executable, "-c", program, *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=Path(control_groups.__file__).parents[2],
            )
        out, err = child.communicate(timeout=600)
        control_groups.remove(group)
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def test_the_limit_is_in_force_for_what_is_started_and_for_nothing_else(self, group: Path) -> None:
        before = MEMORY.of()
        program = "import pathlib; print(pathlib.Path('/proc/self/cgroup').read_text()); input()"
        with MEMORY.confined(group, LIMIT):
            child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            assert MEMORY.of(child.pid) == LIMIT
            assert MEMORY.of() == before
        finally:
            child.communicate(b"\n")
        control_groups.remove(group)
        assert not group.exists()
        control_groups.remove(group)  # again: nothing to do

    def test_file_cache_counts_to_the_limit(self, group: Path, tmp_path: Path) -> None:
        """A file of twice the limit, written and read, is never wholly in memory; without the limit it is."""
        write_and_read = (
            "import os, sys; fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)\n"
            "for _ in range(128): os.write(fd, os.urandom(1 << 20))\n"
            "os.fsync(fd); os.lseek(fd, 0, 0)\n"
            "while os.read(fd, 1 << 20): pass\n"
        )
        file = tmp_path / "file"
        assert self.run(group, write_and_read, str(file)).returncode == 0
        assert cached_bytes(file) <= LIMIT
        subprocess.run([sys.executable, "-c", write_and_read, str(file)], check=True)
        assert cached_bytes(file) > LIMIT

    def test_more_than_the_limit_is_refused(self, group: Path) -> None:
        assert self.run(group, "x = bytearray(1 << 30)").returncode != 0


@pytest.mark.real
def test_cpu_time_is_limited_for_what_is_started() -> None:
    parent = CPU.parent_group()
    if parent is None:
        pytest.skip("no writable control group with a CPU controller on this host")
    group, before = parent / "pressgauge-test-cpu", CPU.of()
    with CPU.confined(group, 0.2):
        child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        assert CPU.of(child.pid) == pytest.approx(0.2)
        assert CPU.of() == before
        began = time.monotonic()
        before_s = cpu_s(child.pid)
        time.sleep(1.5)
        assert cpu_s(child.pid) - before_s < 0.5 * (time.monotonic() - began), "a fifth is what it may have"
    finally:
        child.kill()
        child.wait()
    control_groups.remove(group)
    assert not group.exists()


def cpu_s(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def cached_bytes(file: Path) -> int:
    """How much of a file the system has in memory."""
    pages = (ctypes.c_ubyte * (file.stat().st_size // mmap.PAGESIZE))()
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as view:
        start = ctypes.addressof(held := ctypes.c_char.from_buffer(view))
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(view)), pages) == 0
        del held
    return sum(page & 1 for page in pages) * mmap.PAGESIZE
