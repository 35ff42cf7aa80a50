"""The commands of an estimate, and of a sample to make one of."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from pydantic import TypeAdapter, ValidationError

from analysis.estimate.records import Price
from core.bounds import LARGEST_INT
from core.files import write_whole
from core.sizes import Size, exact_size
from datasets import updatable_paths
from datasets.collections import MOST_CHANGE, Anonymise
from harness.cli.commands import DEFAULT_HOME, DEFAULT_RESULTS, HomeOption, InventoryOption, ResultsOption
from harness.cli.terminal import say
from harness.errors import InputError
from harness.hosts.site import find_site
from harness.ledger.run_names import name_of_data, new_run_name
from harness.plan.estimating import SAMPLE_BYTES
from harness.plan.written.estimated import campaign_text
from harness.run.own_data import sampling
from harness.run.own_data.estimating import Wanted, estimate
from harness.run.own_data.sampling import Live
from harness.spec.engines import WheelEngine
from reports import estimate_lines, write_estimate

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

VERSIONS: tuple[Any, ...] = get_args(WheelEngine.model_fields["version"].annotation)
DataArgument = Annotated[
    Path | None, typer.Argument(metavar="DATA", help="A file or folder of documents: docs/own-data.md.")
]
UriOption = Annotated[
    Path | None, typer.Option("--uri-file", help="Holds the connection string of a server that has the documents.")
]
CollectionOption = Annotated[str, typer.Option("--collection", help="Of that server: <database>.<collection>.")]
AnonymiseOption = Annotated[
    str,
    typer.Option(
        "--anonymise", help="1 for all values, or path,path for those below these; -path leaves one in clear."
    ),
]
ChangeOption = Annotated[
    float,
    typer.Option("--most-change", min=0, max=100, help="Per cent by which anonymising may change a codec's ratio."),
]
_FOLDER, _SAMPLES = "estimate", "samples"


@app.command("estimate")
def estimate_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    data: DataArgument = None,
    uri_file: UriOption = None,
    collection: CollectionOption = "",
    anonymise: AnonymiseOption = "",
    most_change: ChangeOption = 100 * MOST_CHANGE,
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
    source = _source(data, uri_file, collection)
    name = name or _name(source)
    wanted = Wanted(
        name=name,
        data=source,
        anonymise=anonymise_asked(anonymise, most_change),
        engine=WheelEngine(version=engine),
        port=port,
        price=Price(per_gb_month=price, replicas=replicas, currency=currency) if price else None,
    )
    folder = results / _FOLDER / name
    logs = folder / "logs" / new_run_name(datetime.now(UTC))
    found = estimate(wanted, find_site(inventory, home.resolve()), logs, say)
    if not isinstance(source, Live):  # nothing of it stays that a campaign could store
        write_whole(folder / "campaign.yaml", campaign_text(found, source.resolve(), updatable_paths(source)))
    write_estimate(found, folder / "index.html")
    write_whole(folder / "estimate.json", found.model_dump_json(indent=1) + "\n")
    say(estimate_lines(found))
    say(f"the page: {folder / 'index.html'}")


@app.command("sample")
def sample_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    data: DataArgument = None,
    uri_file: UriOption = None,
    collection: CollectionOption = "",
    anonymise: AnonymiseOption = "",
    most_change: ChangeOption = 100 * MOST_CHANGE,
    into: Annotated[
        Path | None, typer.Option("--into", help="A folder of its own; in the results if left out.")
    ] = None,
    size: Annotated[str, typer.Option("--size", help="Of the sample, at most.")] = exact_size(SAMPLE_BYTES),
    seed: Annotated[int, typer.Option("--seed", min=0, max=LARGEST_INT, help="Another one draws other runs.")] = 1,
    results: ResultsOption = DEFAULT_RESULTS,
) -> None:
    """Take a sample of your documents, from a file or a server, into a folder that stands for the collection."""
    most_bytes = size_asked(size)
    source = _source(data, uri_file, collection)
    into = into or results / _SAMPLES / _name(source)
    wanted = sampling.Wanted(source, most_bytes, seed=seed, anonymise=anonymise_asked(anonymise, most_change))
    found = sampling.sample(wanted, into, say)
    say(sampling.describe(found))
    say(f"the sample: {into}; estimate what its collection would take with `make estimate DATA={into}`")


def _name(source: Path | Live) -> str:
    """What its results are called."""
    return name_of_data(Path(source.collection.replace(".", "-")) if isinstance(source, Live) else source.resolve())


def _source(data: Path | None, uri_file: Path | None, collection: str) -> Path | Live:
    """What the documents are read from: one of both."""
    if data is not None and not uri_file and not collection:
        return data
    if data is None and uri_file and collection:
        return Live(uri_file, collection)
    raise InputError(
        "either a file or folder is to be named, or a collection on a server",
        do="give DATA=<file or folder>, or URI_FILE=<file> COLLECTION=<database>.<collection>",
    )


def size_asked(told: str) -> int:
    """The bytes of a sample, one at least. Raises InputError."""
    try:
        return max(1, TypeAdapter(Size).validate_python(told))
    except ValidationError:
        raise InputError(f"--size {told}: is no size", do="write a number and a unit: 64MB") from None


def anonymise_asked(told: str, most_change: float) -> Anonymise | None:
    """What `1`, `path,path` and `-path` mean."""
    if not told or told == "0":
        return None
    named = [one.strip() for one in told.split(",") if one.strip() not in {"", "1"}]
    return Anonymise(
        paths=tuple(one for one in named if not one.startswith("-")),
        in_clear=tuple(one[1:] for one in named if one.startswith("-")),
        most_change=most_change / 100,
    )
