"""The commands that work with machines elsewhere. What each needs is loaded when it is called: boto3 is heavy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.terminal import say
from harness.errors import InputError

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

StoreOption = Annotated[str, typer.Option("--store", help="s3://bucket/prefix.")]
CampaignArgument = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="A name in campaigns/, or a path.")]
HomeOption = Annotated[
    Path, typer.Option("--home", envvar="PRESSGAUGE_HOME", help="Pressgauge's folder on this machine.")
]
EndpointOption = Annotated[
    str | None, typer.Option("--endpoint", envvar="PRESSGAUGE_S3_ENDPOINT", help="Of an S3-compatible server.")
]


@app.command("push")
def push(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, e.g. results/quick/latest.")],
    store: StoreOption,
    endpoint: EndpointOption = None,
) -> None:
    """Send a run to a results store: only what the store lacks. After a kill, the same command resumes."""
    from core.sizes import show_size
    from harness.addons.s3.bucket import open_store
    from harness.addons.s3.push import push as send
    from harness.ledger.runs import find_run

    manifest, sent = send(find_run(folder), open_store(store, endpoint))
    say(
        f"{store}/{manifest.campaign}/{manifest.run_id}: {len(manifest.files)} files, "
        f"{show_size(manifest.size_bytes)}; sent {sent.files} files, {show_size(sent.size_bytes)} compressed; "
        f"there already: {sent.files_there} files, {sent.parts_there} parts of others"
    )


@app.command("pull")
def pull(
    run: Annotated[str, typer.Argument(metavar="RUN", help="<campaign>/<run-id>, or <campaign>/latest.")],
    store: StoreOption,
    results: Annotated[Path, typer.Option("--results", help="Where runs are kept.")] = Path("results"),
    endpoint: EndpointOption = None,
) -> None:
    """Fetch a run from a results store, checked by digest. After a kill, the same command resumes."""
    from harness.addons.s3.bucket import open_store
    from harness.addons.s3.pull import pull as fetch

    campaign, _, run_id = "/".join(Path(run).parts[-2:]).partition("/")
    if not run_id:
        raise InputError(f"{run!r} names no run", do="give RUN=<campaign>/<run-id>, or RUN=<campaign>/latest")
    folder, fetched = fetch(open_store(store, endpoint), campaign, run_id, results)
    say(f"{folder}: as in the store; {fetched} files fetched")


@app.command("store-list")
def store_list(store: StoreOption, endpoint: EndpointOption = None) -> None:
    """List the runs of a results store, and write its index.html again."""
    from harness.addons.s3.bucket import open_store
    from harness.addons.s3.index import index_store

    say(index_store(open_store(store, endpoint)))


@app.command("cloud-up")
def cloud_up(
    campaign: CampaignArgument,
    hosts: Annotated[
        str, typer.Option("--hosts", help="Kinds of hosts, separated by commas; left out: all of the spec's.")
    ] = "",
    home: HomeOption = Path(".pressgauge"),
    yes: Annotated[bool, typer.Option("--yes", help="Start without asking.")] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="Print the cost, and start nothing.")] = False,
) -> None:
    """Start a campaign's hosts on EC2 and write their inventory, after showing the cost and checking its limit."""
    from harness.addons.ec2.kept import kept
    from harness.addons.ec2.launch import prepare
    from harness.addons.ec2.up import bring_up
    from harness.ledger.locks import hold
    from harness.spec.load import find_campaign, load_campaign

    spec = load_campaign(find_campaign(campaign))
    folder = home.resolve() / "cloud"
    folder.mkdir(parents=True, exist_ok=True)
    with hold(folder / ".lock", f"{folder}: hosts are being started"):  # two starts at a time could pass one limit
        regions = {one.region for one in kept(folder, campaign=spec.name)}
        launch = prepare(spec, [name for name in hosts.split(",") if name], sorted(regions))
        say(launch.estimate.lines())
        if estimate:
            return
        if not yes and not (sys.stdin.isatty() and typer.confirm("Start these hosts?")):
            raise InputError("nothing was started", do="answer y, or give YES=1")
        inventory = bring_up(launch, folder, say)
    say(f"up until {launch.identity.expires_at:%Y-%m-%d %H:%M} UTC: {launch.identity.run}")
    say(f"make run-campaign CAMPAIGN={campaign} INVENTORY={inventory}")
    say(f"make cloud-down CAMPAIGN={campaign}")


@app.command("cloud-down")
def cloud_down(
    campaign: CampaignArgument,
    run: Annotated[
        str, typer.Option("--run", help="A run that `cloud-list` names; left out: all of the campaign's.")
    ] = "",
    home: HomeOption = Path(".pressgauge"),
) -> None:
    """Remove your hosts of a campaign and everything that came with them, found by tags; also after a crash."""
    from core.bounds import is_run_name
    from harness.addons.aws import client
    from harness.addons.ec2.down import take_down
    from harness.addons.ec2.fleet import caller
    from harness.addons.ec2.kept import kept
    from harness.addons.ec2.launch import cloud_of
    from harness.spec.load import find_campaign, load_campaign

    if run and not is_run_name(run):
        raise InputError(f"no started hosts are called {run!r}", do="`make cloud-list` names them")
    spec, folder = load_campaign(find_campaign(campaign)), home.resolve() / "cloud"
    named = client("ec2", region=cloud_of(spec).region).meta.region_name
    regions = list(dict.fromkeys([*(one.region for one in kept(folder, campaign=spec.name, run=run)), named]))
    removed = 0
    for region in regions:  # also where hosts were started before the spec, or AWS_REGION, named another one
        for line in take_down(client("ec2", region=region), folder, campaign=spec.name, owner=caller(region), run=run):
            say(line)
            removed += 1
    say(f"{spec.name}: {'' if removed else 'no hosts of yours were found; '}looked in {', '.join(regions)}")


@app.command("cloud-list")
def cloud_list(
    region: Annotated[str | None, typer.Option("--region", help="Region; left out: as boto3 finds it.")] = None,
) -> None:
    """List the hosts on EC2, of every campaign and owner, and what they cost per hour."""
    from harness.addons.aws import client
    from harness.addons.ec2.fleet import describe, find_fleets

    ec2 = client("ec2", region=region)
    say(f"in {ec2.meta.region_name}:")
    say(describe(find_fleets(ec2)))


COMMANDS = frozenset(command.name for command in app.registered_commands)
