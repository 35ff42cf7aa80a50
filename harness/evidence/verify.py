"""Checks a run: its files are as its digests say, its trials those of the plan, its records what their evidence gives.

What this can't prove is in docs/method.md: whoever can write to the folder can write digests that fit.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from core.stored import paths_below
from harness.errors import InputError
from harness.evidence.trial import TrialContext, read_trial
from harness.ledger import digests
from harness.ledger.artefacts import RECORD_FILE, read_record
from harness.ledger.facts import read_campaign
from harness.ledger.ledger import LOG_FILE, REPORT
from harness.plan.trials import plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from analysis.trial.records import TrialRecord
    from harness.ledger.ledger import Ledger
    from harness.spec.campaign import Campaign

_MOST_DIFFERENCES = 3


def evidence_faults(ledger: Ledger) -> Iterator[str]:
    """Everything that is wrong with what a run's report is made from."""
    yield from folder_faults(ledger)
    yield from or_why_not(_reading_faults(ledger))


def folder_faults(ledger: Ledger) -> Iterator[str]:
    """What is not as it was recorded, or not of the plan; records are not read again from their evidence."""
    yield from or_why_not(_file_faults(ledger))
    yield from chain.from_iterable(_trial_faults(folder) for folder in _trial_folders(ledger))
    yield from or_why_not(_plan_faults(ledger))


def require_verified(ledger: Ledger, found: Iterator[str]) -> None:
    """Refuse a run with faults.

    Raises:
        InputError: the message has the first fault.
    """
    wrong = list(found)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise InputError(
            f"{ledger.folder}: this run is not as it was recorded: {wrong[0]}{more}",
            do=f"`make verify RUN={ledger.folder}` lists everything; restore what was changed from a copy, or, where "
            "only the way Pressgauge reads evidence has changed since, type `make rederive`",
        )


def _trial_folders(ledger: Ledger) -> list[Path]:
    return sorted(ledger.trials_folder.glob("[!.]*"))


def or_why_not(found: Iterator[str]) -> Iterator[str]:
    """The faults, or why they can't be looked for."""
    try:
        yield from found
    except InputError as error:
        yield error.what


# --- files --------------------------------------------------------------------------------------------------------


def _file_faults(ledger: Ledger) -> Iterator[str]:
    """The run's own files and each trial's record, against the run's digests."""
    entries = ledger.digests.entries()
    if not entries:
        yield f"{ledger.folder / digests.FILE}: missing, so nothing shows whether this run is as it was recorded"
        return
    if not ledger.finished and not digests.is_there(ledger.folder, entries[-1]):  # killed before it came true
        entries = entries[:-1]
    recorded = {entry.path: entry for entry in entries if not entry.path.startswith(REPORT)}
    names = _names_of_run(ledger)
    yield from (f"{ledger.folder / name}: missing" for name in sorted(recorded.keys() - names))
    yield from (f"{ledger.folder / name}: the run does not name it" for name in sorted(names - recorded.keys()))
    for name in sorted(names & recorded.keys()):
        if not digests.is_there(ledger.folder, recorded[name]):
            yield f"{ledger.folder / name}: its content changed since it was recorded"


def _names_of_run(ledger: Ledger) -> set[str]:
    """The files directly in a run's folder that it promises to keep as they are, and its records; links too."""
    here = {path.name for path in ledger.folder.iterdir() if not path.is_dir() and not path.name.startswith(".")}
    records = {f"trials/{folder.name}/{RECORD_FILE}" for folder in _trial_folders(ledger)}
    return here - {digests.FILE, LOG_FILE} | records


