"""Files as a run keeps them: as they were written, or compressed with zstd as `<name>.zst` in their place."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".zst"
_LEVEL = 10  # a seventh is left of a trial's snapshots, after a few hundredths of a second
_LARGEST_BYTES = 2**28


def pack(path: Path) -> None:
    """Keep a file in its compressed form instead, where that is smaller."""
    content = path.read_bytes()
    packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(content)
    if len(packed) < len(content):
        path.with_name(path.name + SUFFIX).write_bytes(packed)
        path.unlink()


def read_regular(path: Path, at_most: int = _LARGEST_BYTES, *, links: bool = False) -> bytes:
    """The content of a regular file; never of a pipe, a device or a folder, and through a link only where `links` may.

    Raises:
        OSError: it can't be read, is none, or holds more than `at_most` bytes.
    """
    _require_regular(path, path.stat(follow_symlinks=links))
    # what took its place since is not followed either, and no pipe's other end is waited for
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if links else os.O_NOFOLLOW))
    with open(handle, "rb") as file:  # noqa: PTH123 it is open already
        found = os.fstat(handle)
        _require_regular(path, found)
        _refuse(path, found.st_size, at_most)
        return file.read(found.st_size)


def read_stored(path: Path, at_most: int = _LARGEST_BYTES) -> bytes:
    """The content of the file called `path`, however it is kept.

    Raises:
        OSError: it can't be read, is a link or no regular file, is damaged, or holds more than `at_most` bytes.
    """
    packed = path.with_name(path.name + SUFFIX)
    if os.path.lexists(path) or not os.path.lexists(packed):
        return read_regular(path, at_most)
    content = read_regular(packed, at_most)
    try:
        _refuse(packed, zstandard.get_frame_parameters(content).content_size, at_most)  # before it takes memory
        return zstandard.ZstdDecompressor().decompress(content, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise OSError(errno.EIO, f"its compressed form is damaged: {error}", str(packed)) from error


def stored_names(folder: Path) -> list[str]:
    """The names of a folder's files, as `read_stored` takes them."""
    with os.scandir(folder) as entries:
        return sorted({entry.name.removesuffix(SUFFIX) for entry in entries if entry.is_file(follow_symlinks=False)})


def paths_below(folder: Path) -> dict[str, Path]:
    """All below a folder but folders, by its path there, sorted: files, and links, which are not followed."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return {str(path.relative_to(folder)): path for path in sorted(found)}


def _require_regular(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "a link, which is not followed here", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def _refuse(path: Path, size_bytes: int, at_most: int) -> None:
    if size_bytes > at_most:
        raise OSError(errno.EFBIG, f"larger than {at_most} bytes", str(path))
