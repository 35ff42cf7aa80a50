"""A playbook's private folder on this machine, which also tells what works for the playbook from all else."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "PRESSGAUGE_PLAYBOOK"
"""In the environment of Ansible, and of all that it starts on this machine: the private folder of the playbook."""
_PRIVATE = "pressgauge-ansible-"
_ENDED_WITHIN_S = 10.0
_KILL_POLL_S = 0.02
_LOCK = ".lock"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder for Ansible's own files, gone afterwards; those that killed harnesses left are deleted too."""
    for left in Path(tempfile.gettempdir()).glob(f"{_PRIVATE}*"):
        with suppress(OSError), (left / _LOCK).open("r+") as lock:  # another user's can't be opened
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its harness lives
            end_all_of(left)
            shutil.rmtree(left)
    folder = Path(tempfile.mkdtemp(prefix=f".{_PRIVATE}"))
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            folder = folder.rename(folder.with_name(folder.name[1:]))  # found by others only now that it is held
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end_all_of(private: Path) -> None:
    """Kill whatever works for a playbook on this machine: Ansible itself, its workers, modules and what these started.

    They lead sessions of their own, and outlive each other and a killed harness; the environment tells them apart.
    """
    mark = f"{MARK}={private}".encode()
    deadline = time.monotonic() + _ENDED_WITHIN_S
    while (left := list(_bearing(mark))) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):  # it ended by itself in between
                os.kill(pid, signal.SIGKILL)
        time.sleep(_KILL_POLL_S)


def _bearing(mark: bytes) -> Iterator[int]:
    """The processes with this entry in their environment; a zombie has none."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or ended in between
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)
