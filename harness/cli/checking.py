"""The command that checks a mongod that somebody has."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.files import write_whole
from harness.cli.commands import DEFAULT_HOME, DEFAULT_RESULTS, HomeOption, ResultsOption
from harness.cli.terminal import say
from harness.errors import Exit, InputError
from harness.evidence.engine_check import differences, known
from harness.hosts.site import find_site
from harness.ledger.run_names import new_run_name
from harness.ledger.runs import open_run
from harness.plan.written.engine_check import NAME, campaign_text
from harness.run.progress import Progress, make_view
from harness.run.runner import CampaignRun
from harness.spec.load import load_campaign, read_mixes

if TYPE_CHECKING:
    from analysis.trial.records import TrialRecord
    from harness.ledger.ledger import Ledger

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

_ANSWERS_WITHIN_S = 60


@app.command("check-engine")
def check_command(
    mongod: Annotated[Path, typer.Argument(metavar="MONGOD", help="The program, on this machine.")],
    engine: Annotated[str, typer.Option("--engine", help="Its version, where it can't say so yet.")] = "",
    results: ResultsOption = DEFAULT_RESULTS,
    home: HomeOption = DEFAULT_HOME,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print what was found only.")] = False,
) -> None:
    """Run everything on a mongod once, and say what it has otherwise than is known of its version; exit 1 for that."""
    mongod = Path.cwd() / mongod
    version = engine or _version_of(mongod)
    path = results / NAME / f"{NAME}.yaml"
    text = campaign_text(mongod, version)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise InputError(
            f"{path.parent}: can't be written: {error.strerror}", do="give another folder: RESULTS=…"
        ) from error
    spec = load_campaign(path)
    command = f"make check-engine ENGINE_BINARY={mongod}"
    ledger = open_run(results, NAME, text, new_run_name(datetime.now(UTC)), anew=True, command=command)
    with ledger.locked():
        progress = Progress(make_view(plain=not quiet, quiet=quiet, as_json=False))
        try:
            site = find_site("local", home.resolve())
            records = CampaignRun(spec, read_mixes(spec, path), site, ledger, progress).run(lambda _: 1)
        finally:
            progress.close()
        ledger.finish()
    raise typer.Exit(_tell(version, records, ledger))


def _tell(version: str, records: list[TrialRecord], ledger: Ledger) -> Exit:
    """Print what was looked at and what differs; 4 where a trial is void, 1 where anything else differs."""
    by_arm = {record.cell.arm: list(differences(record, ledger.trials_folder / record.trial)) for record in records}
    found: dict[str, list[str]] = {}
    for arm, lines in by_arm.items():
        for line in lines:
            found.setdefault(line, []).append(arm)
    say([f"mongod {version}, arms {', '.join(by_arm)}:", *(f"  {line}" for line in known(records, version))])
    for line, arms in found.items():
        which = "" if len(arms) == len(by_arm) else f" ({', '.join(arms)})"
        say(f"  differs{which}: {line}")
    if not found:
        say("  all is as known of this version")
    say(f"  evidence: {ledger.folder}")
    if not all(record.counts for record in records):
        return Exit.INCOMPLETE
    return Exit.GATE_FAILED if found else Exit.FINE


def _version_of(mongod: Path) -> str:
    """What the program says that it is.

    Raises:
        InputError: it is no mongod that runs here.
    """
    try:
        said = subprocess.run(
            [str(mongod), "--version"], capture_output=True, text=True, check=False, timeout=_ANSWERS_WITHIN_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{mongod}: is no program that runs here: {error}", do="name a mongod") from error
    found = re.search(r"^db version v(\d+\.\d+\.\d+)", said.stdout, re.MULTILINE)
    if found is None:
        words = (said.stderr or said.stdout).strip().splitlines()[:1] or ["it said nothing"]
        raise InputError(
            f"{mongod}: does not say which version of mongod it is: {words[0][:200]}",
            do="name a mongod; where it lacks libraries that set-up provides, name its version: ENGINE_VERSION=4.4.2",
        )
    return found[1]
