"""The command that replays recorded traffic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from core.files import write_whole
from datasets import DatasetError
from datasets.collections import read_documents
from datasets.recordings import prepare_traffic
from harness.cli import commands
from harness.cli.commands import (
    DEFAULT_HOME,
    DEFAULT_RESULTS,
    EventsOption,
    HomeOption,
    InventoryOption,
    NewOption,
    PlainOption,
    QuietOption,
    ResultsOption,
)
from harness.cli.terminal import say
from harness.errors import InputError
from harness.ledger.run_names import name_of_data
from harness.plan.written.replayed import campaign_text, with_replay
from harness.spec.load import find_campaign, load_campaign
from harness.spec.phases import Replay, Speed
from harness.spec.yaml_source import read_yaml

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

RecordingArgument = Annotated[
    Path, typer.Argument(metavar="RECORDING", help="mongod's recorded traffic, or a dump of system.profile.")
]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="The collection's documents as they were when the recording began.")
]
_FOLDER = "replay"


@app.command("replay")
def replay_command(  # noqa: PLR0913, PLR0917 - an argument an option, named on the command line
    recording: RecordingArgument,
    data: DataOption = None,
    campaign: Annotated[
        str, typer.Option("--campaign", help="One that has these documents; its workloads are replaced.")
    ] = "",
    speed: Annotated[str, typer.Option("--speed", help="Times as fast as recorded, or max.")] = "1",
    collection: Annotated[
        str, typer.Option("--collection", help="<database>.<collection>; that with most operations if left out.")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="Of the campaign; the recording's own if left out.")] = "",
    results: ResultsOption = DEFAULT_RESULTS,
    inventory: InventoryOption = "local",
    home: HomeOption = DEFAULT_HOME,
    anew: NewOption = False,
    plain: PlainOption = False,
    quiet: QuietOption = False,
    as_json: EventsOption = False,
) -> None:
    """Replay recorded traffic into every arm, in turns: write the campaign that does so, and run it."""
    if bool(data) == bool(campaign):
        raise InputError(
            "either the documents are to be named that the recording began with, or a campaign that has them",
            do="name one of both: the documents, or the campaign",
        )
    try:
        asked = Replay(recording=recording.resolve(), speed=_speed(speed))
        traffic = prepare_traffic(asked.recording, collection or None, home.resolve() / "datasets")
        text = _own(asked, traffic, data) if data else with_replay(_keys(campaign), asked, traffic)
    except DatasetError as error:
        raise InputError(str(error), do="see docs/replay.md for what can be replayed, and how") from error
    path = results / _FOLDER / f"{name or name_of_data(recording.resolve())}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    load_campaign(path)
    say(f"the campaign: {path}")
    commands.run(str(path), results, inventory, home, anew, plain, quiet, as_json)


def _speed(told: str) -> Any:
    try:
        return TypeAdapter(Speed).validate_python(told if told == "max" else float(told))
    except (ValidationError, ValueError):
        raise InputError(f"--speed {told}: is no speed", do="give a number above 0 and up to 1000, or max") from None


def _keys(campaign: str) -> dict[str, Any]:
    """What a campaign's file says. Raises InputError."""
    path = find_campaign(campaign)
    load_campaign(path)
    return dict(read_yaml(path).data)


def _own(replay: Replay, traffic: Any, data: Path) -> str:
    """A campaign on documents of one's own. Raises DatasetError."""
    documents = size_bytes = 0
    for one in read_documents(data):
        documents, size_bytes = documents + 1, size_bytes + len(one)
    return campaign_text(replay, traffic, data.resolve(), documents, size_bytes)
