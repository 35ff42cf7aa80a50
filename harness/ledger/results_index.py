"""`results/index.html`: every run below a results folder that has a report, from what each run's folder holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from analysis.decide.decision import Decision
from analysis.gate.comparability import compare_facts
from analysis.gate.history import history, steps
from core.stored import read_regular
from harness.errors import PressgaugeError
from harness.ledger.facts import run_facts
from harness.ledger.ledger import DECISION_FILE, HOST_FILE
from harness.ledger.run_json import parse_surveys
from harness.ledger.run_names import began_at
from reports import RunSummary, Shift, by_campaign, write_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue


def write_results_index(results: Path) -> None:
    """Write the index over all runs; a decision of an unknown version is left out, its report still opens."""
    runs = list(run_summaries(results))
    shifts = find_shifts(runs, lambda campaign, run_id: run_facts(results / campaign / run_id))
    write_index(runs, shifts, results / "index.html")


def summarise_run(campaign: str, run_id: str, decision: bytes, hosts: bytes) -> RunSummary | None:
    """A run's line in an index, from `decision.json` and `host.json`; None where the decision can't be read."""
    try:
        decided = Decision.model_validate_json(decision)
        began = began_at(run_id)
    except (ValueError, ValidationError):
        return None
    return RunSummary(
        campaign=campaign,
        run_id=run_id,
        started_at=began.isoformat(),
        host=", ".join(f"{host}: {survey.cpu_model}" for host, survey in parse_surveys(hosts).items()),
        engines=tuple(dict.fromkeys(one.choice.group.engine or "several" for one in decided.recommendations)),
        decision=decided,
        link=f"{campaign}/{run_id}/report/index.html",
    )


def find_shifts(runs: Sequence[RunSummary], facts_of: Callable[[str, str], Mapping[str, JsonValue]]) -> list[Shift]:
    """Where each campaign's figures changed. `facts_of` (campaign, run) may raise PressgaugeError; it is asked for the
    runs beside a change alone.
    """
    found = []
    for campaign, of_campaign in by_campaign(runs).items():
        margin_percent = of_campaign[-1].decision.criteria.equivalence_margin_percent
        for step in steps(history([(run.run_id, run.decision) for run in of_campaign]), margin_percent):
            try:
                before, after = (facts_of(campaign, run_id) for run_id in (step.previous, step.run_id))
            except PressgaugeError:
                found.append(Shift(campaign, step, None))
                continue
            found.append(Shift(campaign, step, compare_facts(before, after).all))
    return found


def run_summaries(results: Path) -> Iterator[RunSummary]:
    """Every run below a results folder that has a report, campaign by campaign, the oldest first."""
    for path in sorted(results.glob(f"*/*/{DECISION_FILE}")):
        folder = path.parent.parent
        if folder.is_symlink() or folder.name.startswith("."):  # `latest` is one of the others; a pull at work
            continue
        if any(part.is_symlink() for part in (path.parent, path, folder / HOST_FILE)):  # leads out of the run
            continue
        try:
            decision, hosts = (read_regular(one) for one in (path, folder / HOST_FILE))
        except OSError:
            continue
        summary = summarise_run(folder.parent.name, folder.name, decision, hosts)
        if summary:
            yield summary
