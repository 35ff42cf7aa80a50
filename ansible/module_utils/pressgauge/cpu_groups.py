"""Control groups that cap the CPU time of a process: a quota in each tenth of a second."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge import control_groups
from ansible.module_utils.pressgauge.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTROLLER = "cpu"
_PERIOD_US = 100_000
_WHOLE, _QUOTA, _PERIOD = "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"  # version 2; version 1 has two files


def parent_group() -> Path | None:
    """The group below which this process can make groups with a CPU limit; None where the host allows none."""
    return control_groups.parent_group(CONTROLLER)


def limit_cpus(pid: int | str = "self") -> float | None:
    """The CPUs' worth of time that a process may use, its ancestors' limits included; None when there is no limit."""
    found = control_groups.own_group(str(pid), CONTROLLER)
    if found is None:
        return None
    group, mount, _ = found
    limits = [_limit(one) for one in (group, *group.parents) if one.is_relative_to(mount)]
    return min((limit for limit in limits if limit is not None), default=None)


@contextmanager
def confined(group: Path | None, cpus: float | None) -> Iterator[None]:
    """Within the block, this process and all it starts may together use so many CPUs' worth of time.

    The group is made here; `control_groups.remove` deletes it. Without a group nothing changes.
    Raises Failure (host) when the host refuses.
    """
    if group is None or cpus is None:
        yield
        return
    before = control_groups.own_group("self", CONTROLLER)
    quota_us = round(cpus * _PERIOD_US)
    try:
        group.mkdir(exist_ok=True)
        control_groups.write_limit(group, (_WHOLE,), f"{quota_us} {_PERIOD_US}")
        control_groups.write_limit(group, (_PERIOD,), _PERIOD_US)
        control_groups.write_limit(group, (_QUOTA,), quota_us)
        control_groups.join(group)
    except OSError as error:
        raise Failure("host", f"the CPU limit can't be set: {error}; leave `cpu_limit` out") from error
    try:
        yield
    finally:
        if before:
            control_groups.join(before[0])


def _limit(group: Path) -> float | None:
    words = " ".join(control_groups.lines(group / _WHOLE)).split()
    if not words:
        words = [" ".join(control_groups.lines(group / name)) for name in (_QUOTA, _PERIOD)]
    if len(words) != 2 or not all(word.isdigit() for word in words) or int(words[1]) == 0:
        return None  # "max", -1, or not there: no limit
    return int(words[0]) / int(words[1])
