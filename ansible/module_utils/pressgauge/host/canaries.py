"""Short fixed pieces of work that show whether a host is as fast as it was: one core, and the data's disk."""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TEXT_BYTES = 1 << 20
_ROUNDS = 15
_PIECES = 8
_PIECE_BYTES = 8 << 20


def cpu_bytes_per_s() -> float:
    """Bytes of a fixed text that one core compresses a second: the median of some rounds, so that one pause is none."""
    text = _text()
    rounds = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        zlib.compress(text, 6)
        rounds.append(len(text) / (time.perf_counter() - began))
    return median(rounds)


def disk_bytes_per_s(folder: Path) -> float:
    """Bytes written to a new file in `folder` a second, until they are on disk: the median of some pieces.

    The file is removed.
    """
    path = folder / f".canary-{os.getpid()}"
    piece = os.urandom(_PIECE_BYTES)
    rates = []
    try:
        with path.open("wb", buffering=0) as file:
            for _ in range(_PIECES):
                began = time.perf_counter()
                file.write(piece)
                os.fsync(file.fileno())
                rates.append(_PIECE_BYTES / (time.perf_counter() - began))
        return median(rates)
    finally:
        path.unlink(missing_ok=True)


def _text() -> bytes:
    """The same on every host and in every run, and about as compressible as text: hexadecimal digits."""
    digits = hashlib.shake_128(b"pressgauge canary").hexdigest(_TEXT_BYTES // 2)
    return digits.encode("ascii")
