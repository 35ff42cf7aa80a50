"""What the doctor thinks of a host, fact by fact, and by the engine's version."""

from __future__ import annotations

from typing import Any

import pytest

from harness.plan.doctor import Level, examine, report
from harness.plan.told import HostSurvey

GOOD_DISK = {
    "filesystem": "xfs",
    "mount_options": "rw,noatime",
    "readahead_bytes": 16 * 1024,
    "rotational": False,
    "scheduler": "none",
}
GOOD = {
    "cpu_model": "Fast CPU",
    "cores_allowed": 8,
    "frequency_governor": "performance",
    "steal_share": 0.0,
    "load_average": [0.1, 4.0, 4.0],
    "clock_source": "tsc",
    "numa_nodes": 1,
    "zone_reclaim_mode": 0,
    "memory_total_bytes": 2**34,
    "memory_available_bytes": 2**33,
    "proactive_reclaim": False,
    "swap_total_bytes": 0,
    "swappiness": 1,
    "max_map_count": 262144,
    "kernel": "6.1.0-13-amd64",
    "thp_enabled": "never",
    "thp_defrag": "madvise",
    "overcommit_memory": 0,
    "open_files_limit": 64000,
    "processes_limit": -1,
    "data": GOOD_DISK,
}


def levels(survey: dict[str, Any], version: str = "6.0.5") -> dict[str, Level]:
    return {finding.subject: finding.level for finding in examine(HostSurvey(**survey), [version])}


def test_a_good_host_is_good() -> None:
    assert set(levels(GOOD).values()) == {Level.GOOD}


def test_a_host_that_tells_nothing_is_unknown_and_never_good() -> None:
    assert set(levels({}).values()) == {Level.UNKNOWN}
    assert levels({}).keys() == levels(GOOD).keys()


@pytest.mark.parametrize(
    ("subject", "level", "changes"),
    [
        ("cores", Level.WARN, {"cores_allowed": 2}),
        ("CPU frequency", Level.WARN, {"frequency_governor": "powersave"}),
        ("CPU steal", Level.WARN, {"steal_share": 0.02}),
        ("other load", Level.WARN, {"load_average": [0.6, 0.0, 0.0]}),
        ("clock source", Level.WARN, {"clock_source": "hpet"}),
        ("NUMA", Level.WARN, {"numa_nodes": 2}),
        ("NUMA zone reclaim", Level.WARN, {"zone_reclaim_mode": 1}),
        ("free memory", Level.WARN, {"memory_available_bytes": 2**32}),
        ("proactive reclaim", Level.WARN, {"proactive_reclaim": True}),
        ("swap", Level.NOTE, {"swap_total_bytes": 2**30}),
        ("swappiness", Level.NOTE, {"swappiness": 60}),
        ("memory maps", Level.NOTE, {"max_map_count": 65530}),
        ("kernel", Level.WARN, {"kernel": "2.6.32-754.el6"}),
        ("transparent huge pages", Level.WARN, {"thp_enabled": "always"}),
        ("open files", Level.NOTE, {"open_files_limit": 1024}),
        ("processes", Level.NOTE, {"processes_limit": 4096}),
        ("filesystem", Level.NOTE, {"data": GOOD_DISK | {"filesystem": "ext4"}}),
        ("access times", Level.NOTE, {"data": GOOD_DISK | {"mount_options": "rw,relatime"}}),
        ("readahead", Level.WARN, {"data": GOOD_DISK | {"readahead_bytes": 128 * 1024}}),
        ("kind of disk", Level.NOTE, {"data": GOOD_DISK | {"rotational": True}}),
        ("I/O scheduler", Level.NOTE, {"data": GOOD_DISK | {"scheduler": "bfq"}}),
    ],
)
def test_each_fault_is_found_and_nothing_else(subject: str, level: Level, changes: dict[str, Any]) -> None:
    found = levels(GOOD | changes)
    assert {name: one for name, one in found.items() if one is not Level.GOOD} == {subject: level}
    (finding,) = [one for one in examine(HostSurvey(**GOOD | changes), ["6.0.5"]) if one.subject == subject]
    assert finding.advice
    assert finding.found


@pytest.mark.parametrize(
    ("version", "pages", "level"),
    [
        ("4.4.2", "never", Level.GOOD),
        ("7.0.14", "never", Level.GOOD),
        ("7.0.14", "always", Level.WARN),
        ("8.0.3", "always", Level.GOOD),
        ("8.0.3", "never", Level.WARN),
    ],
)
def test_huge_pages_by_version(version: str, pages: str, level: Level) -> None:
    assert levels(GOOD | {"thp_enabled": pages}, version)["transparent huge pages"] is level


def test_what_8_0_asks_for_besides() -> None:
    found = levels(GOOD | {"kernel": "4.14.35"}, "8.0.3")
    assert found["kernel"] is Level.WARN
    assert found["huge pages' defragmentation"] is found["memory overcommit"] is Level.NOTE
    fine = GOOD | {"thp_enabled": "always", "thp_defrag": "defer+madvise", "overcommit_memory": 1}
    assert set(levels(fine, "8.0.3").values()) == {Level.GOOD}


@pytest.mark.parametrize(
    ("kernel", "level"),
    [
        ("6.18.44", Level.GOOD),
        ("6.19.0-rc1", Level.WARN),
        ("6.19-amd64", Level.WARN),
        ("7.0.13", Level.WARN),
        ("7.0.0-30-generic", Level.WARN),
        ("7.0.14", Level.GOOD),
        ("7.1.5-arch1", Level.GOOD),
    ],
)
def test_kernels_on_which_8_0_does_not_run(kernel: str, level: Level) -> None:
    host = GOOD | {"kernel": kernel}
    assert levels(host, "8.0.3")["kernel, for 8.0"] is level
    assert levels(host, "9.0.2")["kernel, for 9.0"] is level
    assert "kernel, for 7.0" not in levels(host, "7.0.14")
    assert levels(host, "7.0.14")["kernel"] is Level.GOOD


@pytest.mark.parametrize(("pages", "wrong"), [("never", "8.0, 10.0"), ("always", "7.0"), ("madvise", None)])
def test_engines_of_both_allocators_side_by_side_are_judged_each(pages: str, wrong: str | None) -> None:
    host = HostSurvey(**GOOD | {"thp_enabled": pages})
    found = [one for one in examine(host, ["10.0.1", "8.0.3", "7.0.14"]) if one.subject.startswith("transparent")]
    assert [one.subject for one in found] == [f"transparent huge pages, for {group}" for group in ("7.0", "8.0, 10.0")]
    warned = [one for one in found if one.level is Level.WARN]
    assert [one.subject.rpartition("for ")[2] for one in warned] == ([wrong] if wrong else ["7.0", "8.0, 10.0"])
    assert all("no setting suits all engines" in one.advice for one in warned)


def test_the_report_names_host_and_advice() -> None:
    survey = HostSurvey(**GOOD | {"cores": 8, "os": "Debian", "swappiness": 60})
    first, *rest = report("db1", survey, examine(survey, ["6.0.5"]))
    assert first == "db1: Fast CPU, 8 cores, 16.0 GiB, Debian, 6.1.0-13-amd64"
    assert "  note swappiness: 60 – MongoDB advises 0 or 1" in rest
