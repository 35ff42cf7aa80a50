"""`index.html` of a whole store, and its runs in a line each."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from harness.aws import answers
from harness.errors import PressgaugeError
from harness.facts import run_facts
from harness.ledger import DECISION_FILE, HOST_FILE
from harness.quantities import show_size
from harness.results_index import find_shifts, summarise_run
from harness.store.pull import read_manifest
from harness.store.push import AT_A_TIME
from harness.store.streams import unpack
from reports import RunSummary, write_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from harness.store.bucket import Bucket
    from harness.store.manifest import Manifest

INDEX = "index.html"


def index_store(store: Bucket) -> Iterator[str]:
    """Write the store's index anew, from what each run's prefix holds; a line a run, and one for the index."""
    names = [(campaign, run) for campaign in store.folders() for run in store.folders(f"{campaign}/")]
    with tempfile.TemporaryDirectory(prefix="pressgauge-index-") as scratch:
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            found = list(pool.map(lambda name: _look(store, name[0], name[1], Path(scratch)), names))
        page, runs = Path(scratch) / INDEX, [summary for _, summary in found if summary]
        shifts = find_shifts(runs, lambda campaign, run_id: _facts(store, campaign, run_id, Path(scratch)))
        write_index(runs, shifts, page)
        store.put(INDEX, page.read_bytes())
    yield from (line for line, _ in found)
    yield f"{store}/{INDEX}: {sum(summary is not None for _, summary in found)} of {len(found)} runs have a report"


def _look(store: Bucket, campaign: str, run_id: str, scratch: Path) -> tuple[str, RunSummary | None]:
    """A run's line and, if it has a report, its summary."""
    try:
        manifest = read_manifest(store, campaign, run_id)
        decision, hosts = (_small(store, manifest, name, scratch) for name in (DECISION_FILE, HOST_FILE))
    except PressgaugeError as error:
        return f"{campaign}/{run_id}: {error.what}", None
    trials = sum(file.path.startswith("trials/") and file.path.endswith("/trial.json") for file in manifest.files)
    line = f"{campaign}/{run_id}: {trials} trials, {show_size(manifest.size_bytes)}, pushed {manifest.pushed_at}"
    return line, summarise_run(campaign, run_id, decision, hosts)


def _facts(store: Bucket, campaign: str, run_id: str, scratch: Path) -> Mapping[str, JsonValue]:
    """A run's facts, from the files beside its trials."""
    manifest = read_manifest(store, campaign, run_id)
    for file in manifest.files:
        if "/" not in file.path:
            _small(store, manifest, file.path, scratch)
    return run_facts(scratch / campaign / run_id)


def _small(store: Bucket, manifest: Manifest, path: str, scratch: Path) -> bytes:
    """A small file of a run, unpacked and checked, which then lies in its place below `scratch`; nothing if the run has
    none.
    """
    file = next((file for file in manifest.files if file.path == path), None)
    body = store.open(f"{manifest.campaign}/{manifest.run_id}/{file.name}") if file else None
    if file is None or body is None:
        return b""
    here = scratch / manifest.campaign / manifest.run_id / path
    here.parent.mkdir(parents=True, exist_ok=True)
    with answers("s3"), body:
        unpack(body, file, here)
    return here.read_bytes()
