"""What a process and all it starts may use of the host, by control groups: memory, CPU time, and more like them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host import control_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Amount = TypeVar("Amount")


@dataclass(frozen=True)
class Limit(Generic[Amount]):
    """One kind of limit: its controller, and how a group of that controller is told and asked."""

    controller: str
    name: str
    advice: str
    read: Callable[[Path], Amount | None]
    write: Callable[[Path, Amount], None]
    tightest: Callable[[list[Any]], Any] = min
    """What several limits are together."""
    inherited_in_1: bool = True
    """Whether a group of version 1 is under the limits of the groups above it, as one of version 2 always is."""
    needs_in_2: tuple[str, ...] = ()
    """Controllers that a group of version 2 has to have beside this one."""

    def parent_group(self, *beside: Limit[Any]) -> Path | None:
        """The group below which this process can make groups with such a limit; None where the host allows none.

        A process is in one group of version 2, so there the group is one for those limits, too.
        """
        needed = (*self.needs_in_2, *(name for one in beside for name in (one.controller, *one.needs_in_2)))
        return control_groups.parent_group(self.controller, *needed)

    def of(self, pid: int | str = "self") -> Amount | None:
        """The limit that a process is under, its ancestors' included; None when there is none, or it can't be read."""
        found = control_groups.own_group(str(pid), self.controller)
        if found is None:
            return None
        group, mount, version = found
        above = group.parents if version == 2 or self.inherited_in_1 else ()
        limits = [self.read(one) for one in (group, *above) if one.is_relative_to(mount)]
        there = [limit for limit in limits if limit is not None]
        return self.tightest(there) if there else None

    @contextmanager
    def confined(self, group: Path | None, limit: Amount | None) -> Iterator[None]:
        """Within the block, this process and all it starts may together use so much.

        The group is made here; `control_groups.remove` deletes it when what was started has ended. Without a group
        nothing changes. Raises Failure (host) when the host refuses.
        """
        if group is None or limit is None:
            yield
            return
        before = control_groups.own_group("self", self.controller)
        try:
            group.mkdir(exist_ok=True)
            self.write(group, limit)
            control_groups.join(group)
        except OSError as error:
            raise Failure("host", f"the {self.name} limit can't be set: {error}; {self.advice}") from error
        try:
            yield
        finally:
            if before:
                control_groups.join(before[0])


_MEMORY = ("memory.max", "memory.limit_in_bytes")  # version 2, version 1
_NO_SWAP = ("memory.swap.max", "memory.swappiness")
_UNLIMITED = 1 << 60  # version 1 says "no limit" as the largest number of whole pages
_WHOLE, _QUOTA, _PERIOD = "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"  # version 2; version 1 has two files
_PERIOD_US = 100_000


def _read_bytes(group: Path) -> int | None:
    for name in _MEMORY:
        text = " ".join(control_groups.lines(group / name))
        if text.isdigit() and int(text) < _UNLIMITED:
            return int(text)
    return None


def _write_bytes(group: Path, limit: int) -> None:
    control_groups.write_limit(group, _MEMORY, limit)
    control_groups.write_limit(group, _NO_SWAP, 0)


def _read_cpus(group: Path) -> float | None:
    words = " ".join(control_groups.lines(group / _WHOLE)).split()
    if not words:
        words = [" ".join(control_groups.lines(group / name)) for name in (_QUOTA, _PERIOD)]
    if len(words) != 2 or not all(word.isdigit() for word in words) or int(words[1]) == 0:
        return None  # "max", -1, or not there: no limit
    return int(words[0]) / int(words[1])


def write_cpus(group: Path, cpus: float, period_us: int = _PERIOD_US) -> None:
    """Let a group use so many CPUs' worth of time in each period."""
    quota_us = round(cpus * period_us)
    control_groups.write_limit(group, (_WHOLE,), f"{quota_us} {period_us}")
    control_groups.write_limit(group, (_PERIOD,), period_us)
    control_groups.write_limit(group, (_QUOTA,), quota_us)


MEMORY: Limit[int] = Limit("memory", "memory", "see `regime` in docs/spec.md", _read_bytes, _write_bytes)
"""Bytes of memory, the file cache of what is read and written included, and no swap."""
CPU: Limit[float] = Limit("cpu", "CPU", "leave `cpu_limit` out", _read_cpus, write_cpus)
"""CPUs' worth of time, as a quota in each tenth of a second."""
