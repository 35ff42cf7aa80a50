"""`index.html` of a whole store, and its runs in a line each."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core.bounds import is_name, is_run_name
from core.sizes import show_size
from harness.addons.s3.pull import fetch, read_manifest
from harness.addons.s3.push import AT_A_TIME
from harness.errors import HostError, PressgaugeError
from harness.ledger.facts import run_facts
from harness.ledger.ledger import DECISION_FILE, HOST_FILE
from harness.ledger.results_index import find_shifts, summarise_run
from reports import RunSummary, write_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

    from pydantic import JsonValue

    from harness.addons.s3.bucket import Bucket
    from harness.addons.s3.manifest import Manifest

INDEX = "index.html"
_MOST_BYTES = 32 * 2**20  # of a decision and what lies beside a run's trials, each a megabyte or so
_SCRATCH = "pressgauge-index-"


def index_store(store: Bucket) -> Iterator[str]:
    """Write the store's index anew, from what each run's prefix holds; a line a run, and one for the index."""
    names = [(campaign, run) for campaign in store.folders() for run in store.folders(f"{campaign}/")]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        found = list(pool.map(lambda name: _look(store, *name), names))
    runs = [summary for _, summary in found if summary]
    shifts = find_shifts(runs, lambda campaign, run_id: _facts(store, campaign, run_id))
    with tempfile.TemporaryDirectory(prefix=_SCRATCH) as scratch:
        page = Path(scratch) / INDEX
        write_index(runs, shifts, page)
        store.put(INDEX, page.read_bytes())
    yield from (line for line, _ in found)
    yield f"{store}/{INDEX}: {len(runs)} of {len(found)} runs have a report"


def _look(store: Bucket, campaign: str, run_id: str) -> tuple[str, RunSummary | None]:
    """A run's line and, if it has a report, its summary."""
    if not is_name(campaign) or not is_run_name(run_id):
        return f"{campaign!r}/{run_id!r}: not the names of a campaign and a run", None
    try:
        manifest = read_manifest(store, campaign, run_id)
        with _small(store, manifest, {DECISION_FILE, HOST_FILE}) as folder:
            decision, hosts = (
                path.read_bytes() if path.exists() else b"" for path in (folder / DECISION_FILE, folder / HOST_FILE)
            )
    except PressgaugeError as error:
        return f"{campaign}/{run_id}: {error.what}", None
    trials = sum(file.path.startswith("trials/") and file.path.endswith("/trial.json") for file in manifest.files)
    line = f"{campaign}/{run_id}: {trials} trials, {show_size(manifest.size_bytes)}, pushed {manifest.pushed_at}"
    summary = summarise_run(campaign, run_id, decision, hosts)
    return line + (f"; {DECISION_FILE} can't be read" if decision and not summary else ""), summary


def _facts(store: Bucket, campaign: str, run_id: str) -> Mapping[str, JsonValue]:
    """A run's facts, from the files beside its trials."""
    manifest = read_manifest(store, campaign, run_id)
    with _small(store, manifest, {file.path for file in manifest.files if "/" not in file.path}) as folder:
        return run_facts(folder)


@contextmanager
def _small(store: Bucket, manifest: Manifest, paths: Set[str]) -> Iterator[Path]:
    """A run's folder with these of its files, as far as it has them, unpacked and checked; gone afterwards.

    Raises:
        HostError: they are larger than they can rightly be, or not what the manifest says.
    """
    files = [file for file in manifest.files if file.path in paths]
    size_bytes = sum(file.size_bytes for file in files)
    if size_bytes > _MOST_BYTES:
        what = ", ".join(file.path for file in sorted(files, key=lambda file: -file.size_bytes)[:2])
        raise HostError(f"{what}: {show_size(size_bytes)} are too much to be what the names say", do="push it again")
    with tempfile.TemporaryDirectory(prefix=_SCRATCH) as scratch:
        folder = Path(scratch) / manifest.campaign / manifest.run_id
        folder.mkdir(parents=True)
        for file in files:
            fetch(store, f"{manifest.campaign}/{manifest.run_id}/{file.name}", file, folder)
        yield folder
