"""How a mongod ended, and whether it stood still, decides whether its trial counts."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.trial.records import ClientPart, Maintenance, Phase, Verification
from analysis.trial.validity import Stop, caveats, document_faults, maintenance_faults, phase_faults, stop_faults
from tests.analysis.synthetic import phase as synthetic_phase
from tests.analysis.synthetic import sizes

BUSY = 900.0


def phase(*per_s: float, warmup_s: float = 0, **changes: Any) -> Phase:
    """A phase in which so much was acknowledged in each second."""
    plain = synthetic_phase("rmw", "READ-MODIFY-WRITE", BUSY, 1_000, 100, 1000)
    return plain.model_copy(update={"series_per_s": per_s, "warmup_s": warmup_s, **changes})


def codes(one: Phase) -> list[str]:
    """Of the reasons and caveats that a standstill gives."""
    found = [*phase_faults(one, 0), *caveats([one], [], None, {one.name: (0, 0)})]
    return [reason.code for reason in found if "stall" in reason.code or reason.code == "link-failed"]


def test_a_database_that_stands_still_for_seconds_is_told_with_phase_moment_and_length() -> None:
    stalled = phase(*[BUSY] * 7, 0, 0, 0, 0, *[BUSY] * 9, warmup_s=5)
    (flag,) = (one for one in caveats([stalled], [], None, {"rmw": (5, 0)}) if one.code == "stalled")
    assert flag.message.startswith(
        "rmw: the database acknowledged nothing for 4 s, from second 7 of the phase on, in the measured "
    )
    assert "acknowledged nothing for 4 s" in flag.message
    assert codes(stalled) == ["stalled"]


@pytest.mark.parametrize(
    "per_s",
    [
        [BUSY] * 20,
        [*[BUSY, 0, 0] * 6, BUSY],  # a checkpoint
        [1.0, 0, 2.0, 0, 1.0, 1.0, 0, 2.0],  # one operation a second
        [0.0, 0.0],
        [],
    ],
)
def test_checkpoints_slow_pacing_and_short_windows_are_no_standstills(per_s: list[float]) -> None:
    assert codes(phase(*per_s)) == []


def test_a_window_that_mostly_stood_still_is_void() -> None:
    (fault,) = phase_faults(phase(BUSY, *[0] * 21, 40.0), 0)
    assert fault.code == "window-stalled"
    assert "for 21 s of the measured window's 23 s" in fault.message
    assert codes(phase(*[BUSY] * 10, *[0] * 10)) == ["stalled"]
    assert codes(phase(*[BUSY] * 10, *[0] * 11)) == ["window-stalled", "stalled"]


def test_several_standstills_add_up() -> None:
    assert codes(phase(*[BUSY, 0, 0, 0, 0] * 4)) == ["window-stalled", *["stalled"] * 4]


def test_a_standstill_in_the_warm_up_is_told_and_costs_nothing() -> None:
    early = phase(BUSY, *[0] * 9, *[BUSY] * 5, warmup_s=10)
    assert codes(early) == ["stalled"]
    (flag,) = (one for one in caveats([early], [], None, {"rmw": (10, 0)}) if one.code == "stalled")
    assert "in the warm-up" in flag.message
    assert codes(phase(BUSY, *[0] * 9, *[BUSY] * 5, warmup_s=8)) == ["stalled"]


def test_bulk_writes_of_seconds_each_are_no_standstill() -> None:
    (latency,) = phase().latencies
    slow = latency.model_copy(update={"operation": "FLUSH", "p50_us": 4e6})
    assert codes(phase(*[BUSY, 0, 0, 0, 0] * 4, latencies=(slow,))) == []
    assert codes(phase(BUSY, *[0] * 20, latencies=(slow,))) == ["window-stalled", "stalled"]


def test_a_failed_link_says_nothing_of_the_database() -> None:
    cut = ClientPart(
        name="load1", started_at_s=0, throughput_per_s=1, cpu_share=None, gc_pause_s=0, longest_stall_s=20,
        retransmission_timeouts=5,
    )  # fmt: skip
    assert codes(phase(BUSY, *[0] * 20, clients=(cut,))) == ["link-failed"]


def test_a_mongod_that_ended_when_asked_to() -> None:
    assert not list(stop_faults(Stop(was_running=True, killed=False, seconds=1.0)))


def test_a_mongod_that_had_to_be_killed() -> None:
    (fault,) = stop_faults(Stop(was_running=True, killed=True, seconds=120.4))
    assert (fault.code, fault.message) == ("not-stopped-cleanly", "mongod did not end within 120 s and was killed")


def test_a_mongod_that_was_gone_already() -> None:
    (fault,) = stop_faults(Stop(was_running=False, killed=False, seconds=0.0, last_words="Segmentation fault"))
    assert fault.code == "not-stopped-cleanly"
    assert "Segmentation fault" in fault.message


@pytest.mark.parametrize(
    ("stored", "bounds", "lost"),
    [
        (100, (100, 100), False),
        (99, (100, 100), True),
        (97, (97, 100), False),
        (96, (97, 100), True),
        (101, (97, 100), True),
        (96, None, False),
    ],
)
def test_stored_versions_may_lack_what_overlapping_writes_hid(
    stored: int, bounds: tuple[int, int] | None, *, lost: bool
) -> None:
    counts = {"expected": 5, "counted": 5, "checked": 5, "missing": 0, "altered": 0, "surplus": 0}
    verification = Verification(**counts, version_sum=stored, content_hash="00")
    found = [reason.message for reason in document_faults(verification, bounds)]
    assert bool(found) == lost
    if lost and bounds == (97, 100):
        assert found[0].startswith(
            f"the stored versions add up to {stored}, but 100 writes were acknowledged, of which 3"
        )


@pytest.mark.parametrize(
    ("operations", "kind", "flagged"), [(4, "run", True), (999, "run", True), (1000, "run", False), (4, "load", False)]
)
def test_a_p99_of_few_operations_is_flagged(operations: int, kind: str, *, flagged: bool) -> None:
    made = phase(BUSY, BUSY)
    (latency,) = made.latencies
    few = made.model_copy(update={"kind": kind, "latencies": (latency.model_copy(update={"count": operations}),)})
    found = [one.message for one in caveats([few], [], None, {few.name: (0, 0)}) if one.code == "few-operations"]
    assert bool(found) == flagged
    assert all(one.startswith(f"rmw: {operations} operations were measured, and a p99 takes 1,000") for one in found)


@pytest.mark.parametrize(
    ("calls", "codes"),
    [
        ({"compacted": 4, "skipped": 0, "failed": 0}, []),
        ({"compacted": 0, "skipped": 4, "failed": 0}, []),  # nothing to gain is no fault
        ({"compacted": 0, "skipped": 0, "failed": 0}, ["not-compacted"]),
        ({"compacted": 3, "skipped": 0, "failed": 1}, ["not-compacted"]),
    ],
)
def test_a_compaction_is_believed_by_the_engines_counters(calls: dict[str, int], codes: list[str]) -> None:
    left = sizes("before-reads", 10, 10_000, 4096)
    done = Maintenance(workload="reads", kind="compact", member="a:1", seconds=1, sizes=left, **calls)
    assert [fault.code for fault in maintenance_faults([done])] == codes


def test_an_initial_sync_is_no_compaction() -> None:
    left = sizes("before-reads", 10, 10_000, 4096)
    done = Maintenance(workload="reads", kind="initial-sync", member="a:1", seconds=1, sizes=left)
    assert list(maintenance_faults([done])) == []
