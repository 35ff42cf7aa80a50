"""What befell a trial from outside is tried again; what it found out about the engine or the data stands."""

from __future__ import annotations

import pytest

from analysis.records import Reason
from analysis.validity import Stop, stop_faults
from harness.errors import DefectError, EngineError, HostError, InputError
from harness.failures import FAILURES, REPEATED, failure_of
from tests.harness.factory import record

ALTERED = Reason(code="documents-altered", message="1 of 2000 documents checked differ from what was written")


@pytest.mark.parametrize(
    "stop",
    [Stop(was_running=False, killed=False, seconds=0.0), Stop(was_running=True, killed=True, seconds=120.0)],
    ids=["gone", "hung"],
)
def test_an_engine_that_did_not_end_as_asked_is_tried_again(stop: Stop) -> None:
    """Whatever else is wrong with the trial then."""
    (reason,) = stop_faults(stop)
    assert failure_of(record(void=(ALTERED, reason))) == reason
    assert reason.code in REPEATED
    assert FAILURES[reason.code] is EngineError


def test_what_a_trial_found_out_stands() -> None:
    assert failure_of(record(void=(ALTERED, Reason(code="compressor-mismatch", message="is zlib")))) is None
    assert failure_of(record()) is None


def test_what_would_only_come_again_is_not_repeated() -> None:
    assert {code: FAILURES[code] for code in FAILURES.keys() - REPEATED} == {
        "spec-failed": InputError, "harness-failed": DefectError,
    }  # fmt: skip


def test_who_must_act_where_connections_are_lost() -> None:
    assert FAILURES["connection-lost"] is FAILURES["client-stood-still"] is HostError
