"""The command that imports a stock property file of YCSB."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from core.files import write_whole
from harness.cli.terminal import say
from harness.errors import InputError
from harness.spec.load import load_campaign
from harness.spec.mixes.ycsb_import import import_ycsb

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@app.command("import-ycsb")
def import_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A property file of YCSB, e.g. its workloads/workloada.")
    ],
    into: Annotated[Path, typer.Option("--into", help="The folder for the campaign and its mix.")] = Path("campaigns"),
) -> None:
    """Make a campaign and a mix of a stock property file of YCSB; say what was taken and what was not."""
    name = _NO_NAME.sub("-", file.name.removesuffix(".properties")).strip("-") or "imported"
    found = import_ycsb(file, name)
    campaign, mix = into / f"{name}.yaml", into / f"{name}.properties"
    for path in (campaign, mix):
        if path.exists():
            raise InputError(f"{path}: is already there", do="remove it, or give another folder with --into")
    _write({mix: found.mix, campaign: found.campaign})
    say(["taken:", *(f"  {line}" for line in found.taken)])
    say(["not taken:", *(f"  {line}" for line in found.left or ("nothing",))])
    say(f"{campaign} and {mix} are written; run it with `make run-campaign CAMPAIGN={campaign}`")


def _write(files: dict[Path, str]) -> None:
    """Write the mix and, last, the campaign, and see whether it can be run; nothing is left where it can't."""
    *_, campaign = files
    try:
        campaign.parent.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            write_whole(path, text)
        load_campaign(campaign)
    except OSError as error:
        _remove(files)
        raise InputError(f"{campaign.parent}: can't be written: {error.strerror}", do="give another --into") from error
    except InputError:
        _remove(files)
        raise


def _remove(files: dict[Path, str]) -> None:
    for path in files:
        path.unlink(missing_ok=True)
