"""The commands of a campaign and its run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from analysis.gate.pairing import Selection
from harness.cli.gating import Outputs, hold_gate, write_baseline, write_outputs
from harness.cli.installed import as_typed, default_home
from harness.cli.outcome import blocks_wanted, decide_run, exit_code, report_faults, summarise, write_outcome
from harness.cli.terminal import say
from harness.cli.times import describe_times
from harness.errors import Exit
from harness.evidence.rederive import rederive
from harness.evidence.verify import evidence_faults
from harness.hosts.site import find_site
from harness.ledger.facts import read_campaign
from harness.ledger.ledger import LATEST
from harness.ledger.results_index import write_results_index
from harness.ledger.run_names import new_run_name
from harness.ledger.runs import find_run, open_run
from harness.plan import doctor as doctors
from harness.plan import trials as planning
from harness.plan.foresight import foresee
from harness.run.progress import Progress, make_view
from harness.run.runner import CampaignRun
from harness.spec.load import find_campaign, load_campaign, read_mixes

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Which WiredTiger block compressor should this MongoDB workload run, and did an upgrade change anything?",
    epilog="Examples:  harness run quick  ·  harness plan arm-article  ·  harness report results/quick/latest",
)

CampaignArgument = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="A name in campaigns/, or a path.")]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, e.g. results/quick/latest.")]
ResultsOption = Annotated[Path, typer.Option("--results", help="Where runs are kept.")]
InventoryOption = Annotated[str, typer.Option("--inventory", help="A name in ansible/inventories, or a path.")]
NewOption = Annotated[bool, typer.Option("--new", help="Start a new run even if there is an unfinished one.")]
PlainOption = Annotated[bool, typer.Option("--plain", help="Print progress as lines, as in CI.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print void trials and notes only.")]
EventsOption = Annotated[bool, typer.Option("--json", help="One JSON event per line.")]
HomeOption = Annotated[
    Path, typer.Option("--home", envvar="PRESSGAUGE_HOME", help="Pressgauge's folder on this machine.")
]
DEFAULT_HOME = default_home()
DEFAULT_RESULTS = Path("results")


@app.command()
def run(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    campaign: CampaignArgument = "quick",
    results: ResultsOption = DEFAULT_RESULTS,
    inventory: InventoryOption = "local",
    home: HomeOption = DEFAULT_HOME,
    anew: NewOption = False,
    plain: PlainOption = False,
    quiet: QuietOption = False,
    as_json: EventsOption = False,
) -> None:
    """Run a campaign, or resume an unfinished run of it, and write its report."""
    path = find_campaign(campaign)
    spec = load_campaign(path)
    mixes = read_mixes(spec, path)
    site = find_site(inventory, home.resolve())
    run_id = new_run_name(datetime.now(UTC))
    command = f"make run-campaign CAMPAIGN={campaign}" + ("" if inventory == "local" else f" INVENTORY={inventory}")
    ledger = open_run(
        results, spec.name, path.read_text(encoding="utf-8"), run_id, anew=anew, command=as_typed(command)
    )
    with ledger.locked():
        progress = Progress(make_view(plain=plain, quiet=quiet, as_json=as_json))
        try:
            records = CampaignRun(spec, mixes, site, ledger, progress).run(lambda known: blocks_wanted(spec, known))
            progress.finishing("writing the report")
            decision = write_outcome(ledger, spec)
        finally:
            progress.close()
        ledger.finish()
    write_results_index(results)
    say(summarise(decision, ledger))
    say(f"fingerprint of its evidence: {ledger.fingerprint()}")
    raise typer.Exit(exit_code(decision, records, planning.plan(spec, blocks_wanted(spec, records), ledger.platforms)))


@app.command()
def plan(
    campaign: CampaignArgument = "quick",
    earlier: Annotated[
        Path | None, typer.Option("--from", help="An earlier run: estimate from its scatter what this run can detect.")
    ] = None,
) -> None:
    """Print a campaign's trials, their order, and the time and disk they need. Changes nothing."""
    spec = load_campaign(find_campaign(campaign))
    known = find_run(earlier).records() if earlier else None
    say(planning.describe(spec))
    if known is not None:
        say(foresee(spec, known, spec.fewest_blocks))


@app.command()
def report(
    folder: RunArgument,
    template: Annotated[
        Path | None,
        typer.Option("--template", exists=True, file_okay=False, help="Your templates; see docs/templates.md."),
    ] = None,
) -> None:
    """Render a run's report again, offline."""
    ledger = find_run(folder)
    decision = write_outcome(ledger, read_campaign(ledger), template)
    if (ledger.folder.parent / LATEST).is_symlink():  # a run among its results, not a copy of one elsewhere
        write_results_index(ledger.folder.parent.parent)
    say(summarise(decision, ledger))


