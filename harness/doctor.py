"""What on a host would spoil the numbers: its survey held against MongoDB's production notes. Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from harness.quantities import show_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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


def _checks(newest: tuple[int, int]) -> tuple[_Check, ...]:
    """The production notes for the newest engine of the campaign."""
    thp_wanted = "always" if newest >= (8, 0) else "never"
    return (
        _Check("cores", "cores_allowed", lambda n: n >= 4, "mongod and the client share them"),
        _Check("CPU frequency", "frequency_governor", lambda g: g == "performance", "set the governor to performance"),
        _Check(
            "CPU steal",
            "steal_share",
            lambda s: s < 0.005,
            "other guests take CPU; use a dedicated host",
            lambda s: f"{100 * s:.2f} % since boot",
        ),
        _Check(
            "other load",
            "load_average",
            lambda load: load[0] < 0.5,
            "stop what else runs, or wait",
            lambda load: f"{load[0]:.2f} (1 min)",
        ),
        _Check(
            "transparent huge pages",
            "thp_enabled",
            lambda t: t == thp_wanted,
            f"MongoDB advises {thp_wanted} for {newest[0]}.{newest[1]}",
        ),
        _Check(
            "swap",
            "swap_total_bytes",
            lambda b: b == 0,
            "swapping ruins latencies; turn it off or swappiness to 1",
            show_size,
            Level.NOTE,
        ),
        _Check("swappiness", "swappiness", lambda n: n <= 1, "MongoDB advises 0 or 1", level=Level.NOTE),
        _Check(
            "open files", "open_files_limit", lambda n: n >= 64000, "MongoDB advises at least 64000", level=Level.NOTE
        ),
        _Check(
            "memory maps", "max_map_count", lambda n: n >= 102400, "MongoDB advises 102400 or more", level=Level.NOTE
        ),
        _Check(
            "NUMA",
            "numa_nodes",
            lambda n: n == 1,
            "interleave memory over the nodes (numactl --interleave=all)",
            lambda n: f"{n} node(s)",
        ),
        _Check(
            "clock source",
            "clock_source",
            lambda c: c in {"tsc", "arch_sys_counter", "kvm-clock"},
            "a slow clock costs CPU",
        ),
    )


_DISK_CHECKS = (
    _Check("filesystem", "filesystem", lambda f: f == "xfs", "MongoDB advises XFS", level=Level.NOTE),
    _Check("access times", "mount_options", lambda o: "noatime" in o, "mount with noatime", level=Level.NOTE),
    _Check(
        "readahead",
        "readahead_bytes",
        lambda b: b <= 32 * 512,
        "MongoDB advises 8 to 32 sectors; more reads what nobody asked for",
        show_size,
    ),
)


def examine(survey: Mapping[str, Any], versions: list[str]) -> list[Finding]:
    """Judge one host's survey for engines of these versions."""
    newest = max((_release(version) for version in versions), default=(6, 0))
    findings = [_judge(check, survey.get(check.fact)) for check in _checks(newest)]
    disk = survey.get("data") or {}
    return findings + [_judge(check, disk.get(check.fact)) for check in _DISK_CHECKS]


def report(host: str, survey: Mapping[str, Any], findings: list[Finding]) -> Iterator[str]:
    """The findings in words, one a line."""
    cpu, memory = survey.get("cpu_model") or "unknown CPU", survey.get("memory_total_bytes")
    system = f"{survey.get('os')}, {survey.get('kernel')}"
    yield f"{host}: {cpu}, {survey.get('cores')} cores, {show_size(memory or 0)}, {system}"
    marks = {Level.GOOD: "ok  ", Level.NOTE: "note", Level.WARN: "WARN", Level.UNKNOWN: "?   "}
    for finding in findings:
        advice = f" – {finding.advice}" if finding.advice else ""
        yield f"  {marks[finding.level]} {finding.subject}: {finding.found}{advice}"


def _judge(check: _Check, value: Any) -> Finding:
    if value is None:
        return Finding(check.subject, "the host does not tell", Level.UNKNOWN)
    if check.fine(value):
        return Finding(check.subject, check.show(value), Level.GOOD)
    return Finding(check.subject, check.show(value), check.level, check.advice)


def _release(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
