"""Folders that appear whole or not at all, and are one process's while they come about."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.files import half_written, sync
from datasets.errors import DatasetError

_OWNERS = 0o700


def unfinished(folder: Path) -> Path:
    """Give the folder that is called `folder` once it is finished."""
    return folder.with_name(half_written(folder.name))


def is_unfinished(folder: Path) -> bool:
    """Tell whether a folder is one that is not finished."""
    return folder.name.startswith(".") and folder.name == half_written(folder.name[1:].removesuffix(".tmp"))


@contextmanager
def appearing(folder: Path, *, goes_on: bool = False) -> Iterator[Path]:
    """Give a folder, for its owner alone, that is called `folder` once the block has ended well.

    Where the block fails, it is gone; and where the process is killed, the next one finds it and begins with an empty
    one. But if the block `goes_on` with what it finds there, it stays unless DatasetError or OSError says that going on
    would lead nowhere.

    Raises DatasetError: something is called so already, the folder can't be written, another process is at it.
    """
    new = unfinished(folder)
    try:
        if folder.is_symlink() or (folder.exists() and any(folder.iterdir())):
            raise DatasetError(f"sample {folder}: something is there already; give another folder, or remove it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(new, folder):
            try:
                if not goes_on:
                    empty(new)
                yield new
                new.rename(folder)
                sync(folder.parent)
            except BaseException as error:
                if not goes_on or isinstance(error, DatasetError | OSError):
                    shutil.rmtree(new, ignore_errors=True)
                raise
    except OSError as error:
        raise DatasetError(
            f"sample {folder}: cannot be written ({error.strerror}); check rights and free space"
        ) from None


def empty(folder: Path) -> None:
    """Remove all that is in a folder. Raises OSError."""
    for entry in list(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


@contextmanager
def _alone(new: Path, folder: Path) -> Iterator[None]:
    """Hold a folder, made where there is none, for this process alone."""
    if not new.is_symlink() and not new.exists():
        new.mkdir(_OWNERS)
    handle = os.open(new, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found, there = os.fstat(handle), new.stat(follow_symlinks=False)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise DatasetError(f"sample {folder}: {new} is not yours alone; remove it")
        if (found.st_dev, found.st_ino) != (there.st_dev, there.st_ino):
            raise BlockingIOError
        yield
    except BlockingIOError:
        raise DatasetError(
            f"sample {folder}: another process is taking it; wait for it, or give another folder"
        ) from None
    finally:
        os.close(handle)
