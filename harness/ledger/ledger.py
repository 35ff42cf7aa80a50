"""The ledger: the folder of a run. A record appears whole or not at all, and a stopped run is found again.

    <results>/<campaign>/<run-id>/campaign.yaml host.json digests.jsonl trials/<trial>/trial.json + artefacts, report/
    <results>/<campaign>/latest -> <run-id>

A trial works in `trials/.<trial>.partial`; when its record is on disk and announced in the run's digests, that folder
is renamed to `trials/<trial>`. So a folder without a leading dot is complete, and all else may be thrown away.
"""

from __future__ import annotations

import difflib
import errno
import fcntl
import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import blake3
from pydantic import ValidationError

from analysis.trial.records import Artefact, TrialRecord
from core import files
from core.stored import pack, read_stored
from harness.errors import HostError, InputError
from harness.ledger.digests import Digests, Entry, fingerprint, is_there
from harness.ledger.run_state import RunState, first_fault, read_run_state
from harness.plan.trials import ONE_PLATFORM
from workloads import YcsbOutputError
from workloads.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SPEC_FILE = "campaign.yaml"
LATEST = "latest"
STATE_FILE = "run.json"
HOST_FILE = "host.json"
VERSIONS_FILE = "versions.json"
MIXES_FILE = "mixes.json"
RUN_ID_FORMAT = "%Y%m%dT%H%M%SZ"
RECORD_FILE = "trial.json"
LOG_FILE = "provision.log"
REPORT = "report/"
DECISION_FILE = f"{REPORT}decision.json"
_LOCK = ".lock"
_LARGEST_RECORD_BYTES = 64 * 2**20
_PACKED_FROM_BYTES = 4096  # what is smaller takes a block of the disk anyway


