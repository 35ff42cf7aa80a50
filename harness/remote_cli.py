"""The commands that work with machines elsewhere. What each needs is loaded when it is called: boto3 is heavy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.errors import InputError
from harness.terminal import say

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

StoreOption = Annotated[str, typer.Option("--store", help="s3://bucket/prefix.")]
EndpointOption = Annotated[
    str | None, typer.Option("--endpoint", envvar="PRESSGAUGE_S3_ENDPOINT", help="Of an S3-compatible server.")
]


@app.command("push")
def push(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, e.g. results/quick/latest.")],
    store: StoreOption,
    endpoint: EndpointOption = None,
) -> None:
    """Send a run to a results store: only what it lacks. Killed, the same command goes on where it was."""
    from harness.ledger import find_run
    from harness.quantities import show_size
    from harness.store.bucket import open_store
    from harness.store.push import push as send

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
    """Fetch a run from a results store, checked by digest. Killed, the same command goes on where it was."""
    from harness.store.bucket import open_store
    from harness.store.pull import pull as fetch

    campaign, _, run_id = "/".join(Path(run).parts[-2:]).partition("/")
    if not run_id:
        raise InputError(f"{run!r} names no run", do="give RUN=<campaign>/<run-id>, or RUN=<campaign>/latest")
    folder, fetched = fetch(open_store(store, endpoint), campaign, run_id, results)
    say(f"{folder}: as in the store; {fetched} files fetched")


@app.command("store-list")
def store_list(store: StoreOption, endpoint: EndpointOption = None) -> None:
    """Name the runs of a results store, and write its index.html anew."""
    from harness.store.bucket import open_store
    from harness.store.index import index_store

    say(index_store(open_store(store, endpoint)))


COMMANDS = frozenset(command.name for command in app.registered_commands)
