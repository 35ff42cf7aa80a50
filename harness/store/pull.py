"""Fetching a run: only what is missing here, several files at a time, each file checked before it appears."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.aws import answers
from harness.errors import HostError, InputError
from harness.ledger import LATEST, SPEC_FILE, hold
from harness.store.manifest import MANIFEST, Manifest
from harness.store.push import AT_A_TIME
from harness.store.streams import digest_of, unpack

if TYPE_CHECKING:
    from pathlib import Path

    from harness.store.bucket import Bucket
    from harness.store.manifest import StoredFile


def pull(store: Bucket, campaign: str, run_id: str, results: Path) -> tuple[Path, int]:
    """Fetch a run into `<results>/<campaign>/<run-id>`; its folder, and how many files had to be fetched.

    A run that is not here yet appears whole: until then its files lie in a folder with a leading dot, and a pull
    that was killed goes on there. `latest` stays as it is: it names the run that a campaign goes on with.

    Raises:
        InputError: the store has no such run, or a run of that name here has other trials.
        HostError: the store refuses, or what it holds is not what its manifest says.
    """
    manifest = read_manifest(store, campaign, newest(store, campaign) if run_id == LATEST else run_id)
    final = results / campaign / manifest.run_id
    folder = final if final.exists() else final.with_name(f".{final.name}.partial")
    folder.mkdir(parents=True, exist_ok=True)
    with hold(folder / ".lock", f"{folder}: another harness is at work on this run"):
        missing, stop = _missing(manifest, folder), threading.Event()
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            try:
                under = f"{campaign}/{manifest.run_id}/"
                work = [pool.submit(_fetch, store, f"{under}{file.name}", file, folder, stop) for file in missing]
                wait(work, return_when=FIRST_EXCEPTION)
                for one in work:
                    if one.done():
                        one.result()
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)
        if folder != final:
            folder.rename(final)
    return final, len(missing)


def read_manifest(store: Bucket, campaign: str, run_id: str) -> Manifest:
    """What a run in the store consists of.

    Raises:
        InputError: the store has no such run, or none that was pushed to its end.
        HostError: its manifest can't be read.
    """
    name = f"{campaign}/{run_id}/{MANIFEST}"
    content = store.read(name)
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
    runs = store.folders(f"{campaign}/")
    if not runs:
        known = ", ".join(store.folders()) or "nothing"
        raise InputError(f"{store}: no run of {campaign} is there; it has: {known}", do="check RUN=<campaign>/<run>")
    return max(runs)


def _missing(manifest: Manifest, folder: Path) -> list[StoredFile]:
    """What has to be fetched, the largest first; a run's spec and trials are never written over."""
    missing, other = [], []
    for file in manifest.files:
        path = folder / file.path
        if not path.is_file():
            missing.append(file)
        elif path.stat().st_size != file.size_bytes or digest_of(path) != file.blake3:
            missing.append(file)
            if file.path == SPEC_FILE or file.path.startswith("trials/"):
                other.append(file.path)
    if other:
        raise InputError(
            f"{folder}: {len(other)} files here are not as in the store, the first: {other[0]}",
            do="move this folder away and pull again, or push it to another prefix",
        )
    return sorted(missing, key=lambda file: -file.size_bytes)


def _fetch(store: Bucket, name: str, file: StoredFile, folder: Path, stop: threading.Event) -> None:
    path = folder / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    body = store.open(name)
    if body is None:
        raise HostError(f"{store}/{name}: missing in the store", do="push the run again")
    half = path.with_name(f".{path.name}.partial")
    with closing(body), answers("s3"):
        unpack(body, file, half, stop.is_set)
    half.replace(path)