def _trial_faults(folder: Path) -> Iterator[str]:
    """A trial's other files, against its record."""
    try:
        record = read_record(folder / RECORD_FILE)
    except InputError as error:
        yield error.what
        return
    listed = {artefact.path: digests.Entry(**artefact.model_dump()) for artefact in record.artefacts}
    there = paths_below(folder)
    names = there.keys() - {RECORD_FILE}
    yield from (f"{folder / name}: missing" for name in sorted(listed.keys() - names))
    yield from (f"{folder / name}: the record does not name it" for name in sorted(names - listed.keys()))
    for name in sorted(names & listed.keys()):
        size_bytes = there[name].lstat().st_size
        if size_bytes != listed[name].size_bytes:
            yield f"{there[name]}: {size_bytes} bytes, {listed[name].size_bytes} when recorded"
        elif not digests.is_there(folder, listed[name]):
            yield f"{there[name]}: its content changed since it was recorded"


# --- trials -------------------------------------------------------------------------------------------------------


def _plan_faults(ledger: Ledger) -> Iterator[str]:
    """Trials that the plan does not have or has elsewhere, that count twice, or that are missing."""
    campaign, records = read_campaign(ledger), ledger.records()
    seen = max((record.block + 1 for record in records), default=0)
    if seen > campaign.most_blocks:
        yield f"{ledger.trials_folder}: {seen} blocks, where the campaign has at most {campaign.most_blocks}"
        return
    planned = {trial.index: trial for trial in plan(campaign, max(seen, campaign.fewest_blocks), ledger.platforms)}
    for record in records:
        trial = planned.get(record.index)
        if (
            trial is None
            or record.trial != trial.attempt_name(record.attempt)
            or (record.block, record.cell) != trial.what
        ):
            yield f"{ledger.trials_folder / record.trial}: the plan has no such trial"
    together = {record.index for record in records if record.sharing > 1}  # repeated for their neighbours' sake, too
    attempts = Counter((record.index, record.counts) for record in records)
    for index, trial in planned.items():
        if attempts[index, True] > 1 and index not in together:
            yield f"{ledger.trials_folder / trial.name}: it counts {attempts[index, True]} times"
        if ledger.finished and not attempts[index, True] + attempts[index, False]:
            yield f"{ledger.trials_folder / trial.name}: missing, and the run is finished"


def _reading_faults(ledger: Ledger) -> Iterator[str]:
    """Records that say another thing than their evidence does when it is read again."""
    campaign = read_campaign(ledger)
    for folder in _trial_folders(ledger):
        try:
            record, again = read_record(folder / RECORD_FILE), read_again(folder, campaign)
        except InputError as error:
            yield error.what
            continue
        told = again.model_copy(update={"artefacts": record.artefacts})
        found = list(_differences(record.model_dump(mode="json"), told.model_dump(mode="json")))
        if found:
            more = f" and {len(found) - _MOST_DIFFERENCES} more" if len(found) > _MOST_DIFFERENCES else ""
            shown = "; ".join(found[:_MOST_DIFFERENCES])
            yield f"{folder / RECORD_FILE}: reading its evidence again gives other figures: {shown}{more}"


def read_again(folder: Path, campaign: Campaign) -> TrialRecord:
    """A trial's record made anew from the evidence in its folder, without the list of its artefacts.

    Raises:
        InputError: what has to be known beside the evidence is missing or damaged.
    """
    try:
        context = TrialContext.kept(folder, campaign)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{folder}: its evidence can't be read again: {error}", do="restore the trial's folder from a copy"
        ) from error
    return read_trial(context, folder)


def _differences(recorded: JsonValue, again: JsonValue, at: str = "") -> Iterator[str]:
    """Where two values differ, as `phases.0.throughput_per_s: 10.0 recorded, 9.0 read`."""
    if isinstance(recorded, dict) and isinstance(again, dict) and recorded.keys() == again.keys():
        for key, value in recorded.items():
            yield from _differences(value, again[key], f"{at}.{key}".lstrip("."))
    elif isinstance(recorded, list) and isinstance(again, list) and len(recorded) == len(again):
        for number, (before, after) in enumerate(zip(recorded, again, strict=True)):
            yield from _differences(before, after, f"{at}.{number}")
    elif recorded != again:
        yield f"{at}: {_short(recorded)} recorded, {_short(again)} read"


def _short(value: JsonValue) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
