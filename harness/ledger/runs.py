"""The runs of a campaign: one that is unfinished is found again, else a new one begins."""

from __future__ import annotations

import difflib
import fcntl
import json
import shutil
from typing import TYPE_CHECKING

from core import files
from harness.errors import HostError, InputError
from harness.ledger.ledger import LATEST, LOCK, SPEC_FILE, STATE_FILE, Ledger

if TYPE_CHECKING:
    from pathlib import Path


def open_run(results: Path, campaign: str, spec_text: str, run_id: str, *, anew: bool, command: str = "") -> Ledger:
    """The campaign's unfinished run if there is one with the same spec, else a new one called `run_id`.

    A spec that was mended begins a new run where the unfinished one has no trial that counts: nothing is lost by it.

    Raises:
        InputError: trials count of an unfinished run with another spec; the message shows the difference.
        HostError: the results folder can't be written.
    """
    home = results / campaign
    try:
        home.mkdir(parents=True, exist_ok=True)
        with (home / LOCK).open("a") as lock:  # of two that begin at once, the second finds the first one's run
            fcntl.flock(lock, fcntl.LOCK_EX)
            latest = Ledger((home / LATEST).resolve())
            if anew or latest.finished or not latest.folder.exists() or _superseded(latest, spec_text):
                _begin(home, run_id, spec_text, {"campaign": campaign, "command": command})
    except OSError as error:
        raise HostError(
            f"{home}: results can't be written: {error.strerror}", do="give a writable folder with RESULTS=…"
        ) from error
    ledger = Ledger((home / LATEST).resolve())
    _refuse_changed_spec(ledger, spec_text)
    return ledger


def _begin(home: Path, run_id: str, spec_text: str, state: dict[str, str]) -> None:
    """Let a run's folder appear, and `latest` point at it; killed half-way, the next one begins anew in its place."""
    half_made = home / ".new"
    shutil.rmtree(half_made, ignore_errors=True)
    begun = Ledger(half_made)
    begun.trials_folder.mkdir(parents=True)
    begun.write(SPEC_FILE, spec_text)
    begun.write(STATE_FILE, json.dumps(state))
    link = home / ".latest"
    link.unlink(missing_ok=True)
    link.symlink_to(run_id)
    link.replace(home / LATEST)
    half_made.rename(home / run_id)
    files.sync(home)


def _superseded(ledger: Ledger, spec_text: str) -> bool:
    return _spec_of(ledger) != spec_text and not any(record.counts for record in ledger.records())


def _spec_of(ledger: Ledger) -> str:
    path = ledger.folder / SPEC_FILE
    return path.read_text() if path.exists() else ""


def _refuse_changed_spec(ledger: Ledger, spec_text: str) -> None:
    path, before = ledger.folder / SPEC_FILE, _spec_of(ledger)
    if before == spec_text:
        return
    difference = "\n".join(
        difflib.unified_diff(before.splitlines(), spec_text.splitlines(), str(path), "the spec now", "", "", 1, "")
    )
    raise InputError(
        f"{ledger.folder}: this run is unfinished, and the spec has changed since it began:\n{difference}",
        do="restore the spec to resume it, or start a new run with NEW=1",
    )


def find_run(path: Path) -> Ledger:
    """The ledger at a run's folder (or at a link to it).

    Raises:
        InputError: there is no run there.
    """
    if not (path / SPEC_FILE).is_file():
        raise InputError(f"{path}: no run is here (no {SPEC_FILE})", do="name one: RUN=results/quick/latest")
    return Ledger(path.resolve())
