"""The disk below a folder, and what a process and all it starts may ask of it in a second, by a control group."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.host import control_groups
from ansible.module_utils.pressgauge.host.limits import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable

    Amounts = dict[str, int]

SYS = Path("/sys")
_WHOLE = "io.max"  # version 2; version 1 has a file for each
_WORDS = {
    "read_bytes_per_s": ("rbps", "blkio.throttle.read_bps_device"),
    "write_bytes_per_s": ("wbps", "blkio.throttle.write_bps_device"),
    "read_ops_per_s": ("riops", "blkio.throttle.read_iops_device"),
    "write_ops_per_s": ("wiops", "blkio.throttle.write_iops_device"),
}


def block_device(path: Path) -> Path | None:
    """The disk below the path in /sys/block; a partition's is its disk. None where no single disk is below it."""
    device = path.stat().st_dev
    link = SYS / f"dev/block/{os.major(device)}:{os.minor(device)}"
    if not link.exists():
        return None
    found = link.resolve()
    return found if (found / "queue").is_dir() else found.parent


def disk_limit(path: Path) -> Limit[Amounts] | None:
    """The limit of what is asked of the disk below a folder; None where no single disk is below it.

    Written back files count to a group of version 2 alone, and only where it counts the memory they take, too. In
    version 1 a group's limit holds for itself, and not for the groups below it.
    """
    disk = block_device(path)
    number = " ".join(control_groups.lines(disk / "dev")) if disk else ""
    if not number:
        return None
    return Limit(
        "blkio",
        "disk",
        "leave `instance.disk_limit` out",
        lambda group: _read(group, number),
        lambda group, limit: _write(group, number, limit),
        tightest=_tightest,
        inherited_in_1=False,
        needs_in_2=("memory",),
    )


def what_can_be_limited(path: Path) -> str | None:
    """`reads` or `reads and writes` of the disk below a folder; None: neither."""
    limit, found = disk_limit(path), control_groups.own_group("self", "blkio")
    if limit is None or found is None or limit.parent_group() is None:
        return None
    return "reads and writes" if found[2] == 2 else "reads"


def _read(group: Path, disk: str) -> Amounts | None:
    whole = dict(pair.split("=", 1) for pair in _said_of(disk, group / _WHOLE))
    found = {}
    for name, (key, file) in _WORDS.items():
        amount = next(iter(_said_of(disk, group / file)), whole.get(key, "max"))
        if amount.isdigit():
            found[name] = int(amount)
    return found or None


def _said_of(disk: str, file: Path) -> list[str]:
    """The words that come after a disk's number."""
    lines = (line.split() for line in control_groups.lines(file))
    return next((words for number, *words in lines if number == disk), [])


def _write(group: Path, disk: str, limit: Amounts) -> None:
    of_version_2 = " ".join(f"{_WORDS[name][0]}={amount}" for name, amount in limit.items())
    control_groups.write_limit(group, (_WHOLE,), f"{disk} {of_version_2}")
    for name, amount in limit.items():
        control_groups.write_limit(group, (_WORDS[name][1],), f"{disk} {amount}")


def _tightest(limits: Iterable[Amounts]) -> Amounts:
    found: Amounts = {}
    for limit in limits:
        found |= {name: min(amount, found.get(name, amount)) for name, amount in limit.items()}
    return found
