"""The command that mirrors a deployment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.bounds import is_name
from datasets.collections import MOST_CHANGE
from harness.cli.commands import DEFAULT_RESULTS, ResultsOption
from harness.cli.estimating import AnonymiseOption, ChangeOption, anonymise_asked, size_asked
from harness.cli.terminal import say
from harness.errors import InputError
from harness.run.mirror.mirroring import Wanted, describe, mirror

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

_SECONDS, _LEAST_S, _MOST_S = 120.0, 1, 86_400


@app.command("mirror")
def mirror_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    uri_file: Annotated[Path, typer.Option("--uri-file", help="Holds the connection string of the deployment.")],
    collection: Annotated[str, typer.Option("--collection", help="<database>.<collection>, or several with commas.")],
    name: Annotated[str, typer.Option("--name", help="Of the campaign, its mix and its sample.")],
    seconds: Annotated[
        float, typer.Option("--seconds", min=_LEAST_S, max=_MOST_S, help="How long to look at the deployment.")
    ] = _SECONDS,
    anonymise: AnonymiseOption = "1",
    most_change: ChangeOption = 100 * MOST_CHANGE,
    size: Annotated[str, typer.Option("--size", help="Of each collection's sample, at most.")] = "64MB",
    into: Annotated[Path, typer.Option("--into", help="Folder of the campaign and the mix.")] = Path("campaigns"),
    results: ResultsOption = DEFAULT_RESULTS,
) -> None:
    """Make a campaign of a deployment: look at it for minutes as a user who can only read, and sample its documents."""
    names = [one.strip() for one in collection.split(",") if one.strip()]
    if not is_name(name) or not names:
        raise InputError(
            f"--name {name!r}, --collection {collection!r}: a campaign needs a name, and one collection at least",
            do="give letters, digits, dots, dashes; and <database>.<collection>, or several with commas",
        )
    wanted = Wanted(
        uri_file=uri_file,
        collections=list(dict.fromkeys(names)),
        name=name,
        seconds=seconds,
        sample_bytes=size_asked(size),
        anonymise=anonymise_asked(anonymise, most_change),
        into=into,
        samples=results / "samples",
    )
    for path, observed in mirror(wanted, say):
        say(describe(observed))
        say(f"the campaign: {path}; run it with `make run-campaign CAMPAIGN={path}`")
