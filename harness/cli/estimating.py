"""The command of an estimate."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from analysis.estimate.records import Price
from core.files import write_whole
from datasets import updatable_paths
from harness.cli.commands import DEFAULT_HOME, DEFAULT_RESULTS, HomeOption, InventoryOption, ResultsOption
from harness.cli.terminal import say
from harness.errors import InputError
from harness.hosts.site import find_site
from harness.ledger.run_names import name_of_data, new_run_name
from harness.plan.estimated_campaign import campaign_text
from harness.run.estimating import Wanted, estimate
from harness.spec.engines import WheelEngine
from reports import estimate_lines, write_estimate

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

VERSIONS: tuple[Any, ...] = get_args(WheelEngine.model_fields["version"].annotation)
DataArgument = Annotated[Path, typer.Argument(metavar="DATA", help="A file or folder of documents: docs/own-data.md.")]
_FOLDER = "estimate"


@app.command("estimate")
def estimate_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    data: DataArgument,
    name: Annotated[str, typer.Option("--name", help="Of the results' folder; the data's own name if left out.")] = "",
    price: Annotated[float | None, typer.Option("--price", min=1e-6, max=1e6, help="Of a GB-month of storage.")] = None,
    replicas: Annotated[int, typer.Option("--replicas", min=1, max=50, help="Members that store the data.")] = 3,
    currency: Annotated[str, typer.Option("--currency", help="Of the price.")] = "USD",
    engine: Annotated[str, typer.Option("--engine", help="mongod's version.")] = "6.0.5",
    port: Annotated[int, typer.Option("--port", min=1024, max=65535, help="Of the mongods; must be free.")] = 27117,
    results: ResultsOption = DEFAULT_RESULTS,
    inventory: InventoryOption = "local",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """What your documents would take under each compressor, level and page size: sizes in a minute, not speed."""
    if engine not in VERSIONS:
        raise InputError(f"{engine!r} is no mongod that comes by itself", do=f"choose one of {', '.join(VERSIONS)}")
    name = name or name_of_data(data)
    wanted = Wanted(
        name=name,
        data=data,
        engine=WheelEngine(version=engine),
        port=port,
        price=Price(per_gb_month=price, replicas=replicas, currency=currency) if price else None,
    )
    folder = results / _FOLDER / name
    logs = folder / "logs" / new_run_name(datetime.now(UTC))
    found = estimate(wanted, find_site(inventory, home.resolve()), logs, say)
    write_whole(folder / "campaign.yaml", campaign_text(found, data.resolve(), updatable_paths(data)))
    write_estimate(found, folder / "index.html")
    write_whole(folder / "estimate.json", found.model_dump_json(indent=1) + "\n")
    say(estimate_lines(found))
    say(f"the page: {folder / 'index.html'}")
