"""What templates and charts are given: JSON's own types, in which nothing can be called and every text can be shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel

from core.text import label, shown

_MOST = 2**63
"""What drawing takes as a number."""
_DEEPEST = 50
"""What lies deeper in objects and lists is left out."""
_EXPRESSION = "labelExpr"
"""A chart's key of a program, whose texts are labels already."""


def plain(value: Any) -> Any:
    """Dataclasses and models as objects with their fields, sequences as lists, numbers that are none as None."""
    return _plain(value, shown, _DEEPEST)


def plain_chart(specification: Mapping[str, Any]) -> dict[str, Any]:
    """A chart's specification, with texts short enough to be drawn."""
    return {key: _plain(part, label, _DEEPEST) for key, part in specification.items()}


def _plain(value: Any, text: Callable[[str], str], room: int) -> Any:
    if isinstance(value, str):
        return text(str(value))
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    elif is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, list | tuple):
        return [_plain(part, text, room - 1) for part in value] if room else None
    if isinstance(value, Mapping):
        parts = value.items() if room else ()
        return {text(key): part if key == _EXPRESSION else _plain(part, text, room - 1) for key, part in parts}
    return _number(value)


def _number(value: Any) -> float | bool | None:
    """The number as Python's own: NumPy's have methods, some of which write files."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < _MOST else None
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    raise TypeError(f"{type(value).__name__}: nothing that a template may have")
