"""The codecs that are timed: those of WiredTiger, lz4 beside them, and a memory copy as the ceiling.

`datasets.ratios` has what mongod's blocks should come to. These have speed as well, so each is the library that mongod
links, called with as little as possible around it: Google's snappy in C++ (within pyarrow), the classic zlib, and zstd
with a context that is used again, as WiredTiger does it.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow
import zstandard

from datasets.errors import DatasetError

LIBRARIES = {
    "pyarrow (snappy, lz4)": pyarrow.__version__,
    "zlib": zlib.ZLIB_RUNTIME_VERSION,
    "zstd": ".".join(map(str, zstandard.ZSTD_VERSION)),
}


@dataclass(frozen=True)
class Calls:
    """What a codec does to a block."""

    compress: Callable[[memoryview], bytes]
    decompress: Callable[[bytes, int], bytes]
    """Given the compressed block, and how long it was before."""


@dataclass(frozen=True)
class Codec:
    """A codec at a level, or without one."""

    name: str
    level: int | None = None

    def calls(self) -> Calls:
        """Make ready to compress and decompress. Not for several threads."""
        return _MADE[self.name](self.level)


def _copy(_: int | None) -> Calls:
    return Calls(compress=bytes, decompress=lambda block, _: bytes(memoryview(block)))


def _arrow(name: str, _: int | None) -> Calls:
    codec: Any = pyarrow.Codec(name)
    return Calls(compress=partial(codec.compress, asbytes=True), decompress=partial(codec.decompress, asbytes=True))


def _zlib(level: int | None) -> Calls:
    assert level is not None
    return Calls(
        compress=lambda block: zlib.compress(block, level),
        decompress=lambda block, length: zlib.decompress(block, bufsize=length),
    )


def _zstd(level: int | None) -> Calls:
    assert level is not None
    return Calls(
        compress=zstandard.ZstdCompressor(level=level).compress, decompress=zstandard.ZstdDecompressor().decompress
    )


_MADE: dict[str, Callable[[int | None], Calls]] = {
    "none": _copy,
    "snappy": partial(_arrow, "snappy"),
    "lz4": partial(_arrow, "lz4_raw"),
    "zlib": _zlib,
    "zstd": _zstd,
}
CODECS = (
    Codec("none"),
    Codec("lz4"),
    Codec("snappy"),
    *(Codec("zlib", level) for level in (1, 6, 9)),
    *(Codec("zstd", level) for level in (1, 3, 6, 9, 15)),
)
"""What is profiled: mongod's own levels are 6, and lz4 is for reference, since MongoDB has none."""
_LEVELS = {"zlib": range(10), "zstd": range(-7, 23)}


def parse_codec(text: str) -> Codec:
    """Read a codec as people write it: `snappy`, `zstd-6`. Raises DatasetError if there is none of that name."""
    match = re.fullmatch(r"([a-z0-9]+)(?:-(-?[0-9]{1,2}))?", text.strip())
    level = int(match[2]) if match and match[2] else None
    if match and match[1] in _MADE and (level in _LEVELS[match[1]] if match[1] in _LEVELS else level is None):
        return Codec(match[1], level)
    levels = ", ".join(f"{name}-<{found[0]} to {found[-1]}>" for name, found in _LEVELS.items())
    raise DatasetError(f"codec {text!r} is unknown; allowed are none, lz4, snappy, {levels}")
