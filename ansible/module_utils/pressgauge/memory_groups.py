"""Control groups that cap a process's memory, the file cache of what it reads and writes included.

Version 1 or 2, whichever the host has. A group of ours is made below the group that we are in, so that whatever
caps us caps it too.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = Path("/proc")
_LIMITS = ("memory.max", "memory.limit_in_bytes")  # version 2, version 1
_NO_SWAP = ("memory.swap.max", "memory.swappiness")
_UNLIMITED = 1 << 60  # version 1 says "no limit" as the largest number of whole pages
_EMPTY_WITHIN_S = 10.0
_POLL_S = 0.02


def parent_group() -> Path | None:
    """The group below which this process can make groups with a memory limit; None where the host allows none.

    Version 2 keeps processes out of groups that have such children, so there it is an ancestor of our own group.
    """
    found = _own_group("self")
    if found is None:
        return None
    group, mount, version = found
    while version == 2 and "memory" not in _words(group / "cgroup.subtree_control"):
        if group == mount:
            return None
        group = group.parent
    return group if os.access(group, os.W_OK) else None


def limit_bytes(pid: int | str = "self") -> int | None:
    """The memory limit a process is under, its ancestors' included; None when there is none, or it can't be read."""
    found = _own_group(str(pid))
    if found is None:
        return None
    group, mount, _ = found
    limits = [_limit(one) for one in (group, *group.parents) if one.is_relative_to(mount)]
    return min((limit for limit in limits if limit is not None), default=None)


@contextmanager
def confined(group: Path | None, limit: int | None) -> Iterator[None]:
    """Within the block, this process and all it starts may use `limit` bytes of memory and no swap.

    The group is made here; `remove` deletes it when what was started has ended. Without a group nothing changes.
    Raises Failure (host) when the host refuses.
    """
    if group is None or limit is None:
        yield
        return
    before = _own_group("self")
    try:
        group.mkdir(exist_ok=True)
        _write(group, _LIMITS, limit)
        _write(group, _NO_SWAP, 0)
        _join(group)
    except OSError as error:
        raise Failure("host", f"the memory limit can't be set: {error}; see `regime` in docs/spec.md") from error
    try:
        yield
    finally:
        if before:
            _join(before[0])


def remove(group: Path) -> None:
    """Delete a group whose processes have ended; it may be gone already. Raises Failure (host) when it won't go."""
    deadline = time.monotonic() + _EMPTY_WITHIN_S
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:  # an ended process counts until its parent has taken note
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise Failure("host", f"the control group {group} can't be deleted: {error}") from error
            time.sleep(_POLL_S)
        else:
            return


def _own_group(pid: str) -> tuple[Path, Path, int] | None:
    """The directory of a process's memory group, the mount that shows it, and the version."""
    by_controllers: dict[str, str] = {}
    for line in _lines(PROC / pid / "cgroup"):
        _, controllers, path = line.split(":", 2)
        by_controllers[controllers] = path
    first = next((path for names, path in by_controllers.items() if "memory" in names.split(",")), None)
    own, version = (first, 1) if first is not None else (by_controllers.get(""), 2)
    for root, mount in _mounts(version):
        if own is not None and Path(own).is_relative_to(root):
            group = mount / Path(own).relative_to(root)
            if group.is_dir():
                return group, mount, version
    return None


def _mounts(version: int) -> Iterator[tuple[str, Path]]:
    """Root within the hierarchy, and mount point, of each mount of the memory controller's hierarchy."""
    for line in _lines(PROC / "self/mountinfo"):
        fields, _, after = line.partition(" - ")
        kind, _, options = after.split()
        if (kind == "cgroup2") if version == 2 else (kind == "cgroup" and "memory" in options.split(",")):
            yield fields.split()[3], Path(fields.split()[4])


def _limit(group: Path) -> int | None:
    for name in _LIMITS:
        text = " ".join(_lines(group / name))
        if text.isdigit() and int(text) < _UNLIMITED:
            return int(text)
    return None


def _write(group: Path, names: tuple[str, str], value: int) -> None:
    """Write to the one of two files that this version has; a kernel without swap accounting has neither."""
    for name in names:
        if (group / name).exists():
            (group / name).write_text(str(value), "ascii")


def _join(group: Path) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()), "ascii")


def _words(path: Path) -> list[str]:
    return " ".join(_lines(path)).split()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except OSError:
        return []
