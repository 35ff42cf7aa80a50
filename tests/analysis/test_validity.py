"""How a mongod ended decides whether its trial counts."""

from __future__ import annotations

from analysis.validity import Stop, stop_faults


def test_a_mongod_that_ended_when_asked_to() -> None:
    assert not list(stop_faults(Stop(was_running=True, killed=False, seconds=1.0)))


def test_a_mongod_that_had_to_be_killed() -> None:
    (fault,) = stop_faults(Stop(was_running=True, killed=True, seconds=120.4))
    assert (fault.code, fault.message) == ("not-stopped-cleanly", "mongod did not end within 120 s and was killed")


def test_a_mongod_that_was_gone_already() -> None:
    (fault,) = stop_faults(Stop(was_running=False, killed=False, seconds=0.0, last_words="Segmentation fault"))
    assert fault.code == "not-stopped-cleanly"
    assert "Segmentation fault" in fault.message
