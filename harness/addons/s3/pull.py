"""Fetching a run that is not here yet: several files at a time, each checked; the run appears when all are there."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing
from typing import TYPE_CHECKING

from pydantic import ValidationError

from core.bounds import is_name, is_run_name
from core.sizes import show_size
from harness.addons.aws import answers
from harness.addons.s3.folder import files_below, is_passing
from harness.addons.s3.manifest import MANIFEST, MOST_MANIFEST_BYTES, Manifest
from harness.addons.s3.push import AT_A_TIME
from harness.addons.s3.streams import digest_of, unpack
from harness.errors import HostError, InputError
from harness.ledger.ledger import LATEST
from harness.ledger.locks import hold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harness.addons.s3.bucket import Bucket
    from harness.addons.s3.manifest import StoredFile

_LOCK = ".lock"
_KEEP_FREE_BYTES = 2**30
_MOST_RATIO = 100  # a run's evidence is packed as it is kept already, so a run packs to a half or so
_ALWAYS_BYTES = 64 * 2**20  # a small run may pack as it likes


def pull(store: Bucket, campaign: str, run_id: str, results: Path) -> tuple[Path, int]:
    """Fetch a run into `<results>/<campaign>/<run-id>`; its folder, and how many files had to be fetched.

    It appears whole: until then its files lie in a folder with a leading dot, and a pull that was killed goes on
    there. A run that is here already is compared and never changed. `latest` stays as it is: it names the run that a
    campaign goes on with.

    Raises:
        InputError: the store has no such run, or one that no disk should take; a run of that name here is another.
        HostError: the store refuses, or what it holds is not what its manifest says; the disk has no room for it.
    """
    if not is_name(campaign) or not (run_id == LATEST or is_run_name(run_id)):
        raise InputError(
            f"{campaign!r}, {run_id!r}: not the names of a campaign and a run", do="give RUN=<campaign>/<run-id>"
        )
    manifest = read_manifest(store, campaign, newest(store, campaign) if run_id == LATEST else run_id)
    final = results / campaign / manifest.run_id
    if os.path.lexists(final):
        _require_same(manifest, final)
        return final, 0
    under = f"{campaign}/{manifest.run_id}/"
    _require_honest(store, under, manifest)
    folder = final.with_name(f".{final.name}.partial")
    folder.mkdir(parents=True, exist_ok=True)
    files_below(folder)  # before anything in it is opened, its lock too
    with hold(folder / _LOCK, f"{folder}: another harness is at work on this run"):
        missing = [file for file in manifest.files if not _is_here(file, folder)]
        _require_room(missing, folder)
        _fetch_all(store, under, missing, folder)
        wanted = {file.path for file in manifest.files}
        for name, path in files_below(folder).items():
            if name not in wanted and name != _LOCK:  # of a pull that was killed, or of a run that was pushed again
                path.unlink()
        folder.rename(final)
    return final, len(missing)


def read_manifest(store: Bucket, campaign: str, run_id: str) -> Manifest:
    """What a run in the store consists of.

    Raises:
        InputError: the store has no such run, or none that was pushed to its end.
        HostError: its manifest can't be read.
    """
    name = f"{campaign}/{run_id}/{MANIFEST}"
    content = store.read(name, MOST_MANIFEST_BYTES)
    if content is None:
        raise InputError(
            f"{store}: no run {campaign}/{run_id} is there, or its push has not ended",
            do="`make store-list STORE=…` names the runs; push it again to its end",
        )
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        raise HostError(f"{store}/{name}: {error.errors()[0]['msg']}", do="push the run again") from error
    if (manifest.campaign, manifest.run_id) != (campaign, run_id):
        raise HostError(f"{store}/{name}: it is the manifest of another run", do="push the run again")
    return manifest


def newest(store: Bucket, campaign: str) -> str:
    """The newest run of a campaign in the store; run ids sort by time.

    Raises:
        InputError: there is none.
    """
    runs = [name for name in store.folders(f"{campaign}/") if is_run_name(name)]
    if not runs:
        known = ", ".join(filter(is_name, store.folders())) or "nothing"
        raise InputError(f"{store}: no run of {campaign} is there; it has: {known}", do="check RUN=<campaign>/<run>")
    return max(runs)


def _is_here(file: StoredFile, folder: Path) -> bool:
    path = folder / file.path
    return path.is_file() and path.stat().st_size == file.size_bytes and digest_of(path) == file.blake3


def _require_same(manifest: Manifest, folder: Path) -> None:
    """Refuse a run that is here already, and in any file another than the store's."""
    here = {name for name in files_below(folder) if not is_passing(name)}
    other = sorted(here - {file.path for file in manifest.files})
    other += [file.path for file in manifest.files if not _is_here(file, folder)]
    if other:
        raise InputError(
            f"{folder}: a run of this name is here already, and {len(other)} files are not as in the store, "
            f"the first: {other[0]}",
            do="move this folder away and pull again, or push it to another prefix",
        )


def _require_honest(store: Bucket, under: str, manifest: Manifest) -> None:
    """Refuse a run that is said to unpack to far more than runs do, before any of it is fetched."""
    stored = store.sizes(under)
    packed = sum(stored.get(f"{under}{file.name}", 0) for file in manifest.files)
    if manifest.size_bytes > max(_ALWAYS_BYTES, _MOST_RATIO * packed):
        raise InputError(
            f"{store}/{under}: {show_size(packed)} are there, said to unpack to {show_size(manifest.size_bytes)}; "
            f"no run packs to less than a {_MOST_RATIO}th",
            do="ask who pushed it; nothing was fetched",
        )


def _require_room(missing: Sequence[StoredFile], folder: Path) -> None:
    needed, free = sum(file.size_bytes for file in missing), shutil.disk_usage(folder).free
    if needed > free - _KEEP_FREE_BYTES:
        raise HostError(
            f"{folder}: {show_size(needed)} are to be fetched, {show_size(free)} are left on this disk, and "
            f"{show_size(_KEEP_FREE_BYTES)} must stay free",
            do="make space there, or pull elsewhere: RESULTS=…",
        )


def _fetch_all(store: Bucket, under: str, missing: Sequence[StoredFile], folder: Path) -> None:
    """Fetch files, the largest first; the first failure, or a signal, stops all."""
    stop = threading.Event()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        try:
            ordered = sorted(missing, key=lambda file: -file.size_bytes)
            work = [pool.submit(fetch, store, f"{under}{file.name}", file, folder, stop.is_set) for file in ordered]
            wait(work, return_when=FIRST_EXCEPTION)
            for one in work:
                if one.done():
                    one.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def fetch(
    store: Bucket, name: str, file: StoredFile, folder: Path, stopped: Callable[[], bool] = lambda: False
) -> None:
    """Fetch one file of a run into its place below `folder`, where it appears when it is whole.

    Raises:
        Interrupted: `stopped` says so.
        HostError: the store lacks it, or what the store holds is not what the manifest says.
    """
    path = folder / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    body = store.open(name)
    if body is None:
        raise HostError(f"{store}/{name}: missing in the store", do="push the run again")
    half = path.with_name(f".{path.name}.partial")
    with closing(body), answers("s3"):
        unpack(body, file, half, stopped)
    half.replace(path)
