"""Files as a run keeps them: as they were written, or compressed with zstd as `<name>.zst` in their place."""

from __future__ import annotations

import errno
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


def read_stored(path: Path, at_most: int = _LARGEST_BYTES) -> bytes:
    """The content of the file called `path`, however it is kept.

    Raises:
        OSError: it can't be read, is damaged, or holds more than `at_most` bytes.
    """
    packed = path.with_name(path.name + SUFFIX)
    if path.exists() or not packed.exists():
        _refuse(path, path.stat().st_size, at_most)
        return path.read_bytes()
    _refuse(packed, packed.stat().st_size, at_most)
    content = packed.read_bytes()
    try:
        _refuse(packed, zstandard.get_frame_parameters(content).content_size, at_most)  # before it takes memory
        return zstandard.ZstdDecompressor().decompress(content, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise OSError(errno.EIO, f"its compressed form is damaged: {error}", str(packed)) from error


def stored_names(folder: Path) -> list[str]:
    """The names of a folder's files, as `read_stored` takes them."""
    return sorted({path.name.removesuffix(SUFFIX) for path in folder.iterdir() if path.is_file()})


def _refuse(path: Path, size_bytes: int, at_most: int) -> None:
    if size_bytes > at_most:
        raise OSError(errno.EFBIG, f"larger than {at_most} bytes", str(path))
