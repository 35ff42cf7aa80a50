"""What on a host would spoil the numbers: its survey held against MongoDB's production notes. Changes nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from analysis.trial.engine.counters import release
from core.sizes import show_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.plan.told import HostSurvey

_NO_LIMIT = -1  # RLIM_INFINITY


class Level(StrEnum):
    """How much a finding matters to a benchmark."""

    GOOD = "good"
    NOTE = "note"
    WARN = "warn"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Finding:
    """One thing the doctor looked at."""

    subject: str
    found: str
    level: Level
    advice: str = ""


@dataclass(frozen=True)
class _Check:
    """A fact, what is right for it, and why."""

    subject: str
    fact: str
    fine: Callable[[Any], bool]
    advice: str
    show: Callable[[Any], str] = str
    level: Level = Level.WARN


def _limit(limit: int) -> str:
    return "unlimited" if limit == _NO_LIMIT else str(limit)


def _at_least_if_limited(least: int) -> Callable[[int], bool]:
    """For limits of processes, of which -1 is none."""
    return lambda limit: limit == _NO_LIMIT or limit >= least


_PROCESSOR_CHECKS = (
    _Check("CPU", "cpu_model", bool, ""),
    _Check("cores", "cores_allowed", lambda n: n >= 4, "mongod and the client share them"),
    _Check("CPU frequency", "frequency_governor", lambda g: g == "performance", "set the governor to performance"),
    _Check("CPU steal", "steal_share", lambda s: s < 0.005, "other guests take CPU; use a dedicated host",
           lambda s: f"{100 * s:.2f} % since boot"),
    _Check("other load", "load_average", lambda load: load[0] < 0.5, "stop what else runs, or wait",
           lambda load: f"{load[0]:.2f} (1 min)"),
    _Check("clock source", "clock_source", lambda c: c in {"tsc", "arch_sys_counter", "kvm-clock"},
           "a slow clock costs CPU"),
    _Check("NUMA", "numa_nodes", lambda n: n == 1, "interleave memory over the nodes (numactl --interleave=all)",
           lambda n: f"{n} node(s)"),
    _Check("NUMA zone reclaim", "zone_reclaim_mode", lambda n: n == 0, "MongoDB advises 0"),
)  # fmt: skip

_MEMORY_CHECKS = (
    _Check("free memory", "memory_available_share", lambda share: share >= 0.5,
           "other programs hold the rest; stop them", lambda share: f"{share:.0%}"),
    _Check("proactive reclaim", "proactive_reclaim", lambda on: not on,
           "the kernel takes back file cache that it finds cold (DAMON), so blocks that memory could hold are read "
           "again; turn it off", lambda on: "on" if on else "off"),
    _Check("swap", "swap_total_bytes", lambda b: b == 0, "swapping ruins latencies; turn it off or swappiness to 1",
           show_size, Level.NOTE),
    _Check("swappiness", "swappiness", lambda n: n <= 1, "MongoDB advises 0 or 1", level=Level.NOTE),
    _Check("memory maps", "max_map_count", lambda n: n >= 102400, "MongoDB advises 102400 or more", level=Level.NOTE),
)  # fmt: skip

_LIMIT_CHECKS = (
    _Check("open files", "open_files_limit", _at_least_if_limited(64000), "MongoDB advises at least 64000", _limit,
           Level.NOTE),
    _Check("processes", "processes_limit", _at_least_if_limited(64000), "MongoDB advises at least 64000", _limit,
           Level.NOTE),
)  # fmt: skip

_DISK_CHECKS = (
    _Check("filesystem", "filesystem", lambda f: f == "xfs", "MongoDB advises XFS", level=Level.NOTE),
    _Check("access times", "mount_options", lambda o: "noatime" in o, "mount with noatime", level=Level.NOTE),
    _Check("readahead", "readahead_bytes", lambda b: b <= 32 * 512,
           "MongoDB advises 8 to 32 sectors; more reads data that nobody asked for", show_size),
    _Check("kind of disk", "rotational", lambda turns: not turns,
           "seeks hide the effect of compression; a virtual disk may claim to rotate without doing so",
           lambda turns: "turns" if turns else "flash", Level.NOTE),
    _Check("I/O scheduler", "scheduler", lambda s: s in {"none", "noop", "mq-deadline", "deadline"},
           "MongoDB advises none for virtual and flash disks", level=Level.NOTE),
)  # fmt: skip


_ANOTHER_ALLOCATOR = (8, 0)
_DEFAULT = (6, 0)
_CRASHING_KERNELS = ((6, 19, 0), (7, 0, 13))
"""MongoDB's release notes of 8.0: its allocator and these kernels' restartable sequences do not go together."""


def _by_version(releases: list[tuple[int, int]]) -> Iterator[_Check]:
    """What the production notes advise for one engine and not for another: 8.0 brought another allocator."""
    older = [one for one in releases if one < _ANOTHER_ALLOCATOR]
    newer = [one for one in releases if one >= _ANOTHER_ALLOCATOR]
    yield _kernel_check(releases[-1])
    if newer:
        yield _Check(
            f"kernel, for {_names(newer)}", "kernel", lambda k: not _crashes(k),
            "MongoDB from 8.0 on crashes, or stops at its start, on Linux 6.19 to 7.0.13: use 7.0.14 or newer; some "
            "patch releases (8.0.28) stop on newer ones, too",
        )  # fmt: skip
    for group, pages in ((older, "never"), (newer, "always")):
        if group:
            yield _huge_pages(group, pages, beside=bool(older and newer))
    if newer:
        yield _Check("huge pages' defragmentation", "thp_defrag", lambda t: t == "defer+madvise",
                     f"MongoDB advises defer+madvise for {_names(newer)}", level=Level.NOTE)  # fmt: skip
        yield _Check("memory overcommit", "overcommit_memory", lambda n: n == 1,
                     f"MongoDB advises 1 for {_names(newer)}", level=Level.NOTE)  # fmt: skip


def _kernel_check(newest: tuple[int, int]) -> _Check:
    least = (4, 18) if newest >= _ANOTHER_ALLOCATOR else (3, 10)
    advice = f"MongoDB {_names([newest])} wants {least[0]}.{least[1]} or newer"
    return _Check("kernel", "kernel", lambda k: _kernel(k) >= least, advice)


def _huge_pages(group: list[tuple[int, int]], pages: str, *, beside: bool) -> _Check:
    """The advice for engines of one allocator; `beside` such of the other, which are advised the opposite."""
    advice = f"MongoDB advises {pages} for {_names(group)}"
    if beside:
        advice += ": no setting suits all engines of this campaign, so part of their difference may be the setting's"
    what = f"transparent huge pages, for {_names(group)}" if beside else "transparent huge pages"
    return _Check(what, "thp_enabled", lambda found: found == pages, advice)


def _names(releases: list[tuple[int, int]]) -> str:
    return ", ".join(f"{major}.{minor}" for major, minor in releases)


def _crashes(kernel: str) -> bool:
    first, last = _CRASHING_KERNELS
    return first <= _kernel(kernel) <= last


def examine(survey: HostSurvey, versions: list[str]) -> list[Finding]:
    """Judge one host's survey for engines of these versions."""
    releases = sorted({release(version) for version in versions}) or [_DEFAULT]
    of_host = (*_PROCESSOR_CHECKS, *_MEMORY_CHECKS, *_by_version(releases), *_LIMIT_CHECKS)
    return [
        *(_judge(check, getattr(survey, check.fact)) for check in of_host),
        *(_judge(check, getattr(survey.data, check.fact, None)) for check in _DISK_CHECKS),
    ]


def report(host: str, survey: HostSurvey, findings: list[Finding]) -> Iterator[str]:
    """The findings in words, a line each."""
    cpu, memory = survey.cpu_model or "unknown CPU", show_size(survey.memory_total_bytes or 0)
    yield f"{host}: {cpu}, {survey.cores} cores, {memory}, {survey.os}, {survey.kernel}"
    marks = {Level.GOOD: "ok  ", Level.NOTE: "note", Level.WARN: "WARN", Level.UNKNOWN: "?   "}
    for finding in findings:
        advice = f" – {finding.advice}" if finding.advice else ""
        yield f"  {marks[finding.level]} {finding.subject}: {finding.found}{advice}"


def _kernel(text: str) -> tuple[int, int, int]:
    """The numbers of a kernel such as `6.13-amd64` or `7.0.14`; zeros where there are none."""
    match = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else (0, 0, 0)


def _judge(check: _Check, value: Any) -> Finding:
    if value is None:
        return Finding(check.subject, "the host does not tell", Level.UNKNOWN)
    if check.fine(value):
        return Finding(check.subject, check.show(value), Level.GOOD)
    return Finding(check.subject, check.show(value), check.level, check.advice)
