"""Sizes and durations as people write and read them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

_UNITS = {
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}
_SIZE = re.compile(rf"([0-9]{{1,15}}(?:\.[0-9]{{1,15}})?)\s*({'|'.join(_UNITS)})")
SIZE_PATTERN = rf"^\s*{_SIZE.pattern}\s*$"
"""Of sizes as text, for a JSON Schema."""
LARGEST_BYTES = 2**60


def parse_size(value: object) -> object:
    """Bytes of a size such as `512MiB` or `1.5 GiB`; anything but a string is passed on to the validator."""
    size = _bytes_of(value) if isinstance(value, str) else value
    if isinstance(size, int | float) and size > LARGEST_BYTES:
        raise ValueError("larger than any disk or memory")
    return size


def _bytes_of(value: str) -> int:
    match = _SIZE.fullmatch(value.strip())
    if not match:
        raise ValueError(f"{value[:40]!r} is not a size; write a number and a unit, for instance 512MiB or 1.5GiB")
    return int(float(match[1]) * _UNITS[match[2]])


Size = Annotated[int, BeforeValidator(parse_size), Field(ge=0, json_schema_extra={"x-type": "size"})]


def show_size(size_bytes: float) -> str:
    """A size in the largest binary unit that leaves at least one whole: `1.5 GiB`."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if abs(size_bytes) >= _UNITS[unit]:
            return f"{size_bytes / _UNITS[unit]:.1f} {unit}"
    return f"{size_bytes:.0f} B"


def exact_size(size_bytes: int) -> str:
    """A size in the largest binary unit that it is whole in, as a spec has it: `1GiB`, `1000B`."""
    unit = next((one for one in ("TiB", "GiB", "MiB", "KiB") if size_bytes and not size_bytes % _UNITS[one]), "B")
    return f"{size_bytes // _UNITS[unit]}{unit}"


def show_duration(duration_s: float) -> str:
    """A duration as `42 s`, `9 min 30 s` or `2 h 05 min`."""
    seconds = round(duration_s)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
