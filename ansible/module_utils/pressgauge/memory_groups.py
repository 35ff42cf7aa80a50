"""Control groups that cap a process's memory, the file cache of what it reads and writes included."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge import control_groups
from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTROLLER = "memory"
_LIMITS = ("memory.max", "memory.limit_in_bytes")  # version 2, version 1
_NO_SWAP = ("memory.swap.max", "memory.swappiness")
_UNLIMITED = 1 << 60  # version 1 says "no limit" as the largest number of whole pages


def parent_group() -> Path | None:
    """The group below which this process can make groups with a memory limit; None where the host allows none."""
    return control_groups.parent_group(CONTROLLER)


def limit_bytes(pid: int | str = "self") -> int | None:
    """The memory limit a process is under, its ancestors' included; None when there is none, or it can't be read."""
    found = control_groups.own_group(str(pid), CONTROLLER)
    if found is None:
        return None
    group, mount, _ = found
    limits = [_limit(one) for one in (group, *group.parents) if one.is_relative_to(mount)]
    return min((limit for limit in limits if limit is not None), default=None)


@contextmanager
def confined(group: Path | None, limit: int | None) -> Iterator[None]:
    """Within the block, this process and all it starts may use `limit` bytes of memory and no swap.

    The group is made here; `control_groups.remove` deletes it when what was started has ended. Without a group nothing
    changes. Raises Failure (host) when the host refuses.
    """
    if group is None or limit is None:
        yield
        return
    before = control_groups.own_group("self", CONTROLLER)
    try:
        group.mkdir(exist_ok=True)
        control_groups.write_limit(group, _LIMITS, limit)
        control_groups.write_limit(group, _NO_SWAP, 0)
        control_groups.join(group)
    except OSError as error:
        raise Failure("host", f"the memory limit can't be set: {error}; see `regime` in docs/spec.md") from error
    try:
        yield
    finally:
        if before:
            control_groups.join(before[0])


def _limit(group: Path) -> int | None:
    for name in _LIMITS:
        text = " ".join(control_groups.lines(group / name))
        if text.isdigit() and int(text) < _UNLIMITED:
            return int(text)
    return None