@dataclass(frozen=True)
class Ledger:
    """One run's folder."""

    folder: Path

    @property
    def run_id(self) -> str:
        """The run's name, the UTC time of its start."""
        return self.folder.name

    @property
    def trials_folder(self) -> Path:
        """Where finished trials are."""
        return self.folder / "trials"

    @property
    def report_folder(self) -> Path:
        """Where the report is."""
        return self.folder / "report"

    @property
    def digests(self) -> Digests:
        """The digests of its files."""
        return Digests(self.folder)

    def fingerprint(self) -> str:
        """One digest of all the evidence, the report left out, to be noted down where the run's folder is not."""
        return fingerprint(one for path, one in self.digests.in_force().items() if not path.startswith(REPORT))

    def sweep(self) -> None:
        """End what a killed harness left half-made: what was announced appears, the rest is deleted.

        Nothing of it may be at work any more.
        """
        self._settle()
        for folder in (self.folder, self.report_folder):
            for left in folder.glob(files.half_written("*")):
                left.unlink()
        for left in self.trials_folder.glob(_half_run("*")):
            shutil.rmtree(left)

    def _settle(self) -> None:
        """Bring the last announcement to its end: a finished trial appears; of any other file, say what is there."""
        entries = self.digests.entries()
        if not entries or is_there(self.folder, entries[-1]):
            return
        *earlier, last = entries
        trial = self.folder / Path(last.path).parent
        partial = trial.with_name(_half_run(trial.name))
        if trial.parent == self.trials_folder and is_there(partial, last.model_copy(update={"path": RECORD_FILE})):
            self._appear(partial)
        elif before := next((one for one in earlier if one.path == last.path and is_there(self.folder, one)), None):
            self.digests.append([before])

    def workspace(self, name: str) -> Path:
        """A fresh folder for the trial to work in; what an interrupted attempt left there is thrown away."""
        partial = self.trials_folder / _half_run(name)
        if partial.exists():
            shutil.rmtree(partial)
        partial.mkdir(parents=True)
        return partial

    def commit(self, record: TrialRecord, workspace: Path) -> Path:
        """Compress and list the artefacts, write the record, and let the folder appear under its final name.

        All of it is on disk before it appears.
        """
        for path in _artefacts(workspace):
            if path.stat().st_size >= _PACKED_FROM_BYTES:
                pack(path)
        for path in _artefacts(workspace):
            files.sync(path)
        text = record.model_copy(update={"artefacts": list_artefacts(workspace)}).model_dump_json(indent=1)
        write_whole(workspace / RECORD_FILE, text)
        files.sync(workspace)
        self.digests.append([Entry.of(f"trials/{_whole_run(workspace)}/{RECORD_FILE}", text.encode())])
        return self._appear(workspace)

    def _appear(self, workspace: Path) -> Path:
        final = workspace.with_name(_whole_run(workspace))
        workspace.rename(final)
        files.sync(self.trials_folder)
        return final

    def record_report(self) -> None:
        """Add what the report's folder holds now to the run's digests."""
        found = [
            Entry.of(str(path.relative_to(self.folder)), path.read_bytes())
            for path in sorted(self.report_folder.rglob("*"))
            if path.is_file()
        ]
        known = {path: entry for path, entry in self.digests.in_force().items() if path.startswith(REPORT)}
        gone = known.keys() - {entry.path for entry in found}
        self.digests.append(
            [entry for entry in found if known.get(entry.path) != entry]
            + [Entry(path=path, size_bytes=0, blake3=None) for path in sorted(gone)]
        )

    def records(self) -> list[TrialRecord]:
        """All records, in the order of the plan, every attempt of a trial included.

        Raises:
            InputError: a record can't be read, with its path and what is wrong with it.
        """
        found = []
        for path in sorted(self.trials_folder.glob(f"[!.]*/{RECORD_FILE}")):
            found.append(read_record(path))
        return sorted(found, key=lambda record: (record.index, record.attempt))

    def write(self, name: str, text: str) -> None:
        """Write a file of the run, announced in its digests; one that says the same already stays as it is."""
        entry = Entry.of(name, text.encode())
        if self.digests.in_force().get(name) != entry:
            self.digests.append([entry])
        write_whole(self.folder / name, text)

    def keep(self, name: str, facts: dict[str, Any]) -> None:
        """Keep facts in a file of the run's folder."""
        self.write(name, json.dumps(facts, indent=1))

    @property
    def platforms(self) -> tuple[str, ...]:
        """The platforms that the run's blocks run on, in the order of the inventory."""
        return tuple(self.state().get("platforms", ONE_PLATFORM))

    def keep_platforms(self, platforms: Sequence[str]) -> None:
        """Keep the platforms of the run's start.

        Raises:
            InputError: the run was begun on others.
        """
        begun = self.state().get("platforms")
        if begun is not None and tuple(begun) != tuple(platforms):
            told = [", ".join(names).strip() or "no named platform" for names in (begun, platforms)]
            raise InputError(
                f"{self.folder}: this run is unfinished and was begun on {told[0]}; the inventory has {told[1]}",
                do="give the inventory it was begun with, or start a new run with NEW=1",
            )
        self._keep_state(platforms=list(platforms))

    def keep_rates(self, found: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        """Keep the rates of paced workloads, by dataset and name, as each was first kept; gives all that are kept."""
        kept = self.state().get("rates", {})
        whole = {dataset: found.get(dataset, {}) | kept.get(dataset, {}) for dataset in found | kept}
        self._keep_state(rates=whole)
        return whole

    def finish(self) -> None:
        """Mark the run as finished: the same command starts a new one from now on."""
        self._keep_state(finished=True)

    def _keep_state(self, **news: Any) -> None:
        self.write(STATE_FILE, json.dumps(self.state() | news))

    def state(self) -> RunState:
        """What `run.json` says: campaign, the command that repeats the run, platforms, rates, whether it is done.

        Raises:
            InputError: it is damaged. (One that is missing says nothing.)
        """
        return read_run_state(self.folder / STATE_FILE)

    @property
    def finished(self) -> bool:
        """Whether every trial that was asked for has its record."""
        return bool(self.state().get("finished"))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for one harness alone.

        Raises:
            HostError: another harness holds it; the message says which.
        """
        with hold(self.folder / _LOCK, f"{self.folder}: another harness is at work on this run"):
            yield


@contextmanager
def hold(path: Path, refusal: str) -> Iterator[None]:
    """Hold a lock file for this process alone, until the block ends or the process does.

    Raises:
        HostError: another process holds it; `refusal` says of what, the message adds by whom.
    """
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise HostError(
                f"{refusal} ({lock.read().strip() or 'unknown'})", do="wait for it to end, or use another folder"
            ) from error
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        yield


def read_record(path: Path) -> TrialRecord:
    """One trial's record.

    Raises:
        InputError: the file is missing, a link, cut short, of another format version, or not a record.
    """
    try:
        if path.parent.is_symlink():
            raise OSError(errno.ELOOP, "its folder is a link, which is not followed here")
        record = TrialRecord.model_validate_json(read_stored(path, _LARGEST_RECORD_BYTES))
        for latency in (latency for phase in record.phases for latency in phase.latencies):
            Histogram.decode(latency.histogram)
        return record
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}", do="restore the file") from error
    except (ValidationError, YcsbOutputError) as error:
        raise InputError(
            f"{path}: not a trial record of a version this Pressgauge reads: {first_fault(error)}",
            do="restore the file, or move its folder away and run again: the trial is then repeated",
        ) from error


def open_run(results: Path, campaign: str, spec_text: str, run_id: str, *, anew: bool, command: str = "") -> Ledger:
    """The campaign's unfinished run if there is one with the same spec, else a new one called `run_id`.

    Raises:
        InputError: there is an unfinished run with another spec; the message shows the difference.
        HostError: the results folder can't be written.
    """
    home = results / campaign
    try:
        home.mkdir(parents=True, exist_ok=True)
        with (home / _LOCK).open("a") as lock:  # of two that begin at once, the second finds the first one's run
            fcntl.flock(lock, fcntl.LOCK_EX)
            latest = Ledger((home / LATEST).resolve())
            if anew or latest.finished or not latest.folder.exists():
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


def _refuse_changed_spec(ledger: Ledger, spec_text: str) -> None:
    path = ledger.folder / SPEC_FILE
    before = path.read_text() if path.exists() else ""
    if before == spec_text:
        return
    difference = "\n".join(
        difflib.unified_diff(before.splitlines(), spec_text.splitlines(), str(path), "the spec now", "", "", 1, "")
    )
    raise InputError(
        f"{ledger.folder}: this run is unfinished, and the spec has changed since it began:\n{difference}",
        do="put the spec back to resume it, or start a new run with NEW=1",
    )


def find_run(path: Path) -> Ledger:
    """The ledger at a run's folder (or at a link to it).

    Raises:
        InputError: there is no run there.
    """
    if not (path / SPEC_FILE).is_file():
        raise InputError(f"{path}: no run is here (no {SPEC_FILE})", do="name one: RUN=results/quick/latest")
    return Ledger(path.resolve())


def write_whole(path: Path, text: str) -> None:
    """Write a file of a run: it appears whole or not at all, and survives a power cut once this returns."""
    files.write_whole(path, text, durable=True)


def list_artefacts(folder: Path) -> tuple[Artefact, ...]:
    """Every file below a trial's folder but its record, with size and digest, sorted by path."""
    return tuple(
        Artefact(path=str(file.relative_to(folder)), size_bytes=file.stat().st_size, blake3=file_digest(file))
        for file in _artefacts(folder)
    )


def _half_run(name: str) -> str:
    return f".{name}.partial"


def _whole_run(workspace: Path) -> str:
    return workspace.name.removeprefix(".").removesuffix(".partial")


def _artefacts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != RECORD_FILE)


def file_digest(path: Path) -> str:
    """BLAKE3 of a file, in hex."""
    return blake3.blake3().update_mmap(path).hexdigest()