@app.command()
def decide(folder: RunArgument) -> None:
    """Print a run's decision and write nothing; exit 1 when a constraint is not met."""
    ledger = find_run(folder)
    spec, records = read_campaign(ledger), ledger.records()
    decision = decide_run(ledger, spec)
    say(summarise(decision, ledger))
    raise typer.Exit(exit_code(decision, records, planning.plan(spec, blocks_wanted(spec, records), ledger.platforms)))


@app.command()
def verify(
    folder: RunArgument,
    fingerprint: Annotated[
        str, typer.Option("--fingerprint", help="The fingerprint that was noted when the run ended.")
    ] = "",
) -> None:
    """Check a run: digests, plan, records against evidence; exit 1 when anything is not as recorded."""
    ledger = find_run(folder)
    wrong = list(dict.fromkeys([*evidence_faults(ledger), *report_faults(ledger)]))
    found = ledger.fingerprint()
    if fingerprint and fingerprint != found:
        wrong.append(f"{ledger.folder}: the fingerprint of its evidence is {found}, not {fingerprint}")
    say(wrong or [f"{ledger.folder}: {len(ledger.records())} trials, all as recorded; fingerprint {found}"])
    raise typer.Exit(Exit.GATE_FAILED if wrong else Exit.FINE)


@app.command("rederive")
def rederive_command(folder: RunArgument) -> None:
    """Derive a run's records again from their evidence, as this version of Pressgauge reads it."""
    ledger = find_run(folder)
    with ledger.locked():
        changed = list(rederive(ledger))
    say([*changed, f"{ledger.folder}: {len(changed)} of {len(ledger.records())} records changed"])
    if changed:
        say("`make report` renders the report from the new records")


@app.command()
def times(folder: RunArgument) -> None:
    """Print where the time of a run's trials went: total, outside their phases, and by step."""
    say(describe_times(find_run(folder).records()))


@app.command("gate")
def gate_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    baselines: Annotated[
        list[Path],
        typer.Argument(metavar="BASELINE...", help="Run folders, baseline files, or a folder of either; oldest first."),
    ],
    candidate: Annotated[
        Path,
        typer.Argument(metavar="CANDIDATE", help="A run folder; the baseline's own folder compares cells of that run."),
    ],
    tolerances: Annotated[Path | None, typer.Option("--tolerances", help="YAML; see docs/gate.md.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Also fail on anything undecided.")] = False,
    baseline_engine: Annotated[
        str | None, typer.Option("--baseline-engine", help="Compare with this engine's cells only.")
    ] = None,
    baseline_arm: Annotated[
        str | None, typer.Option("--baseline-arm", help="Compare with this arm's cells only.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="Check only this engine's cells of the candidate.")
    ] = None,
    arm: Annotated[str | None, typer.Option("--arm", help="Check only this arm's cells of the candidate.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write a Markdown summary.")] = None,
    as_json: Annotated[Path | None, typer.Option("--json", help="Write all findings.")] = None,
    annotations: Annotated[bool, typer.Option("--annotations", help="Print GitHub's workflow commands.")] = False,
) -> None:
    """Has the candidate got worse? Exit 1 for a regression, 2 for runs that can't be compared, 5 for blind checks."""
    chosen = Selection(baseline_engine=baseline_engine, baseline_arm=baseline_arm, engine=engine, arm=arm)
    judged = hold_gate(baselines, candidate, chosen, tolerances, strict=strict)
    say(judged.lines())
    say(write_outputs(judged, Outputs(junit, markdown, as_json, annotations)))
    raise typer.Exit(judged.exit_code)


@app.command()
def baseline(
    folder: RunArgument, path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")]
) -> None:
    """Write a finished run to a baseline file, small enough for a repository."""
    kept = write_baseline(folder, path)
    say(f"{path}: {len(kept.figures)} figures of {kept.campaign}/{kept.run_id}")


@app.command()
def doctor(
    campaign: CampaignArgument = "quick", inventory: InventoryOption = "local", home: HomeOption = DEFAULT_HOME
) -> None:
    """Print what on the hosts would distort the numbers of a campaign. Changes nothing."""
    versions = [engine.version for engine in load_campaign(find_campaign(campaign)).engines.values()]
    for host, found in find_site(inventory, home.resolve()).survey([]).items():
        say(doctors.report(host, found.survey, doctors.examine(found.survey, versions)))


@app.command("tear-down")
def tear_down(inventory: InventoryOption = "local", home: HomeOption = DEFAULT_HOME) -> None:
    """End everything that a killed run left on the hosts, and delete its data. The next run would do so by itself."""
    site = find_site(inventory, home.resolve())
    with site.locked():
        site.tear_down()
    say(f"{site.inventory}: nothing of any run is left on its hosts")
