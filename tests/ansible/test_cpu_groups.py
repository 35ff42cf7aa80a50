"""CPU limits by control groups: read on fake trees of both versions, and in force on a real one."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge import control_groups, cpu_groups
from ansible.module_utils.pressgauge.failures import Failure


def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, kind: str, **files: str) -> Path:
    mount, process = tmp_path / "cgroup", tmp_path / "proc/self"
    mount.mkdir()
    process.mkdir(parents=True)
    (process / "cgroup").write_text(own)
    line = f"31 23 0:28 / /sys rw - sysfs sysfs rw\n35 31 0:32 / {mount} rw,relatime - {kind} {kind} rw,cpu,cpuacct\n"
    (process / "mountinfo").write_text(line)
    for name, text in files.items():
        (mount / name).parent.mkdir(parents=True, exist_ok=True)
        (mount / name).write_text(text)
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
    return mount


def test_version_1_counts_the_ancestors_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n",
        "a/cpu.cfs_quota_us": "150000\n", "a/cpu.cfs_period_us": "100000\n",
        "a/b/cpu.cfs_quota_us": "-1\n", "a/b/cpu.cfs_period_us": "100000\n",
    }  # fmt: skip
    mount = tree(tmp_path, monkeypatch, "4:cpu,cpuacct:/a/b\n", "cgroup", **files)
    assert cpu_groups.limit_cpus() == 1.5
    assert cpu_groups.parent_group() == mount / "a/b"


def test_version_2_says_both_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"cgroup.subtree_control": "cpu memory\n", "a/cpu.max": "80000 100000\n", "a/b/cpu.max": "max 100000\n"}
    mount = tree(tmp_path, monkeypatch, "0::/a/b\n", "cgroup2", **files)
    assert cpu_groups.limit_cpus() == 0.8
    assert cpu_groups.parent_group() == mount


def test_a_group_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="CPU limit can't be set"), cpu_groups.confined(tmp_path / "a/b", 0.5):
        pytest.fail("it ran without its limit")


@pytest.mark.real
def test_the_limit_holds_for_what_is_started() -> None:
    parent = cpu_groups.parent_group()
    if parent is None:
        pytest.skip("no writable control group with a CPU controller on this host")
    group, before = parent / "pressgauge-test-cpu", cpu_groups.limit_cpus()
    with cpu_groups.confined(group, 0.2):
        child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        assert cpu_groups.limit_cpus(child.pid) == pytest.approx(0.2)
        assert cpu_groups.limit_cpus() == before
        time.sleep(1.5)
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        assert int(fields[11]) + int(fields[12]) < 80, "of a hundred ticks a second it had a fifth, and no more"
    finally:
        child.kill()
        child.wait()
    control_groups.remove(group)
    assert not group.exists()
