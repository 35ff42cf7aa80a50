"""Files that one process holds for itself alone."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harness.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def hold(path: Path, refusal: str) -> Iterator[None]:
    """Hold a lock file for this process alone, until the block ends or the process does.

    Raises:
        HostError: another process holds it; `refusal` says of what, the message adds by whom.
        OSError: it can't be written, or is a link: one in a run of others leads to what is not ours.
    """
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644), "r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise HostError(
                f"{refusal} ({lock.read().strip() or 'unknown'})", do="wait for it to end, or use another folder"
            ) from error
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        yield
