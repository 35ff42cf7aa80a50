"""The files of a run's folder, as they are sent and compared."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from core.stored import paths_below
from harness.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def files_below(folder: Path) -> dict[str, Path]:
    """Every file below a folder, by its path there, sorted; no link is followed.

    Raises:
        InputError: the folder, or something in it, is neither a file nor a folder but a link, a pipe, a device …
    """
    found = {} if folder.is_symlink() else paths_below(folder)
    for path in found.values() or [folder]:
        mode = path.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise InputError(
                f"{path}: a run's folder holds files and folders alone, and this is {_kind(mode)}",
                do="remove it, or put the file itself there",
            )
    return found


def is_passing(name: str) -> bool:
    """Whether a file is there for the moment only, by its path: locks, half-written files, trials at work."""
    return name.startswith(".") or "/." in name


def _kind(mode: int) -> str:
    kinds = {stat.S_IFREG: "a file", stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
