"""Sending a run: only what the store lacks, several files at a time, each file checked on its way."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.addons.s3.bucket import etag_of
from harness.addons.s3.folder import files_below, is_passing
from harness.addons.s3.manifest import MANIFEST, Codec, Manifest, StoredFile
from harness.addons.s3.streams import digest_of, part_bytes, parts
from harness.errors import HostError, InputError, Interrupted

if TYPE_CHECKING:
    from pathlib import Path

    from harness.addons.s3.bucket import Bucket
    from harness.ledger.ledger import Ledger

AT_A_TIME = 4
_PACKED = (".zst", ".gz", ".xz", ".bz2", ".zip", ".png")
_FOR_BROWSERS = "report/"


@dataclass
class Sent:
    """What a push sent, and what the store had already; bytes as they lie in the store. Threads may share it."""

    files: int = 0
    files_there: int = 0
    size_bytes: int = 0
    parts_there: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, *, files: int = 0, files_there: int = 0, size_bytes: int = 0, parts_there: int = 0) -> None:
        """Add to the counts."""
        with self.lock:
            self.files += files
            self.files_there += files_there
            self.size_bytes += size_bytes
            self.parts_there += parts_there


def push(ledger: Ledger, store: Bucket) -> tuple[Manifest, Sent]:
    """Send what the store lacks of a run, then its manifest; a killed push goes on where it was, in the same file.

    Raises:
        InputError: a file is not what the run recorded, or none but a link, or the store's address is wrong.
        HostError: the run is being worked on, or the store refuses.
    """
    files_below(ledger.folder)  # before anything in it is opened, its lock too
    with ledger.locked():
        manifest = _manifest(ledger)
        sender = _Sender(ledger.folder, store, f"{manifest.campaign}/{manifest.run_id}/")
        sent = sender.send_all(manifest.files)
        store.put(f"{sender.under}{MANIFEST}", manifest.model_dump_json(indent=1).encode())
        return manifest, sent


def _manifest(ledger: Ledger) -> Manifest:
    """What there is to be sent.

    Raises:
        InputError: no store takes that.
    """
    try:
        return Manifest(
            campaign=str(ledger.state().get("campaign") or ledger.folder.parent.name),
            run_id=ledger.run_id,
            pushed_at=datetime.now(UTC).isoformat(timespec="seconds"),
            files=_files(ledger),
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{ledger.folder}: no store takes this run: {where}: {first['msg']}", do="fix that, then push it again"
        ) from error


def _files(ledger: Ledger) -> tuple[StoredFile, ...]:
    """Every file of a run, with the digest its trial recorded, or else its digest now."""
    recorded = {
        f"trials/{record.trial}/{one.path}": one.blake3 for record in ledger.records() for one in record.artefacts
    }
    there = files_below(ledger.folder).items()
    paths = {name: path for name, path in there if name in recorded or not is_passing(name)}
    return tuple(
        StoredFile(
            path=name,
            size_bytes=path.stat().st_size,
            blake3=recorded.get(name) or digest_of(path),
            codec=Codec.PLAIN if _as_it_is(name) or f"{name}.zst" in paths else Codec.ZSTD,
        )
        for name, path in paths.items()
    )


def _as_it_is(name: str) -> bool:
    """Compressed already, or to be opened from the store by a browser."""
    return name.endswith(_PACKED) or (name.startswith(_FOR_BROWSERS) and name.endswith((".html", ".svg")))


class _Sender:
    """Sends files to one run's prefix."""

    def __init__(self, folder: Path, store: Bucket, under: str) -> None:
        self.folder, self.store, self.under = folder, store, under
        self.there = store.sizes(under)
        self.unfinished = store.unfinished(under)
        self.sent = Sent()
        self.stop = threading.Event()

    def send_all(self, files: tuple[StoredFile, ...]) -> Sent:
        """Send what is missing; the first failure, or a signal, stops all."""
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            try:
                work = [pool.submit(self._send, file) for file in sorted(files, key=lambda file: -file.size_bytes)]
                wait(work, return_when=FIRST_EXCEPTION)
                for one in work:
                    if one.done():
                        one.result()
            finally:
                self.stop.set()
                pool.shutdown(cancel_futures=True)
        for name, upload in self.unfinished.items():
            self.store.abandon(name, upload)
        return self.sent

    def _send(self, file: StoredFile) -> None:
        name, path = f"{self.under}{file.name}", self.folder / file.path
        if name in self.there:
            known = self.store.head(name)
            if known and known.blake3 == file.blake3:
                self.sent.count(files_there=1)
                return
        if file.size_bytes < part_bytes(file) // 2:  # one part, however badly it packs
            (body,) = parts(path, file)
            self.store.put(name, body, file.blake3)
            self.sent.count(files=1, size_bytes=len(body))
            return
        self._send_in_parts(name, path, file)

    def _send_in_parts(self, name: str, path: Path, file: StoredFile) -> None:
        upload = self.unfinished.pop(name, None)
        has = self.store.parts(name, upload) if upload else {}
        upload = upload or self.store.begin(name, file.blake3)
        etags: list[str] = []
        total = 0
        for number, body in enumerate(parts(path, file), 1):
            if self.stop.is_set():
                raise Interrupted("the push was stopped", do="the same command resumes it")
            etag = etag_of(body)
            if has.get(number) == (len(body), etag):
                self.sent.count(parts_there=1)
            else:
                etag = self.store.put_part(name, upload, number, body)
                self.sent.count(size_bytes=len(body))
            etags.append(etag)
            total += len(body)
        self.store.complete(name, upload, etags)
        kept = self.store.head(name)
        if kept and kept.blake3 != file.blake3:  # an upload begun for other content of the same file, now completed
            self._send_in_parts(name, path, file)
        elif not kept or kept.size_bytes != total:
            raise HostError(f"{self.store}/{name}: the store has not kept what was sent", do="push again")
        else:
            self.sent.count(files=1)
