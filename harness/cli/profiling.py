"""The command of a profile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from core.bounds import is_name
from core.files import write_whole
from core.sizes import Size
from datasets import DatasetError
from datasets.profiling import CODECS, Codec, parse_codec
from harness.cli.commands import DEFAULT_HOME, DEFAULT_RESULTS, HomeOption, ResultsOption
from harness.cli.terminal import say
from harness.errors import InputError
from harness.hosts.site import find_site
from harness.ledger.run_names import name_of_data
from harness.run.own_data.profiling import Wanted, profile
from reports import profile_lines, write_profile

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

DataArgument = Annotated[
    Path, typer.Argument(metavar="DATA", help="A file, a folder, a collection, or a campaign: docs/profile.md.")
]
_FOLDER = "profile"
_ESTIMATE = "estimate"
_LEAST_BYTES, _MOST_BYTES = 2**12, 2**30


@app.command("profile-dataset")
def profile_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    data: DataArgument,
    name: Annotated[str, typer.Option("--name", help="Of the results' folder; the data's own name if left out.")] = "",
    dataset: Annotated[str, typer.Option("--dataset", help="Of a campaign with several; else its first.")] = "",
    as_bytes: Annotated[bool, typer.Option("--as-bytes", help="Bytes, even of what holds documents.")] = False,
    most: Annotated[str, typer.Option("--bytes", help="How much of the data is taken, evenly.")] = "16MiB",
    codecs: Annotated[
        str, typer.Option("--codecs", help="Only these, e.g. snappy,zstd-6,zstd-19; all if left out.")
    ] = "",
    processes: Annotated[
        int, typer.Option("--processes", min=0, max=1024, help="The most at once; 0: one for each core.")
    ] = 0,
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, max=60, help="Of one measurement of three.")] = 0.1,
    results: ResultsOption = DEFAULT_RESULTS,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """How far codecs compress your data and how fast, by block size and number of processes; no server runs."""
    name = name or name_of_data(data)
    if not is_name(name):
        raise InputError(f"{name!r} can't be a folder's name", do="give NAME=<letters, digits, dots, dashes>")
    wanted = Wanted(
        name=name,
        data=data,
        dataset=dataset,
        as_bytes=as_bytes,
        most_bytes=_bytes(most),
        codecs=_codecs(codecs),
        processes=processes,
        seconds=seconds,
    )
    site = find_site("local", home.resolve())
    found = profile(wanted, site, results / _ESTIMATE / name / "estimate.json", say)
    folder = results / _FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    write_profile(found, folder / "index.html")
    write_whole(folder / "profile.json", found.model_dump_json(indent=1) + "\n")
    say(profile_lines(found))
    say(f"the page: {folder / 'index.html'}")


def _codecs(text: str) -> tuple[Codec, ...]:
    try:
        return tuple(map(parse_codec, text.split(","))) if text else CODECS
    except DatasetError as error:
        raise InputError(str(error), do="separate several by commas: CODECS=snappy,zstd-6") from error


def _bytes(text: str) -> int:
    try:
        size = TypeAdapter[int](Size).validate_python(text)
    except ValidationError as error:
        raise InputError(f"--bytes: {error.errors()[0]['msg']}", do="write a size such as 16MiB") from error
    if not _LEAST_BYTES <= size <= _MOST_BYTES:
        raise InputError(f"--bytes: {text} is not from 4KiB to 1GiB", do="write a size such as 16MiB")
    return size
