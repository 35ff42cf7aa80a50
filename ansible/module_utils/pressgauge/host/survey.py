"""A host's facts that bear on a benchmark, from /proc and /sys. What can't be read is None, never a guess."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import subprocess
from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.host import disks, limits

PROC = Path("/proc")
SYS = Path("/sys")


def survey(data_root: Path) -> dict[str, Any]:
    """Everything the doctor judges and the report names."""
    memory = _table(PROC / "meminfo")
    stat = _cpu_times()
    return {
        "format_version": 1,
        "hostname": platform.node(),
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "os": _os_name(),
        "python": platform.python_version(),
        "root_rights": _root_rights(),
        "cpu_model": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)),
        "numa_nodes": len(list((SYS / "devices/system/node").glob("node[0-9]*"))) or None,
        "frequency_governor": _read(SYS / "devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "steal_share": stat["steal"] / stat["total"] if stat["total"] else None,
        "load_average": list(os.getloadavg()),
        "memory_total_bytes": _kib(memory.get("MemTotal")),
        "memory_available_bytes": _kib(memory.get("MemAvailable")),
        "swap_total_bytes": _kib(memory.get("SwapTotal")),
        "cgroup_memory_limit_bytes": limits.MEMORY.of(),
        "cgroup_for_memory_limits": _path(limits.MEMORY.parent_group()),
        "disk_limits": disks.what_can_be_limited(data_root),
        "thp_enabled": _chosen(SYS / "kernel/mm/transparent_hugepage/enabled"),
        "thp_defrag": _chosen(SYS / "kernel/mm/transparent_hugepage/defrag"),
        "swappiness": _number(PROC / "sys/vm/swappiness"),
        "proactive_reclaim": _reclaims_proactively(),
        "overcommit_memory": _number(PROC / "sys/vm/overcommit_memory"),
        "max_map_count": _number(PROC / "sys/vm/max_map_count"),
        "zone_reclaim_mode": _number(PROC / "sys/vm/zone_reclaim_mode"),
        "open_files_limit": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "processes_limit": resource.getrlimit(resource.RLIMIT_NPROC)[1],
        "clock_source": _read(SYS / "devices/system/clocksource/clocksource0/current_clocksource"),
        "data": _disk(data_root),
    }


def _root_rights() -> bool:
    """Whether packages could be installed: by root, or sudo that asks for no password."""
    if os.geteuid() == 0:
        return True
    try:
        asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _disk(path: Path) -> dict[str, Any]:
    usage = shutil.disk_usage(path)
    mount = _mount(path)
    device = disks.block_device(path)
    return {
        "path": str(path),
        "total_bytes": usage.total,
        "free_bytes": usage.free,
        "filesystem": mount.get("filesystem"),
        "mount_options": mount.get("options"),
        "device": device.name if device else None,
        "readahead_bytes": _scaled(_number(device / "queue/read_ahead_kb"), 1024) if device else None,
        "scheduler": _chosen(device / "queue/scheduler") if device else None,
        "rotational": bool(_number(device / "queue/rotational")) if device else None,
    }


def _mount(path: Path) -> dict[str, str]:
    """Filesystem type and options of the innermost mount that holds the path."""
    device = path.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    found: dict[str, str] = {}
    for line in (_read(PROC / "self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) > 5 and fields[2] == wanted:
            found = {"filesystem": after.split()[0], "options": f"{fields[5]},{after.split()[-1]}"}
    return found


def _reclaims_proactively() -> bool | None:
    """Whether the kernel takes memory from programs and file cache that it finds cold, though there is enough of it."""
    monitors = SYS / "kernel/mm/damon/admin/kdamonds"
    states = [_read(path) for path in monitors.glob("[0-9]*/state")]
    parameter = _read(SYS / "module/damon_reclaim/parameters/enabled")
    if "on" in states or parameter == "Y":
        return True
    return False if (SYS / "kernel/mm").is_dir() else None


def _cpu_times() -> dict[str, int]:
    fields = (_read(PROC / "stat") or "cpu").splitlines()[0].split()[1:]
    ticks = [int(field) for field in fields[:8]]
    return {"total": sum(ticks), "steal": ticks[7] if len(ticks) > 7 else 0}


def _cpu_model() -> str | None:
    text = _read(PROC / "cpuinfo") or ""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    if found.get("model name"):
        return found["model name"]
    part = found.get("CPU part")  # aarch64 gives numbers only
    return f"implementer {found.get('CPU implementer')} part {part}" if part else None


def _os_name() -> str | None:
    for line in (_read(Path("/etc/os-release")) or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return None


def _table(path: Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in (_read(path) or "").splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _kib(text: str | None) -> int | None:
    return int(text.split()[0]) * 1024 if text else None


def _chosen(path: Path) -> str | None:
    """The bracketed word of a kernel setting such as `always [madvise] never`."""
    text = _read(path)
    return text.partition("[")[2].partition("]")[0] or text if text else None


def _path(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _scaled(number: int | None, factor: int) -> int | None:
    return None if number is None else number * factor


def _number(path: Path) -> int | None:
    text = _read(path)
    return int(text) if text and text.lstrip("-").isdigit() else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
