"""What befell a trial from outside is tried again; what it found out about the engine or the data stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.trial.records import Reason
from analysis.trial.validity import Stop, stop_faults
from harness.errors import DefectError, EngineError, HostError, InputError
from harness.hosts.playbooks import run_playbook
from harness.hosts.site import find_site
from harness.run.failures import FAILURES, REPEATED, failure_of, why_failed
from tests.harness.factory import record

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_playbook_that_hangs_is_the_hosts_failure(tmp_path: Path) -> None:
    """Whatever it was that hung, it is tried again, and named."""
    play = tmp_path / "play.yml"
    play.write_text(
        "- {hosts: db, gather_facts: false, tasks: [{name: Counters are on record, ansible.builtin.command: sleep 60}]}"
    )
    reason = why_failed(run_playbook(str(play), find_site("local", tmp_path).inventory, {}, timeout_s=10), tmp_path)
    assert reason.code == "host-failed"
    assert reason.code in REPEATED
    assert reason.message.startswith("Counters are on record: not done after 10 s")
