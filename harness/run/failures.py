"""Whose failure a void trial was, and whether another attempt may do without it.

What befell a trial by the host's, the engine's or the client's failing is repeated; what the spec or Pressgauge did
wrong, and what the trial itself found out (altered documents, another compressor than asked for), would only come
again.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from analysis.trial.records import Reason
from harness.errors import DefectError, EngineError, HostError, InputError
from harness.run.disk_watch import NO_SPACE

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.trial.records import TrialRecord
    from harness.errors import PressgaugeError
    from harness.hosts.playbook_events import PlaybookRun

FAILURES: dict[str, type[PressgaugeError]] = {
    "spec-failed": InputError,
    "harness-failed": DefectError,
    "host-failed": HostError,
    "link-failed": HostError,
    "connection-lost": HostError,
    "client-stood-still": HostError,
    "client-failed": EngineError,
    "client-thread-died": EngineError,
    "engine-failed": EngineError,
    "window-stalled": EngineError,
    "not-stopped-cleanly": EngineError,
    "election": EngineError,
    "roll-back": EngineError,
    "member-lost": EngineError,
}
"""Code of a reason -> who must act where it comes again."""
REPEATED = FAILURES.keys() - {"spec-failed", "harness-failed"}


def failure_of(record: TrialRecord) -> Reason | None:
    """Why a void trial failed, where the reason is one that another attempt, or a mended host, may not have."""
    return next((reason for reason in record.void if reason.code in FAILURES), None)


def why_failed(outcome: PlaybookRun, workspace: Path) -> Reason:
    """Why a trial's playbook failed, from the account it left."""
    if outcome.unreachable:
        return Reason(code="host-failed", message=f"{outcome.failed_task}: {outcome.message}")
    kind = "host" if outcome.timed_out else "harness"
    message = f"{outcome.failed_task}: {outcome.message}".removeprefix(": ")
    with contextlib.suppress(OSError, ValueError, KeyError):
        left = json.loads((workspace / "failure.json").read_text())
        kind, message = str(left["kind"]), f"{left['task']}: {left['msg']}"
        kind = "host" if NO_SPACE in message else kind
    kind = "host" if outcome.killed else kind
    return Reason(code=f"{kind}-failed", message=message)
