"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class LinkedError(ValueError):
    """Something would be written where a symbolic link leads; the message names the link."""


def half_written(name: str) -> str:
    """What a file is called while it is being written; a process that is killed then leaves it."""
    return f".{name}.tmp"


def write_whole(path: Path, content: str | bytes, *, durable: bool = False, mode: int = 0o666) -> None:
    """Write a file so that it appears whole or not at all; a durable one survives a power cut once this returns.

    A link in its place is replaced, and what it leads to stays as it is.

    Raises:
        OSError: the folder can't be written to, or the disk is full.
    """
    temporary = path.with_name(half_written(f"{path.name}.{os.getpid()}"))
    temporary.unlink(missing_ok=True)  # one that a killed process left, or a link that waits for us
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:  # noqa: PTH123
            file.write(content.encode() if isinstance(content, str) else content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync(path.parent)


def refuse_links(*folders: Path) -> None:
    """See to it that neither the folders nor what is in them are symbolic links; a folder may be missing.

    Raises:
        LinkedError: one is.
    """
    for folder in folders:
        for path in (folder, *(folder.iterdir() if folder.is_dir() and not folder.is_symlink() else ())):
            if path.is_symlink():
                raise LinkedError(f"{path} is a symbolic link, and Pressgauge writes through none")


def sync(path: Path) -> None:
    """Wait until a file's content, or a folder's entries, are on disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
