"""The ledger: the folder of a run. A record appears whole or not at all, and a stopped run is found again.

    <results>/<campaign>/<run-id>/campaign.yaml host.json digests.jsonl trials/<trial>/trial.json + artefacts, report/
    <results>/<campaign>/latest -> <run-id>

A trial works in `trials/.<trial>.partial`; when its record is on disk and announced in the run's digests, that folder
is renamed to `trials/<trial>`. So a folder without a leading dot is complete, and all else may be thrown away.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import files
from core.stored import pack, paths_below
from harness.errors import InputError
from harness.ledger.artefacts import RECORD_FILE, artefacts, list_artefacts, read_record
from harness.ledger.digests import Digests, Entry, fingerprint, is_there
from harness.ledger.locks import hold
from harness.ledger.run_state import RunState, read_run_state
from harness.plan.trials import ONE_PLATFORM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.trial.records import TrialRecord
    from harness.spec.campaign import Design

SPEC_FILE = "campaign.yaml"
LATEST = "latest"
STATE_FILE = "run.json"
HOST_FILE = "host.json"
VERSIONS_FILE = "versions.json"
MIXES_FILE = "mixes.json"
LOG_FILE = "provision.log"
REPORT = "report/"
DECISION_FILE = f"{REPORT}decision.json"
LOCK = ".lock"
_PACKED_FROM_BYTES = 4096  # what is smaller takes a block of the disk anyway


@dataclass(frozen=True)
class Ledger:
    """One run's folder."""

    folder: Path

    @property
    def run_id(self) -> str:
        """The run's name: the second in which it began (UTC), and a random part."""
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
        for path in artefacts(workspace):
            if path.stat().st_size >= _PACKED_FROM_BYTES:
                pack(path)
        for path in artefacts(workspace):
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
            Entry.of(f"{REPORT}{name}", path.read_bytes())
            for name, path in paths_below(self.report_folder).items()
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
                f"{self.folder}: this run is unfinished and began on {told[0]}; the inventory has {told[1]}",
                do="use the inventory that it began with, or start a new run with NEW=1",
            )
        self._keep_state(platforms=list(platforms))

    def keep_design(self, design: Design) -> str:
        """Keep how the trials of a block run, as it was first kept; gives what is kept."""
        begun = self.state().get("design") or ("sequential" if self.records() else design)
        self._keep_state(design=begun)
        return begun

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
        with hold(self.folder / LOCK, f"{self.folder}: another harness is working on this run"):
            yield


def write_whole(path: Path, text: str) -> None:
    """Write a file of a run: it appears whole or not at all, and survives a power cut once this returns."""
    files.write_whole(path, text, durable=True)


def _half_run(name: str) -> str:
    return f".{name}.partial"


def _whole_run(workspace: Path) -> str:
    return workspace.name.removeprefix(".").removesuffix(".partial")
