"""After the last trial: what the report is given, what the terminal says, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.decide.decision import decide, decide_study
from analysis.decide.stopping import further_blocks, until_decided
from analysis.decide.study import study
from analysis.stats import frames
from analysis.stats.quantities import block_number
from core.files import write_whole
from core.stored import paths_below, read_regular
from harness.errors import Exit, InputError
from harness.evidence.engine_seconds import engine_seconds
from harness.evidence.verify import evidence_faults, or_why_not
from harness.ledger.digests import Entry, is_there
from harness.ledger.facts import read_campaign
from harness.ledger.ledger import DECISION_FILE, REPORT, SPEC_FILE
from harness.ledger.run_json import read_manifest, read_surveys, read_versions
from harness.plan import doctor
from harness.plan.trials import plan
from harness.run.canary_book import moved_canaries
from harness.spec.yaml_source import MOST_BYTES
from reports import LinkedError, Run, TemplateFaultError, summary_lines, write_report
from reports.output.sheets import csv_text, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from analysis.decide.decision import Decision
    from analysis.trial.records import TrialRecord
    from harness.ledger.ledger import Ledger
    from harness.plan.trials import PlannedTrial
    from harness.spec.campaign import Campaign


def blocks_wanted(campaign: Campaign, records: Sequence[TrialRecord]) -> int:
    """How many blocks the campaign has, from what is known so far: fixed, until it is precise, or until decided."""
    begun = blocks_begun(campaign, records)
    if isinstance(campaign.blocks, int):
        return campaign.blocks
    asked, looks = campaign.blocks, campaign.looks
    if looks is None:
        stop = further_blocks(records, campaign.decision, asked.precision, asked.min, asked.max)
    else:
        stop = until_decided(records, campaign.decision, looks)
    return max(asked.min, begun if stop.stop else min(begun + 1, asked.max))


def blocks_begun(campaign: Campaign, records: Sequence[TrialRecord]) -> int:
    """How many blocks have records.

    Raises:
        InputError: a record is of a block that the campaign never has.
    """
    last = max(records, key=lambda record: record.block, default=None)
    if last and last.block >= campaign.most_blocks:
        raise InputError(
            f"{last.trial}: its record is of block {block_number(last.block)}; {campaign.name} has "
            f"{campaign.most_blocks} at most",
            do="move its folder away, or restore the spec that the run was made with",
        )
    return last.block + 1 if last else 0


def decide_run(ledger: Ledger, campaign: Campaign) -> Decision:
    """The decision of a run, from its records and canaries; writes nothing.

    Raises:
        InputError: a record or the canaries can't be read, or don't fit the campaign.
    """
    records = ledger.records()
    blocks_begun(campaign, records)
    moved = moved_canaries(ledger.folder, campaign.limits.canary_percent)
    return decide(records, campaign.decision, campaign.question, moved, campaign.looks, campaign.mirrors)


def write_outcome(ledger: Ledger, campaign: Campaign, template: Path | None = None) -> Decision:
    """Decide, and write everything that people look at into the run's `report/`.

    Raises:
        InputError: a file of the run can't be read, or a template is wrong.
    """
    run = read_run(ledger, campaign)
    try:
        write_report(run, ledger.report_folder, template)
    except TemplateFaultError as error:
        raise InputError(str(error), do="fix the template; docs/templates.md has an example") from error
    except LinkedError as error:
        raise InputError(str(error), do="remove the link; its target was not touched") from error
    write_tables(run, ledger.report_folder)
    ledger.record_report()
    return run.decision


def read_run(ledger: Ledger, campaign: Campaign) -> Run:
    """Everything of a run that its report is made from, and its decision.

    Raises:
        InputError: a file of the run can't be read, or a record doesn't fit the campaign.
    """
    records = ledger.records()
    blocks = max(campaign.fewest_blocks, blocks_begun(campaign, records))
    surveys = read_surveys(ledger.folder)
    versions = [engine.version for engine in campaign.engines.values()]
    moved = moved_canaries(ledger.folder, campaign.limits.canary_percent)
    found = study(records, campaign.decision, campaign.looks)
    return Run(
        campaign=campaign.name,
        run_id=ledger.run_id,
        spec_text=_spec_text(ledger.folder / SPEC_FILE),
        command=ledger.state().get("command", ""),
        records=tuple(records),
        decision=decide_study(found, campaign.question, moved, campaign.mirrors),
        measured=found.measurements,
        planned_trials=tuple(trial.what for trial in plan(campaign, blocks, ledger.platforms)),
        arms=tuple(campaign.arms),
        engines=tuple(campaign.engines),
        datasets=tuple(campaign.datasets),
        platforms=ledger.platforms,
        hosts={host: survey.as_told() for host, survey in surveys.items()},
        manifests={name: read_manifest(ledger.folder, name) for name in campaign.datasets},
        versions=_versions(ledger, records),
        findings={
            host: [(f.subject, f.found, f.level.value, f.advice) for f in doctor.examine(survey, versions)]
            for host, survey in surveys.items()
        },
        moved=moved,
        time_series=engine_seconds(ledger, records),
        faults=tuple(evidence_faults(ledger)),
        turn_s=campaign.turns.seconds,
    )


def write_tables(run: Run, folder: Path) -> None:
    """The tables behind every figure, as CSV and Parquet."""
    for name, table in tables(run.campaign, run.run_id, run.records).items():
        write_whole(folder / f"{name}.csv", csv_text(table))
        write_whole(folder / f"{name}.parquet", table.to_parquet(index=False))


def tables(campaign: str, run: str, records: Sequence[TrialRecord]) -> dict[str, pd.DataFrame]:
    """The frames `trials`, and `measurements` with a row per figure, their blocks counted from 1.

    Each row names its campaign and run, so that tables of several runs can be put together.
    """
    kept = frames.once_per_cell(records)
    found = {"trials": frames.trials(kept), "measurements": frames.measurements(kept)}
    named = {
        name: rows.assign(campaign=campaign, run=run)[["campaign", "run", *rows.columns]]
        for name, rows in found.items()
    }
    return {name: numbered(table) for name, table in named.items()}


def report_faults(ledger: Ledger) -> Iterator[str]:
    """What of a finished run's report is not as it was rendered, or not what the run's records give today."""
    yield from or_why_not(_report_faults(ledger))


def _report_faults(ledger: Ledger) -> Iterator[str]:
    if not ledger.finished:
        return
    recorded = {path: entry for path, entry in ledger.digests.in_force().items() if path.startswith(REPORT)}
    there = {f"{REPORT}{name}" for name in paths_below(ledger.report_folder)}
    wrong = {name for name, entry in recorded.items() if not is_there(ledger.folder, entry)} | there - recorded.keys()
    for name in sorted(wrong):
        yield f"{ledger.folder / name}: not as it was rendered; `make report` renders it again"
    if wrong:
        return
    decided = decide_run(ledger, read_campaign(ledger)).as_json
    if not is_there(ledger.folder, Entry.of(DECISION_FILE, decided.encode())):
        yield (
            f"{ledger.folder / DECISION_FILE}: this version of Pressgauge decides otherwise from the records; "
            "`make report` renders it again"
        )


def summarise(decision: Decision, ledger: Ledger) -> Iterator[str]:
    """The decision in a few lines, and where the report is."""
    yield from summary_lines(decision)
    yield f"report: {ledger.report_folder / 'index.html'}"


def exit_code(decision: Decision, records: Sequence[TrialRecord], planned: Sequence[PlannedTrial]) -> Exit:
    """4 where trials are missing or void, else 1 where no arm satisfies the constraints or the trials are not like the
    deployment that the campaign mirrors, else 0.
    """
    counting = {(record.block, record.cell) for record in frames.once_per_cell(records) if record.counts}
    if any(trial.what not in counting for trial in planned):
        return Exit.INCOMPLETE
    return Exit.GATE_FAILED if decision.exit_code else Exit.FINE


def _spec_text(path: Path) -> str:
    try:
        return read_regular(path, MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: can't be read: {error}", do="restore the file") from error


def _versions(ledger: Ledger, records: Sequence[TrialRecord]) -> dict[str, str]:
    engines = sorted({record.in_force.version for record in records if record.in_force})
    return {"mongod": ", ".join(engines) or "none started"} | read_versions(ledger.folder)
