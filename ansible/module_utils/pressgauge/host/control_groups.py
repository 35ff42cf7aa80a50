"""Control groups, version 1 or 2, whichever the host has: found, made, joined and removed.

A group of ours is made below the group that we are in, so that whatever caps us caps it too.
"""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = Path("/proc")
_EMPTY_WITHIN_S = 10.0
_POLL_S = 0.02
_IN_VERSION_2 = {"blkio": "io"}
"""Controllers that have another name there."""


def parent_group(controller: str, *beside: str) -> Path | None:
    """The group below which this process can make groups with a limit of this kind; None where the host allows none.

    Version 2 keeps processes out of groups that have such children, so there it is an ancestor of our own group, whose
    children have the controllers `beside` it, too. In version 1 each has groups of its own.
    """
    found = own_group("self", controller)
    if found is None:
        return None
    group, mount, version = found
    wanted = {_IN_VERSION_2.get(name, name) for name in (controller, *beside)}
    while version == 2 and not wanted <= set(_words(group / "cgroup.subtree_control")):
        if group == mount:
            return None
        group = group.parent
    return group if os.access(group, os.W_OK) else None


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


def own_group(pid: str, controller: str) -> tuple[Path, Path, int] | None:
    """The directory of a process's group for a controller, the mount that shows it, and the version."""
    by_controllers: dict[str, str] = {}
    for line in lines(PROC / pid / "cgroup"):
        _, controllers, path = line.split(":", 2)
        by_controllers[controllers] = path
    first = next((path for names, path in by_controllers.items() if controller in names.split(",")), None)
    own, version = (first, 1) if first is not None else (by_controllers.get(""), 2)
    for root, mount in _mounts(version, controller):
        if own is not None and Path(own).is_relative_to(root):
            group = mount / Path(own).relative_to(root)
            if group.is_dir():
                return group, mount, version
    return None


def _mounts(version: int, controller: str) -> Iterator[tuple[str, Path]]:
    """Root within the hierarchy, and mount point, of each mount of the controller's hierarchy."""
    for line in lines(PROC / "self/mountinfo"):
        fields, _, after = line.partition(" - ")
        kind, _, options = after.split()
        if (kind == "cgroup2") if version == 2 else (kind == "cgroup" and controller in options.split(",")):
            yield fields.split()[3], Path(fields.split()[4])


def write_limit(group: Path, names: tuple[str, ...], value: object) -> None:
    """Write to the one of two files that this version has; a kernel without swap accounting has neither."""
    for name in names:
        if (group / name).exists():
            (group / name).write_text(str(value), "ascii")


def join(group: Path) -> None:
    """Move this process into the group."""
    (group / "cgroup.procs").write_text(str(os.getpid()), "ascii")


def _words(path: Path) -> list[str]:
    return " ".join(lines(path)).split()


def lines(path: Path) -> list[str]:
    """The file's lines; none where it can't be read."""
    try:
        return path.read_text("utf-8").splitlines()
    except OSError:
        return []
