"""The survey of a host, on fake /proc and /sys trees: what it reads, and that it never guesses."""

import os
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge.host import control_groups, disks, survey

KIB, MIB = 1024, 1024**2


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty host: /proc and /sys are there and tell nothing."""
    for name in ("proc", "sys", "data"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(survey, "PROC", tmp_path / "proc")
    monkeypatch.setattr(survey, "SYS", tmp_path / "sys")
    monkeypatch.setattr(disks, "SYS", tmp_path / "sys")
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
    return tmp_path


def tell(host: Path, **files: str) -> None:
    for name, text in files.items():
        path = host / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def device(host: Path) -> str:
    number = (host / "data").stat().st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def test_a_host_that_tells_everything(host: Path) -> None:
    tell(
        host,
        **{
            "proc/cpuinfo": "processor\t: 0\nmodel name\t: Fast CPU @ 3GHz\nprocessor\t: 1\nmodel name\t: other\n",
            "proc/meminfo": "MemTotal:  2048 kB\nMemAvailable:  1024 kB\nSwapTotal: 0 kB\n",
            "proc/stat": "cpu  10 20 30 900 0 0 0 40 7 7\ncpu0 1 2 3 4\n",
            "proc/sys/vm/swappiness": "60\n",
            "proc/sys/vm/max_map_count": "65530\n",
            "proc/sys/vm/zone_reclaim_mode": "0\n",
            "proc/sys/vm/overcommit_memory": "1\n",
            "proc/self/mountinfo": f"22 1 {device(host)} / / rw,noatime - xfs /dev/sda1 rw,logbufs=8\n",
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
            "sys/devices/system/node/node0/x": "",
            "sys/devices/system/node/node1/x": "",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
            "sys/kernel/mm/transparent_hugepage/defrag": "always defer [defer+madvise] madvise never\n",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
            f"sys/dev/block/{device(host)}/queue/read_ahead_kb": "128\n",
            f"sys/dev/block/{device(host)}/queue/scheduler": "[none] mq-deadline\n",
            f"sys/dev/block/{device(host)}/queue/rotational": "0\n",
        },
    )
    found = survey.survey(host / "data")
    expected = {
        "cpu_model": "Fast CPU @ 3GHz",
        "memory_total_bytes": 2048 * KIB,
        "memory_available_bytes": 1024 * KIB,
        "swap_total_bytes": 0,
        "steal_share": 0.04,
        "swappiness": 60,
        "max_map_count": 65530,
        "zone_reclaim_mode": 0,
        "overcommit_memory": 1,
        "frequency_governor": "powersave",
        "numa_nodes": 2,
        "thp_enabled": "madvise",
        "thp_defrag": "defer+madvise",
        "clock_source": "tsc",
        "cgroup_for_memory_limits": None,
        "cgroup_memory_limit_bytes": None,
        "disk_limits": None,
    }
    assert {name: found[name] for name in expected} == expected
    disk = found["data"]
    assert (disk["filesystem"], disk["mount_options"]) == ("xfs", "rw,noatime,rw,logbufs=8")
    assert (disk["readahead_bytes"], disk["scheduler"], disk["rotational"]) == (128 * KIB, "none", False)
    assert disk["total_bytes"] >= disk["free_bytes"] > MIB


def test_a_host_that_tells_nothing_is_not_guessed_at(host: Path) -> None:
    found = survey.survey(host / "data")
    silent = {"cpu_model", "memory_total_bytes", "swap_total_bytes", "steal_share", "swappiness", "numa_nodes"}
    silent |= {
        "proactive_reclaim",
        "frequency_governor",
        "thp_enabled",
        "thp_defrag",
        "clock_source",
        "max_map_count",
        "overcommit_memory",
    }
    assert {name: found[name] for name in silent} == dict.fromkeys(silent)
    silent_disk = ("filesystem", "mount_options", "device", "readahead_bytes", "scheduler", "rotational")
    assert {name: found["data"][name] for name in silent_disk} == dict.fromkeys(silent_disk)


def test_an_arm_core_is_named_by_its_numbers(host: Path) -> None:
    tell(host, **{"proc/cpuinfo": "processor: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"})
    assert survey.survey(host / "data")["cpu_model"] == "implementer 0x41 part 0xd0c"


def test_a_partition_has_its_disks_queue(host: Path) -> None:
    tell(host, **{"sys/block/sdz/queue/read_ahead_kb": "16\n", "sys/block/sdz/sdz1/partition": "1\n"})
    link = host / "sys/dev/block" / device(host)
    link.parent.mkdir(parents=True)
    link.symlink_to(host / "sys/block/sdz/sdz1")
    disk = survey.survey(host / "data")["data"]
    assert (disk["device"], disk["readahead_bytes"]) == ("sdz", 16 * KIB)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"sys/kernel/mm/ksm/run": "0"}, False),
        ({"sys/kernel/mm/damon/admin/kdamonds/0/state": "off\n"}, False),
        ({"sys/kernel/mm/damon/admin/kdamonds/0/state": "on\n"}, True),
        ({"sys/kernel/mm/x": "", "sys/module/damon_reclaim/parameters/enabled": "Y\n"}, True),
    ],
)
def test_memory_that_the_kernel_takes_back_early(host: Path, files: dict[str, str], found: bool) -> None:  # noqa: FBT001
    tell(host, **files)
    assert survey.survey(host / "data")["proactive_reclaim"] is found


def test_the_innermost_of_two_mounts_counts(host: Path) -> None:
    mounts = f"22 1 {device(host)} / / rw - ext4 /dev/a rw\n23 1 {device(host)} / /d rw,noatime - xfs /dev/a rw\n"
    tell(host, **{"proc/self/mountinfo": mounts})
    assert survey.survey(host / "data")["data"]["filesystem"] == "xfs"


def test_this_very_host(tmp_path: Path) -> None:
    found = survey.survey(tmp_path)
    assert found["cores"] >= found["cores_allowed"] >= 1
    assert found["memory_total_bytes"] > found["memory_available_bytes"] > MIB
    assert 0 <= found["steal_share"] <= 1
